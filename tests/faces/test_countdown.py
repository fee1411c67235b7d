"""The seconds until a request is tried again, on a terminal and in a log."""

from __future__ import annotations

import asyncio
import io

import pytest

from oi_tui.faces.exec_text import TextPrinter
from oi_tui.protocol.events import MessageDelta, RetryScheduled


class _Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal
        self.nearly = asyncio.Event()

    def write(self, text: str) -> int:
        if "    1 s left" in text:
            self.nearly.set()
        return super().write(text)

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize("terminal", [True, False])
async def test_it_counts_on_a_terminal_and_leaves_no_trace(terminal: bool) -> None:
    screen = _Screen(terminal)
    printer = TextPrinter(io.StringIO(), screen)
    printer.show(RetryScheduled(3.0, 1, 4, "too many requests"))
    if terminal:
        await screen.nearly.wait()
        assert "    3 s left" in screen.getvalue()
    printer.show(MessageDelta("Hello"))
    lines = screen.getvalue().split("\n")
    assert lines[0] == "oi: too many requests; trying again in 3 s (1 of 4)"
    assert lines[1] == (lines[1].rpartition("\r\x1b[K")[0] + "\r\x1b[KHello" if terminal else "Hello")
