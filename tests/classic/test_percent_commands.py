"""Every % command of classic Open Interpreter: what it takes and does, in every face, and in front of a task."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.commands import registry
from oi_tui.commands.registry import Invocation, Shell, Unknown, parse
from oi_tui.faces.exec_commands import split
from tests.commands.hosting import Face
from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import Running, run_exec
from tests.user_reports.in_process import Live

# line, where its effect is seen (told or shown), words of it
TABLE: list[tuple[str, str, str]] = [
    ("%help", "shown", "`%save_message [FILE]`"),
    ("%verbose", "shown", "add one and one"),
    ("%verbose true", "told", "what is sent to the model is kept"),
    ("%verbose false", "told", "not kept any more"),
    ("%verbose perhaps", "told", "%verbose is true or false, not perhaps"),
    ("%debug", "shown", "add one and one"),
    ("%auto_run", "told", "asks before anything runs"),
    ("%auto_run true", "told", "everything runs unasked"),
    ("%auto_run false", "told", "asks before anything runs"),
    ("%auto_run maybe", "told", "%auto_run is true or false, not maybe"),
    ("%save_message", "told", "messages.json"),
    ("%save_message kept", "told", "kept.json"),
    ("%tokens", "shown", "of 200,000 tokens"),
    ("%tokens how far is the moon", "shown", "That prompt takes about"),
    ("%info", "shown", "**model**: `x`"),
    ("%jupyter", "told", ".ipynb"),
    ("%markdown", "told", "add-one-and-one.md"),
    ("%markdown talk", "told", "talk.md"),
    ("%undo", "told", "took back “add one and one”"),
    ("%reset", "told", "began a new conversation"),
    ("%load_message nothing", "told", "nothing.json cannot be read"),
    ("%profile nothing", "told", "there is no profile nothing"),
    ("%harness native", "told", "harness is native"),
    ("%jobs", "told", "nothing runs in the background"),
]


@pytest.fixture
async def live() -> AsyncIterator[Live]:
    """A session in which one and one were added."""
    with MockModel([code("python", "print(1 + 1)"), say("It is 2.")]) as mock:
        async with Live(mock) as made:
            await made.turn("add one and one")
            yield made


@pytest.mark.parametrize(("line", "where", "words"), TABLE, ids=[row[0] for row in TABLE])
async def test_what_each_does(live: Live, line: str, where: str, words: str) -> None:
    host = Face(live.session)
    parsed = parse(line)
    assert isinstance(parsed, Invocation)
    await registry.run(parsed, host)
    seen = [text for _, text, _ in host.told] if where == "told" else [text for _, text in host.shown]
    assert any(words in text for text in seen), (host.told, host.shown)


async def test_messages_go_to_a_file_and_come_back(live: Live) -> None:
    host = Face(live.session)
    for line in ("%save_message", "%reset", "%load_message"):
        parsed = parse(line)
        assert isinstance(parsed, Invocation)
        await registry.run(parsed, host)
    saved = json.loads((Path(live.session.cwd) / "messages.json").read_text())
    assert [one["type"] for one in saved] == ["message", "code", "console", "message"]
    assert (Path(live.session.cwd) / "messages.json").read_text().startswith('[\n  {\n    "role"')
    assert [one["content"] for one in live.session.messages] == [one["content"] for one in saved]


def test_a_percent_line_that_is_none_is_told_and_a_double_one_is_for_the_shell() -> None:
    assert parse("%% ls -la") == Shell("ls -la")
    unknown = parse("%tokns")
    assert isinstance(unknown, Unknown) and unknown.hint == "did you mean %tokens?"
    assert isinstance(parse("%nonsense_it_is"), Unknown)


@pytest.mark.parametrize(
    ("prompt", "commands", "rest"),
    [
        ("count the lines", 0, "count the lines"),
        ("/harness native\n%verbose\n\ncount\n/undo", 2, "count\n/undo"),
        ("%tokens", 1, ""),
        ("/usr/bin holds what?", 0, "/usr/bin holds what?"),
        ("%% touch x\nhello", 0, "%% touch x\nhello"),
        ("!touch x", 0, "!touch x"),
        ("%nothing\nhello", 1, "hello"),
    ],
)
def test_commands_in_front_of_a_task(prompt: str, commands: int, rest: str) -> None:
    found, left = split(prompt)
    assert (len(found), left) == (commands, rest)


def test_exec_carries_them_out_before_the_task() -> None:
    with MockModel([say("counted")]) as mock:
        done = run_exec(mock, "-", stdin=b"/harness minimal\n%info\ncount the lines\n")
        assert done.code == 0 and "harness is minimal" in done.err and "**model**: `x`" in done.out
        assert done.out.endswith("counted\n")
        assert mock.requests[0]["messages"][-1]["content"].endswith("count the lines")
        asked = len(mock.requests)
        alone = run_exec(mock, "%tokens")
        assert alone.code == 0 and "tokens" in alone.out and len(mock.requests) == asked
        wrong = run_exec(mock, "-", stdin=b"%tokns\ncount\n")
        assert wrong.code == 2 and "did you mean %tokens?" in wrong.err and len(mock.requests) == asked
        as_json = run_exec(mock, "%info", "--json")
        assert as_json.code == 0 and "**model**" in as_json.err
        assert all(isinstance(one, dict) for one in as_json.events)


def test_plain_mode_has_them_and_messages_of_several_lines() -> None:
    with MockModel([say("hello"), say("two lines")]) as mock, Terminal(mock, "--plain") as term:
        term.wait_for("ctrl+d leaves")
        term.send("hi there\n")
        term.wait_for("hello")
        term.send("%tokens\n")
        term.wait_for("system prompt")
        term.send("%% echo from-$((40+2))\n")
        term.wait_for("from-42")
        term.send('"""first\n')
        term.wait_for(". ")
        term.send('second"""\n')
        term.wait_for("two lines")
        assert mock.requests[-1]["messages"][-1]["content"] == "first\nsecond"
        term.send('"""one line"""\n')
        term.wait_for(lambda: len(mock.requests) == 3)
        assert mock.requests[-1]["messages"][-1]["content"] == "one line"


def test_the_app_has_them() -> None:
    with MockModel([say("hello")]) as mock, Terminal(mock) as term:
        term.say("hi")
        term.wait_for("hello")
        term.say("%info")
        term.wait_for("where code runs")


def test_stdin_is_the_message() -> None:
    with MockModel([say("seen")]) as mock:
        run = Running(mock, "--stdin", "-m", "x", "-ab", mock.url, stdin=b"first line\nsecond line\n")
        assert run.end().code == 0
    assert mock.requests[0]["messages"][-1]["content"] == "first line\nsecond line"
