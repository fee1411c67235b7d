"""The client and its process, with the real 0.5B model, and with files that cannot be loaded."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from harnesses.data import Env, Options
from harnesses.embedded import EmbeddedHarness
from oi_tui import paths
from oi_tui.computer.computer import Computer
from oi_tui.models.client import ContextTooLong
from oi_tui.models.embedded import catalog, choice, prompt_cache
from oi_tui.models.embedded.choice import choose
from oi_tui.models.embedded.client import EmbeddedClient
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.protocol.lmc import Chunk, message
from oi_tui.protocol.stream import Delta, Stop, TextDelta, Usage

needs_runtime = pytest.mark.skipif(not choice.available(), reason="needs the extra `embedded`")


def body(text: str, limit: int = 8) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], "max_tokens": limit, "temperature": 0}


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def shown_by(code: str, folder: Path) -> str:
    """What the kernel shows of a block: what it prints, and the value it ends in."""
    computer, chunks = Computer(str(folder), python=sys.executable), list[Chunk]()
    try:
        assert (await computer.run("python", code, chunks.append)).ok
    finally:
        await computer.close()
    return "".join(str(one.get("content")) for one in chunks if one.get("format") == "output").strip()


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 30
    while alive(pid):
        assert time.monotonic() < deadline, "the model process is still there"
        time.sleep(0.05)


@pytest.fixture
async def client(small_model: Path) -> AsyncIterator[EmbeddedClient]:
    made = EmbeddedClient(str(small_model))
    yield made
    await made.close()


@pytest.mark.embedded
async def test_the_first_question_is_answered_by_running_code(client: EmbeddedClient, tmp_path: Path) -> None:
    harness, env, options = EmbeddedHarness(), Env(cwd="/"), Options(model="embedded")
    seen: list[tuple[int, int, str]] = []
    client.on_progress = lambda *step: seen.append(step)
    await client.prewarm(harness.build([], env, options))
    assert seen[0] == (0, 0, f"loading {client.choice.title}")
    reader, usage = harness.reader(env), Usage()
    question = harness.build([message("user", "message", "what is 2380*3875?")], env, options)
    deltas: list[Delta] = [delta async for delta in client.stream(question)]
    for delta in deltas:
        reader.feed(delta)
        usage = delta if isinstance(delta, Usage) else usage
    _, parsed = reader.finish()
    assert [call.args["language"] for call in parsed.calls] == ["python"]
    assert not parsed.unclosed
    assert await shown_by(parsed.calls[0].args["code"], tmp_path) == "9222500"
    assert isinstance(deltas[-1], Stop)
    assert usage.cached_tokens > 200, "the warmed prefix was not used"
    assert usage.input_tokens - usage.cached_tokens < 80


@pytest.mark.embedded
async def test_the_next_start_need_not_read_the_prompt_again(small_model: Path) -> None:
    start = [{"role": "system", "content": "Answer with one word. " * 15}]
    warm = {"messages": [*start, *body("x")["messages"]], "temperature": 0}
    question = {**body("say hi", 2), "messages": [*start, *body("say hi")["messages"]]}
    folder = prompt_cache.folder_in(paths.models())

    async def cached(prewarm: bool) -> int:
        client = EmbeddedClient(str(small_model))
        try:
            if prewarm:
                await client.prewarm(warm)
            deltas = [delta async for delta in client.stream(question)]
        finally:
            await client.close()
        return next(one.cached_tokens for one in deltas if isinstance(one, Usage))

    first = await cached(prewarm=True)
    assert first > 50
    (saved,) = folder.iterdir()
    assert await cached(prewarm=False) >= first - 8  # the question alone finds it too
    content = bytearray(saved.read_bytes())
    saved.write_bytes(content[: len(content) // 2])
    assert await cached(prewarm=False) < 8  # a damaged one is not even tried: the runtime would abort
    assert not saved.exists()


@pytest.mark.embedded
async def test_closing_stops_the_model_and_it_stays_warm(client: EmbeddedClient) -> None:
    stream = client.stream(body("count from 1 to 500", 400))
    assert isinstance(await anext(stream), TextDelta)
    assert client._process is not None
    pid = client._process.pid
    await stream.aclose()
    again = [delta async for delta in client.stream(body("say hi", 4))]
    assert isinstance(again[-1], Stop)
    assert client._process.pid == pid


@pytest.mark.embedded
async def test_a_request_given_up_while_loading_leaves_the_loading_alone(client: EmbeddedClient) -> None:
    first = asyncio.ensure_future(anext(client.stream(body("hi"))))
    await asyncio.sleep(0)  # the request has begun, and with it the loading
    loading = client._starting
    assert loading is not None
    first.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await first
    assert [delta async for delta in client.stream(body("say hi", 2))]
    assert client._starting is loading


@pytest.mark.embedded
async def test_a_killed_process_is_said_and_started_again(client: EmbeddedClient) -> None:
    stream = client.stream(body("count from 1 to 500", 400))
    await anext(stream)
    assert client._process is not None
    os.kill(client._process.pid, signal.SIGKILL)
    with pytest.raises(EmbeddedError, match="memory ran out") as caught:
        async for _ in stream:
            pass
    assert "starts it again" in caught.value.hint
    assert [delta async for delta in client.stream(body("say hi", 2))]


@pytest.mark.embedded
async def test_too_long_a_request(client: EmbeddedClient) -> None:
    with pytest.raises(ContextTooLong, match="too long for the built-in model"):
        async for _ in client.stream(body("word " * 5000)):
            pass


@pytest.mark.embedded
async def test_nothing_is_left_after_close(client: EmbeddedClient) -> None:
    await client.prewarm()
    assert client._process is not None
    pid = client._process.pid
    assert alive(pid)
    await client.close()
    assert not alive(pid)


_PARENT = """
import asyncio, sys
from oi_tui.models.embedded.client import EmbeddedClient
async def main():
    client = EmbeddedClient(sys.argv[1])
    await client.prewarm()
    print(client._process.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.embedded
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_model_dies_with_a_killed_parent(small_model: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(small_model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    wait_until_gone(pid)


@needs_runtime
async def test_a_file_that_cannot_be_loaded(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\xff" * 100)
    client = EmbeddedClient(str(path))
    with pytest.raises(EmbeddedError, match=r"broken\.gguf cannot be loaded") as caught:
        async for _ in client.stream(body("hi")):
            pass
    assert "try another model" in caught.value.hint
    await client.prewarm()  # says nothing: the next request does
    await client.close()
    assert capfd.readouterr() == ("", "")


async def test_damaged_weights_are_told_from_those_that_cannot_be_loaded(tmp_path: Path) -> None:
    small = choose("embedded/0.5b", tmp_path)
    with small.path.open("wb") as file:
        file.write(b"GGUF" + b"\xff" * 100)
        file.truncate(catalog.SMALL.size)
    client = EmbeddedClient(choice=small)
    with pytest.raises(EmbeddedError, match=r"embedded/0\.5b are damaged") as caught:
        async for _ in client.stream(body("hi")):
            pass
    assert "oi models pull embedded/0.5b" in caught.value.hint
    await client.close()


@pytest.mark.parametrize(("name", "other"), [("embedded/1.5b", "embedded/0.5b"), ("embedded/0.5b", "elsewhere")])
async def test_too_little_memory_is_said_before_anything_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, other: str
) -> None:
    monkeypatch.setattr("oi_tui.models.embedded.memory.free", lambda: 500_000_000)
    chosen = choose(name, tmp_path)
    assert chosen.weights is not None
    with chosen.path.open("wb") as file:
        file.truncate(chosen.weights.size)
    client = EmbeddedClient(choice=chosen)
    with pytest.raises(EmbeddedError, match=r"0\.5 GB free, \d\.\d GB needed") as caught:
        async for _ in client.stream(body("hi")):
            pass
    assert other in caught.value.hint


async def test_weights_that_are_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oi_tui.models.embedded.client.available", lambda: True)
    client = EmbeddedClient(choice=choose("embedded/0.5b", tmp_path))
    with pytest.raises(EmbeddedError, match=r"not here yet \(0\.5 GB\)") as caught:
        async for _ in client.stream(body("hi")):
            pass
    assert caught.value.hint == "run: oi models pull embedded/0.5b"


async def test_a_runtime_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oi_tui.models.embedded.client.available", lambda: False)
    client = EmbeddedClient(choice=choose("embedded/0.5b", tmp_path))
    with pytest.raises(EmbeddedError, match=r"runtime .* is not installed") as caught:
        async for _ in client.stream(body("hi")):
            pass
    assert "pip install" in caught.value.hint


@needs_runtime
async def test_the_app_never_imports_the_runtime(tmp_path: Path) -> None:
    code = "import sys, oi_tui.models.embedded.client; print('xllamacpp' in sys.modules)"
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert (await child.communicate())[0].strip() == b"False"
