"""The settings screen: made from the types, says where values come from, writes the file and keeps its comments."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from oi_tui import paths, settings
from oi_tui.app.screens.settings import SettingsScreen
from tests.app.running import Running, running

FILE = "# mine\nmax_output = 4000  # long logs\n\n[llm]\ntemperature = 0.5\n"


def config(text: str = FILE) -> Path:
    file = paths.config_file()
    paths.private_dir(file.parent)
    file.write_text(text)
    return file


async def opened(one: Running) -> SettingsScreen:
    one.session.settings = settings.load().settings
    one.app.host.run_line("/settings")
    await one.until(lambda: isinstance(one.app.screen, SettingsScreen))
    screen = one.app.screen
    assert isinstance(screen, SettingsScreen)
    return screen


async def go_to(one: Running, key: str) -> None:
    screen = one.app.screen
    assert isinstance(screen, SettingsScreen)
    screen.query(Input).first().value = key
    await one.until(lambda: screen._highlighted is not None and screen._highlighted.value == key)


async def test_every_setting_is_there_with_its_origin_and_what_it_means(monkeypatch: pytest.MonkeyPatch) -> None:
    config()
    monkeypatch.setenv("OI_MAX_TURNS", "9")
    async with running() as one:
        screen = await opened(one)
        assert set(screen._rows) == set(settings.keys())
        assert "config.toml:2" in one.screen_text() and "OI_MAX_TURNS" in one.screen_text()
        await go_to(one, "max_output")
        await one.until(lambda: "at first 2800" in one.screen_text())


async def test_a_number_is_checked_then_written_and_comments_stay() -> None:
    file = config()
    async with running() as one:
        await opened(one)
        await go_to(one, "max_output")
        await one.pilot.press("enter", *(["backspace"] * 4), *"50", "enter")
        await one.until(lambda: "max_output: '50' is below 200" in one.screen_text())
        assert file.read_text() == FILE
        await one.pilot.press("0", "enter")
        await one.until(lambda: "max_output is 500, now and later" in one.screen_text())
        assert file.read_text() == FILE.replace("4000", "500")
        assert one.session.settings.max_output == 500
        await one.pilot.press("ctrl+r")
        await one.until(lambda: "max_output is at its default" in one.screen_text())
        assert one.session.settings.max_output == 2800
        assert "max_output" not in file.read_text() and "# mine" in file.read_text()


async def test_a_switch_turns_and_a_choice_is_picked() -> None:
    file = config("")
    async with running() as one:
        await opened(one)
        await go_to(one, "tui.animations")
        await one.pilot.press("enter")
        await one.until(lambda: "animations = false" in file.read_text())
        await go_to(one, "approval_policy")
        await one.pilot.press("enter")
        await one.until(lambda: not isinstance(one.app.screen, SettingsScreen))
        await one.pilot.press(*"read-only")
        await one.pilot.press("enter")
        await one.pilot.pause()
        await one.until(lambda: "read-only" in file.read_text())
        assert one.told("use_approval") == ["read-only"]


async def test_a_key_is_never_shown_and_the_environment_that_wins_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    config('[llm]\napi_key = "sk-very-secret"\n')
    monkeypatch.setenv("OI_MAX_OUTPUT", "3000")
    async with running() as one:
        await opened(one)
        await go_to(one, "llm.api_key")
        assert "set, not shown" in one.screen_text() and "sk-very" not in one.screen_text()
        await one.pilot.press("enter")
        await one.pilot.pause()
        assert "sk-very" not in one.screen_text()
        await one.pilot.press("escape")
        await go_to(one, "max_output")
        await one.pilot.press("enter", *(["backspace"] * 4), *"900", "enter")
        await one.until(lambda: "OI_MAX_OUTPUT in the environment wins" in one.screen_text())


async def test_a_file_that_is_no_toml_is_told_and_left_alone() -> None:
    file = config("max_output = = 3\n")
    async with running() as one:
        await opened(one)
        await go_to(one, "max_output")
        await one.pilot.press("enter", *(["backspace"] * 4), *"900", "enter")
        await one.until(lambda: "is not valid TOML" in one.screen_text())
        assert file.read_text() == "max_output = = 3\n"
        await one.pilot.press("escape", "escape")
        await one.until(lambda: one.app.screen is one.main)
