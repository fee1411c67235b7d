"""How much a step costs beyond the code's own time: Python and shell blocks, kernel start, much output.

Run it: `python tests/benchmarks/steps.py`. It prints one line a question, medians of RUNS runs; a ratio is measured
against its yardstick in the same run, turn and turn about, so that a busy machine slows both. Bars: Python block 5
ms, shell block 10 ms, kernel ready 3 x `python -c pass`, idle kernel 15 MB, 200,000 lines 1.5 x `cat` through a pty
of the same kind, the end of a block 0.5 s after the program's last line, an interrupt 0.5 s and a dead kernel 1 s in
each language that is here.
"""

from __future__ import annotations

import asyncio
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Callable
from pathlib import Path

from oi_tui.computer.computer import Computer

RUNS = 10
LINES = 200_000


def nothing(_: object) -> None:
    pass


async def overhead(computer: Computer, language: str, code: str) -> float:
    """Milliseconds of a block that does nothing."""
    await computer.run(language, code, nothing)
    times = []
    for _ in range(RUNS * 5):
        began = time.perf_counter()
        await computer.run(language, code, nothing)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def bare_start() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


def resident(pid: int) -> float:
    """Megabytes of memory that a process has, from /proc (Linux)."""
    return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


async def kernel_start(folder: str) -> tuple[float, float]:
    """Seconds until a new kernel is ready, and its resident megabytes when idle."""
    computer = Computer(folder, python=sys.executable)
    began = time.perf_counter()
    computer.prepare("python")
    runner = computer._runner("python")
    await runner.ready()
    took = time.perf_counter() - began
    await computer.run("python", "pass", nothing)
    assert runner._child is not None
    size = resident(runner._child.pid)
    await computer.close()
    return took, size


def cat_through_a_pty(file: str) -> float:
    """Seconds that `cat` takes to write the file through a pty that is read as fast as can be."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    began = time.perf_counter()
    cat = subprocess.Popen(["cat", file], stdout=slave, stdin=subprocess.DEVNULL)
    os.close(slave)
    while True:
        try:
            if not os.read(master, 1 << 16):
                break
        except OSError:
            break
    cat.wait()
    os.close(master)
    return time.perf_counter() - began


async def timed(computer: Computer, language: str, code: str) -> float:
    began = time.perf_counter()
    await computer.run(language, code, nothing)
    return time.perf_counter() - began


async def tail_after_last_line(computer: Computer) -> float:
    """Seconds from the last printed line of a Python program to the end of its block."""
    texts: list[str] = []

    def take(chunk: dict[str, object]) -> None:
        if chunk.get("format") == "output":
            texts.append(str(chunk["content"]))

    code = f"import time\nfor i in range({LINES}): print(i)\nprint(time.time())"
    await computer.run("python", code, take)
    return time.time() - float("".join(texts).split()[-1])


LOOPS = {  # what never ends, and what kills its own kernel, in each language
    "python": ("while True: pass", "import os; os.kill(os.getpid(), 9)"),
    "shell": ("while :; do :; done", "kill -9 $$"),
    "zsh": ("while :; do :; done", "kill -9 $$"),
    "javascript": ("while (true) {}", "process.kill(process.pid, 'SIGKILL')"),
    "typescript": ("while (true) {}", "process.kill(process.pid, 'SIGKILL')"),
    "ruby": ("loop {}", "Process.kill(:KILL, $$)"),
    "r": ("repeat {}", "tools::pskill(Sys.getpid(), 9)"),
    "sql": ("with recursive t(a) as (select 1 union all select a + 1 from t) select count(*) from t", ""),
    "java": ("class A { public static void main(String[] a) { while (true) {} } }", ""),
}


async def stopping(folder: str, language: str) -> tuple[float, float]:
    """Seconds from an interrupt to the end of an endless block, and from the death of a kernel to the end of its."""
    endless, deadly = LOOPS[language]
    computer = Computer(folder, python=sys.executable)
    try:
        stops, deaths = [], []
        for _ in range(3):
            task = asyncio.create_task(computer.run(language, endless, nothing))
            await asyncio.sleep(2 if language == "java" else 1)
            began = time.perf_counter()
            await computer.interrupt()
            await task
            stops.append(time.perf_counter() - began)
            if deadly:
                began = time.perf_counter()
                await computer.run(language, deadly, nothing)
                deaths.append(time.perf_counter() - began)
        return statistics.median(stops), statistics.median(deaths or [0.0])
    finally:
        await computer.close()


def report(name: str, value: float, unit: str, bar: float) -> None:
    print(f"{name:<48} {value:8.2f} {unit:<3} bar {bar:g}  {'ok' if value <= bar else 'over'}")


async def turn_about(first: Callable[[], float], second: Callable[[], object]) -> tuple[float, float]:
    """Medians of two measurements taken alternately; the second is awaited."""
    ones, others = [], []
    for _ in range(RUNS):
        ones.append(first())
        others.append(await second())  # type: ignore[misc]
    return statistics.median(ones), statistics.median(others)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.txt"
        file.write_text("".join(f"{n}\n" for n in range(LINES)))
        computer = Computer(folder, python=sys.executable)
        try:
            report("Python block, overhead", await overhead(computer, "python", "x = 1"), "ms", 5)
            report("shell block, overhead", await overhead(computer, "shell", ":"), "ms", 10)
            sizes: list[float] = []

            async def start() -> float:
                took, size = await kernel_start(folder)
                sizes.append(size)
                return took

            bare, kernel = await turn_about(bare_start, start)
            report("kernel ready / python -c pass", kernel / bare, "x", 3)
            report("idle kernel", statistics.median(sizes), "MB", 15)
            cat, through = await turn_about(
                lambda: cat_through_a_pty(str(file)), lambda: timed(computer, "shell", f"cat {file}")
            )
            report(f"{LINES} lines by the shell / cat", through / cat, "x", 1.5)
            tails = [await tail_after_last_line(computer) for _ in range(3)]
            for language in LOOPS:
                if not computer.why_not(language):
                    stop, death = await stopping(folder, language)
                    report(f"{language}, interrupt", stop, "s", 0.5)
                    if death:
                        report(f"{language}, death noticed", death, "s", 1)
            report(f"end of block after {LINES} lines", statistics.median(tails), "s", 0.5)
        finally:
            await computer.close()


if __name__ == "__main__":
    asyncio.run(main())
