"""Seals of thoughts on the Chat Completions wire: read in fragments, sent back unchanged, to the same model only."""

from __future__ import annotations

from typing import Any

from harnesses.data import Env, Options
from harnesses.native import NativeHarness
from oi_tui.models.wires.chat_stream import ChatStream
from oi_tui.protocol.lmc import message
from oi_tui.protocol.stream import ThoughtDelta
from tests.mock_model import MockModel, raw, say
from tests.user_reports.in_process import Live

_GOOGLE = {"google": {"thought_signature": "abc+/="}}


def _signature(*deltas: dict[str, Any], model: str = "m") -> str:
    """The signature of an answer that comes in these deltas."""
    reader = ChatStream(model)
    found = [one for delta in deltas for one in reader.feed({"choices": [{"delta": delta}]})] + reader.finish()
    return "".join(one.signature for one in found if isinstance(one, ThoughtDelta))


def _piece(number: int, **more: Any) -> dict[str, Any]:
    function = {"name": "list_files", "arguments": "{}"}
    return {"index": number, "id": f"c{number}", "type": "function", "function": function, **more}


def _sent_back(signature: str, model: str = "m", calls: int = 0) -> dict[str, Any]:
    """The answer as the next request has it."""
    said = message("assistant", "message", "Hi", signature=signature)
    made = [
        message("assistant", "message", "", call={"id": f"c{one}", "name": "list_files", "arguments": "{}"})
        for one in range(calls)
    ]
    history = [message("user", "message", "go"), said, *made, message("user", "message", "on")]
    body = NativeHarness().build(history, Env(cwd="", languages=("python",)), Options(model))
    return next(one for one in body["messages"] if one["role"] == "assistant")


def test_a_call_keeps_what_came_with_it() -> None:
    signature = _signature({"tool_calls": [_piece(0), _piece(1, extra_content=_GOOGLE)]})
    first, second = _sent_back(signature, calls=2)["tool_calls"]
    assert "extra_content" not in first
    assert second["extra_content"] == _GOOGLE
    assert _sent_back(signature, calls=1)["tool_calls"][0].keys() == {"id", "type", "function"}, "that call is gone"


def test_another_model_never_sees_it() -> None:
    signature = _signature({"tool_calls": [_piece(0, extra_content=_GOOGLE)]}, {"extra_content": _GOOGLE})
    assert "extra_content" in _sent_back(signature, calls=1)
    assert "extra_content" not in str(_sent_back(signature, "other", calls=1))


def test_fragments_become_whole_blocks() -> None:
    text = {"type": "reasoning.text", "index": 0, "format": "anthropic"}
    signature = _signature(
        {"reasoning_details": [{**text, "text": "Let me "}]},
        {"reasoning_details": [{**text, "text": "see."}]},
        {"reasoning_details": [{**text, "signature": "sealed"}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "id": "r", "data": "xyz"}]},
        {"content": "Hi"},
    )
    assert _sent_back(signature)["reasoning_details"] == [
        {**text, "text": "Let me see.", "signature": "sealed"},
        {"type": "reasoning.encrypted", "index": 1, "id": "r", "data": "xyz"},
    ]


def test_blocks_of_litellm() -> None:
    signature = _signature(
        {"thinking_blocks": [{"type": "thinking", "thinking": "a"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "b", "signature": "s1"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "c", "signature": "s2"}]},
        {"provider_specific_fields": {"thought_signatures": ["t"], "citations": [1]}, "content": "Hi"},
    )
    sent = _sent_back(signature)
    assert [(one["thinking"], one["signature"]) for one in sent["thinking_blocks"]] == [("ab", "s1"), ("c", "s2")]
    assert sent["provider_specific_fields"] == {"thought_signatures": ["t"]}


def test_an_ordinary_answer_has_no_signature() -> None:
    assert _signature({"content": "Hi"}, {"tool_calls": [_piece(0)]}, {"reasoning_details": [], "content": "x"}) == ""


async def test_over_a_whole_turn() -> None:
    calls = raw([{"tool_calls": [_piece(0), _piece(1, extra_content=_GOOGLE)]}])
    with MockModel([calls, say("done")]) as mock:
        async with Live(mock) as live:
            await live.turn("go")
    sent = next(one for one in mock.requests[1]["messages"] if one["role"] == "assistant")
    assert [one.get("extra_content") for one in sent["tool_calls"]] == [None, _GOOGLE]


async def test_thoughts_that_are_sealed_and_not_told_go_back_on_the_responses_wire() -> None:
    from tests.mock_model.seals import seal

    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": seal("rs_1")}
    called = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "list_files", "arguments": "{}"}
    items = [thought, called]
    events = [{"type": "response.output_item.done", "output_index": at, "item": one} for at, one in enumerate(items)]
    whole = {"object": "response", "status": "completed", "output": items}
    with MockModel([raw([*events, {"type": "response.completed", "response": whole}], end=False), say("done")]) as mock:
        live = Live(mock)
        live.settings.llm.wire_api = "responses"
        async with live:
            await live.turn("go")
    assert [one for one in mock.requests[1]["input"] if one["type"] == "reasoning"] == [thought]
