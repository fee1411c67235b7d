"""A scene: the app with a scripted session, brought to one moment, and its picture compared with the good one.

A picture must not depend on the machine. So a scene says which words have to be on the screen (`shows`) before it is
taken, and it is taken once two paints in a row are the same; nothing in it moves, blinks or tells the time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from textual.pilot import Pilot

from oi_tui.app.app import OiApp
from oi_tui.protocol import events as ev
from screenshots import scripted
from tests.app.running import Running

Snap = Callable[..., bool]
Size = tuple[int, int]
Act = Callable[[Running], Awaitable[None]]

STILL = 3  # paints in a row that have to be alike


@dataclass(frozen=True)
class Scene:
    """One moment. shows: words on the screen at that moment. armed: an approval takes keys. keys are pressed then, or
    typed into the program that asks (typing). act: anything else that has to happen, after all that."""

    size: Size
    shows: str
    script: Sequence[ev.Event] = ()
    theme: str = "oi-dark"
    armed: bool = False
    keys: Sequence[str] = ()
    typing: str = ""
    act: Act | None = None
    session: dict[str, Any] = field(default_factory=dict)


async def come_to_rest(one: Running, shows: str) -> None:
    """Wait until the words are on the screen and it stays as it is."""
    await one.until(lambda: shows in one.screen_text().replace("\u00a0", " "))
    alike, before = 0, ""
    while alike < STILL:
        await one.settle()
        now = one.screen_text()
        alike = alike + 1 if now == before else 0
        before = now


def compare(scene: Scene, snap_compare: Snap) -> bool:
    """Bring the app to the scene's moment and compare its picture."""
    session = scripted.ScriptedSession(**scene.session)
    app = OiApp(lambda: session, theme=scene.theme, motion=False)

    async def before(pilot: Pilot[Any]) -> None:
        one = Running(app, session, pilot)
        await one.until(lambda: app.session is not None)
        await one.play(*scene.script)
        if scene.armed:
            await one.armed()
        if scene.typing:
            await one.until(lambda: one.main.console.input_line.has_focus_within)
        for key in (*scene.typing, *scene.keys):
            await pilot.press(key)
            await pilot.pause()
        if scene.act is not None:
            await scene.act(one)
        await come_to_rest(one, scene.shows)

    return snap_compare(app, terminal_size=scene.size, run_before=before)
