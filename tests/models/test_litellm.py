"""Models through litellm in its own process, end to end on loopback: deltas, errors, cancelling, keys, the process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from oi_tui.models import client as kinds
from oi_tui.models.client import ModelError
from oi_tui.models.connect import connect
from oi_tui.models.litellm_client import LitellmClient
from oi_tui.models.providers import resolve
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol.stream import CallDelta, Delta, Retry, Stop, TextDelta, ThoughtDelta, Usage
from tests.mock_model import MockModel, answer, call, cut, http, say, think, wait
from tests.mock_model.server import Received
from tests.models.wires.conversation import hold

_BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "stream_options": {"include_usage": True}}
_TOOL = {"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}
_KEY = "sk-secret-abcdef123456"


@contextlib.asynccontextmanager
async def _client(mock: MockModel, **more: Any) -> AsyncIterator[LitellmClient]:
    target = resolve("x", api_base=mock.url, api_key=_KEY, backend="litellm", environ={})
    made = connect(target, retry=RetryPolicy(requests=1, streams=1, base=0.001), **more)
    assert isinstance(made, LitellmClient)
    try:
        yield made
    finally:
        await made.close()


async def _all(client: LitellmClient, body: dict[str, Any] | None = None) -> list[Delta]:
    return [delta async for delta in client.stream(body or _BODY)]


async def _error(client: LitellmClient) -> tuple[list[Delta], ModelError]:
    found: list[Delta] = []
    with pytest.raises(ModelError) as caught:
        async for delta in client.stream(_BODY):
            found.append(delta)
    return found, caught.value


def _text(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, TextDelta))


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def _told(pid: int) -> str:
    """What any other process can read about this one."""
    return "".join(Path(f"/proc/{pid}/{one}").read_bytes().decode("utf-8", "replace") for one in ("cmdline", "environ"))


async def test_deltas_errors_cancel_on_one_process() -> None:
    thought = answer(think("hm"), say("w\u00f6rld \u4f60\u2028."), call("read", {"path": "\u00e4"}, id="c1"))
    refusals: list[tuple[int, Any, type[ModelError]]] = [
        (401, {"error": {"message": f"Incorrect API key provided: {_KEY}"}}, kinds.AuthError),
        (429, {"error": {"message": "so it is", "code": "insufficient_quota"}}, kinds.QuotaError),
        (400, {"error": {"message": "so it is", "code": "context_length_exceeded"}}, kinds.ContextTooLong),
        (400, {"error": {"message": "x does not support tools, so it is"}}, kinds.ToolsUnsupported),
        (404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}, kinds.ModelNotFound),
        (400, {"error": {"message": "so it is"}}, kinds.BadRequest),
    ]
    script = [thought, *(http(status, body) for status, body, _ in refusals)]
    with MockModel(script, chunk=3, api_key=_KEY) as mock:
        async with _client(mock) as client:
            found = await _all(client, {**_BODY, "tools": [_TOOL]})
            assert "".join(one.text for one in found if isinstance(one, ThoughtDelta)) == "hm"
            assert _text(found) == "w\u00f6rld \u4f60\u2028."
            calls = [one for one in found if isinstance(one, CallDelta)]
            assert (calls[0].id, calls[0].name) == ("c1", "read")
            assert "".join(one.arguments for one in calls) == '{"path": "\u00e4"}'
            assert isinstance(found[-2], Usage)
            assert found[-1] == Stop("tool_calls")
            assert mock.requests[0]["model"] == "x"

            process = client._process
            assert process is not None
            assert _KEY not in _told(process.pid)

            for status, _, kind in refusals:
                _, error = await _error(client)
                assert type(error) is kind, str(error)
                assert error.status == status
                assert error.hint
                assert _KEY not in str(error) + error.hint
                assert "litellm." not in str(error)

            mock.script[:] = [http(503, {"error": {"message": "busy"}}), say("now"), answer(say("abcd"), cut())]
            found = await _all(client)
            assert [type(one) for one in found[:1]] == [Retry]
            assert _text(found) == "now"
            found, error = await _error(client)
            assert (_text(found), type(error)) == ("abcd", kinds.StreamBroken)

            mock.script[:] = [answer(say("abcd"), wait(60))]
            stream = client.stream(_BODY)
            assert isinstance(await anext(stream), TextDelta)
            left = mock.aborted
            await stream.aclose()
            await asyncio.to_thread(mock.wait_until, lambda one: one.aborted == left + 1)
            assert _text(await _all(client)) == "done"
            assert client._process is process, "one process served all of it"
    assert _gone(process.pid)


async def test_the_process_dies_and_comes_back() -> None:
    with MockModel([answer(say("abcd"), wait(60)), say("again")]) as mock:
        async with _client(mock) as client:
            stream = client.stream(_BODY)
            assert isinstance(await anext(stream), TextDelta)
            assert client._process is not None
            os.kill(client._process.pid, signal.SIGKILL)
            with pytest.raises(kinds.StreamBroken, match="process ended"):
                _ = [delta async for delta in stream]
            assert _text(await _all(client)) == "again"


async def test_the_same_conversation_as_over_the_wire() -> None:
    with MockModel(chunk=7) as mock:
        direct = await hold(mock, "chat")
    with MockModel(chunk=7) as mock:
        assert await hold(mock, "chat", backend="litellm") == direct


async def test_a_provider_without_access_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")  # credentials are looked for there last
    client = connect(resolve("sagemaker/endpoint-1", environ={}), retry=RetryPolicy(requests=0))
    try:
        with pytest.raises(ModelError) as caught:
            _ = [delta async for delta in client.stream(_BODY)]
    finally:
        await client.close()
    assert "AWS SageMaker" in str(caught.value)
    assert "AWS_ACCESS_KEY_ID" in caught.value.hint or "pip install" in caught.value.hint


_AZURE = ("AZURE_API_BASE", "AZURE_API_VERSION", "AZURE_API_KEY", "AZURE_AD_TOKEN")


async def _azure(mock: MockModel, **more: Any) -> Received:
    """Ask deployment dep-1 of an Azure resource; the request as it arrived."""
    mock.script[:] = [say("hello")]
    client = connect(resolve(more.pop("model", "azure/dep-1"), **more), retry=RetryPolicy(requests=0))
    assert isinstance(client, LitellmClient)
    try:
        assert _text(await _all(client)) == "hello"
    finally:
        await client.close()
    return mock.received[-1]


async def test_azure_with_key_with_entra_and_by_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/openai/deployments/dep-1/chat/completions"
    with MockModel() as mock:
        values = (mock.root, "2024-10-21", _KEY, "")
        for name, value in zip(_AZURE, values, strict=True):
            monkeypatch.setenv(name, value)
        asked = await _azure(mock)
        assert (asked.path, asked.query) == (path, "api-version=2024-10-21")
        assert (asked.headers["api-key"], asked.headers.get("authorization")) == (_KEY, None)

        monkeypatch.delenv("AZURE_API_KEY")
        monkeypatch.setenv("AZURE_AD_TOKEN", "entra-token")
        asked = await _azure(mock)
        assert (asked.headers["authorization"], asked.headers.get("api-key")) == ("Bearer entra-token", None)

        for name in _AZURE:
            monkeypatch.delenv(name, raising=False)
        given = {"api_base": mock.root, "api_key": _KEY, "api_version": "2025-01-01", "provider": "azure"}
        for model in ("dep-1", "azure/dep-1"):
            asked = await _azure(mock, model=model, **given)
            assert (asked.path, asked.query, asked.headers["api-key"]) == (path, "api-version=2025-01-01", _KEY)
