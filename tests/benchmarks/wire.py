"""How much do the clients of the three wires cost? Start-up, a long stream, cancelling, memory.

`python tests/benchmarks/wire.py` from the checkout; the mock server runs as a process of its own, so that only the
client's work is counted. Goals: request and answer from a cold start <= 1.3 x `import asyncio, httpx`; 20,000 tokens
<= 0.35 s CPU on the chat wire; cancel to closed socket <= 100 ms; a 50 MB stream in flat memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

_BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}
_BODIES: dict[str, dict[str, Any]] = {
    "chat": _BODY,
    "messages": {**_BODY, "max_tokens": 100_000},
    "responses": {"input": _BODY["messages"]},
}
_FIRST = f"""
import asyncio, sys
sys.path.insert(0, {str(ROOT)!r})
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
async def main():
    client = connect(resolve("m", api_base=sys.argv[1]))
    async for _ in client.stream({_BODY!r}):
        pass
    await client.close()
asyncio.run(main())
"""


@contextlib.contextmanager
def _server(script: Any) -> Iterator[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(script, file)
        file.flush()
        command = [sys.executable, "-m", "tests.mock_model", "--script", file.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.terminate()


def _seconds(program: str, *arguments: str) -> float:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=environ)
    return time.perf_counter() - began


def cold_start(url: str) -> tuple[float, float]:
    """Medians of ten: importing asyncio and httpx as they are; a whole request and answer by our client. Seconds."""
    _seconds(_FIRST, url)  # so that everything is compiled, as after an installation
    pairs = [(_seconds("import asyncio, httpx"), _seconds(_FIRST, url)) for _ in range(10)]
    return statistics.median(one for one, _ in pairs), statistics.median(one for _, one in pairs)


async def long_stream(url: str, wire: str = "chat") -> tuple[float, float, int]:
    """CPU seconds of this process and wall seconds for one answer, and how many deltas it had."""
    from oi_tui.models.connect import connect
    from oi_tui.models.providers import resolve

    client = connect(resolve("m", api_base=url, wire_api=wire))
    cpu, wall, count = time.process_time(), time.perf_counter(), 0
    async for _ in client.stream(_BODIES[wire]):
        count += 1
    spent = time.process_time() - cpu, time.perf_counter() - wall, count
    await client.close()
    return spent


async def cancel() -> float:
    """Seconds from closing the iterator until the server sees the connection end."""
    from oi_tui.models.connect import connect
    from oi_tui.models.providers import resolve
    from oi_tui.models.wires.chat import ChatClient
    from tests.mock_model import MockModel, answer, say, wait

    with MockModel([answer(say("abcd"), wait(60))]) as mock:
        client = connect(resolve("m", api_base=mock.url))
        assert isinstance(client, ChatClient)
        stream = client.stream({**_BODY})
        await anext(stream)
        began = time.perf_counter()
        await stream.aclose()
        await asyncio.to_thread(mock.wait_until, lambda one: one.aborted == 1)
        seconds = time.perf_counter() - began
        await client.close()
    return seconds


def main() -> None:
    """Print one line a question."""
    with _server([]) as url:
        base, ours = cold_start(url)
    sys.stdout.write(
        f"cold start to end of answer  {ours:.3f} s, import asyncio, httpx {base:.3f} s: {ours / base:.2f} x\n"
    )
    for wire in _BODIES:
        with _server([[{"say": "abcd" * 20_000}]] * 3) as url:
            cpu, wall, count = min(asyncio.run(long_stream(url, wire)) for _ in range(3))
        sys.stdout.write(f"20,000 tokens, {wire:10}    {cpu:.3f} s CPU, {wall:.2f} s in all, {count} deltas\n")
    sys.stdout.write(
        f"cancel to closed socket      {statistics.median(asyncio.run(cancel()) for _ in range(5)) * 1000:.1f} ms\n"
    )
    with _server({"answers": [[{"say": "x" * 50_000_000}]], "chunk": 50_000}) as url:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        asyncio.run(long_stream(url))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    sys.stdout.write(f"50 MB stream                 peak memory grew by {grown / 1024:.1f} MB\n")


if __name__ == "__main__":
    main()
