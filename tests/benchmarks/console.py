"""How fast does the console take output, and what does it weigh? See README.md.

python -m tests.benchmarks.console [--check]
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from textual.app import App, ComposeResult

from oi_tui.app.widgets.console import ConsoleView

CHUNK = 65_536
# Figure -> most it may be.
BARS = {
    "100k_lines_s": 1.0,
    "200k_growth_mb": 30,
    "no_newline_batch_ms": 50,
    "no_newline_at_once_ms": 50,
    "colour_100k_s": 3.0,
    "search_ms": 150,
}


class ConsoleApp(App[None]):
    """Nothing but a console."""

    def compose(self) -> ComposeResult:
        yield ConsoleView()


def _chunks(text: str) -> Iterator[str]:
    return (text[place : place + CHUNK] for place in range(0, len(text), CHUNK))


def _resident() -> float:
    """Resident memory now, in MB (Linux: /proc/self/statm; else the most there was)."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


async def _feed(app: App[None], view: ConsoleView, text: str) -> tuple[float, float]:
    """Append chunk by chunk, painting in between; returns (seconds in all, longest chunk in seconds)."""
    longest = 0.0
    begin = time.perf_counter()
    for chunk in _chunks(text):
        started = time.perf_counter()
        view.append(chunk)
        longest = max(longest, time.perf_counter() - started)
        await asyncio.sleep(0)
    return time.perf_counter() - begin, longest


async def measure() -> dict[str, float]:
    """All figures, in one app without a terminal."""
    figures: dict[str, float] = {}
    app = ConsoleApp()
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.query_one(ConsoleView)
        await pilot.pause()
        before = _resident()
        plain = "".join(f"line {number}: the quick brown fox jumps over the lazy dog\n" for number in range(200_000))
        half = plain[: len(plain) // 2]
        figures["100k_lines_s"], figures["plain_batch_ms"] = await _feed(app, view, half)
        await _feed(app, view, plain[len(half) :])
        del plain, half
        await pilot.pause()
        figures["200k_growth_mb"] = _resident() - before
        begin = time.perf_counter()
        view.search("line 150000:")
        figures["search_ms"] = (time.perf_counter() - begin) * 1000
        view.search("")
        view.clear()
        colour = "".join(f"\x1b[3{number % 8}mline\x1b[0m {number} \x1b[1;31mred\x1b[0m\n" for number in range(100_000))
        figures["colour_100k_s"], figures["colour_batch_ms"] = await _feed(app, view, colour)
        view.clear()
        figures["no_newline_10mb_s"], longest = await _feed(app, view, "x" * 10_000_000)
        figures["no_newline_batch_ms"] = longest * 1000
        view.clear()
        begin = time.perf_counter()
        view.append("x" * 10_000_000)
        figures["no_newline_at_once_ms"] = (time.perf_counter() - begin) * 1000
        view.clear()
        progress = "".join(f"\rloading {number % 100:3}% |{'#' * (number % 50):50}|" for number in range(20_000))
        figures["progress_20k_s"], _ = await _feed(app, view, progress)
    figures["plain_batch_ms"] *= 1000
    figures["colour_batch_ms"] *= 1000
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
