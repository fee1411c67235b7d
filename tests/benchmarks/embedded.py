"""How fast is the built-in model on this machine?

    python tests/benchmarks/embedded.py [embedded/1.5b | embedded/0.5b | FILE.gguf]

Prints seconds and CPU seconds for loading, for warming the prompt's fixed part and for a question after it, tokens per
CPU second for reading and writing, and the memory of the model process. CPU seconds are the fair figure on a busy
machine. Linux only: it reads /proc. Weights are looked for in $OI_TEST_WEIGHTS, then in the usual folder.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harnesses.data import Env, Options
from harnesses.embedded import EmbeddedHarness
from oi_tui.models.client import ModelError
from oi_tui.models.embedded.choice import choose
from oi_tui.models.embedded.client import EmbeddedClient
from oi_tui.protocol.lmc import message
from oi_tui.protocol.stream import TextDelta, Usage

QUESTIONS = ("what is 2380*3875?", "is 7919 prime?", "count the words in notes.txt")


@dataclass(slots=True)
class Lap:
    """One request: seconds to the first token and in all, CPU seconds up to each, tokens."""

    first: float
    whole: float
    cpu_first: float
    cpu_whole: float
    usage: Usage


def cpu(pid: int) -> float:
    """User and system seconds of process `pid` so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Resident megabytes of process `pid` at its largest."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


async def ask(client: EmbeddedClient, body: dict[str, Any], pid: int) -> Lap:
    """Send `body` and time the answer."""
    start, used = time.perf_counter(), cpu(pid)
    first = cpu_first = 0.0
    usage = Usage()
    async for delta in client.stream(body):
        if isinstance(delta, TextDelta) and not first:
            first, cpu_first = time.perf_counter() - start, cpu(pid) - used
        if isinstance(delta, Usage):
            usage = delta
    return Lap(first, time.perf_counter() - start, cpu_first, cpu(pid) - used, usage)


async def main(name: str) -> None:
    folder = os.environ.get("OI_TEST_WEIGHTS")
    client = EmbeddedClient(choice=choose(name, Path(folder) if folder else None))
    harness, env, options = EmbeddedHarness(), Env(cwd="."), Options(model=name)
    start = time.perf_counter()
    process = await client._running()
    pid = process.pid
    print(f"load          {time.perf_counter() - start:6.2f} s  {cpu(pid):6.2f} CPU s")
    start, used = time.perf_counter(), cpu(pid)
    await client.prewarm(harness.build([], env, options))
    seconds, spent = time.perf_counter() - start, cpu(pid) - used
    laps = [await ask(client, harness.build([message("user", "message", one)], env, options), pid) for one in QUESTIONS]
    fixed = laps[0].usage.cached_tokens
    print(f"warm prefix   {seconds:6.2f} s  {spent:6.2f} CPU s  {fixed} tokens, {fixed / spent:.1f} tokens/CPU s")
    for question, lap in zip(QUESTIONS, laps, strict=True):
        writing = lap.usage.output_tokens / max(0.01, lap.cpu_whole - lap.cpu_first)
        print(
            f"first token   {lap.first:6.2f} s  {lap.cpu_first:6.2f} CPU s  answer {lap.whole:.2f} s, "
            f"{lap.usage.output_tokens} tokens, {writing:.1f} tokens/CPU s  ({question})"
        )
    print(f"memory        {memory(pid):6.0f} MB")
    await client.close()


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "embedded"))
    except ModelError as error:
        sys.exit(f"{error}\n{error.hint}")
