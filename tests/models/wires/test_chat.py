"""The Chat Completions client against a real server: streams, cuts, refusals, retries, cancelling."""

import asyncio
import contextlib
import time
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oi_tui.models import client as kinds
from oi_tui.models.client import ModelError
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
from oi_tui.models.wires.chat import ChatClient
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol.stream import CallDelta, Delta, Retry, Stop, TextDelta, ThoughtDelta, Usage
from tests.mock_model import MockModel, answer, call, cut, http, raw, say, think, usage, wait

_BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "stream_options": {"include_usage": True}}
_TOOL = {"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}
_FAST = RetryPolicy(base=0.001)


@contextlib.asynccontextmanager
async def _client(mock: MockModel, key: str = "", retry: RetryPolicy = _FAST, **more: Any) -> AsyncIterator[ChatClient]:
    made = connect(resolve("mock-model", api_base=mock.url, api_key=key, environ={}), retry=retry, **more)
    assert isinstance(made, ChatClient)
    try:
        yield made
    finally:
        await made.close()


async def _all(client: ChatClient, body: dict[str, Any] | None = None) -> list[Delta]:
    return [delta async for delta in client.stream(body or _BODY)]


async def _error(client: ChatClient) -> tuple[list[Delta], ModelError]:
    found: list[Delta] = []
    with pytest.raises(ModelError) as caught:
        async for delta in client.stream(_BODY):
            found.append(delta)
    return found, caught.value


def _text(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, TextDelta))


async def test_text_thought_call_usage_in_order_on_one_connection() -> None:
    script = [
        answer(think("hm"), say("w\u00f6rld \u4f60\u2028."), call("read", {"path": "\u00e4"}, id="c1")),
        say("ok"),
    ]
    with MockModel(script, chunk=3) as mock:
        async with _client(mock) as client:
            found = await _all(client, {**_BODY, "tools": [_TOOL]})
            assert _text(await _all(client)) == "ok"
        assert mock.connections == 1
        assert mock.requests[0]["model"] == "mock-model"
        assert mock.requests[0]["stream"] is True
    assert "".join(one.text for one in found if isinstance(one, ThoughtDelta)) == "hm"
    assert _text(found) == "w\u00f6rld \u4f60\u2028."
    calls = [one for one in found if isinstance(one, CallDelta)]
    assert (calls[0].id, calls[0].name) == ("c1", "read")
    assert "".join(one.arguments for one in calls) == '{"path": "\u00e4"}'
    assert isinstance(found[-2], Usage)
    assert found[-1] == Stop("tool_calls")


async def test_writes_of_one_byte() -> None:
    with MockModel([say("\u4f60\u597d, w\u00f6rld")], write_size=1) as mock:
        async with _client(mock) as client:
            assert _text(await _all(client)) == "\u4f60\u597d, w\u00f6rld"


async def test_unusual_but_legal_event_stream() -> None:
    head, mark = b'data: {"choices":[{"index":0,"delta":{"content":"', b'"}}]}\r\n\r\n'
    text = "\u4f60".encode()
    items = [
        b": keep-alive\r\n\r\n",
        b"event: ping\r\ndata: {}\r\n\r\n",
        head + text[:1],
        text[1:] + mark,
        head + "a\u2028\u0085b".encode() + mark,
        b'data: {"choices":\ndata: [{"delta":{"content":"two"}}]}\n\n',
        head + b"x" * 300_000 + mark,
        b"data:[DONE]\r\n\r\n",
    ]
    with MockModel([raw(items)]) as mock:
        async with _client(mock) as client:
            assert _text(await _all(client)) == "\u4f60a\u2028\u0085btwo" + "x" * 300_000


async def test_end_without_marker_is_fine_after_a_finish_reason() -> None:
    script = [
        raw([{"content": "a", "finish_reason": "stop"}], end=False),
        answer(raw([{"content": "b", "finish_reason": "stop"}], end=False), cut()),
    ]
    with MockModel(script) as mock:
        async with _client(mock) as client:
            assert await _all(client) == [TextDelta("a"), Stop("stop")]
            assert await _all(client) == [TextDelta("b"), Stop("stop")]


