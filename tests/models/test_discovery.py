"""Local servers: found when they are there, named clearly when they are not."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oi_tui.models import discovery
from oi_tui.models.catalog import look_up
from oi_tui.models.client import ModelNotFound, Unreachable
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
from tests.mock_model import MockModel
from tests.mock_model.local_servers import LocalModel

_MODELS = (LocalModel("qwen3:8b", context=40960, vision=True), LocalModel("llama3:latest", size=5, tools=False))
_NOWHERE = "http://127.0.0.1:9"


async def test_finds_both_with_their_models() -> None:
    with MockModel(models=_MODELS) as mock:
        found = await discovery.find({"OLLAMA_HOST": mock.root}, lm_studio=mock.root, seconds=5, others={})
    assert [(one.provider, one.root) for one in found] == [("ollama", mock.root), ("lmstudio", mock.root)]
    assert found[0].models[1] == discovery.LocalModel("llama3:latest", size=5)
    assert found[1].models[0] == discovery.LocalModel("qwen3:8b", context=40960, longest=40960, vision=True)


async def test_models_that_only_embed_are_left_out() -> None:
    with MockModel(models=(LocalModel("nomic-embed-text:latest", family="nomic-bert"), *_MODELS)) as mock:
        found = await discovery.find({"OLLAMA_HOST": mock.root}, lm_studio=_NOWHERE, seconds=5, others={})
    assert [one.id for one in found[0].models] == ["qwen3:8b", "llama3:latest"]


async def test_nobody_there() -> None:
    assert await discovery.find({"OLLAMA_HOST": _NOWHERE}, lm_studio=_NOWHERE, others={"vllm": _NOWHERE}) == []


async def test_server_that_says_nothing_is_given_up() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        root = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await discovery.find({"OLLAMA_HOST": root}, lm_studio=root, others={"llamacpp": root}) == []


async def test_other_servers_are_not_taken_for_models() -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n<html>hi!")
        writer.close()

    async with await asyncio.start_server(other, "127.0.0.1", 0) as server:
        root = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await discovery.find({"OLLAMA_HOST": root}, lm_studio=root, others={"llamacpp": root}) == []


async def test_describe_gives_window_and_abilities() -> None:
    with MockModel(models=_MODELS) as mock:
        one = await discovery.describe(mock.root, "qwen3:8b")
        other = await discovery.describe(mock.root, "llama3")
    assert (one.context, one.tools, one.vision) == (40960, True, True)
    assert (other.id, other.context, other.tools) == ("llama3:latest", 8192, False)


async def test_missing_model_lists_and_tells_how_to_pull() -> None:
    with MockModel(models=_MODELS) as mock:
        with pytest.raises(ModelNotFound) as caught:
            await discovery.describe(mock.root, "not-there:1b")
        assert [one.path for one in mock.received] == ["/api/tags"]
    assert "not-there:1b" in str(caught.value)
    assert "qwen3:8b, llama3:latest" in caught.value.hint
    assert "ollama pull not-there:1b" in caught.value.hint


async def test_server_down() -> None:
    with pytest.raises(Unreachable) as caught:
        await discovery.describe(_NOWHERE, "x")
    assert str(caught.value) == f"cannot reach {_NOWHERE}: is the server running?"
    assert "ollama serve" in caught.value.hint


async def test_list_and_chat_use_the_same_address() -> None:
    with MockModel(models=_MODELS, host="127.0.0.2") as mock:
        environ = {"OLLAMA_HOST": mock.root}
        await discovery.describe(mock.root, "llama3")
        client = connect(resolve("ollama/llama3", environ=environ))
        _ = [delta async for delta in client.stream({"messages": [{"role": "user", "content": "x"}]})]
        await client.close()
        assert {one.path for one in mock.received} == {"/api/tags", "/api/show", "/api/ps", "/v1/chat/completions"}
        assert {one.headers["host"] for one in mock.received} == {mock.root.removeprefix("http://")}


async def test_what_a_server_tells_about_its_model() -> None:
    with MockModel(models=_MODELS) as mock:
        told = await discovery.told("ollama", mock.url, "qwen3:8b")
        assert told == {"context": 40960, "tools": True, "vision": True}
        assert (await discovery.told("ollama", mock.url, "llama3"))["tools"] is False
        assert await discovery.told("ollama", mock.url, "not-there") == {}
        assert await discovery.told("lmstudio", mock.url, "qwen3:8b") == {"context": 40960, "vision": True}
        assert await discovery.told("vllm", mock.url, "qwen3:8b") == {}
    assert await discovery.told("ollama", _NOWHERE + "/v1", "x") == {}
    info = look_up("qwen3:8b", "ollama", local=True, told=told, overrides={"qwen3:8b": {"vision": False}})
    assert (info.context, info.vision, info.known, info.input_price) == (40960, False, True, 0.0)


async def test_ollama_tells_the_window_it_gives_once_the_model_is_loaded() -> None:
    with MockModel(models=(LocalModel("qwen3:8b", context=40960, given=4096),)) as mock:
        assert "context" not in await discovery.told("ollama", mock.url, "qwen3:8b")
        assert await discovery.loaded("ollama", mock.url, "qwen3:8b") == (4096, 40960)
        assert (await discovery.told("ollama", mock.url, "qwen3:8b"))["context"] == 4096
    for provider in ("ollama", "lmstudio"):
        assert await discovery.loaded(provider, _NOWHERE + "/v1", "x") == (0, 0)


async def test_lm_studio_tells_the_window_it_gives_once_the_model_is_loaded() -> None:
    models = (LocalModel("qwen3-8b", context=40960, given=4096), LocalModel("too-big", context=131072, given=-1))
    with MockModel(models=models) as mock:
        assert "context" not in await discovery.told("lmstudio", mock.url, "qwen3-8b")
        assert await discovery.loaded("lmstudio", mock.url, "qwen3-8b") == (4096, 40960)
        assert (await discovery.told("lmstudio", mock.url, "qwen3-8b"))["context"] == 4096
        assert await discovery.loaded("lmstudio", mock.url, "too-big") == (131072, 131072), "all that it says"
        assert await discovery.loaded("lmstudio", mock.url, "unknown") == (0, 0)


async def test_certificates_that_cannot_be_read_are_left_to_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    assert await discovery.told("custom", "https://127.0.0.1:9/v1", "m") == {}


async def test_pull_with_progress() -> None:
    with MockModel() as mock:
        steps = [one async for one in discovery.pull(mock.root, "qwen3:8b")]
        assert steps[0] == ("pulling manifest", 0, 0)
        assert ("pulling 6a0746a1ec1a", 500, 1000) in steps
        assert steps[-1] == ("success", 1010, 1010)
        with pytest.raises(ModelNotFound, match="file does not exist"):
            _ = [one async for one in discovery.pull(mock.root, "nosuch")]
    with pytest.raises(Unreachable, match="is Ollama running"):
        _ = [one async for one in discovery.pull(_NOWHERE, "x")]


@contextlib.asynccontextmanager
async def _serving(answers: dict[str, Any]) -> AsyncIterator[str]:
    """The root of a server that answers these paths with JSON, 404 to all others."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        body = json.dumps(answers.get(path)).encode()
        status = "200 OK" if path in answers else "404 Not Found"
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


