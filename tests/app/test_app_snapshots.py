"""Pictures of the main scenes, compared with those that were looked at and found good.

`pytest tests/app/test_app_snapshots.py --snapshot-update` takes them anew; look at each before it is committed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from oi_tui.app.app import OiApp
from oi_tui.protocol import events as ev
from screenshots import scripted
from tests.app.running import Running

Snap = Callable[..., bool]
Before = Callable[[Pilot[Any]], Awaitable[None]]


def scene(
    script: Sequence[ev.Event],
    theme: str = "oi-dark",
    *,
    armed: bool = False,
    keys: Sequence[str] = (),
    typing: str = "",
) -> Any:
    """An app and what is to happen before its picture is taken."""
    session = scripted.ScriptedSession()
    app = OiApp(lambda: session, theme=theme, motion=False)

    async def before(pilot: Pilot[Any]) -> None:
        one = Running(app, session, pilot)
        await one.until(lambda: app.session is not None)
        await one.play(*script)
        if armed:
            await one.armed()
        if typing:
            await one.until(lambda: one.main.console.input_line.has_focus_within)
        for key in (*typing, *keys):
            await pilot.press(key)
        await one.settle()

    return app, before


SCENES: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "first": ((128, 36), {"script": []}),
    "first_narrow": ((60, 20), {"script": []}),
    "asking_dark": ((128, 36), {"script": scripted.asking(), "armed": True}),
    "asking_light": ((128, 36), {"script": scripted.asking(), "armed": True, "theme": "oi-light"}),
    "asking_contrast": ((128, 36), {"script": scripted.asking(), "armed": True, "theme": "contrast-dark"}),
    "asking_narrow": ((74, 34), {"script": scripted.asking(), "armed": True}),
    "asking_tiny": ((40, 12), {"script": scripted.asking(), "armed": True}),
    "change": ((128, 36), {"script": scripted.changing(), "armed": True}),
    "done": ((128, 36), {"script": scripted.done()}),
    "done_chat_narrow": ((80, 24), {"script": scripted.done()}),
    "failed": ((100, 24), {"script": scripted.failed()}),
    "palette": ((128, 36), {"script": scripted.done(), "keys": ("ctrl+p",)}),
    "popup": ((100, 24), {"script": [], "keys": ("/",)}),
    "keys": ((100, 36), {"script": [], "keys": ("f1",)}),
    "typing": ((128, 36), {"script": scripted.typing(), "typing": "Ada"}),
    "typing_secret_narrow": ((74, 24), {"script": scripted.typing(secret=True), "typing": "abc"}),
    "working": ((128, 36), {"script": [*scripted.looked(), ev.RequestStarted("gpt-4.1")]}),
}


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str, snap_compare: Snap) -> None:
    size, arguments = SCENES[name]
    app, before = scene(**arguments)
    assert snap_compare(app, terminal_size=size, run_before=before)


def test_scene_without_colour(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, before = scene(scripted.asking(), armed=True)
    assert snap_compare(app, terminal_size=(128, 36), run_before=before)
