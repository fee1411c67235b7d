"""One look of safe mode at one text: offered, running, or done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from oi_tui.protocol.call_events import Scanned


class Check:
    """What safe mode knows of one text; it is looked at once `begin` was called. more: further rules of semgrep's."""

    def __init__(self, language: str, code: str, more: str, offered: bool) -> None:
        self._language, self._more = language, more
        self.code = code
        self.scan = Scanned("offered")
        self.listener: Callable[[Scanned], None] | None = None
        self.begun = False
        self._task: asyncio.Task[None] | None = None
        if not offered:
            self.begin(code)

    def begin(self, code: str) -> None:
        """Look at `code`, which the person may have edited, unless that is what is looked at already."""
        if self._task is not None and code == self.code:
            return
        self.stop()
        self.begun, self.code = True, code
        self._know(Scanned("running"))
        self._task = asyncio.ensure_future(self._look())

    async def done(self, code: str) -> Scanned:
        """What there is to know of `code`, once it was looked at."""
        self.begin(code)
        assert self._task is not None
        await asyncio.shield(self._task)
        return self.scan

    async def looking(self, meanwhile: asyncio.Future[Any]) -> None:
        """Wait until it has looked, if it was to, or `meanwhile` is done."""
        if self._task is not None:
            await asyncio.wait({self._task, meanwhile}, return_when=asyncio.FIRST_COMPLETED)

    def stop(self) -> None:
        """Nobody wants to know any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _look(self) -> None:
        from oi_tui.safety.scan import Order, scan

        self._know(await scan(Order(self._language, self.code, self._more)))

    def _know(self, scan: Scanned) -> None:
        self.scan = scan
        if self.listener is not None:
            self.listener(scan)
