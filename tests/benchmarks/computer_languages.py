"""What a block that does nothing costs in each language that this machine has, and how long the first one takes.

Run it: `python tests/benchmarks/computer_languages.py`. One line a language: seconds until the first block has ended,
with the start of its kernel, and the median of RUNS more in milliseconds. The bar is for languages with a kernel of
their own (5 ms), without TypeScript, where an esbuild is started for each block if Node is too old to take types away.
In the others every block is a program of its own, whose start is the cost. Last comes what it costs to ask which
languages there are, which every session does once.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time

from oi_tui.computer.computer import Computer

RUNS = 20
KERNELS = {
    "python": "x = 1", "javascript": "var x = 1", "typescript": "var x: number = 1; undefined", "ruby": "x = 1",
    "r": "x <- 1", "sql": "create table if not exists t(a)", "shell": ":",
}  # fmt: skip
PROGRAMS = {
    "java": "class A { public static void main(String[] a) { } }", "html": "<p>x</p>",
    "react": "function App() { return <p>x</p> }",
}  # fmt: skip


async def timed(computer: Computer, language: str, code: str) -> float:
    began = time.perf_counter()
    result = await computer.run(language, code, lambda _: None)
    assert result.ok, result
    return time.perf_counter() - began


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        computer = Computer(folder, python=sys.executable)
        here = computer.languages()
        asked = time.perf_counter() - began
        try:
            for language, code in {**KERNELS, **PROGRAMS}.items():
                if language not in here:
                    print(f"{language:<12} {computer.why_not(language).partition(';')[0]}")
                    continue
                first = await timed(computer, language, code)
                runs = RUNS if language in KERNELS else 3
                median = statistics.median([await timed(computer, language, code) for _ in range(runs)]) * 1000
                bar = (
                    f"bar 5  {'ok' if median <= 5 else 'over'}"
                    if language in KERNELS and language != "typescript"
                    else ""
                )
                print(f"{language:<12} first {first:6.2f} s   then {median:8.2f} ms  {bar}".rstrip())
        finally:
            await computer.close()
        print(f"which languages there are: {asked * 1000:.1f} ms")


if __name__ == "__main__":
    asyncio.run(main())
