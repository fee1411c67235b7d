"""What the sandbox adds to the start of a program: the first of a session, which starts the cell, and every later one.

python -m tests.benchmarks.sandbox            # the best and the median of each, in milliseconds
python -m tests.benchmarks.sandbox --check    # exit 1 when the best first start adds more than 15 ms
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time

from oi_tui.computer.cell import Cell
from oi_tui.safety.sandbox.place import Place
from oi_tui.safety.sandbox.plan import found, plan_for

BAR = 15.0
ROUNDS = 30
ARGV = ["/bin/true"]


def _plain() -> float:
    began = time.perf_counter()
    subprocess.Popen(ARGV).wait()
    return 1000 * (time.perf_counter() - began)


async def _caged(place: Place, fds: dict[int, int]) -> tuple[float, float]:
    """The first start in a new cell, to the end of the program, and the second."""

    async def once() -> float:
        ended = asyncio.Event()
        began = time.perf_counter()
        process = cell.spawn(ARGV, env=os.environ, cwd="/", fds=fds)
        process.on_end = ended.set
        if process.returncode is None:
            await ended.wait()
        return 1000 * (time.perf_counter() - began)

    began = time.perf_counter()
    cell = Cell(plan_for(place), {})
    made = 1000 * (time.perf_counter() - began)
    try:
        return made + await once(), await once()
    finally:
        cell.close()


async def main() -> int:
    found()  # is tried once, while nobody waits
    empty = os.open(os.devnull, os.O_RDWR)
    with tempfile.TemporaryDirectory() as folder:
        plain = [_plain() for _ in range(ROUNDS)]
        both = [await _caged(Place(folder), {0: empty, 1: empty, 2: empty}) for _ in range(ROUNDS)]
    os.close(empty)
    first, later = [one for one, _ in both], [one for _, one in both]
    for name, took in (("without", plain), ("first in the sandbox", first), ("later in the sandbox", later)):
        print(f"{name}: best {min(took):.1f} ms, median {statistics.median(took):.1f} ms")
    added = min(first) - min(plain)
    print(f"the first start adds {added:.1f} ms, later ones {min(later) - min(plain):.1f} ms (bar: {BAR:.0f})")
    return int("--check" in sys.argv and added > BAR)


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
