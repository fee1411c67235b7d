"""What the loop does for a harness: corrections of a broken format, guards, sentinels, limits; added harnesses."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

import harnesses
from harnesses import added
from oi_tui.protocol.events import CallEnded, MessageDelta, Notice, TurnEnded
from tests.mock_model import MockModel, say
from tests.user_reports.in_process import Live

_OWN = '''
    """A harness for the tests: one fenced command an answer, done at `DONE`."""
    import re
    from harnesses.base import Harness
    from harnesses.data import Binding, Exit, Guard, Limits, Parsed
    from harnesses.texts import TextReader
    from oi_tui.protocol.calls import Call

    FENCE = re.compile(r"^```sh\\n(.*?)\\n```", re.M | re.S)

    def parse(text, stop):
        found = FENCE.findall(text)
        if len(found) != 1:
            return Parsed(text, error=f"Give one command, not {len(found)}.")
        return Parsed(FENCE.sub("", text).strip(), calls=(Call("b1", "run", {"language": "shell", "code": found[0]}),))

    class Own(Harness):
        sections = (lambda env: f"You work in {env.cwd}.",)
        uses_tools = False
        limits = Limits(format_errors=3, steps=20, timeouts=2)
        keeps_bad_answers = KEEPS

        def reader(self, env):
            return TextReader(re.compile("^```", re.M), parse)

        def observe(self, name, result):
            return f"[{result.exit_code}] {result.text}"

        def guard(self, made, call):
            same = sum(one.arguments.find(call.args["code"]) >= 0 for one in made)
            return {1: Guard("note", "Again?"), 2: Guard("block", "Not a third time."),
                    3: Guard("stop", "four times the same")}.get(same)

        def final(self, call, result):
            return Exit("submitted", "all done") if result.text.startswith("DONE") else None
'''


def _own(keeps: bool = True) -> None:
    added.folder().mkdir(parents=True, exist_ok=True)
    source = textwrap.dedent(_OWN).replace("KEEPS", str(keeps))
    (added.folder() / "own.py").write_text(source, encoding="utf-8")


def _sh(command: str) -> Any:
    return say(f"I try.\n```sh\n{command}\n```\n")


def _said(mock: MockModel, request: int) -> list[str]:
    return [one["content"] for one in mock.requests[request]["messages"][1:]]


async def _turn(mock: MockModel, *requests: str) -> tuple[Live, TurnEnded]:
    async with Live(mock, harness="own") as live:
        ended = TurnEnded("done")
        for text in requests:
            ended = await live.turn(text)
        return live, ended


async def test_a_bad_answer_and_its_correction_are_gone_once_it_is_right() -> None:
    _own()
    with MockModel([say("hm"), say("again hm"), _sh("echo DONE"), _sh("echo DONE")]) as mock:
        live, ended = await _turn(mock, "go", "once more")
    assert ended == TurnEnded("done", "all done")
    assert _said(mock, 1) == ["go", "hm", "Give one command, not 0."]
    assert _said(mock, 2) == ["go", "again hm", "Give one command, not 0."]
    assert _said(mock, 3) == ["go", "I try.\n\n```shell\necho DONE\n```", "[0] DONE\n", "once more"]
    notices = [one.text for one in live.all_of(Notice)]
    assert notices.count("the answer was not in the form that was asked for; asking again") == 2
    assert "```" not in "".join(one.text for one in live.all_of(MessageDelta))


async def test_a_harness_may_keep_the_correction_alone() -> None:
    _own(keeps=False)
    with MockModel([say("hm"), _sh("echo DONE"), _sh("echo DONE")]) as mock:
        await _turn(mock, "go", "more")
    assert _said(mock, 1) == ["go", "Give one command, not 0."]
    assert _said(mock, 2)[:2] == ["go", "Give one command, not 0."]


async def test_bad_answers_in_a_row_end_the_turn_and_good_ones_between_do_not() -> None:
    _own()
    with MockModel([say("a"), say("b"), _sh("echo 1"), say("c"), say("d"), say("e")]) as mock:
        _, ended = await _turn(mock, "go")
    assert (ended.reason, len(mock.requests)) == ("failed", 6)
    assert "3 times in a row" in ended.text
    assert "/harness" in ended.hint


async def test_a_guard_reminds_blocks_and_stops() -> None:
    _own()
    with MockModel([_sh("echo 7; touch made$RANDOM")] * 9) as mock:
        live, ended = await _turn(mock, "go")
    assert ended == TurnEnded("limit", "four times the same", "say how to go on, or change the request")
    assert len(mock.requests) == 4
    assert _said(mock, 2)[-1] == "[0] 7\n\n\nAgain?"
    assert "Not a third time." in _said(mock, 3)[-1]
    assert [one.ok for one in live.all_of(CallEnded)] == [True, True, False, False]


async def test_time_outs_in_a_row_end_the_turn() -> None:
    _own()
    with MockModel([_sh("echo 1"), _sh("sleep 60"), _sh("sleep 61"), say("no")]) as mock:
        async with Live(mock, harness="own", block_timeout=0.3) as live:
            ended = await live.turn("go")
    assert (ended.reason, ended.text) == ("limit", "2 calls in a row ran out of time")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import nothing_here", "No module named 'nothing_here'"),
        ("x = 1", "must define one subclass"),
        ("def (", "SyntaxError"),
    ],
)
def test_an_added_harness_that_does_not_load_says_why(source: str, why: str) -> None:
    added.folder().mkdir(parents=True, exist_ok=True)
    (added.folder() / "mine.py").write_text(source, encoding="utf-8")
    assert "mine" in harnesses.ids()
    assert str(added.folder()) in harnesses.describe("mine")
    with pytest.raises(harnesses.UnknownHarness, match="mine does not load") as caught:
        harnesses.load("mine")
    assert why in str(caught.value)


def test_an_unknown_harness_lists_those_there_are() -> None:
    _own()
    with pytest.raises(harnesses.UnknownHarness, match=r"no harness 'ours'; there are native, .*own, and auto"):
        harnesses.load("ours")
    assert harnesses.load("own").id == "own"
