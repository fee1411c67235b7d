"""Runs the real app on a scripted session, and waits for what is to come instead of sleeping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from textual.pilot import Pilot

from oi_tui.app.app import OiApp
from oi_tui.app.screens.main import MainScreen
from oi_tui.app.widgets.burst import PASTE_GAP
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import Event
from screenshots.scripted import ScriptedSession

WIDE = (128, 36)
SECONDS = 20.0


@dataclass
class Running:
    """The app, its session and its pilot."""

    app: OiApp
    session: ScriptedSession
    pilot: Pilot[int]

    @property
    def main(self) -> MainScreen:
        return self.app.main

    async def play(self, *script: Event) -> None:
        """Publish events and wait until the screen has taken them."""
        self.session.play(*script)
        await self.settle()

    async def settle(self) -> None:
        """Wait until the bridge has taken everything and nothing is left to do."""
        assert self.app._bridge is not None
        await self.until(lambda: not self.app._bridge._subscription._waiting)  # type: ignore[union-attr]
        await self.pilot.pause()
        await self.pilot.pause()

    async def until(self, so: Callable[[], object]) -> None:
        """Wait until something is so."""
        deadline = time.monotonic() + SECONDS
        while not so():
            assert time.monotonic() < deadline, "it did not come about"
            await asyncio.sleep(0.01)
            await self.pilot.pause()

    async def calm(self) -> None:
        """Wait until the last key lies so far back that the next one cannot belong to a paste."""
        await self.until(lambda: time.monotonic() - self.main.composer.typed_at > PASTE_GAP)

    async def armed(self) -> None:
        """Wait until the approval takes keys."""
        await self.until(lambda: (asked := self.main.approval.asked) is not None and asked.armed)
        await self.until(lambda: self.main.approval.has_focus)

    @property
    def decisions(self) -> list[tuple[str, Decision]]:
        """What was answered, in order: (approval, decision)."""
        return [told for name, told in self.session.told if name == "answer"]

    def told(self, method: str) -> list[object]:
        """Arguments of the calls of one method of the session."""
        return [argument for name, argument in self.session.told if name == method]

    def screen_text(self) -> str:
        """What is on the screen, row by row."""
        width, height = self.app.size
        lines = self.app.screen._compositor.render_strips(self.app.size)  # type: ignore[call-arg]
        assert len(lines) == height
        return "\n".join(strip.crop(0, width).text.rstrip() for strip in lines)


@asynccontextmanager
async def running(
    script: Sequence[Event] = (), *, size: tuple[int, int] = WIDE, first_message: str = "", theme: str = ""
) -> AsyncIterator[Running]:
    """The app with a session that has played `script`."""
    session = ScriptedSession()
    app = OiApp(lambda: session, first_message, theme=theme, motion=False)
    async with app.run_test(size=size) as pilot:
        one = Running(app, session, pilot)
        await one.until(lambda: app.session is not None)
        await one.play(*script)
        yield one
