"""Whatever a server answers instead of an answer: one clear sentence, a next step, no key, never a traceback."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oi_tui.models.client import ModelError
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
from oi_tui.models.wires.retry import RetryPolicy
from tests.models.wires.conversation import WIRES

_KEY = "topsecret-1234567890"
_BODIES: dict[str, dict[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": "hi"}]},
    "messages": {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 10},
    "responses": {"input": [{"type": "message", "role": "user", "content": "hi"}]},
}


def _answer(status: int, body: bytes, kind: str = "application/json", *more: str) -> bytes:
    head = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(body)}", "connection: close", *more]
    return "\r\n".join([*head, "", ""]).encode() + body


def _json(status: int, value: Any, *more: str) -> bytes:
    return _answer(status, json.dumps(value).encode(), "application/json", *more)


def _stream(body: bytes) -> bytes:
    return _answer(200, body, "text/event-stream")


def _deep(levels: int) -> bytes:
    return b'{"error":' * levels + b'"deep"' + b"}" * levels


_SAID = {"error": {"message": f"key {_KEY} is bad\nsee\tthe page", "type": "x", "code": None, "param": None}}
_PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>" + b"x" * 100_000 + b"</body></html>"

NASTY: dict[str, bytes] = {
    "empty 500": _answer(500, b""),
    "empty 400": _answer(400, b""),
    "empty 200": _answer(200, b""),
    "web page 502": _answer(502, _PAGE, "text/html"),
    "web page 200": _answer(200, _PAGE, "text/html"),
    "web page as a stream": _stream(_PAGE),
    "key echoed": _json(401, _SAID),
    "key echoed in the request body": _json(400, {"error": {"message": "bad", "request": {"authorization": _KEY}}}),
    "key echoed bare": _answer(403, f"no: Bearer {_KEY}".encode(), "text/plain"),
    "key in a web page": _answer(500, f"<html><title>{_KEY}</title></html>".encode(), "text/html"),
    "error is a text": _json(400, {"error": "say so"}),
    "error is a number": _json(400, {"error": 42}),
    "error is null": _json(400, {"error": None}),
    "error is true": _json(400, {"error": True}),
    "error is a list": _json(400, {"error": [{"message": "one"}, {"message": "two"}]}),
    "error is an empty object": _json(400, {"error": {}}),
    "message is an object": _json(422, {"error": {"message": {"detail": {"message": "say so"}}}}),
    "code is an object": _json(400, {"error": {"message": "say so", "code": {"a": 1}, "type": ["b"]}}),
    "a list": _json(400, [{"error": {"message": "say so", "code": 400, "status": "INVALID_ARGUMENT"}}]),
    "an empty list": _json(400, []),
    "a list of texts": _json(400, ["one", "two"]),
    "a text": _json(400, "say so"),
    "a number": _json(400, 7),
    "null": _json(500, None),
    "pydantic's detail": _json(422, {"detail": [{"loc": ["body", "model"], "msg": "field required"}]}),
    "JSON in a text": _json(400, {"error": {"message": json.dumps({"error": {"message": "inner", "code": 1}})}}),
    "nested a thousand deep": _answer(400, _deep(1000)),
    "nested a hundred thousand deep": _answer(400, _deep(100_000)),
    "200 with an error object": _json(200, {"error": {"message": "say so", "code": 429}}),
    "200 with an error text": _json(200, {"error": "say so"}),
    "200 with a list": _json(200, [{"error": "say so"}]),
    "200 with nothing known": _json(200, {"hello": "world"}),
    "stream with an error object": _stream(b'data: {"error": {"message": "say so", "code": 500}}\n\n'),
    "stream with an error text": _stream(b'data: {"error": "say so"}\n\n'),
    "stream with an error event": _stream(b"event: error\ndata: plain words\n\n"),
    "stream with an error list": _stream(b'event: error\ndata: [{"message": "say so"}]\n\n'),
    "stream of one number": _stream(b"data: 5\n\n"),
    "stream that is cut in JSON": _stream(b'data: {"choices": [{"de\n\n'),
    "stream of comments": _stream(b": hello\n\n: still here\n\n"),
    "stream with choices that are none": _stream(b'data: {"choices": 7, "type": 7, "output_index": {}}\n\n'),
    "stream nested deep": _stream(b"data: " + _deep(100_000) + b"\n\n"),
    "gzip": _answer(400, gzip.compress(json.dumps(_SAID).encode()), "application/json", "content-encoding: gzip"),
    "gzip that is none": _answer(400, b"not gzip", "application/json", "content-encoding: gzip"),
    "gzip that is none, 200": _answer(200, b"not gzip", "text/event-stream", "content-encoding: gzip"),
    "wrong content type": _answer(400, json.dumps(_SAID).encode(), "text/event-stream"),
    "unknown charset": _answer(400, "sag es: \u00e4".encode("latin-1"), "text/plain; charset=klingon"),
    "no UTF-8": _answer(400, b"\xff\xfe\x00\x80", "application/octet-stream"),
    "escapes and control marks": _json(400, {"error": {"message": "\x1b[31mred\x07\x00 \u202eback \x9b2J"}}),
    "a very long line": _json(400, {"error": {"message": "word " * 100_000}}),
    "a redirect": _answer(302, b"", "text/html", "location: https://elsewhere.test/login?key=" + _KEY),
    "204": b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n",
    "599": _json(599, {"message": "say so"}),
    "retry-after that is none": _json(429, {"error": {"message": "slow"}}, "retry-after: \u00b2"),
    "not HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "closed at once": b"",
    "half a head": b"HTTP/1.1 200 OK\r\ncontent-ty",
    "length that is none": b"HTTP/1.1 400 X\r\ncontent-length: many\r\n\r\n{}",
    "shorter than it says": b"HTTP/1.1 400 X\r\ncontent-length: 500\r\n\r\n{}",
}


@contextlib.asynccontextmanager
async def _server(answer: bytes) -> AsyncIterator[str]:
    """A server that answers everything with these bytes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0].strip()
            await reader.readexactly(int(length or 0))
            writer.write(answer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", NASTY)
async def test_nasty_answers(name: str, wire: str) -> None:
    async with _server(NASTY[name]) as url:
        target = resolve("some-model", api_base=url, api_key=_KEY, wire_api=wire, environ={})
        client = connect(target, retry=RetryPolicy(requests=0, streams=0))
        try:
            with pytest.raises(ModelError) as caught:
                _ = [delta async for delta in client.stream(_BODIES[wire])]
        finally:
            await client.close()
    told, hint = str(caught.value), caught.value.hint
    assert "127.0.0.1" in told, f"not who it was: {told}"
    assert hint, f"no next step after: {told}"
    shown = told + hint
    assert _KEY not in shown + repr(caught.value)
    assert shown.isprintable(), f"control marks or line ends in {shown!r}"
    assert len(told) < 700
    assert "Traceback" not in shown


def test_there_are_enough_of_them() -> None:
    assert len(NASTY) >= 40
