"""Takes the pictures of the README again: the real app, with the events of a script in place of a model.

Run it from anywhere: `python screenshots/take.py [NAME…]`. Each picture is an SVG file beside this one.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import scripted  # noqa: E402

from oi_tui.app.app import OiApp  # noqa: E402
from oi_tui.protocol.events import Event  # noqa: E402


@dataclass(frozen=True)
class Scene:
    """One picture: events, size in columns and rows, theme, keys to press, draft to type."""

    script: Callable[[], Sequence[Event]]
    size: tuple[int, int] = (128, 36)
    theme: str = "oi-dark"
    keys: tuple[str, ...] = ()
    draft: str = ""


SCENES = {
    "first": Scene(list),
    "asking": Scene(scripted.asking, draft="next: split by region"),
    "done": Scene(scripted.done),
    "done-light": Scene(scripted.done, theme="oi-light"),
    "change": Scene(scripted.changing),
    "narrow": Scene(scripted.asking, size=(74, 34)),
    "palette": Scene(scripted.done, keys=("ctrl+p",)),
    "harness": Scene(scripted.done, size=(128, 40), draft="/harness", keys=("enter", "down", "down")),
    "themes": Scene(scripted.done, theme="pine", draft="/theme", keys=("enter",)),
}


async def take(name: str, scene: Scene) -> None:
    """Take one picture."""
    session = scripted.ScriptedSession()
    app = OiApp(lambda: session, theme=scene.theme, motion=False)
    async with app.run_test(size=scene.size) as pilot:
        await pilot.pause()
        session.play(*scene.script())
        await settle(pilot.pause)
        if scene.draft:
            app.main.composer.load(scene.draft)
        for key in scene.keys:
            await pilot.press(key)
        await settle(pilot.pause)
        app.save_screenshot(f"{name}.svg", str(HERE))


async def settle(pause: Callable[..., object]) -> None:
    """Wait until the bridge has applied everything and the screen was painted."""
    for _ in range(4):
        await asyncio.sleep(0.3)
        await pause()  # type: ignore[misc]


def main(names: Sequence[str]) -> None:
    """Take the named pictures, or all of them."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(INTERPRETER_HOME=home, COLORTERM="truecolor")
        for name in names or SCENES:
            asyncio.run(take(name, SCENES[name]))


if __name__ == "__main__":
    main(sys.argv[1:])
