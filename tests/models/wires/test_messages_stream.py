"""Events of the Messages wire: order, odd servers, thoughts with their seals, usage, whole streams cut anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oi_tui.models.wires.messages_stream import MessagesStream, read_usage
from oi_tui.models.wires.reading import ErrorInStream
from oi_tui.models.wires.sse import EventReader
from oi_tui.protocol.stream import CallDelta, Delta, Stop, TextDelta, ThoughtDelta, Usage


def _start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def _end(reason: str = "end_turn", **usage: int) -> list[dict[str, Any]]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]


def _read(*events: dict[str, Any]) -> list[Delta]:
    stream = MessagesStream("m")
    return [delta for event in events for delta in stream.feed(event)] + stream.finish()


def _calls(deltas: list[Delta]) -> list[tuple[int, str, str, str]]:
    made: dict[int, list[str]] = {}
    for one in deltas:
        if isinstance(one, CallDelta):
            call = made.setdefault(one.index, ["", "", ""])
            call[0], call[1], call[2] = call[0] or one.id, call[1] or one.name, call[2] + one.arguments
    return [(index, *call) for index, call in made.items()]  # type: ignore[misc]


def _marks(deltas: list[Delta]) -> list[dict[str, Any]]:
    return [json.loads(one.signature) for one in deltas if isinstance(one, ThoughtDelta) and one.signature]


_TOOL: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}


@pytest.mark.parametrize(
    ("events", "arguments"),
    [
        ([_start(0, **_TOOL), *(_delta(0, type="input_json_delta", partial_json=x) for x in ("", '{"a"', ":1}")),
          _stop(0)], '{"a":1}'),
        ([_start(0, **_TOOL), _stop(0)], "{}"),
        ([_start(0, **_TOOL)], "{}"),
        ([_start(0, **{**_TOOL, "input": {"a": 1}}), _stop(0)], '{"a": 1}'),
    ],
    ids=["fragments", "none", "no end", "in the head"],
)  # fmt: skip
def test_one_call(events: list[dict[str, Any]], arguments: str) -> None:
    found = _read(*events, *_end("tool_use"))
    assert _calls(found) == [(0, "t1", "run", arguments)]
    assert found[-1] == Stop("tool_calls")


def test_calls_are_numbered_without_the_blocks_between() -> None:
    found = _read(
        _start(0, type="text", text="a"),
        _start(1, **_TOOL),
        _stop(1),
        _start(2, type="server_tool_use", id="s", name="web_search", input={}),
        _delta(2, type="input_json_delta", partial_json='{"q": 1}'),
        _stop(2),
        _start(3, **{**_TOOL, "id": "t2"}),
        _stop(3),
        *_end("tool_use"),
    )
    assert [one[:2] for one in _calls(found)] == [(0, "t1"), (1, "t2")]
    assert found[0] == TextDelta("a")


def test_a_call_without_an_id_gets_one() -> None:
    assert _calls(_read(_start(0, type="tool_use", name="run"), _stop(0)))[0][1]


def test_thoughts_and_where_they_stood() -> None:
    found = _read(
        _start(0, type="thinking", thinking="", signature=""),
        _delta(0, type="thinking_delta", thinking="one"),
        _delta(0, type="signature_delta", signature="s"),
        _delta(0, type="signature_delta", signature="1"),
        _stop(0),
        _start(1, type="redacted_thinking", data="xyz"),
        _stop(1),
        _start(2, type="text", text=""),
        _delta(2, type="text_delta", text="Hello"),
        _stop(2),
        _start(3, **_TOOL),
        _stop(3),
        _start(4, type="thinking", thinking="two"),
        _delta(4, type="signature_delta", signature="s2"),
        _stop(4),
        *_end(),
    )
    thoughts = "".join(one.text for one in found if isinstance(one, ThoughtDelta))
    assert thoughts == "one\n\ntwo"
    first, hidden, second = _marks(found)
    assert (first["spans"], first["text"], first["calls"]) == ([[0, 3]], 0, 0)
    assert first["block"] == {"type": "thinking", "signature": "s1"}
    assert hidden["block"] == {"type": "redacted_thinking", "data": "xyz"}
    assert (second["text"], second["calls"]) == (5, 1)
    assert [thoughts[start:end] for start, end in second["spans"]] == ["two"]
    assert (second["wire"], second["model"]) == ("messages", "m")


def test_a_thought_without_a_signature_is_only_shown() -> None:
    found = _read(_start(0, type="thinking", thinking="hm"), _stop(0), *_end())
    assert found[0] == ThoughtDelta("hm")
    assert _marks(found) == []


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("tool_use", "tool_calls"), ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"), ("refusal", "content_filter"), ("pause_turn", "stop"),
        ("something_new", "something_new"),
    ],
)  # fmt: skip
def test_reasons(reason: str, expected: str) -> None:
    assert _read(_start(0, type="text", text="x"), *_end(reason))[-1] == Stop(expected)


def test_length_in_the_middle_of_a_call_stays_length() -> None:
    events = [_start(0, **_TOOL), _delta(0, type="input_json_delta", partial_json='{"code": "pri')]
    assert _read(*events, *_end("max_tokens"))[-1] == Stop("length")


def test_usage_of_the_start_and_the_end() -> None:
    given = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 1}
    found = _read({"type": "message_start", "message": {"usage": given}}, *_end(output_tokens=7))
    assert found[0] == Usage(125, 7, 100)
    assert read_usage({"input_tokens": 3, "cache_read_input_tokens": None}) == Usage(3)


def test_text_whose_head_is_missing_and_events_that_are_new() -> None:
    events = [{"type": "ping"}, {"type": "brand_new"}, _delta(0, type="text_delta", text="x"), _delta(0, type="new")]
    assert _read(*events)[0] == TextDelta("x")


@pytest.mark.parametrize("event", [{"type": "error", "error": {"message": "boom"}}, {"error": {"message": "boom"}}])
def test_error_object(event: dict[str, Any]) -> None:
    with pytest.raises(ErrorInStream, match="boom"):
        _read(event)


def test_a_whole_message() -> None:
    content = [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "hi"}, _TOOL]
    message = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 2}}
    found = _read(message)
    assert found[0] == ThoughtDelta("t")
    assert TextDelta("hi") in found
    assert _calls(found) == [(0, "t1", "run", "{}")]
    assert found[-2:] == [Usage(2), Stop("tool_calls")]


def test_done_once_the_reason_is_there() -> None:
    stream = MessagesStream("m")
    stream.feed(_start(0, type="text", text="x"))
    assert not stream.done
    stream.feed(_end()[0])
    assert (stream.done, stream.ended) == (True, False)
    stream.feed(_end()[1])
    assert stream.ended


def _recorded() -> bytes:
    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "ping"},
        _start(0, type="thinking", thinking="", signature=""),
        _delta(0, type="thinking_delta", thinking="Let me\u2028see"),
        _delta(0, type="signature_delta", signature="sig=="),
        _stop(0),
        _start(1, type="text", text=""),
        _delta(1, type="text_delta", text="It is \U0001f600"),
        _stop(1),
        _start(2, **_TOOL),
        *(_delta(2, type="input_json_delta", partial_json=one) for one in ("", '{"co', 'de": "', 'p\u4f60"}')),
        _stop(2),
        _start(3, **{**_TOOL, "id": "t2"}),
        _stop(3),
        *_end("tool_use", output_tokens=5),
    ]
    lines = [f"event: {one['type']}\r\ndata: {json.dumps(one, ensure_ascii=False)}\r\n\r\n" for one in events]
    return "".join(lines).encode()


def test_cut_at_every_byte() -> None:
    recorded = _recorded()

    def read(pieces: list[bytes]) -> list[Delta]:
        reader = EventReader()
        events = [event for piece in pieces for event in reader.feed(piece)] + reader.close()
        return _read(*(json.loads(data) for _, data in events))

    expected = read([recorded])
    assert _calls(expected) == [(0, "t1", "run", '{"code": "p\u4f60"}'), (1, "t2", "run", "{}")]
    for cut in range(len(recorded) + 1):
        assert read([recorded[:cut], recorded[cut:]]) == expected
    assert read([bytes([one]) for one in recorded]) == expected
