"""A server made of bytes, on all three wires: what a network, a proxy or a half-finished server may send."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from email.utils import formatdate
from typing import Any

import pytest

from oi_tui.models import client as kinds
from oi_tui.models.client import ModelError
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol.stream import Delta, Retry, TextDelta

WIRES = ("chat", "messages", "responses")
_BODY = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 100}
_TEXT = "Grüße 🙂 hello"
_ITEM = {"id": "m1", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": _TEXT}]}
_EVENTS: dict[str, list[dict[str, Any]]] = {
    "chat": [
        *({"choices": [{"delta": {"content": one}}]} for one in _TEXT),
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
    ],
    "messages": [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}} for one in _TEXT),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ],
    "responses": [
        {"type": "response.created", "response": {"id": "r1"}},
        *({"type": "response.output_text.delta", "item_id": "m1", "output_index": 0, "delta": one} for one in _TEXT),
        {"type": "response.output_item.done", "output_index": 0, "item": _ITEM},
        {"type": "response.completed", "response": {"id": "r1", "status": "completed", "output": [_ITEM]}},
    ],
}

Speak = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def stream_of(wire: str) -> bytes:
    """A whole answer as server-sent events."""
    lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in _EVENTS[wire]]
    return "".join([*lines, "data: [DONE]\n\n" if wire == "chat" else ""]).encode()


def head(status: str = "200 OK", kind: str = "text/event-stream", *more: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", f"content-type: {kind}", *more, "", ""]).encode()


def chunked(data: bytes, size: int) -> bytes:
    """A body in chunks of `size` bytes, cut wherever that is."""
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in pieces) + b"0\r\n\r\n"


def sends(*pieces: bytes, pause: float = 0.0, stay: bool = False) -> Speak:
    """Read a request, write the pieces, and close, or stay silent."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        if stay:
            await reader.read()

    return speak


