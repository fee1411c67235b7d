"""Reports on calls that come in odd shapes: as text, with broken arguments, in one piece, with wrong finish reasons."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oi_tui.protocol.events import ApprovalRequested, TurnEnded, UsageChanged
from tests.mock_model import Answer, MockModel, answer, call, code, raw, say
from tests.user_reports.driver import output, results, run_exec, run_steps
from tests.user_reports.in_process import Live

_RAN = {"language": "shell", "code": "touch x; echo ran-35"}
_AS_TEXT = {
    "plain": json.dumps({"name": "execute", "arguments": _RAN}),
    "fenced": f"```json\n{json.dumps({'name': 'execute', 'arguments': _RAN})}\n```",
    "after text": f"I will run this:\n\n{json.dumps({'name': 'execute', 'arguments': _RAN})}",
    "fenced after text": f"I run:\n```json\n{json.dumps({'name': 'execute', 'arguments': _RAN}, indent=2)}\n```\n",
    "parameters": json.dumps({"name": "execute", "parameters": _RAN}),
    "function": json.dumps({"function": {"name": "execute", "arguments": _RAN}}),
    "arguments as text": json.dumps({"name": "execute", "arguments": json.dumps(_RAN)}),
}


@pytest.mark.parametrize("text", _AS_TEXT.values(), ids=_AS_TEXT)
async def test_ur_035_a_call_written_as_text_is_asked_about(text: str) -> None:
    with MockModel([say(text), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("say it")
            request = await live.asked()
            assert (request.language, request.code) == ("shell", "touch x; echo ran-35")
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
            assert [output(one).strip() for one in live.results] == ["ran-35"]


@pytest.mark.parametrize(
    "text", ['Here is sample JSON: {"name":"Bob"}', '{"name": "Bob"}', '```json\n{"name": "Bob", "arguments": {}}\n```']
)
async def test_ur_035_json_as_an_answer_is_no_call(text: str) -> None:
    with MockModel([say(text)]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            assert (await live.turn("give me JSON")).reason == "done"
            assert live.all_of(ApprovalRequested) == []
            assert len(mock.requests) == 1
            assert live.session.messages[-1]["content"] == text


def _arguments(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Arguments of all calls in a request, each read as strict JSON."""
    calls = [each for one in request["messages"] for each in one.get("tool_calls", ())]
    return [json.loads(each["function"]["arguments"]) for each in calls]


def test_ur_037_raw_control_characters_in_arguments() -> None:
    done = run_steps(call("execute", '{"language":"python","code":"print(\'a\')\n\t#x\nprint(\'b\')"}'))
    assert output(done.results[0]) == "a\nb\n"
    assert len(_arguments(done.requests[1])) == 1


def test_ur_037_python_literals_as_arguments() -> None:
    done = run_steps(call("execute", "{'language':'python','code':'print(1)',}"))
    assert output(done.results[0]) == "1\n"
    assert len(_arguments(done.requests[1])) == 1


def test_ur_037_unreadable_arguments_show_the_problem() -> None:
    done = run_steps(call("execute", '{"language":"python","code":print(1)'))
    assert "failed to parse function arguments" in done.results[0]
    assert "char" in done.results[0]
    assert len(_arguments(done.requests[1])) == 1


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ("", "language"),
        ("{}", "language"),
        ("null", "language"),
        ('{"language":"python"}', "code"),
        ('{"code":"print(1)"}', "language"),
        ('{"language":"python","code":""}', "code"),
    ],
)
async def test_ur_039_missing_arguments_are_named(arguments: str, missing: str) -> None:
    with MockModel([call("execute", arguments), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            assert (await live.turn()).reason == "done"
            (told,) = live.results
            assert f"argument {missing}" in told
            assert live.all_of(ApprovalRequested) == []


def test_ur_040_two_calls_in_one_answer() -> None:
    both = answer(code("python", 'print("one")', "id_a"), code("shell", "touch x; echo two", "id_b"))
    done = run_steps(both)
    assistant, first, second = done.requests[1]["messages"][-3:]
    assert [each["id"] for each in assistant["tool_calls"]] == ["id_a", "id_b"]
    assert (first["tool_call_id"], output(first["content"]).strip()) == ("id_a", "one")
    assert (second["tool_call_id"], output(second["content"]).strip()) == ("id_b", "two")


async def test_ur_040_two_calls_are_asked_about_one_by_one() -> None:
    both = answer(code("python", 'print("one")'), code("shell", "touch x; echo two"))
    with MockModel([both, say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("both")
            first = await live.asked()
            assert first.code == 'print("one")'
            assert len(live.all_of(ApprovalRequested)) == 1
            live.approve(first)
            second = await live.asked()
            assert second.code == "touch x; echo two"
            live.approve(second)
            await live.until(TurnEnded)
            assert [output(one).strip() for one in live.results] == ["one", "two"]


_ARGUMENTS = '{"language":"python","code":"print(1)"}'


def _head(**function: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "c_1", "type": "function", "function": {"name": "execute", **function}}]}


def _tail(arguments: str, **extra: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "function": {"arguments": arguments}}], **extra}


_SHAPES = {
    "in one chunk": raw([_head(arguments=_ARGUMENTS)]),
    "as an object": raw([_head(arguments=json.loads(_ARGUMENTS))]),
    "no arguments key at first": raw([_head(), _tail(_ARGUMENTS[:20]), _tail(_ARGUMENTS[20:])]),
    "null arguments at first": raw([_head(arguments=None), _tail(_ARGUMENTS)]),
}


@pytest.mark.parametrize("shape", _SHAPES.values(), ids=_SHAPES)
def test_ur_042_shapes_of_a_streamed_call(shape: Answer) -> None:
    done = run_steps(shape)
    assert [output(one) for one in done.results] == ["1\n"]


_COUNTING = '{"language":"shell","code":"echo x >> count; wc -l < count"}'
_FINISHES = {
    "stop on every chunk": raw(
        [
            {**_head(arguments=""), "finish_reason": "stop"},
            *(_tail(_COUNTING[at : at + 7], finish_reason="stop") for at in range(0, len(_COUNTING), 7)),
        ]
    ),
    "stop at the end": raw([_head(arguments=""), _tail(_COUNTING), {"finish_reason": "stop"}]),
}


@pytest.mark.parametrize("shape", _FINISHES.values(), ids=_FINISHES)
def test_ur_043_a_call_runs_once_when_the_stream_has_ended(shape: Answer) -> None:
    done = run_steps(shape)
    assert [one.strip() for one in done.outputs] == ["1"]
    assert (done.cwd / "count").read_text() == "x\n"


async def test_ur_043_usage_after_the_end_is_counted() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 77, "completion_tokens": 5, "total_tokens": 82}}
    stream = raw([_head(arguments=""), _tail(_COUNTING), {"finish_reason": "stop"}, usage, b"data: [DONE]\n\n"])
    with MockModel([stream, say("ok")]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
            first = live.all_of(UsageChanged)[0]
            assert (first.input_tokens, first.output_tokens) == (77, 5)
            assert [output(one).strip() for one in live.results] == ["1"]


def test_an_unknown_tool_is_answered_with_the_names_of_the_tools() -> None:
    with MockModel([call("frobnicate", {"a": 1}), say("ok")]) as mock:
        done = run_exec(mock)
    (told,) = results(done.requests[1])
    assert "frobnicate" in told
    assert "execute" in told
