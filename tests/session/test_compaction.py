"""When the window is full: shortening, summaries, trimming, overflow told by the provider; resume, undo, recall."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from oi_tui.protocol.events import ContextCompacted, TurnEnded
from oi_tui.session import store
from oi_tui.session.view import Compaction, boundaries, shortened
from oi_tui.tools import Preview
from tests.mock_model import MockModel, answer, call, code, http, say, usage
from tests.user_reports.in_process import Live

WIRES = ("chat", "messages", "responses")
MUCH = "print(*range(600))"


def _is_summary(request: dict[str, Any]) -> bool:
    return "You keep the notes of an assistant" in json.dumps(request)


def _live(mock: MockModel, wire: str = "chat", window: int = 4000, **settings: Any) -> Live:
    live = Live(mock, harness="native", **settings)
    live.settings.llm.context_window = window
    live.settings.llm.wire_api = wire
    live.settings.llm.max_tokens = 300
    return live


def _limited(steps: list[Any], most: int, error: dict[str, Any] | None = None, status: int = 400) -> Any:
    """A server that answers the next step, a summary when it is asked for one, and refuses bodies over `most` bytes."""
    refusal = error or {"error": {"message": "maximum context length exceeded", "code": "context_length_exceeded"}}
    left = list(steps)

    def answers(request: dict[str, Any]) -> Any:
        if len(json.dumps(request)) > most:
            return http(status, refusal)
        if _is_summary(request):
            return say("- Goal: count\n- Files: /tmp/secret-plan.txt")
        return left.pop(0) if left else say("done")

    return answers


@pytest.mark.parametrize("wire", WIRES)
async def test_a_long_conversation_goes_on_within_its_window(wire: str) -> None:
    steps = [step for _ in range(5) for step in (answer(say("I look. "), code("python", MUCH)), say("looked"))]
    with MockModel([_limited(steps, 10**9)] * 40) as mock:
        async with _live(mock, wire) as live:
            for number in range(6):
                assert (await live.turn(f"question {number}: how many?")).reason == "done"
            hows = [one.how for one in live.all_of(ContextCompacted)]
            assert hows and hows[0] == "shortened"  # the cheap way first
            assert "question 5" in json.dumps(mock.requests[-1])
            assert live.session.messages[0]["content"].startswith("question 0")
            for event in live.all_of(ContextCompacted):
                assert event.after < event.before


@pytest.mark.parametrize("wire", WIRES)
async def test_a_summary_stands_for_old_messages_and_the_newest_words_stay(wire: str) -> None:
    with MockModel([_limited([], 10**9)] * 40) as mock:
        async with _live(mock, wire) as live:
            for number in range(6):
                assert (await live.turn(f"{number} " + f"word{number} " * 450)).reason == "done"
            assert "summarised" in [one.how for one in live.all_of(ContextCompacted)]
            last = json.dumps(mock.requests[-1])
            assert "secret-plan" in last and f"5 {'word5 ' * 449}" in last and "word0 word0" not in last
            assert "recall" in last
            assert len([one for one in live.session.messages if one["role"] == "user"]) == 6


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_overflow_told_by_the_provider(status: int) -> None:
    steps = [code("python", "print('y' * 6000)") for _ in range(5)]
    with MockModel([_limited(steps, 34_000, status=status)] * 40) as mock:
        async with _live(mock, window=100_000, max_output=6000) as live:
            assert (await live.turn("count all of it")).reason == "done"
            assert live.all_of(ContextCompacted)
            assert "count all of it" in json.dumps(mock.requests[-1])
            assert len(json.dumps(mock.requests[-1])) < 34_000
            assert (await live.turn("and now?")).reason == "done"


async def test_a_result_larger_than_all_the_rest() -> None:
    steps = [say("a" * 9000), code("python", "print('z' * 40000)"), say("seen")]
    with MockModel([_limited(steps, 30_000)] * 40) as mock:
        async with _live(mock, window=100_000, max_output=60_000) as live:
            assert (await live.turn("first")).reason == "done"
            assert (await live.turn("second")).reason == "done"
            await live.session.compact("the file names")
            assert (await live.until(TurnEnded)).reason == "done"
            assert "keep above all: the file names" in json.dumps(mock.requests[-1])
            assert (await live.turn("third")).reason == "done"
            bodies = [json.dumps(one) for one in mock.requests]
            large = [one for one in bodies if len(one) > 30_000]
            assert len(large) == len(set(large))
            assert all(word in bodies[-1] for word in ("first", "second", "third", "secret-plan"))


async def test_a_failed_summary_never_ends_the_session() -> None:
    def answers(request: dict[str, Any]) -> Any:
        return http(400, {"error": {"message": "no"}}) if _is_summary(request) else say("fine")

    with MockModel([answers] * 40) as mock:
        async with _live(mock) as live:
            for number in range(6):
                assert (await live.turn(f"{number} " + "word " * 450)).reason == "done"
            event = live.all_of(ContextCompacted)[-1]
            assert event.how == "trimmed" and "(HTTP 400): no" in event.text


async def test_a_window_too_small_for_the_prompt_is_said_with_both_numbers() -> None:
    with MockModel() as mock:
        async with _live(mock, window=500) as live:
            ended = await live.turn("hello")
            assert (ended.reason, mock.requests) == ("failed", [])
            assert "500" in ended.text and "tokens" in ended.text and "window" in ended.hint


async def test_resume_and_undo_honour_what_was_compacted() -> None:
    with MockModel([_limited([code("python", "print('needle-42')")], 10**9)] * 40) as mock:
        async with _live(mock) as live:
            await live.turn("find it")
            await live.session.compact()
            await live.until(TurnEnded)
            whole = list(live.session.messages)
        saved = store.find(live.session.id)
        assert saved.messages == whole and len(saved.compactions) == 1
        async with _live(mock, saved=saved) as live:
            await live.turn("go on")
            last = json.dumps(mock.requests[-1])
            assert "secret-plan" in last and "needle-42" not in last and "find it" in last
            live.session.undo()
            assert live.session.history.compaction is not None
            live.session.undo()
            assert live.session.history.compaction is None and live.session.messages == []
            await live.turn("anew")
            assert "secret-plan" not in json.dumps(mock.requests[-1])


async def test_recall_finds_what_was_cut() -> None:
    steps = [code("python", "print('the port is 48213')"), say("ok"), call("recall", {"query": "port"}), say("48213")]
    with MockModel([_limited(steps, 10**9)] * 40) as mock:
        async with _live(mock) as live:
            await live.turn("which port?")
            assert "recall" not in [one["function"]["name"] for one in mock.requests[-1]["tools"]]
            await live.session.compact()
            await live.until(TurnEnded)
            await live.turn("say it again")
            assert "the port is 48213" in live.results[-1] and "result of execute" in live.results[-1]


SUMMARIES = {
    "native": ("You keep the notes of an assistant", "- Goal: count"),
    "claude-code": ("You keep the notes of an assistant", "- Goal: count"),
    "minimal": ("You keep the notes of an assistant", "- Goal: count"),
    "kimi-code": ("Write a note to yourself, in the first person", "I was asked to count."),
    "kimi-cli": ("## Message 1\\nRole: user\\nContent:", "<current_focus>counting</current_focus>"),
    "qwen-code": ("<analysis>", "<state_snapshot><goal>count</goal>\n</state_snapshot>"),
    "deepseek-tui": ("at most 3,000 tokens", "<carry_forward>\nTask: count\n</carry_forward>"),
}


@pytest.mark.parametrize("harness", SUMMARIES)
async def test_each_harness_asks_in_its_words_and_what_was_cut_lies_in_a_file(harness: str) -> None:
    asks, notes = SUMMARIES[harness]

    def answers(request: dict[str, Any]) -> Any:
        asked = json.dumps(request)
        if asks in asked and "Write the notes" in asked:
            return say(f"<analysis>thoughts of mine</analysis>\n{notes}")
        return say("the port is 48213") if "which port" in asked and "and now" not in asked else say("fine")

    with MockModel([answers] * 9, models=("x",)) as mock:
        live = Live(mock, harness=harness)
        live.settings.llm.wire_api = "messages" if harness == "claude-code" else "chat"
        async with live:
            await live.turn("which port?")
            await live.session.compact()
            await live.until(TurnEnded)
            await live.turn("and now?")
            last = json.dumps(mock.requests[-1], ensure_ascii=False).replace("\\n", "\n")
            assert notes in last and "48213" not in last
            assert ("thoughts of mine" in last) == (harness not in {"qwen-code", "deepseek-tui"})
            path = Path(re.findall(r"is in (/\S+?\.md)", last)[-1])
            assert "the port is 48213" in await asyncio.to_thread(path.read_text)
            reading = Preview("tool", "", "", "read", reads=(str(path),))
            verdict = live.session.engine.policy.decide("read", reading, live.session.cwd)
            assert verdict.decision == "allow"


@pytest.mark.parametrize(
    ("harness", "window", "limit"),
    [
        ("native", 200_000, 180_000),
        ("kimi-code", 200_000, 150_000),
        ("kimi-cli", 1_000_000, 850_000),
        ("kimi-code", 60_000, 45_000),
        ("qwen-code", 200_000, 140_000),
        ("deepseek-tui", 1_000_000, 800_000),
        ("deepseek-tui", 100_000, 90_000),
    ],
)
async def test_when_room_is_made(harness: str, window: int, limit: int) -> None:
    with MockModel([say("fine")]) as mock:
        live = Live(mock, harness=harness)
        live.settings.llm.context_window = window
        async with live:
            await live.turn("hello")
            assert live.session.filling().limit == limit


async def test_failed_and_interrupted_requests_are_counted() -> None:
    priced = {"x": {"input_price": 1.0, "output_price": 2.0}}
    with MockModel([answer(say("some words"), usage(prompt_tokens=0, completion_tokens=0))]) as mock:
        async with Live(mock, models=priced) as live:
            await live.turn("hello")
            budget = live.session.budget
            assert budget.estimated and budget.input_tokens > 500 and budget.output_tokens and budget.spent
        saved = store.find(live.session.id)
        async with Live(mock, saved=saved, models=priced) as live:
            assert live.session.budget.spent == pytest.approx(budget.spent)


def _history() -> list[dict[str, Any]]:
    key = {"id": "c1", "name": "execute"}
    return [
        {"role": "user", "type": "message", "content": "do"},
        {"role": "assistant", "type": "message", "content": "I do"},
        {"role": "assistant", "type": "code", "format": "python", "content": "1", "call": {**key, "arguments": "{}"}},
        {"role": "user", "type": "message", "content": "also"},
        {"role": "computer", "type": "console", "content": "o" * 900, "call": {**key, "result": {"ok": True}}},
        {"role": "computer", "type": "image", "format": "base64.png", "content": "AA", "call": key},
        {"role": "assistant", "type": "message", "content": "done"},
    ]


def test_calls_and_results_are_never_parted() -> None:
    assert boundaries(_history()) == [0, 1, 6, 7]


def test_old_output_loses_its_middle_only() -> None:
    short = shortened(_history()[4], 100)["content"]
    assert short.startswith("o" * 50) and short.endswith("o" * 50) and "800 characters" in short
    assert shortened(_history()[1], 1) == _history()[1]


@pytest.mark.parametrize("record", [{}, {"upto": 9, "shortened": 0, "chars": 0, "kept": [], "summary": ""}])
def test_a_record_that_does_not_fit_is_passed_over(record: dict[str, Any]) -> None:
    assert Compaction.of(record, 3) is None


async def test_a_tiny_window_gives_up_tools_for_code_in_the_text() -> None:
    with MockModel([_limited([code("python", "print(6 * 7)"), say("42")], 10**9)] * 40) as mock:
        async with _live(mock, window=2000) as live:
            assert (await live.turn("how much is it?")).reason == "done"
            assert "tools" not in mock.requests[0] and "42" in json.dumps(mock.requests[-1])
            for number in range(5):
                assert (await live.turn(f"{number} " + f"word{number} " * 250)).reason == "done"
            assert live.all_of(ContextCompacted)
