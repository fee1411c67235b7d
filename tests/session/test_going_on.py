"""Going on where an answer broke off, and with another model where one cannot answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

import harnesses
from harnesses.mini_swe_agent import SENTINEL
from oi_tui.protocol.events import Notice
from oi_tui.protocol.transcript import MessageItem, NoticeItem, Transcript
from oi_tui.session.continuing import Joint
from tests.mock_model import MockModel, answer, call, cut, http, say
from tests.user_reports.in_process import Live

WIRES = ("chat", "messages", "responses")


@pytest.mark.parametrize("wire", WIRES)
async def test_a_broken_answer_becomes_one_text(wire: str) -> None:
    first = "The first part of the answer is long enough"
    script = [
        answer(say(first), cut()),
        answer(say("part of the answer is long enough and goes on"), cut()),
        say(" to its end."),
        say("next"),
    ]
    with MockModel(script) as mock:
        live = Live(mock)
        live.settings.llm.wire_api = wire
        async with live:
            live.session.retry_base = 0.01
            assert (await live.turn()).reason == "done"
            whole = first + " and goes on to its end."
            assert [one["content"] for one in live.session.messages if one["role"] == "assistant"] == [whole]
            shown = Transcript()
            for event in live.seen:
                shown.apply(event)
            assert [one.text for one in shown.items if isinstance(one, MessageItem)] == [whole]
            assert len([one for one in shown.items if isinstance(one, NoticeItem) and one.retry]) == 1
            await live.turn("more")
            assert "connection broke" not in json.dumps(mock.requests[-1])


HARNESSES = [
    (one, wire)
    for one in harnesses.ids()
    for wire in harnesses.load(one).wires
    if one not in {"embedded", "code-repair"}
]


@pytest.mark.parametrize(("harness", "wire"), HARNESSES)
async def test_each_harness_goes_on_after_a_broken_answer(harness: str, wire: str) -> None:
    ends = {  # these have to act in every answer
        "swe-agent": (say("\n```\nsubmit\n```"),),
        "mini-swe-agent": (call("bash", {"command": f"echo {SENTINEL}"}),),
    }
    end = ends.get(harness, ())
    script = [
        answer(say("It is a long begin"), cut()),
        answer(say("ning, and its end."), *end),
        answer(say("ok"), *end),
    ]
    with MockModel(script) as mock:
        live = Live(mock, harness=harness)
        live.settings.llm.wire_api = wire
        async with live:
            live.session.retry_base = 0.01
            await live.turn()
            told = "".join(one["content"] for one in live.session.messages if one["role"] == "assistant")
            assert told.startswith("It is a long beginning, and its end.")
            assert len(mock.requests) >= 2 and "It is a long begin" in json.dumps(mock.requests[1])


MARKED = {"mistral": "prefix", "moonshot": "partial", "openrouter": "", "openai": None}


@pytest.mark.parametrize("harness", ["native", "minimal", "kimi-code", "qwen-code"])
@pytest.mark.parametrize(("provider", "mark"), MARKED.items())
async def test_a_provider_that_can_is_given_the_beginning(harness: str, provider: str, mark: str | None) -> None:
    first = "It is\n"
    with MockModel([answer(say(first), cut()), say("\nso.")], strict=bool(mark) or mark is None) as mock:
        live = Live(mock, harness=harness, model=f"{provider}/m")
        live.settings.models = {"m": {"prefill": True, "context": 200_000}}
        live.settings.model_providers = {provider: {"base_url": mock.url, "wire_api": "chat"}}
        live.settings.llm.api_base = ""
        live.settings.llm.api_key = "k"
        async with live:
            live.session.retry_base = 0.01
            assert (await live.turn()).reason == "done"
            last = mock.requests[-1]["messages"][-1]
            assert (last["role"] == "assistant") == (mark is not None)
            assert not mark or last[mark] is True
            if mark is not None:
                assert live.session.messages[-1]["content"] == "It is\nso."


@pytest.mark.parametrize(
    ("model", "effort", "prefilled", "asked"),
    [
        ("claude-sonnet-4-5", "", True, 2),
        ("claude-sonnet-4-5", "high", False, 2),
        ("claude-opus-4-6", "", False, 3),  # said to go on with a beginning, which it then refuses
    ],
)
async def test_claude_is_given_the_beginning_where_it_takes_it(
    model: str, effort: str, prefilled: bool, asked: int
) -> None:
    with MockModel([answer(say("def f():\n"), cut()), say("    return 1"), say("next")]) as mock:
        live = Live(mock, harness="native", model=model, strict=asked == 2)
        live.settings.llm.wire_api = "messages"
        live.settings.llm.reasoning_effort = effort
        live.settings.models = {model: {"prefill": True}}
        async with live:
            live.session.retry_base = 0.01
            assert (await live.turn()).reason == "done"
            assert (mock.requests[-1]["messages"][-1]["role"] == "assistant") == prefilled
            assert live.session.messages[-1]["content"] == "def f():\n    return 1"
            assert len(mock.requests) == asked


@pytest.mark.parametrize(
    ("said", "pieces", "added"),
    [
        ("one two ", ["three"], "three"),
        ("Hello, I am", ["Hello, ", "I am", " here"], " here"),
        ("a long beginning of it", ["beginning ", "of it all"], " all"),
        ("a long beginning of it", ["something", " else"], "something else"),
        ("", ["all of it"], "all of it"),
        ("the whole answer was here", ["the whole answer was here"], ""),
    ],
)
def test_what_is_repeated_is_cut_away(said: str, pieces: list[str], added: str) -> None:
    joint = Joint(said)
    assert "".join([*map(joint.feed, pieces), joint.flush()]) == added


_QUOTA = http(429, {"error": {"code": "insufficient_quota", "message": "pay"}})
_GONE = http(404, {"error": {"code": "model_not_found", "message": "no such model"}})


@pytest.mark.parametrize("failure", [_QUOTA, _GONE])
async def test_another_model_stands_in(failure: Any) -> None:
    with MockModel([failure, say("from y"), say("again")]) as mock:
        live = Live(mock)
        live.settings.llm.fallbacks = ["y", "z"]
        async with live:
            assert (await live.turn()).reason == "done"
            assert [one["model"] for one in mock.requests] == ["x", "y"]
            assert any("going on with y" in one.hint for one in live.all_of(Notice))
            await live.turn("and now")
            assert mock.requests[-1]["model"] == "y"  # waiting does not help: it stays
            live.session.use_model("x")
            await live.turn("home")
            assert mock.requests[-1]["model"] == "x"


async def test_the_first_model_is_asked_again_with_the_next_turn(unused_tcp_port: int) -> None:
    with MockModel([say("from y"), say("from x")]) as mock:
        live = Live(mock)
        live.settings.llm.fallbacks = ["other/y"]
        live.settings.llm.api_base = f"http://127.0.0.1:{unused_tcp_port}/v1"
        live.settings.model_providers = {"other": {"name": "Other", "base_url": mock.url, "wire_api": "chat"}}
        async with live:
            assert (await live.turn(seconds=60)).reason == "done"
            assert mock.requests[-1]["model"] == "y"
            with MockModel([say("from x")], port=unused_tcp_port) as first:
                assert (await live.turn("back?", seconds=60)).reason == "done"
                assert [one["model"] for one in first.requests] == ["x"]
            assert len(mock.requests) == 1


async def test_without_fallbacks_the_error_is_told() -> None:
    with MockModel([_QUOTA]) as mock:
        async with Live(mock) as live:
            ended = await live.turn()
            assert (ended.reason, len(mock.requests)) == ("failed", 1)
            assert "quota" in ended.text
