"""The suggestions over the message box."""

from __future__ import annotations

import pytest

from tests.app.composing import BoxApp, box


async def test_it_opens_on_a_slash_and_floats_above_the_box() -> None:
    app = box()
    async with app.run_test(size=(60, 20)) as pilot:
        before = app.box.region
        await pilot.press("slash")
        await pilot.pause()
        completer = app.box.completer
        assert completer.is_open
        assert completer.region.bottom == app.box.region.y
        assert completer.region.height == 3
        assert app.box.region == before


async def test_it_follows_what_is_typed_and_closes_without_a_match() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press(*"/mo")
        await pilot.pause()
        assert app.box.completer.chosen is not None
        assert app.box.completer.chosen.label == "/model"
        await pilot.press("x")
        await pilot.pause()
        assert not app.box.completer.is_open


async def test_enter_runs_a_whole_command() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press(*"/he", "enter")
        await pilot.pause()
        assert app.sent == [("/help", "send")]


async def test_enter_only_completes_a_command_that_needs_more() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press(*"/ne", "enter")
        await pilot.pause()
        assert app.sent == []
        assert app.box.draft == "/need "


async def test_tab_takes_the_chosen_row_and_arrows_choose() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press("slash", "down", "tab")
        await pilot.pause()
        assert app.box.draft == "/model "
        assert app.sent == []


async def test_a_click_takes_a_row() -> None:
    app = box()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("slash")
        await pilot.pause()
        await pilot.click(app.box.completer, offset=(4, 0))
        await pilot.pause()
        assert app.sent == [("/help", "send")]


async def test_closed_stays_closed_until_the_draft_changes() -> None:
    app: BoxApp = box()
    async with app.run_test() as pilot:
        await pilot.press("slash")
        await pilot.pause()
        app.box.completer.close(app.box.draft)
        await pilot.pause()
        assert not app.box.completer.is_open
        await pilot.press("h")
        await pilot.pause()
        assert app.box.completer.is_open


@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        (("enter",), "/model"),
        (("down", "enter"), "/model first"),
        (("up", "enter"), "/model second"),
        (("tab", "enter"), "/model first"),
    ],
)
async def test_enter_takes_no_choice_that_nobody_made(keys: tuple[str, ...], sent: str) -> None:
    app = box()
    async with app.run_test() as pilot:
        app.box.load("/model ")
        await pilot.pause()
        await pilot.press("backspace", "space", *keys)
        await pilot.pause()
        assert [text.strip() for text, _ in app.sent] == [sent]
