"""The seconds until a request is tried again, counted down where a person waits for it."""

from __future__ import annotations

import asyncio
import math
from typing import TextIO

_WORTH_IT = 2.0  # seconds; a shorter wait is over before it is read
_EVERY = 30  # seconds between two lines where nothing can be drawn over


class Countdown:
    """Writes to `err`: on a terminal one line that is drawn over every second, elsewhere a line from time to time."""

    def __init__(self, err: TextIO) -> None:
        self._err, self._drawn = err, False
        self._terminal = err.isatty()
        self._next: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Count down from now on, until `stop`. Needs a running event loop."""
        self.stop()
        loop = asyncio.get_running_loop()
        if seconds >= _WORTH_IT:
            self._tick(loop, loop.time() + seconds, first=True)

    def stop(self) -> None:
        """Count no further; the line that was drawn over is empty again."""
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._drawn:
            self._err.write("\r\x1b[K")
            self._err.flush()
            self._drawn = False

    def _tick(self, loop: asyncio.AbstractEventLoop, until: float, first: bool = False) -> None:
        left = math.ceil(until - loop.time())
        if left <= 0:
            self.stop()
            return
        if self._terminal:
            self._err.write(f"\r\x1b[K    {left} s left, ctrl+c stops it")
            self._drawn = True
        elif not first:
            self._err.write(f"    {left} s left\n")
        self._err.flush()
        step = until - left + 1 if self._terminal else min(until, loop.time() + _EVERY)
        self._next = loop.call_at(step, self._tick, loop, until)
