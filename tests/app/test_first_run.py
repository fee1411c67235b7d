"""The first start: what is found on this machine is shown, while the person may type."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from oi_tui import paths
from oi_tui.app.app import OiApp
from oi_tui.commands import first_run
from oi_tui.commands.first_run import Way
from oi_tui.settings import Settings
from screenshots.scripted import ScriptedSession
from tests.app.running import Running


async def test_what_is_found_appears_while_the_person_types() -> None:
    go = asyncio.Event()

    async def ways() -> Sequence[Way]:
        await go.wait()
        return [
            Way("OPENAI_API_KEY", "openai/gpt-4.1", "OpenAI"),
            Way("Ollama at http://127.0.0.1:11434", "ollama/[bold]x", "2 models"),
        ]

    session = ScriptedSession(model="openai/gpt-4.1")
    app = OiApp(lambda: session, motion=False, ways=ways)
    async with app.run_test(size=(110, 30)) as pilot:
        one = Running(app, session, pilot)
        await one.until(lambda: app.session is not None)
        await pilot.press(*"hi")
        assert one.main.composer.draft == "hi"
        go.set()
        await one.until(lambda: "OPENAI_API_KEY" in one.screen_text())
        text = one.screen_text()
        assert "in use" in text and "/model ollama/[bold]x" in text
        assert one.main.composer.draft == "hi"


async def test_nothing_at_all_says_what_to_do() -> None:
    async def ways() -> Sequence[Way]:
        return []

    session = ScriptedSession()
    app = OiApp(lambda: session, motion=False, ways=ways)
    async with app.run_test(size=(120, 30)) as pilot:
        one = Running(app, session, pilot)
        await one.until(lambda: "set OPENAI_API_KEY or the like" in one.screen_text())


async def test_a_key_in_the_environment_is_found_and_its_value_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    found = await first_run.ways(Settings())
    assert any(one.found == "OPENAI_API_KEY" and one.model.startswith("openai/") for one in found)
    assert "sk-very-secret" not in str(found)
    assert any(one.model == "embedded" and ("fetch" in one.detail or "here" in one.detail) for one in found)


def test_it_is_the_first_start_until_something_is_kept() -> None:
    assert first_run.is_first()
    paths.private_dir(paths.sessions())
    assert not first_run.is_first()
