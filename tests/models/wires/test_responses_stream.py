"""Events of the Responses wire: order, odd servers, sealed reasoning, free-form tools, ends, streams cut anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oi_tui.models.wires.reading import ErrorInStream
from oi_tui.models.wires.responses_stream import ResponsesStream, read_usage
from oi_tui.models.wires.sse import EventReader
from oi_tui.protocol.stream import CallDelta, Delta, Stop, TextDelta, ThoughtDelta, Usage


def _added(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def _done(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def _part(kind: str, index: int, delta: str) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "output_index": index, "delta": delta}


def _end(status: str = "completed", **response: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {"object": "response", "status": status, **response}}


def _read(*events: dict[str, Any]) -> list[Delta]:
    stream = ResponsesStream("m")
    return [delta for event in events for delta in stream.feed(event)] + stream.finish()


def _calls(deltas: list[Delta]) -> list[tuple[Any, ...]]:
    made: dict[int, list[str]] = {}
    for one in deltas:
        if isinstance(one, CallDelta):
            call = made.setdefault(one.index, ["", "", ""])
            call[0], call[1], call[2] = call[0] or one.id, call[1] or one.name, call[2] + one.arguments
    return [(index, *call) for index, call in made.items()]


def _text(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, TextDelta))


def _thought(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, ThoughtDelta))


_CALL: dict[str, Any] = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "run"}
_ARGUMENTS = '{"a":1}'
_WHOLE = {**_CALL, "arguments": _ARGUMENTS}
_PIECES = [_part("function_call_arguments", 0, one) for one in ('{"a"', ":1}")]
_SAID = {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": _ARGUMENTS}


@pytest.mark.parametrize(
    "events",
    [
        [_added(0, **_CALL, arguments=""), *_PIECES, _SAID, _done(0, **_WHOLE), _end(output=[_WHOLE])],
        [_added(0, **_CALL, arguments=""), *_PIECES, _end()],
        [_added(0, **_CALL, arguments=""), _SAID, _done(0, **_WHOLE), _end()],
        [_done(0, **_WHOLE), _end(output=[_WHOLE])],
        [_end(output=[_WHOLE])],
        [{**_done(0, **_WHOLE), "output_index": None}, _end(output=[_WHOLE])],
    ],
    ids=["all events", "pieces only", "no pieces", "no head", "only at the end", "no numbers"],
)
def test_one_call(events: list[dict[str, Any]]) -> None:
    found = _read(*events)
    assert _calls(found) == [(0, "c1", "run", _ARGUMENTS)]
    assert found[-1] == Stop("tool_calls")


def test_parallel_calls_interleaved() -> None:
    found = _read(
        _added(0, type="message"),
        _part("output_text", 0, "go"),
        _added(1, **_CALL),
        _added(2, **{**_CALL, "id": "fc_2", "call_id": "c2"}),
        _part("function_call_arguments", 2, "{}"),
        _part("function_call_arguments", 1, '{"a":1}'),
        _end(),
    )
    assert sorted(_calls(found)) == [(0, "c1", "run", '{"a":1}'), (1, "c2", "run", "{}")]


@pytest.mark.parametrize("pieces", [["*** Begin\n", '"x"\\', "\u4f60"], []])
def test_text_for_a_free_form_tool_is_its_one_argument(pieces: list[str]) -> None:
    whole = {
        "type": "custom_tool_call",
        "id": "ctc",
        "call_id": "c1",
        "name": "patch",
        "input": '*** Begin\n"x"\\\u4f60',
    }
    events = [_added(0, **{**whole, "input": ""}), *(_part("custom_tool_call_input", 0, one) for one in pieces)]
    ((_, id, name, arguments),) = _calls(_read(*events, _done(0, **whole), _end()))
    assert (id, name, json.loads(arguments)) == ("c1", "patch", {"input": '*** Begin\n"x"\\\u4f60'})


def test_sealed_reasoning_and_where_it_stood() -> None:
    sealed = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz"}
    added = {"type": "response.reasoning_summary_part.added", "output_index": 0}
    found = _read(
        _added(0, **{**sealed, "encrypted_content": None}),
        added,
        _part("reasoning_summary_text", 0, "one"),
        added,
        _part("reasoning_summary_text", 0, "two"),
        _done(0, **sealed),
        _added(1, **_CALL),
        _done(1, **_WHOLE),
        _added(2, type="reasoning", id="rs_2"),
        _done(2, type="reasoning", id="rs_2", summary=[{"text": "three"}], encrypted_content="uvw"),
        _end(),
    )
    thoughts = _thought(found)
    assert thoughts == "one\n\ntwo\n\nthree"
    first, second = [json.loads(one.signature) for one in found if isinstance(one, ThoughtDelta) and one.signature]
    assert [thoughts[start:end] for start, end in first["spans"]] == ["one", "two"]
    assert first["block"] == {"type": "reasoning", "id": "rs_1", "encrypted_content": "xyz"}
    assert (first["wire"], first["model"], first["calls"], second["calls"]) == ("responses", "m", 0, 1)


def test_reasoning_in_the_open_has_no_seal() -> None:
    found = _read(_added(0, type="reasoning"), _part("reasoning_text", 0, "hm"), _done(0, type="reasoning"), _end())
    assert _thought(found) == "hm"
    assert not [one for one in found if isinstance(one, ThoughtDelta) and one.signature]


def test_text_and_refusal() -> None:
    message = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "hi"}]}
    assert _text(_read(_added(0, type="message"), _part("output_text", 0, "hi"), _done(0, **message), _end())) == "hi"
    assert _text(_read(_done(0, **message), _end(output=[message]))) == "hi"
    assert _text(_read(_end(output=[message]))) == "hi"
    assert _text(_read(_part("refusal", 0, "no"), _end())) == "no"


@pytest.mark.parametrize(
    ("details", "expected"),
    [({"reason": "max_output_tokens"}, "length"), ({"reason": "content_filter"}, "content_filter"), (None, "length")],
)
def test_incomplete(details: Any, expected: str) -> None:
    found = _read(
        _added(0, **_CALL), _part("function_call_arguments", 0, '{"a'), _end("incomplete", incomplete_details=details)
    )
    assert found[-1] == Stop(expected)


def test_usage() -> None:
    usage = {
        "input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3},
        "output_tokens_details": {"reasoning_tokens": 2},
    }  # fmt: skip
    assert read_usage(usage) == Usage(9, 4, 3, 2)
    assert _read(_end(usage=usage)) == [Usage(9, 4, 3, 2), Stop("stop")]


@pytest.mark.parametrize(
    "event",
    [
        _end("failed", error={"code": "server_error", "message": "boom"}),
        {"type": "error", "code": "server_error", "message": "boom"},
        {"type": "error", "error": {"message": "boom"}},
        {"error": {"message": "boom"}},
    ],
)
def test_error_object(event: dict[str, Any]) -> None:
    with pytest.raises(ErrorInStream, match="boom"):
        _read(event)


def test_failed_without_a_reason() -> None:
    with pytest.raises(ErrorInStream, match="failed"):
        _read(_end("failed", error=None))


def test_a_whole_response() -> None:
    message = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "hi"}]}
    found = _read(
        {"object": "response", "status": "completed", "output": [message, _WHOLE], "usage": {"input_tokens": 2}}
    )
    assert (_text(found), _calls(found)) == ("hi", [(0, "c1", "run", _ARGUMENTS)])
    assert found[-2:] == [Usage(2), Stop("tool_calls")]


def test_cut_at_every_byte() -> None:
    events = [
        {"type": "response.created", "response": {"object": "response", "status": "in_progress"}},
        _added(0, type="reasoning", id="rs_1"),
        _part("reasoning_summary_text", 0, "Let me\u2028see"),
        _done(0, type="reasoning", id="rs_1", encrypted_content="x=="),
        _added(1, type="message", id="m"),
        _part("output_text", 1, "It is \U0001f600"),
        _added(2, **_CALL),
        *(_part("function_call_arguments", 2, one) for one in ('{"co', 'de": "', 'p\u4f60"}')),
        _done(2, **_CALL, arguments="never read"),
        _end(usage={"input_tokens": 3, "output_tokens": 5}),
    ]
    lines = [f"event: {one['type']}\ndata: {json.dumps(one, ensure_ascii=False)}\n\n" for one in events]
    recorded = "".join(lines).encode()

    def read(pieces: list[bytes]) -> list[Delta]:
        reader = EventReader()
        found = [event for piece in pieces for event in reader.feed(piece)] + reader.close()
        return _read(*(json.loads(data) for _, data in found))

    expected = read([recorded])
    assert _calls(expected) == [(0, "c1", "run", '{"code": "p\u4f60"}')]
    for cut in range(len(recorded) + 1):
        assert read([recorded[:cut], recorded[cut:]]) == expected
    assert read([bytes([one]) for one in recorded]) == expected