_LLAMA = {
    "/v1/models": {"data": [{"id": "q.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072, "size": 5}}]},
    "/props": {"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": True, "audio": False}},
}
_VLLM = {"/v1/models": {"data": [{"id": "org/m", "owned_by": "vllm", "max_model_len": 32768}, {"id": 7}, "x"]}}


async def test_other_servers_with_what_they_say_of_their_models() -> None:
    async with _serving(_LLAMA) as llama, _serving(_VLLM) as vllm, _serving({"/v1/models": {"data": "none"}}) as none:
        roots = {"llamacpp": llama, "vllm": vllm, "jan": none}
        found = await discovery.find({"OLLAMA_HOST": _NOWHERE}, lm_studio=_NOWHERE, seconds=5, others=roots)
        assert [(one.provider, one.name, one.models) for one in found] == [
            ("llamacpp", "llama.cpp", (discovery.LocalModel("q.gguf", size=5, context=4096, vision=True),)),
            ("vllm", "vLLM", (discovery.LocalModel("org/m", context=32768),)),
        ]
        facts = await discovery.told("llamacpp", llama + "/v1", "q.gguf", seconds=5)
        assert facts == {"context": 4096, "vision": True}
        assert await discovery.told("vllm", vllm + "/v1", "org/m", seconds=5) == {"context": 32768}


async def test_a_llama_server_that_hides_its_props() -> None:
    async with _serving({"/v1/models": _LLAMA["/v1/models"]}) as root:
        assert await discovery.told("llamacpp", root + "/v1", "q.gguf", seconds=5) == {}


def test_each_address_is_asked_once() -> None:
    roots = discovery._others()
    assert {"llamacpp", "vllm", "jan"} <= set(roots)
    assert len(set(roots.values())) == len(roots)
