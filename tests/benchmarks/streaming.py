"""How well does the transcript keep up with a model at 500 tokens a second? See README.md.

python -m tests.benchmarks.streaming [case ...] [--rate 500] [--check]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.benchmarks.content import fence, items, prose, table, tokens
from tests.benchmarks.screen import Screen

KEYS = "абвгдежзийклмнопрстуфхцчшщэюя"


@dataclass(frozen=True)
class Case:
    """What is streamed, below how many blocks, whether keys are pressed meanwhile, and a rate of its own."""

    text: Callable[[], str]
    blocks: int = 0
    keys: bool = False
    rate: float = 0


CASES: dict[str, Case] = {
    "prose": Case(lambda: prose(20_000)),
    "fence": Case(lambda: fence(1_500)),
    "list": Case(lambda: items(300)),
    "table": Case(lambda: table(150)),
    "burst": Case(lambda: prose(80_000), rate=1e6),
    "session": Case(lambda: prose(12_000), blocks=10_000),
    "keys": Case(lambda: prose(16_000), keys=True),
    "session-keys": Case(lambda: prose(16_000), blocks=10_000, keys=True),
}

# Figure -> most it may be. Feed and scaling are ratios; they mean the same on every machine.
BARS = {
    "feed": 1.05,
    "late_ms": 100,
    "gap_p95_ms": 40,
    "gap_max_ms": 150,
    "scaling": 1.3,
    "frame_kb": 12,
    "key_p95_ms": 60,
}


def run(case: Case, rate: float) -> dict[str, float]:
    """Stream one case into a fresh app; returns its figures."""
    text = case.text()
    rate = case.rate or rate
    read_end, write_end = os.pipe()
    report_end, report_start = os.pipe()
    command = [sys.executable, "-m", "tests.benchmarks.stream_app", str(read_end), str(report_start), str(case.blocks)]
    screen = Screen(command, (read_end, report_start))
    os.close(read_end)
    os.close(report_start)
    with os.fdopen(report_end) as report:
        if report.readline() != "ready\n":
            raise RuntimeError(f"the app did not start: {screen.last!r}")
        time.sleep(0.3)
        first_frame, first_byte = len(screen.frames), screen.bytes
        delays: list[float] = []
        pressing = threading.Event()
        presser = threading.Thread(target=_press, args=(screen, pressing, delays))
        if case.keys:
            presser.start()
        begin = time.monotonic()
        count = _feed(write_end, text, rate)
        ended = time.monotonic()
        pressing.set()
        if case.keys:
            presser.join()
        answer = report.read()
    if screen.close() or not answer:
        raise RuntimeError(f"the app failed: {screen.last!r}")
    figures: dict[str, float] = json.loads(answer)
    painted = [frame for frame in screen.frames[first_frame:] if frame[0] <= ended]
    if case.rate:
        # A burst is over in a few frames: nothing to say of their size or of growth.
        figures = {"all_s": figures["shown_at"] - begin, **figures}
        del figures["scaling"]
        painted = []
    else:
        figures["feed"] = (ended - begin) / (count / rate)
    figures["late_ms"] = (figures.pop("shown_at") - ended) * 1000
    if painted:
        figures["paints_per_s"] = len(painted) / (ended - begin)
        figures["frame_kb"] = (painted[-1][1] - first_byte) / len(painted) / 1000
    if delays:
        delays.sort()
        figures["key_p50_ms"] = delays[len(delays) // 2] * 1000
        figures["key_p95_ms"] = delays[int(len(delays) * 0.95)] * 1000
    return figures


def _feed(write_end: int, text: str, rate: float) -> int:
    """Write a token at its time; a pipe that is full holds the feed up, and that shows. Returns how many."""
    begin = time.monotonic()
    count = 0
    for count, token in enumerate(tokens(text), start=1):
        wait = begin + count / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        os.write(write_end, token.encode())
    os.close(write_end)
    return count


def _press(screen: Screen, ended: threading.Event, delays: list[float]) -> None:
    number = 0
    while not ended.wait(0.11):
        delays.append(screen.press(KEYS[number % len(KEYS)]))
        number += 1


def main() -> int:
    """Print the figures of the cases asked for; with --check, exit 1 when one is over its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"which: {', '.join(CASES)}; all without any")
    parser.add_argument("--rate", type=float, default=500, help="tokens a second")
    parser.add_argument("--check", action="store_true", help="fail when a figure is over its bar")
    options = parser.parse_args()
    if unknown := set(options.cases) - set(CASES):
        parser.error(f"there is no case {', '.join(unknown)}; the cases are {', '.join(CASES)}")
    over = False
    for name in options.cases or CASES:
        figures = run(CASES[name], options.rate)
        sys.stdout.write(f"{name}\n")
        for figure, value in figures.items():
            bar = BARS.get(figure)
            bad = bar is not None and value > bar
            over = over or bad
            sys.stdout.write(f"  {figure:16}{value:10.2f}{f'   bar {bar}' if bar else ''}{'   OVER' if bad else ''}\n")
        sys.stdout.flush()
    return int(over and options.check)


if __name__ == "__main__":
    raise SystemExit(main())
