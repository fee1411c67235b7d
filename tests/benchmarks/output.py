"""How fast does a block's output come through, against `cat` on a pty, and what does 1 GB weigh? See README.md.

python -m tests.benchmarks.output [--check]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pty
import resource
import subprocess
import sys
import tempfile
import time
import tty
from pathlib import Path

from oi_tui.computer.computer import Computer
from oi_tui.computer.output import Capture
from oi_tui.protocol.lmc import Chunk

LINES = 200_000
GIGABYTE = 1 << 30
# Figure -> most it may be.
BARS = {"lines_ratio": 1.5, "gigabyte_growth_mb": 30}


def _resident() -> float:
    """Resident memory now, in MB (Linux: /proc/self/statm; else the most there was)."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def cat(path: Path) -> float:
    """Seconds that `cat` of the file takes on a pty set as the shell's is, read and thrown away."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    began = time.perf_counter()
    with subprocess.Popen(["cat", str(path)], stdout=slave, stdin=subprocess.DEVNULL):
        os.close(slave)
        try:
            while os.read(master, 1 << 16):
                pass
        except OSError:  # Linux says so when the last writer has gone
            pass
    os.close(master)
    return time.perf_counter() - began


async def _block(computer: Computer, code: str, capture: Capture) -> tuple[float, float]:
    """Seconds, and the most memory that there was meanwhile, in MB."""
    most, pieces = 0.0, 0

    def take(chunk: Chunk) -> None:
        nonlocal most, pieces
        if chunk.get("format") == "output":
            capture.add(str(chunk["content"]))
            pieces += 1
            most = max(most, _resident()) if pieces % 16 == 0 else most

    began = time.perf_counter()
    result = await computer.run("shell", code, take)
    assert result.ok, result
    return time.perf_counter() - began, most


async def measure() -> dict[str, float]:
    """All figures; the full texts go to a temporary folder, as in a session."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "lines"
        file.write_text("".join(f"line {one}: the quick brown fox\n" for one in range(LINES)))
        bar = folder / "bar"
        bar.write_text("".join(f"\rloading {one % 100:3}% |{'#' * (one % 50):50}|" for one in range(50_000)))
        computer = Computer(name)
        await computer.run("shell", "true", lambda _: None)
        runs = [(cat(file), (await _block(computer, f"cat {file}", Capture(folder / "a")))[0]) for _ in range(5)]
        figures["cat_s"], figures["lines_s"] = (min(column) for column in zip(*runs, strict=True))
        figures["lines_ratio"] = figures["lines_s"] / figures["cat_s"]
        figures["bars_50k_s"], _ = await _block(computer, f"cat {bar}", Capture(folder / "b"))
        before = _resident()
        capture = Capture(folder / "c")
        code = f"yes 'all work and no play' | head -c {GIGABYTE}"
        figures["gigabyte_s"], most = await _block(computer, code, capture)
        figures["gigabyte_growth_mb"] = most - before
        capture.close()
        await computer.close()
    return figures


def main() -> int:
    """Print the figures; with --check, exit 1 when one is over its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a figure is over its bar")
    options = parser.parse_args()
    over = False
    for figure, value in asyncio.run(measure()).items():
        bar = BARS.get(figure)
        bad = bar is not None and value > bar
        over = over or bad
        sys.stdout.write(f"{figure:22}{value:10.2f}{f'   bar {bar}' if bar else ''}{'   OVER' if bad else ''}\n")
    return int(over and options.check)


if __name__ == "__main__":
    raise SystemExit(main())