async def test_cut_in_the_middle_is_left_to_the_session() -> None:
    for broken in (answer(say("abcd"), cut()), raw([{"content": "abcd"}], end=False)):
        with MockModel([broken]) as mock:
            async with _client(mock) as client:
                found, error = await _error(client)
            assert _text(found) == "abcd"
            assert isinstance(error, kinds.StreamBroken)
            assert error.retryable
            assert len(mock.requests) == 1


async def test_cut_before_anything_was_shown_is_tried_five_times() -> None:
    with MockModel([answer(raw([b": hello\n\n"], end=False), cut())] * 5 + [say("ok")]) as mock:
        async with _client(mock) as client:
            found = await _all(client)
        assert [(one.attempt, one.limit) for one in found if isinstance(one, Retry)] == [(n, 5) for n in range(1, 6)]
        assert _text(found) == "ok"
    with MockModel([answer(raw([b": hello\n\n"], end=False), cut())] * 9) as mock:
        async with _client(mock) as client:
            assert isinstance((await _error(client))[1], kinds.StreamBroken)
        assert len(mock.requests) == 6


_REFUSED = {"error": {"message": "so it is", "code": "x"}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "requests"),
    [
        (400, _REFUSED, kinds.BadRequest, 1),
        (401, _REFUSED, kinds.AuthError, 1),
        (402, _REFUSED, kinds.QuotaError, 1),
        (403, {"error": {"message": "so it is"}}, kinds.AuthError, 1),
        (404, {"error": {"message": "The model `x` does not exist, so it is"}}, kinds.ModelNotFound, 1),
        (404, "404 page not found, so it is", kinds.BadRequest, 1),
        (413, {"error": "request_too_large: so it is"}, kinds.ContextTooLong, 1),
        (422, {"detail": [{"loc": ["x"], "msg": "so it is"}]}, kinds.BadRequest, 1),
        (400, {"error": {"message": "so it is", "code": "context_length_exceeded"}}, kinds.ContextTooLong, 1),
        (400, {"error": "this model's maximum context length is 8192 tokens, so it is"}, kinds.ContextTooLong, 1),
        (400, {"error": {"message": "mock does not support tools, so it is"}}, kinds.ToolsUnsupported, 1),
        (404, {"error": {"message": "No endpoints found that support tool use, so it is"}}, kinds.ToolsUnsupported, 1),
        (429, {"error": {"message": "so it is", "code": "insufficient_quota"}}, kinds.QuotaError, 1),
        (429, [{"error": {"message": "so it is"}}], kinds.RateLimited, 5),
        (500, "so it is", kinds.ServerFailed, 5),
        (503, "<html><head><title>so it is</title></head></html>", kinds.ServerFailed, 5),
        (529, {"error": {"type": "overloaded_error", "message": "so it is"}}, kinds.Overloaded, 5),
    ],
)
async def test_refusals(status: int, body: Any, kind: type[ModelError], requests: int) -> None:
    with MockModel([http(status, body)] * 9) as mock:
        async with _client(mock) as client:
            found, error = await _error(client)
        assert len(mock.requests) == requests
    assert type(error) is kind
    assert error.status == status
    assert all(word in str(error) for word in ("127.0.0.1", "mock-model", f"HTTP {status}", "so it is"))
    assert error.hint
    assert len(found) == requests - 1
    assert all(isinstance(one, Retry) for one in found)


async def test_error_object_in_the_stream() -> None:
    with MockModel([raw([{"content": "x"}, {"error": {"message": "boom", "code": 502}}])]) as mock:
        async with _client(mock) as client:
            found, error = await _error(client)
    assert found == [TextDelta("x")]
    assert type(error) is kinds.ServerFailed
    assert "boom" in str(error)


async def test_error_object_at_the_start_is_tried_again() -> None:
    with MockModel(
        [raw([{"error": {"message": "boom"}}]), raw([b'error: {"code":500,"message":"x"}\n\n']), say("ok")]
    ) as mock:
        async with _client(mock) as client:
            assert _text(await _all(client)) == "ok"


