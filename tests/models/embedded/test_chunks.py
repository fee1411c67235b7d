"""Chunks of the runtime -> deltas, bodies -> what the runtime is given, frames on the wire between the processes."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oi_tui.models import frames
from oi_tui.models.client import BadRequest, ContextTooLong
from oi_tui.models.embedded import chunks
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.protocol.stream import CallDelta, Stop, TextDelta, ThoughtDelta, Usage


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"finish_reason": finish, "index": 0, "delta": delta}]}


def test_text_thoughts_and_calls() -> None:
    assert list(chunks.deltas(chunk(role="assistant", content=None))) == []
    assert list(chunks.deltas(chunk(content="hi"))) == [TextDelta("hi")]
    assert list(chunks.deltas(chunk(reasoning_content="hm"))) == [ThoughtDelta("hm")]
    call = {"index": 1, "id": "a", "function": {"name": "run", "arguments": "{"}}
    assert list(chunks.deltas(chunk(tool_calls=[call]))) == [CallDelta(1, "a", "run", "{")]
    assert list(chunks.deltas({"choices": []})) == []


def test_the_last_chunk_counts_tokens_and_ends() -> None:
    last = {**chunk("length"), "timings": {"cache_n": 30, "prompt_n": 5, "predicted_n": 7}}
    assert list(chunks.deltas(last)) == [Usage(35, 7, 30), Stop("length")]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (
            {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 4},
            ContextTooLong,
            "9 of 4",
        ),
        ({"code": 400, "message": "bad role"}, BadRequest, "bad role"),
        ({"code": 500, "message": "oops"}, EmbeddedError, "oops"),
        ("plain", EmbeddedError, "plain"),
    ],
)
def test_errors_are_typed(error: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        list(chunks.deltas({"error": error}))
    assert getattr(caught.value, "hint", "")


def test_the_runtime_is_given_what_it_knows() -> None:
    body = {"model": "m", "messages": [], "stream": True, "stream_options": {}, "temperature": 0, "stop": None}
    assert chunks.request(body) == {"messages": [], "temperature": 0, "max_tokens": 1024}
    assert chunks.request({"messages": [], "max_completion_tokens": 5})["max_tokens"] == 5


def test_the_prefix_leaves_out_the_question() -> None:
    start = [{"role": "system", "content": "s"}, {"role": "assistant", "content": "a"}]
    for messages in (start, [*start, {"role": "user", "content": "long question"}]):
        warmed = chunks.prefix({"messages": messages, "max_tokens": 300})
        assert warmed == {"messages": [*start, {"role": "user", "content": "."}], "max_tokens": 1, "keep": 2}


def test_progress_leaves_out_what_was_cached() -> None:
    assert chunks.progress({"prompt_progress": {"total": 100, "cache": 60, "processed": 70}}) == (10, 40)
    assert chunks.progress(chunk(content="x")) is None


_JSON = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers() | st.booleans(), max_size=4)


@settings(deadline=None, max_examples=50)
@given(st.lists(_JSON, max_size=5), st.integers(0, 30))
def test_frames_survive_the_pipe_and_a_torn_end(sent: list[dict[str, Any]], cut: int) -> None:
    data = b"".join(map(frames.pack, sent))
    source = io.BytesIO(data)
    assert [frames.read(source) for _ in sent] == sent
    assert frames.read(source) is None
    torn = io.BytesIO(data[: len(data) - cut])
    got = []
    while (frame := frames.read(torn)) is not None:
        got.append(frame)
    assert got == sent[: len(got)]


async def test_frames_from_an_asyncio_stream() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(frames.pack({"text": "ä\ud800"}) + b"\0\0")
    reader.feed_eof()
    assert await frames.receive(reader) == {"text": "ä\ud800"}
    assert await frames.receive(reader) is None


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\0\0\0\1{", b"\0\0\0\2[]", b"\0\0\0\1\xff"])
def test_what_is_no_frame(data: bytes) -> None:
    with pytest.raises(frames.BadFrame):
        frames.read(io.BytesIO(data))
