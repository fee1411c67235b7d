"""How long a harness takes to turn a long conversation into a request: the first time, and with one turn more.

    python -m tests.benchmarks.harnesses [TURNS]

Medians of nine in processor time, for every harness and wire. A turn here is two answers with two calls and their
results.
"""

from __future__ import annotations

import copy
import statistics
import sys
import time

import harnesses
from harnesses.base import Harness
from harnesses.data import Options
from oi_tui.protocol.lmc import Message
from tests.harnesses.golden import ENV, HISTORY


def conversation(turns: int, mark: str = "") -> list[Message]:
    """So many turns, each of objects and call ids of its own."""
    made: list[Message] = []
    for number in range(turns):
        for one in copy.deepcopy(HISTORY[:7]):
            if "call" in one:
                one["call"]["id"] += f"{mark}_{number}"
            made.append(one)
    return made


def seconds(harness: Harness, history: list[Message], options: Options) -> float:
    began = time.process_time()
    harness.build(history, ENV, options)
    return time.process_time() - began


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    history = conversation(turns)
    print(
        f"{turns} turns, {len(history)} messages\n| harness | wire | first | one turn more |\n| --- | --- | --- | --- |"
    )
    for harness_id in harnesses.BUILT_IN:
        for wire in harnesses.load(harness_id).wires:
            options = Options("a-model", session_id="s", wire=wire)
            first = statistics.median(seconds(harnesses.load(harness_id), history, options) for _ in range(9))
            harness, longer, again = harnesses.load(harness_id), list(history), list[float]()
            harness.build(longer, ENV, options)
            for number in range(9):
                longer += conversation(1, f"_{number}")
                again.append(seconds(harness, longer, options))
            print(f"| {harness_id} | {wire} | {first * 1000:.1f} ms | {statistics.median(again) * 1000:.1f} ms |")


if __name__ == "__main__":
    main()