@contextlib.asynccontextmanager
async def server(*speakers: Speak) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that speaks once a connection, the last way for ever; its root and the heads of the requests."""
    seen: list[bytes] = []

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            asked = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in asked.split(b"\r\n") if line.lower().startswith(b"content-length"))
            await reader.readexactly(int(length.partition(b":")[2]))
            seen.append(asked)
            await speakers[min(len(seen), len(speakers)) - 1](reader, writer)
        writer.close()

    made = await asyncio.start_server(met, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}/v1", seen
    finally:
        made.close()


async def ask(wire: str, url: str, times: int = 1, idle: float = 30.0, retries: int = 0) -> list[Delta]:
    target = resolve("m", api_base=url, wire_api=wire, environ={})
    client = connect(target, retry=RetryPolicy(requests=retries, streams=retries, base=0.001), idle=idle)
    found: list[Delta] = []
    try:
        for _ in range(times):
            found += [one async for one in client.stream(dict(_BODY) | {"input": []})]
    finally:
        await client.close()
    return found


def text(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, TextDelta))


@pytest.mark.parametrize("wire", WIRES)
async def test_an_answer_arrives_whole_however_it_is_packed(wire: str) -> None:
    body = stream_of(wire)
    at_97 = [body[at : at + 97] for at in range(0, len(body), 97)]
    packed = gzip.compress(body)
    long = chunked(body, 97)
    at_13 = [long[at : at + 13] for at in range(0, len(long), 13)]
    ways = [
        sends(head(), *at_97),
        sends(
            head("200 OK", "text/event-stream", "transfer-encoding: chunked"),
            *at_13,
        ),
        sends(head("200 OK", "text/event-stream", "content-encoding: gzip"), packed[:50], packed[50:]),
        sends(head("200 OK", "text/plain; charset=utf-8"), body),
        sends(b"HTTP/1.1 100 Continue\r\n\r\n" + head(), body.replace(b"\n", b"\r\n")),
        sends(head(), b": ping\n\n" + body.replace(b"data: ", b"data:")),
        sends(*(head()[at : at + 7] for at in range(0, len(head()), 7)), body, pause=0.002),
        sends(head("200 OK", "text/event-stream", "connection: keep-alive", f"content-length: {len(body)}"), body),
    ]
    for way in ways:
        async with server(way) as (url, seen):
            assert text(await ask(wire, url, times=2)) == _TEXT * 2
            assert len(seen) == 2


@pytest.mark.parametrize("wire", WIRES)
async def test_a_cut_at_every_97th_byte_is_told_and_shows_only_what_came(wire: str) -> None:
    body = stream_of(wire)
    for size in range(1, len(body), 97):
        shown: list[Delta] = []
        async with server(sends(head("200 OK", "text/event-stream", f"content-length: {len(body)}"), body[:size])) as (
            url,
            _,
        ):
            target = resolve("m", api_base=url, wire_api=wire, environ={})
            client = connect(target, retry=RetryPolicy(requests=0, streams=0))
            try:
                async for one in client.stream(dict(_BODY) | {"input": []}):
                    shown.append(one)
                assert text(shown) == _TEXT  # only the end marker was missing
            except ModelError as error:
                assert isinstance(error, kinds.StreamBroken), (size, error)
                assert _TEXT.startswith(text(shown))
            finally:
                await client.close()


_HTML = b"<!doctype html><html><title>Sign in</title></html>"
_MOVED = head("307 Temporary Redirect", "text/plain", "location: https://x.test/v1")
_PACKED = head("200 OK", "text/event-stream", "content-encoding: gzip")
_REFUSALS: list[tuple[Speak, type[ModelError], str]] = [
    (sends(head("200 OK", "text/html") + _HTML), kinds.BadRequest, "something else than a model's answer"),
    (sends(head("502 Bad Gateway", "text/html") + _HTML), kinds.ServerFailed, "a web page, 'Sign in'"),
    (sends(_MOVED), kinds.BadRequest, "redirects to https://x.test/v1"),
    (sends(head("400 Bad Request", "text/plain"), *[b"so it is " * 1000] * 1000), kinds.BadRequest, "so it is"),
    (sends(head("400 Bad Request", "text/plain"), b"so it is", stay=True), kinds.BadRequest, "so it is"),
    (sends(head("400 Bad Request", "text/plain", "content-length: 900"), b"so it is"), kinds.BadRequest, "so it is"),
    (sends(stay=True), kinds.Unreachable, "nothing came for 0.4 s"),
    (sends(b"HTTP/1.1 200 OK\r\ncontent-ty", stay=True), kinds.Unreachable, "nothing came for 0.4 s"),
    (sends(head(), b"data: {", stay=True), kinds.StreamBroken, "nothing came for 0.4 s"),
    (sends(), kinds.Unreachable, "without an answer"),
    (sends(b"SSH-2.0-OpenSSH_9.6\r\n", stay=True), kinds.Unreachable, "not HTTP"),
    (sends(_PACKED, b"no gzip"), kinds.ServerFailed, "not compressed"),
    (sends(head(), b'data: {"error": {"message": "so it is", "code": 503}}\n\n'), kinds.ServerFailed, "so it is"),
    (sends(head(), b"data: <html>\n\n"), kinds.StreamBroken, "not JSON"),
    (sends(b"HTTP/1.1 204 No Content\r\n\r\n"), kinds.ServerFailed, "HTTP 204 without an answer"),
]  # fmt: skip


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("speak", "kind", "words"), _REFUSALS)
async def test_what_is_no_answer_is_named(wire: str, speak: Speak, kind: type[ModelError], words: str) -> None:
    async with server(speak) as (url, _):
        with pytest.raises(ModelError) as caught:
            await ask(wire, url, idle=0.4)
    assert (type(caught.value), words in str(caught.value)) == (kind, True), caught.value
    assert caught.value.hint


@pytest.mark.parametrize("wire", WIRES)
async def test_a_date_to_wait_for_and_a_connection_that_was_closed_meanwhile(wire: str) -> None:
    body = stream_of(wire)
    whole = head("200 OK", "text/event-stream", f"content-length: {len(body)}") + body
    late = (
        head("429 Too Many Requests", "text/plain", f"retry-after: {formatdate(time.time() - 5, usegmt=True)}")
        + b"slow"
    )
    async with server(sends(late), sends(whole)) as (url, seen):
        found = await ask(wire, url, times=2, retries=1)  # each answer closes its connection without saying so
        assert text(found) == _TEXT * 2
        assert [one.seconds for one in found if isinstance(one, Retry)] == [0.0]
        assert len(seen) == 3
