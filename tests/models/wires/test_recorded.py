"""Whole recorded streams through reader and parser, cut at every byte: always the same answer."""

import json
from typing import Any

import pytest

from oi_tui.models.wires.chat_stream import ChatStream
from oi_tui.models.wires.sse import EventReader
from oi_tui.protocol.stream import CallDelta, Delta, TextDelta, ThoughtDelta


def _event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    chunk = {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def _call(**piece: Any) -> dict[str, Any]:
    return {"tool_calls": [piece]}


_OPENAI = b"".join(
    [
        _event({"role": "assistant", "content": None}),
        _event(_call(index=0, id="c1", type="function", function={"name": "run", "arguments": ""})),
        *(_event(_call(index=0, function={"arguments": one})) for one in ('{"co', 'de": "', "p\u4f60", '"}')),
        _event(_call(index=1, id="c2", type="function", function={"name": "read", "arguments": "{}"})),
        _event({}, "tool_calls"),
        b'data: {"id":"x","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}\n\ndata: [DONE]\n\n',
    ]
)
_DEEPSEEK = b"".join(
    [
        b": keep-alive\n\n",
        _event({"role": "assistant", "content": None, "reasoning_content": "Let"}),
        _event({"content": None, "reasoning_content": " me\u2028see"}),
        _event({"content": "It is \U0001f600", "reasoning_content": None}),
        _event(
            {"content": "."}, "stop", usage={"prompt_tokens": 3, "completion_tokens": 5, "prompt_cache_hit_tokens": 2}
        ),
        b"data: [DONE]\n\n",
    ]
)
_LOCAL = b"".join(
    _event({"content": one}).replace(b"\n", b"\r\n") for one in ("<thi", "nk>\nhm", "m</", "think>\n", "\nyes", " <b>")
)


def _read(pieces: list[bytes]) -> list[Delta]:
    reader, chat = EventReader(), ChatStream()
    events = [event for piece in pieces for event in reader.feed(piece)] + reader.close()
    found = [delta for _, data in events if data != "[DONE]" for delta in chat.feed(json.loads(data))]
    return found + chat.finish()


def _joined(deltas: list[Delta]) -> list[Any]:
    """Neighbouring texts as one, calls by index: what does not depend on where the network cut."""
    texts = [(type(one).__name__, one.text) for one in deltas if isinstance(one, TextDelta | ThoughtDelta)]
    whole: list[Any] = []
    for kind, text in texts:
        if whole and whole[-1][0] == kind:
            whole[-1] = (kind, whole[-1][1] + text)
        else:
            whole.append((kind, text))
    return whole + [one for one in deltas if not isinstance(one, TextDelta | ThoughtDelta)]


@pytest.mark.parametrize("recorded", [_OPENAI, _DEEPSEEK, _LOCAL], ids=["openai", "deepseek", "local"])
def test_cut_at_every_byte(recorded: bytes) -> None:
    expected = _joined(_read([recorded]))
    assert expected
    for cut in range(len(recorded) + 1):
        assert _joined(_read([recorded[:cut], recorded[cut:]])) == expected
    assert _joined(_read([bytes([one]) for one in recorded])) == expected


def test_what_the_streams_say() -> None:
    calls = [one for one in _read([_OPENAI]) if isinstance(one, CallDelta)]
    assert "".join(one.arguments for one in calls if one.index == 0) == '{"code": "p\u4f60"}'
    assert _joined(_read([_DEEPSEEK]))[:2] == [("ThoughtDelta", "Let me\u2028see"), ("TextDelta", "It is \U0001f600.")]
    assert _joined(_read([_LOCAL]))[:2] == [("ThoughtDelta", "hmm"), ("TextDelta", "yes <b>")]
