"""Pictures of work going on, in every layout and three themes; how they are taken is told in scenes.py."""

from __future__ import annotations

from typing import Any

import pytest

from oi_tui.protocol import events as ev
from screenshots import scripted
from tests.app.running import Running
from tests.app.scenes import Scene, Size, Snap, compare

ASKS, DONE, CHANGES = "Run this Python?", "Saved monthly.png", "Change this file?"
SIZES: tuple[Size, ...] = ((40, 12), (59, 18), (80, 24), (110, 30), (150, 40), (200, 60))
THEMES = ("oi-dark", "oi-light", "contrast-dark")

RICH = """## What I found

The **sales** grew; see [the report](https://example.org/report) and `monthly.png`.

1. November: 418,200
2. October: 402,067

| month | revenue |
| --- | ---: |
| 2026-10 | 402,067 |
| 2026-11 | 418,200 |

```python
for month in months:
    print(f"{month}: {total[month]:,}")  # one a line
```
> All numbers are net.
"""
SIGNS = "宽字符 テスト 🙂 👩‍👩‍👧 e\u0301 עברית مرحبا [bold]no markup[/bold] \u202ehidden"


def rich(text: str = RICH) -> list[ev.Event]:
    """An answer with all that Markdown has."""
    return [
        ev.UserMessage("what did you find?"),
        ev.TurnStarted(1),
        ev.MessageDelta(text),
        ev.MessageEnded(),
        ev.TurnEnded("done"),
    ]


def thinking() -> list[ev.Event]:
    """Reasoning that is folded, a plan, and a message that waits."""
    return [
        ev.UserMessage(scripted.ASKED),
        ev.TurnStarted(1),
        ev.ReasoningDelta("The person wants a chart. First the columns."),
        ev.MessageDelta("First a look at the columns."),
        ev.MessageEnded(),
        ev.RequestStarted("gpt-4.1"),
        ev.QueueChanged(queued=("then split it by region",)),
    ]


def wrong() -> list[ev.Event]:
    """A block that failed."""
    return [
        *scripted.looked(),
        ev.CodeStarted("c3", "python"),
        ev.CodeEnded("c3", "python", "df.groupby('month')"),
        ev.CallStarted("c3"),
        ev.ConsoleOutput("c3", "Traceback (most recent call last):\n\x1b[31mKeyError\x1b[0m: 'month'\n"),
        ev.CallEnded("c3", False, "failed", 0.2, 1),
        ev.TurnEnded("done"),
    ]


def two() -> list[ev.Event]:
    """Two requests wait."""
    return [*scripted.asking(), scripted.request(4, "print(2)")]


async def first_of_two(app: Running) -> None:
    """The counter stands there once the second is in line."""
    await app.until(lambda: "1 of 2" in app.screen_text())


async def edit(app: Running) -> None:
    """Open the editor of the code."""
    await app.pilot.press("e")
    await app.until(lambda: app.main.code.editing)


async def choose(app: Running) -> None:
    """Choose the last block of the chat and open it."""
    await app.pilot.press("f2", "up", "up", "enter")


async def draft(app: Running) -> None:
    """Write some lines."""
    app.main.composer.load("first a line\nthen another one\nand a third")


async def pasted(app: Running) -> None:
    """Paste many lines."""
    app.main.composer.paste_text("row\n" * 500)


async def files(app: Running) -> None:
    """Name a file."""
    app.app.host._files.take(["data/sales.csv", "report/build.py", "report/load.py", "README.md"])
    await app.pilot.press(*"see @re")


async def history(app: Running) -> None:
    """Search what was written before."""
    for text in ("count the words of the readme", "plot sales per month", "rename the photos\nby date"):
        app.app.host.history.add(text)
    await app.pilot.press("ctrl+r")


def armed(size: Size, shows: str, script: list[ev.Event], **more: Any) -> Scene:
    """A scene in which an approval takes keys."""
    return Scene(size, shows, script, armed=True, **more)


SCENES: dict[str, Scene] = {
    **{f"asking_{w}x{h}": armed((w, h), ASKS, scripted.asking()) for w, h in SIZES},
    **{f"done_{w}x{h}": Scene((w, h), "418,200", scripted.done()) for w, h in SIZES},
    **{f"change_{theme}": armed((128, 36), CHANGES, scripted.changing(), theme=theme) for theme in THEMES},
    **{f"answer_{theme}": Scene((100, 40), "All numbers are net", rich(), theme=theme) for theme in THEMES},
    "change_split": armed((150, 40), CHANGES, scripted.changing(), keys=("v",)),
    "review": armed((150, 40), "1 of 3", scripted.changing_many(), keys=("v",)),
    "review_light": armed((110, 30), "2 of 3", scripted.changing_many(), keys=("v", "down"), theme="oi-light"),
    "review_narrow": armed((60, 20), "tests/test_load.py", scripted.changing_many(), keys=("v",)),
    "rule": armed((128, 36), "Write this rule?", scripted.asking(), keys=("p",)),
    "reason": armed((100, 30), "why not?", scripted.asking(), keys=("n",)),
    "edit": armed((128, 36), "asks again", scripted.asking(), act=edit),
    "two": armed((100, 30), "1 of 2", two(), act=first_of_two),
    "waived": armed((100, 30), "answer", scripted.asking(), keys=("x",)),
    "thinking": Scene((100, 30), "1 waiting", thinking()),
    "wrong": Scene((128, 36), "KeyError", wrong()),
    "wrong_light": Scene((80, 24), "KeyError", wrong(), theme="oi-light"),
    "chosen": Scene((110, 30), "copy code", scripted.done(), act=choose),
    "search": Scene((110, 30), "Dates parse", scripted.done(), keys=("f2", "ctrl+f", *"parse")),
    "zoom": Scene((128, 36), "cell 2 of 2", scripted.done(), keys=("f3", "f3")),
    "draft": Scene((80, 24), "and a third", act=draft),
    "pasted": Scene((80, 24), "[pasted #1: 501 lines]", act=pasted),
    "files": Scene((80, 24), "report/build.py", act=files),
    "history": Scene((80, 24), "put it into the box", act=history),
    "signs": Scene((80, 24), "no markup", rich(SIGNS)),
}  # fmt: skip


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str, snap_compare: Snap) -> None:
    assert compare(SCENES[name], snap_compare)
