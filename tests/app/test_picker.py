"""The picker: filter, groups, preview, rows that are found later, typed values."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from textual.widgets import OptionList

from oi_tui.app.widgets.picker import Picker
from oi_tui.commands.base import Choice
from tests.app.picking import Stage

FRUIT = (
    Choice("apple", detail="red or green", group="trees"),
    Choice("pear", group="trees", current=True),
    Choice("melon", "Melon", group="ground"),
)


def shown(picker: Picker) -> list[str]:
    rows = picker.query_one(OptionList)
    prompts = [str(rows.get_option_at_index(index).prompt) for index in range(rows.option_count)]
    return [prompt.strip(" •").split("  ")[0] for prompt in prompts]


async def test_it_opens_on_what_is_in_use_and_enter_takes_the_row() -> None:
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.picker is not None
        assert shown(app.picker) == ["trees", "apple", "pear", "ground", "Melon"]
        await pilot.press("enter")
        await pilot.pause()
        assert app.results == ["pear"]


async def test_arrows_move_past_group_names() -> None:
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.results == ["melon"]


async def test_typing_filters_best_first() -> None:
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.press(*"mel")
        await pilot.pause()
        assert app.picker is not None
        assert shown(app.picker) == ["Melon"]
        await pilot.press("enter")
        await pilot.pause()
        assert app.results == ["melon"]


async def test_nothing_fits_is_said_and_enter_does_nothing() -> None:
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.press(*"zzz", "enter")
        await pilot.pause()
        assert app.picker is not None
        assert shown(app.picker) == ["nothing fits"]
        assert app.results == []


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_it_can_be_left_without_a_choice(key: str) -> None:
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.press("down", key)
        await pilot.pause()
        assert app.results == [None]


async def test_preview_follows_the_highlight_and_is_taken_back() -> None:
    seen: list[str] = []
    app = Stage(Picker("fruit", FRUIT, preview=seen.append))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert seen == []
        await pilot.press("up", "escape")
        await pilot.pause()
        assert seen == ["apple", "pear"]
        assert app.results == [None]


async def test_a_typed_value_can_be_taken() -> None:
    app = Stage(Picker("model", FRUIT, typed="use this name"))
    async with app.run_test() as pilot:
        await pilot.press(*"kiwi", "enter")
        await pilot.pause()
        assert app.results == ["kiwi"]


async def test_rows_that_are_found_later_join_and_keep_the_highlight() -> None:
    go = asyncio.Event()

    async def find() -> Sequence[Choice]:
        await go.wait()
        return [Choice("quince", group="found"), FRUIT[0]]

    app = Stage(Picker("fruit", FRUIT, find=find))
    async with app.run_test() as pilot:
        await pilot.press("down")
        go.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.picker is not None
        assert shown(app.picker)[-1] == "quince"
        assert shown(app.picker).count("apple") == 1
        await pilot.press("enter")
        await pilot.pause()
        assert app.results == ["melon"]


async def test_a_search_that_fails_leaves_the_rest_usable() -> None:
    async def find() -> Sequence[Choice]:
        raise OSError("no network")

    app = Stage(Picker("fruit", FRUIT, find=find))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.results == ["pear"]


async def test_deep_rows_show_only_when_searched_for() -> None:
    app = Stage(Picker("fruit", FRUIT, deep=[Choice("apple jam")]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.picker is not None
        assert "apple jam" not in shown(app.picker)
        await pilot.press(*"jam")
        await pilot.pause()
        assert shown(app.picker) == ["apple jam"]


async def test_markup_in_a_row_is_only_text() -> None:
    app = Stage(Picker("[bold]x[/]", [Choice("[red]a[/red]", detail="[@click=app.quit]b[/]")]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.picker is not None
        assert shown(app.picker) == ["[red]a[/red]"]


async def test_a_click_takes_a_row_and_a_click_outside_leaves() -> None:
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click(OptionList, offset=(4, 1))
        await pilot.pause()
        assert app.results == ["apple"]
    app = Stage(Picker("fruit", FRUIT))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click(offset=(5, 1))
        await pilot.pause()
        assert app.results == [None]
