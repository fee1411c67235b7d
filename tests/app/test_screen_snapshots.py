"""Pictures of what lies over the main screen, and of the whole at many sizes and themes, compared with good ones.

`pytest tests/app/test_screen_snapshots.py --snapshot-update` takes them anew; look at each before it is committed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import OptionList

from oi_tui import paths, settings
from oi_tui.app.screens.sessions import SessionsScreen
from oi_tui.app.screens.settings import SettingsScreen
from oi_tui.commands.first_run import Way
from oi_tui.commands.setting_rows import Row, change, rows
from oi_tui.session.store import Store
from screenshots import scripted
from tests.app.running import Running
from tests.app.scenes import Act, Scene, Snap, compare

NOW = 1_800_000_000.0
ASKS = "Run this Python?"
PAST = (
    ("plot monthly revenue from data/sales.csv", "", "Saved `monthly.png`. Revenue peaked in **November**.", 300),
    ("rename the photos here by the date they were taken", "", "Renamed 214 photos.", 4_000),
    (
        "why does the build fail?",
        "python 3.13 build",
        "The wheel of `foo` is missing:\n\n```python\nimport foo\n```",
        90_000,
    ),
    ("summarise the three longest log files", "", "Nothing but timeouts, all of one host.", 9_000_000),
)


def shelf() -> None:
    """Four sessions of the scripted folder."""
    for number, (asked, title, answer, ago) in enumerate(PAST):
        one = Store(f"2026112{number}-101010-aaaabbb{number}")
        one.begin(cwd="/home/sam/sales-report", model="gpt-4.1", harness="auto")
        one.message({"role": "user", "type": "message", "content": asked})
        call = {"id": "k1", "name": "run", "arguments": "{}"}
        one.message({"role": "assistant", "type": "code", "format": "python", "content": "print(1)", "call": call})
        ended = {"id": "k1", "name": "run", "result": {"ok": True, "summary": "ok", "seconds": 0.4}}
        one.message({"role": "computer", "type": "console", "format": "output", "content": "1\n", "call": ended})
        one.message({"role": "assistant", "type": "message", "content": answer})
        if title:
            one.title(title)
        one.close()
        os.utime(one.path, (NOW - ago, NOW - ago))


def sessions(*keys: str, wide: bool = True) -> Act:
    """Open the list of sessions at a fixed time, then press keys."""

    async def act(one: Running) -> None:
        screen = SessionsScreen(one.session.cwd, one.session.id, now=lambda: NOW)
        one.app.push_screen(screen)
        await one.until(lambda: len(screen._cards) == len(PAST))
        if wide:
            await one.until(lambda: "monthly.png" in one.screen_text())
        for key in keys:
            await one.pilot.press(key)
            await one.pilot.pause()

    return act


def line(text: str, *keys: str, then: str = "") -> Act:
    """Run a command, wait for words, press keys."""

    async def act(one: Running) -> None:
        one.app.host.run_line(text)
        await one.until(lambda: one.app.screen is not one.main and one.app.screen.size.height)
        await one.pilot.pause()
        if then:
            await one.until(lambda: then in one.screen_text())
        for key in keys:
            await one.pilot.press(key)
            await one.pilot.pause()

    return act


# A picture must not change whenever somebody adds a setting.
SHOWN = (
    "model", "harness", "models", "approval_policy", "max_output", "max_budget", "llm.api_key", "llm.temperature",
    "llm.reasoning_effort", "theme.name", "tui.animations",
)  # fmt: skip


def setting(*keys: str) -> Act:
    """Open some of the settings as a small file sets them."""

    async def act(one: Running) -> None:
        one.session.settings = settings.load().settings

        def read() -> list[Row]:
            return [row for row in rows(one.session.settings) if row.key in SHOWN]  # type: ignore[arg-type]

        one.app.push_screen(SettingsScreen(read, lambda key, text: change(one.app.host, key, text)))
        await one.until(lambda: any(each.size.height for each in one.app.screen.query(OptionList)))
        for key in keys:
            await one.pilot.press(key)
            await one.pilot.pause()

    return act


def found(*ways: Way) -> Act:
    """The first start has looked around."""

    async def act(one: Running) -> None:
        one.main.tell_ways(ways)
        await one.settle()

    return act


async def rewinding(one: Running) -> None:
    one.session.messages = [{"role": "user", "type": "message", "content": scripted.ASKED}]
    await line("/rewind", then="and by region?")(one)


WAYS = (
    Way("OPENAI_API_KEY", "gpt-4.1", "OpenAI"),
    Way("Ollama at http://127.0.0.1:11434", "ollama/qwen3:8b", "4 models"),
    Way("the built-in model", "embedded", "0.5 GB to fetch once: it asks first, then works offline"),
)
DONE: Sequence[Any] = scripted.done()
TOO_SMALL = ("backspace",) * 4 + ("9", "enter")
LIGHT, CONTRAST, ANSI = "oi-light", "contrast-light", "ansi"

SCENES: dict[str, Scene] = {
    # the whole, at many sizes
    "asking_200x60": Scene((200, 60), ASKS, scripted.asking(), armed=True),
    "asking_160x48_light": Scene((160, 48), ASKS, scripted.asking(), LIGHT, armed=True),
    "asking_ansi": Scene((128, 36), ASKS, scripted.asking(), ANSI, armed=True),
    "asking_contrast_light": Scene((110, 30), ASKS, scripted.asking(), CONTRAST, armed=True),
    "asking_80x24": Scene((80, 24), ASKS, scripted.asking(), armed=True),
    "change_narrow_light": Scene((74, 34), "Change this file?", scripted.changing(), LIGHT, armed=True),
    "change_ansi": Scene((128, 36), "Change this file?", scripted.changing(), ANSI, armed=True),
    "done_200x60": Scene((200, 60), "Saved monthly.png", DONE),
    "done_light": Scene((128, 36), "Saved monthly.png", DONE, LIGHT),
    "done_ansi": Scene((128, 36), "Saved monthly.png", DONE, ANSI),
    "done_tiny": Scene((40, 12), "418,200", DONE),
    "first_200x60": Scene((200, 60), "say what you want done"),
    "first_light_80x24": Scene((80, 24), "say what you want done", theme=LIGHT),
    "first_tiny": Scene((40, 12), "say what you want"),
    "failed_tiny_light": Scene((40, 12), "refused", scripted.failed(), LIGHT),
    "typing_ansi_narrow": Scene((74, 24), "waits for you to type", scripted.typing(), ANSI, typing="Ada"),
    # the first start
    "found": Scene((110, 30), "OPENAI_API_KEY", act=found(*WAYS)),
    "found_narrow_light": Scene((60, 24), "OPENAI_API_KEY", theme=LIGHT, act=found(*WAYS)),
    "found_nothing": Scene((110, 30), "no key, no local server", act=found()),
    # earlier sessions
    "sessions": Scene((128, 36), "python 3.13 build", DONE, act=sessions()),
    "sessions_200x60_light": Scene((200, 60), "python 3.13 build", DONE, LIGHT, act=sessions("down")),
    "sessions_searched": Scene((128, 36), "1 h ago", act=sessions(*"photos")),
    "sessions_narrow": Scene((74, 24), "python 3.13 build", act=sessions(wide=False)),
    "sessions_tiny": Scene((40, 12), "5 min ago", act=sessions(wide=False)),
    "sessions_deleted": Scene((128, 36), "brings it back", act=sessions("ctrl+d")),
    "sessions_renaming": Scene((110, 30), "photos!", act=sessions("ctrl+r", *"photos!")),
    "rewind": Scene((110, 30), "changed since: report/build.py", DONE, act=rewinding),
    # settings
    "settings": Scene((128, 36), "config.toml:1", act=setting()),
    "settings_200x60_light": Scene((200, 60), "config.toml:1", theme=LIGHT, act=setting("down", "down")),
    "settings_searched": Scene((100, 24), "sampling temperature", act=setting(*"temperature")),
    "settings_wrong": Scene(
        (110, 30), "is below 200", act=setting(*"max_output", "enter", *["backspace"] * 4, "9", "enter")
    ),
    "settings_tiny_ansi": Scene((40, 12), "settings", theme=ANSI, act=setting()),
    # pickers
    "themes": Scene((110, 36), "oi-dark", DONE, act=line("/theme", "down", "down")),
    "themes_light_narrow": Scene((60, 20), "oi-light", DONE, LIGHT, act=line("/theme")),
    "permissions": Scene((110, 30), "read-only", DONE, act=line("/permissions")),
    "permissions_narrow": Scene((74, 24), "read-only", act=line("/permissions")),
    "palette_searched": Scene((110, 30), "/theme oi-light", DONE, LIGHT, keys=("ctrl+p", *"light")),
}


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str, snap_compare: Snap) -> None:
    shelf()
    paths.config_file().write_text("max_output = 4000\n\n[llm]\ntemperature = 0.5\n")
    assert compare(SCENES[name], snap_compare)


def test_there_are_enough_of_them_and_none_is_left_over() -> None:
    kept = {one.name for one in (Path(__file__).parent / "__snapshots__" / "test_screen_snapshots").glob("*.svg")}
    assert kept == {f"test_scene[{name}].svg" for name in SCENES}
    assert len(SCENES) >= 30 and {one.size for one in SCENES.values()} >= {(40, 12), (200, 60)}
