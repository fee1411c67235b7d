"""The Messages and Responses clients against a real server: keys, headers, shapes, refusals, cuts, cancelling."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oi_tui.models import client as kinds
from oi_tui.models.client import ModelClient, ModelError
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
from oi_tui.models.wires.messages import MessagesClient
from oi_tui.models.wires.responses import ResponsesClient
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol.stream import Delta, Retry, Stop, TextDelta, Usage
from tests.mock_model import MockModel, answer, cut, http, raw, say, usage, wait

_USER = {"role": "user", "content": "hi"}
_BODIES: dict[str, dict[str, Any]] = {
    "messages": {"messages": [_USER], "max_tokens": 50},
    "responses": {"input": [_USER], "include": ["reasoning.encrypted_content"]},
}
_WIRES = tuple(_BODIES)


@contextlib.asynccontextmanager
async def _client(mock: MockModel, wire: str, **more: Any) -> AsyncIterator[ModelClient]:
    target = resolve("mock-model", api_base=mock.url, wire_api=wire, environ={}, **more)
    made = connect(target, retry=RetryPolicy(base=0.001))
    assert made.wire == wire
    try:
        yield made
    finally:
        await made.close()


async def _all(client: ModelClient, **more: Any) -> list[Delta]:
    return [delta async for delta in client.stream({**_BODIES[client.wire], **more})]


async def _error(client: ModelClient) -> tuple[list[Delta], ModelError]:
    found: list[Delta] = []
    with pytest.raises(ModelError) as caught:
        async for delta in client.stream(_BODIES[client.wire]):
            found.append(delta)
    return found, caught.value


def _text(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, TextDelta))


@pytest.mark.parametrize("wire", _WIRES)
async def test_key_and_one_connection(wire: str) -> None:
    with MockModel([say("a")], api_key="sk-abc") as mock:
        async with _client(mock, wire, api_key="sk-abc") as client:
            await client.prewarm()
            assert _text(await _all(client)) == "a"
            assert _text(await _all(client)) == "done"
        async with _client(mock, wire, api_key="sk-wrong") as client:
            _, error = await _error(client)
        assert mock.connections == 2
    assert isinstance(error, kinds.AuthError)
    assert "Incorrect API key provided" in str(error)


def test_headers_of_anthropic() -> None:
    client = connect(resolve("claude-sonnet-4-5", environ={"ANTHROPIC_API_KEY": "k1"}))
    assert isinstance(client, MessagesClient)
    assert client.headers() == {"anthropic-version": "2023-06-01", "x-api-key": "k1"}
    assert client.target.url(client.path) == "https://api.anthropic.com/v1/messages"


@pytest.mark.parametrize("wire", _WIRES)
async def test_usage_and_length(wire: str) -> None:
    counts = usage(input_tokens=9, output_tokens=4)
    with MockModel([answer(say("x"), counts)]) as mock:
        async with _client(mock, wire) as client:
            assert (await _all(client))[-2:] == [Usage(9, 4), Stop("stop")]


@pytest.mark.parametrize("wire", _WIRES)
async def test_server_that_does_not_stream(wire: str) -> None:
    wholes = {
        "messages": {"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"},
        "responses": {
            "object": "response",
            "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "hi"}]}],
        },
    }
    with MockModel([http(200, wholes[wire]), http(200, {"object": "nothing"})]) as mock:
        async with _client(mock, wire) as client:
            assert await _all(client) == [TextDelta("hi"), Stop("stop")]
            mock.script[:] = [http(200, {"object": "nothing"})] * 9
            _, error = await _error(client)
    assert isinstance(error, kinds.StreamBroken)


@pytest.mark.parametrize("wire", _WIRES)
async def test_cut(wire: str) -> None:
    begun = {"messages": {"type": "ping"}, "responses": {"type": "response.created", "response": {}}}[wire]
    with MockModel([answer(raw([begun], end=False), cut()), say("ok"), answer(say("abcd"), cut())]) as mock:
        async with _client(mock, wire) as client:
            found = await _all(client)
            assert (len([one for one in found if isinstance(one, Retry)]), _text(found)) == (1, "ok")
            found, error = await _error(client)
    assert (_text(found), type(error)) == ("abcd", kinds.StreamBroken)


_INSIDE: list[tuple[str, dict[str, Any], type[ModelError], int]] = [
    ("messages", {"type": "overloaded_error", "message": "so it is"}, kinds.Overloaded, 529),
    ("messages", {"type": "rate_limit_error", "message": "so it is"}, kinds.RateLimited, 429),
    ("messages", {"type": "authentication_error", "message": "so it is"}, kinds.AuthError, 401),
    ("messages", {"type": "invalid_request_error", "message": "so it is"}, kinds.BadRequest, 400),
    (
        "messages",
        {"type": "invalid_request_error", "message": "prompt is too long: so it is"},
        kinds.ContextTooLong,
        400,
    ),
    ("messages", {"type": "billing_error", "message": "so it is"}, kinds.QuotaError, 402),
    ("responses", {"code": "server_error", "message": "so it is"}, kinds.ServerFailed, 500),
    ("responses", {"code": "rate_limit_exceeded", "message": "so it is"}, kinds.RateLimited, 429),
    ("responses", {"code": "insufficient_quota", "message": "so it is"}, kinds.QuotaError, 0),
    ("responses", {"code": "context_length_exceeded", "message": "so it is"}, kinds.ContextTooLong, 0),
    ("responses", {"code": "invalid_prompt", "message": "so it is"}, kinds.BadRequest, 400),
]


@pytest.mark.parametrize(("wire", "told", "kind", "status"), _INSIDE)
async def test_errors_inside_the_stream(wire: str, told: dict[str, Any], kind: type[ModelError], status: int) -> None:
    event = {"type": "error", "error": told}
    if wire == "responses":
        event = {"type": "response.failed", "response": {"status": "failed", "error": told}}
    with MockModel([answer(say("abcd"), raw([event]))]) as mock:
        async with _client(mock, wire) as client:
            found, error = await _error(client)
    assert _text(found) == "abcd"
    assert (type(error), error.status) == (kind, status or None)
    assert "error in the stream" in str(error)
    assert "so it is" in str(error)


@pytest.mark.parametrize("wire", _WIRES)
async def test_cancel_closes_the_socket(wire: str) -> None:
    with MockModel([answer(say("abcd"), wait(60))]) as mock:
        async with _client(mock, wire) as client:
            stream = client.stream(_BODIES[wire])
            assert await anext(stream) == TextDelta("abcd")
            await stream.aclose()
            await asyncio.to_thread(mock.wait_until, lambda one: one.aborted == 1)
            assert _text(await _all(client)) == "done"


async def test_not_found_lists_what_there_is() -> None:
    with MockModel(models=("alpha", "beta"), known_only=True) as mock:
        async with _client(mock, "messages") as client:
            _, error = await _error(client)
    assert isinstance(error, kinds.ModelNotFound)
    assert "alpha, beta" in error.hint


def test_shape_of_messages() -> None:
    def shaped(model: str, **body: Any) -> dict[str, Any]:
        client = connect(resolve(model, environ={"ANTHROPIC_API_KEY": "k", "MINIMAX_API_KEY": "k"}))
        assert isinstance(client, MessagesClient)
        return client.shape({"model": "", "max_tokens": 10**7, "temperature": 0.5, "tools": [], **body})

    known = shaped("anthropic/claude-sonnet-4-5")
    assert (known["model"], known["max_tokens"], known["temperature"]) == ("claude-sonnet-4-5", 64_000, 0.5)
    assert "tools" not in known
    assert "temperature" not in shaped("claude-sonnet-5")
    assert shaped("minimax/nobody-knows")["max_tokens"] == 10**7
    assert shaped("claude-sonnet-4-5", max_tokens=3)["max_tokens"] == 3


def test_shape_of_responses() -> None:
    def shaped(model: str, **body: Any) -> dict[str, Any]:
        client = connect(resolve(model, wire_api="responses", environ={"OPENAI_API_KEY": "k"}))
        assert isinstance(client, ResponsesClient)
        return client.shape({**_BODIES["responses"], "temperature": 0.5, "tools": [], "tool_choice": "auto", **body})

    thinks, plain = shaped("gpt-5"), shaped("gpt-4.1")
    assert thinks["include"] == ["reasoning.encrypted_content"]
    assert "temperature" not in thinks
    assert "include" not in plain
    assert plain["temperature"] == 0.5
    assert (plain["model"], plain["store"], plain["stream"]) == ("gpt-4.1", False, True)
    assert not {"tools", "tool_choice"} & set(plain)