async def test_key_is_masked() -> None:
    with MockModel(
        [http(401, {"error": {"message": "Incorrect API key provided: sk-TEST123, Bearer s3cr3t-key"}})]
    ) as mock:
        async with _client(mock, key="s3cr3t-key") as client:
            _, error = await _error(client)
            assert "s3cr3t-key" not in repr(client.target)
    assert "sk-TEST123" not in str(error)
    assert "s3cr3t" not in str(error) + error.hint


async def test_not_found_lists_what_there_is() -> None:
    with MockModel(models=("alpha", "beta"), known_only=True) as mock:
        async with _client(mock) as client:
            _, error = await _error(client)
    assert isinstance(error, kinds.ModelNotFound)
    assert "alpha, beta" in error.hint


async def test_not_found_at_ollama_tells_how_to_pull() -> None:
    with MockModel(models=("alpha:1b",), known_only=True) as mock:
        client = connect(resolve("ollama/beta:2b", environ={"OLLAMA_HOST": mock.root}))
        assert isinstance(client, ChatClient)
        _, error = await _error(client)
        await client.close()
    assert error.hint == "run: ollama pull beta:2b; the server has alpha:1b"


async def test_retry_after_is_honoured_and_told() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    script = [
        http(429, {"error": "slow"}, {"retry-after": "2"}),
        http(429, {"error": "slow"}, {"retry-after-ms": "150"}),
        http(429, {"error": {"message": "Please try again in 1m2.5s."}}),
        http(503, "busy"),
        say("ok"),
    ]
    with MockModel(script) as mock:
        async with _client(mock, retry=RetryPolicy(sleep=sleep, jitter=lambda: 1.0)) as client:
            found = await _all(client)
    assert waited == [2.0, 0.15, 62.5, pytest.approx(1.6)]
    retries = [one for one in found if isinstance(one, Retry)]
    assert [one.seconds for one in retries] == waited
    assert "HTTP 429" in retries[0].cause


@pytest.mark.parametrize(
    ("status", "body", "waits"),
    [
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, [1, 2, 4, 5, 5, 5, 5]),
        (503, {"error": "Model org/m is currently loading", "estimated_time": 20.5}, [20.5] * 7),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, [1, 2, 4, 8]),
        (500, {"error": "oops"}, [0.2, 0.4, 0.8, 1.6]),
    ],
)
async def test_how_long_a_server_is_waited_for_that_loads_is_busy_or_failed(
    status: int, body: dict[str, Any], waits: list[float]
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with MockModel([*[http(status, body)] * len(waits), say("ok")]) as mock:
        async with _client(mock, retry=RetryPolicy(sleep=sleep, jitter=lambda: 1.0)) as client:
            found = await _all(client)
    assert waited == pytest.approx(waits)
    assert any(isinstance(one, TextDelta) and one.text == "ok" for one in found)


async def test_a_wait_of_hours_is_not_waited() -> None:
    with MockModel([http(429, {"error": "slow"}, {"retry-after": "7200"})]) as mock:
        async with _client(mock) as client:
            _, error = await _error(client)
        assert len(mock.requests) == 1
    assert error.retry_after == 7200


async def test_the_wait_can_be_cancelled() -> None:
    with MockModel([http(429, {"error": "slow"}, {"retry-after": "60"})]) as mock:
        async with _client(mock) as client:
            stream = client.stream(_BODY)
            assert isinstance(await anext(stream), Retry)
            task = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert len(mock.requests) == 1


@pytest.mark.parametrize("how", ["close", "cancel while it waits", "cancel before the head"])
async def test_cancel_closes_the_socket(how: str) -> None:
    script = [wait(60)] if how.endswith("head") else [answer(say("abcd"), wait(60), say("never"))]
    with MockModel(script) as mock:
        async with _client(mock) as client:
            stream = client.stream(_BODY)
            if not how.endswith("head"):
                assert await anext(stream) == TextDelta("abcd")
            if how == "close":
                await stream.aclose()
            else:
                task = asyncio.ensure_future(anext(stream))
                await asyncio.to_thread(mock.wait_until, lambda one: len(one.requests) == 1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            cancelled = time.monotonic()
            await asyncio.to_thread(mock.wait_until, lambda one: one.aborted == 1, 10.0)
            assert time.monotonic() - cancelled < 5.0  # the figure itself is measured by tests/benchmarks/wire.py
            assert _text(await _all(client)) == "done"


async def test_nothing_listens() -> None:
    with MockModel() as mock:
        pass
    async with _client(mock) as client:
        found, error = await _error(client)
    assert len(found) == 4
    assert isinstance(error, kinds.Unreachable)
    assert str(error) == f"cannot reach {mock.url}: is the server running? (connection refused)"


async def test_server_restarts_between_two_requests() -> None:
    with MockModel() as first:
        async with _client(first) as client:
            await _all(client)
            first.__exit__()
            with MockModel([say("again")], port=first._port):
                assert _text(await _all(client)) == "again"
            first.__enter__()


async def test_silence_is_a_timeout() -> None:
    with MockModel([wait(30)] * 2) as mock:
        async with _client(mock, retry=RetryPolicy(requests=1, base=0.001), idle=0.2) as client:
            found, error = await _error(client)
    assert len(found) == 1
    assert isinstance(error, kinds.Unreachable)
    assert "nothing came for 0.2 s" in str(error)


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        ("<html><title>Log in</title></html>", kinds.BadRequest, "something else"),
        ({"object": "nothing"}, kinds.StreamBroken, "no answer"),
        ({"error": {"message": "boom"}}, kinds.ServerFailed, "boom"),
    ],
)
async def test_success_that_is_none(body: Any, kind: type[ModelError], says: str) -> None:
    with MockModel([http(200, body)] * 9) as mock:
        async with _client(mock) as client:
            _, error = await _error(client)
    assert type(error) is kind
    assert says in str(error)


