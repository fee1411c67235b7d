"""Looks after the limits while a block runs: ends what it started when there is too much of it, and says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from oi_tui.computer.limits import WATCHED, out_of_memory_kills
from oi_tui.computer.process_list import ticks_now
from oi_tui.computer.processes import ProcessTable, ahead_of_others

EVERY = 0.25  # seconds between two looks where a control group holds
OFTEN = 0.05  # where watching is all there is
CLOSE = 0.01  # there, while processes multiply
AGAIN = 3  # times that what a block started is ended before the block itself is
MANY = 100  # new threads in one look that count as multiplying


class Watch:
    """For one block, from `start` to `stop`."""

    def __init__(self, table: ProcessTable, kill: Callable[[], None]) -> None:
        """kill: ends the block with its whole process group, which reaches what multiplies in one stroke."""
        self._table, self._kill = table, kill
        self._since = ticks_now()
        self._note = ""
        self._ended = 0  # times that what the block had started was ended
        self._timer: asyncio.TimerHandle | None = None
        self._before = self._last = _threads()
        self._starved = out_of_memory_kills()

    def start(self) -> None:
        """Begin to look."""
        self._later(EVERY if self._table.cage.holds_processes else OFTEN)

    def stop(self, failed: bool) -> str:
        """The block is over, well or not. Returns a sentence on the limit that it met, "" for none."""
        if self._timer is not None:
            self._timer.cancel()
        self._check()
        if failed and not self._note and out_of_memory_kills() > self._starved:
            self._note = "the machine ran out of memory while this ran and ended a process"
        return self._note

    def _later(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        now = _threads()
        grown, self._last = now - self._last, now
        self._check()
        held = self._table.cage.holds_processes
        self._later(CLOSE if grown > MANY and not held else EVERY if held else OFTEN)

    def _check(self) -> None:
        table, most = self._table, min(self._table.limits.processes, WATCHED)
        met = table.cage.met()
        if "processes" in met:
            if self._ended >= AGAIN:  # it is the block itself that goes on starting them
                self._kill()
                self._note = met.replace("what this block started was ended", "the block was killed")
            self._ended += 1
            table.end_started(self._since)
            table.cage.met()  # what was refused while it was being ended
        # Counting all threads is cheap, finding out which are ours is not: that is done only on suspicion.
        elif most and not met and not table.cage.holds_processes and _threads() - self._before > most // 2:
            with ahead_of_others():
                if len(table.members(self._since)) > most:
                    self._kill()
                    table.end_started(self._since)
                    means = table.cage.means()
                    met = f"the limit of {most} processes (held by {means}) was reached: the block was killed"
        self._note = self._note or met


def _threads() -> int:
    """Threads on this machine, 0 where that is unknown: one short read, however many there are (proc(5), loadavg)."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0