async def test_server_that_does_not_stream() -> None:
    whole = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    with MockModel(
        [http(200, whole), http(200, 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n')]
    ) as mock:
        async with _client(mock) as client:
            assert await _all(client) == [TextDelta("hi"), Stop("stop")]
            assert await _all(client) == [TextDelta("hi"), Stop("stop")]


async def test_event_that_is_no_json() -> None:
    with MockModel([raw([b'data: {"choices": [\n\n'])] * 9) as mock:
        async with _client(mock) as client:
            _, error = await _error(client)
    assert isinstance(error, kinds.StreamBroken)


async def test_lone_surrogates_are_sent_as_valid_text() -> None:
    with MockModel() as mock:
        async with _client(mock) as client:
            await _all(client, {"messages": [{"role": "user", "content": "a\udce9b \U0001f600"}]})
        assert mock.requests[0]["messages"][0]["content"] == "a\ufffdb \U0001f600"
        assert not mock.refused


async def test_prewarm_opens_the_connection_once() -> None:
    with MockModel() as mock:
        async with _client(mock) as client:
            await client.prewarm()
            await client.prewarm()
            await _all(client)
        assert mock.connections == 1


async def test_prewarm_without_a_server_is_silent() -> None:
    with MockModel() as mock:
        pass
    async with _client(mock) as client:
        await client.prewarm()


async def test_memory_stays_flat_in_a_long_stream() -> None:
    piece = b'data: {"choices":[{"index":0,"delta":{"content":"' + b"x" * 65_000 + b'"}}]}\n\n'
    with MockModel([raw([piece] * 400)]) as mock:
        async with _client(mock) as client:
            stream, seen, peak = client.stream(_BODY), 0, 0
            async for delta in stream:
                if isinstance(delta, TextDelta):
                    seen += len(delta.text)
                if seen == 65_000 * 20:
                    tracemalloc.start()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    assert seen == 65_000 * 400
    assert peak < 8_000_000


async def test_usage_as_reported() -> None:
    with MockModel([answer(say("x"), usage(prompt_tokens=7, completion_tokens=3))]) as mock:
        async with _client(mock) as client:
            assert Usage(7, 3) in await _all(client)
