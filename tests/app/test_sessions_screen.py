"""The list of earlier sessions: search, preview, fork, title, deleting with a way back, in the real app."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from textual.widgets import Input, OptionList

from oi_tui import paths
from oi_tui.app.screens.sessions import SessionsScreen
from oi_tui.session import cards, store
from oi_tui.session.store import Store
from screenshots import scripted
from tests.app.running import Running, running

HERE = "/home/sam/sales-report"  # where the scripted session works


def saved(number: int, said: str, *, cwd: str = HERE, inside: str = "nothing much", title: str = "") -> Store:
    one = Store(f"2026112{number}-101010-aaaabbb{number}")
    one.begin(cwd=cwd, model="m", harness="auto")
    one.message({"role": "user", "type": "message", "content": said})
    one.message({"role": "assistant", "type": "message", "content": inside})
    if title:
        one.title(title)
    one.close()
    os.utime(one.path, (1e9 + number, 1e9 + number))
    return one


@contextmanager
def three() -> Iterator[list[Store]]:
    yield [
        saved(1, "plot the sales", inside="a chart of **walnuts**"),
        saved(2, "rename photos", title="photos by date"),
        saved(3, "look at the logs", cwd="/elsewhere"),
    ]


async def opened(one: Running, most: int = 2) -> SessionsScreen:
    one.app.host.run_line("/sessions")
    await one.until(lambda: isinstance(one.app.screen, SessionsScreen))
    screen = one.app.screen
    assert isinstance(screen, SessionsScreen)
    await one.until(lambda: len(screen._cards) == most)
    await one.until(lambda: bool(names(screen)))
    return screen


def names(screen: SessionsScreen) -> list[str]:
    return [] if not screen._shown else [one.label for one in screen._shown]


async def test_it_shows_this_folder_newest_first_with_the_end_of_the_one_on_top() -> None:
    with three():
        async with running() as one:
            screen = await opened(one)
            assert names(screen) == ["photos by date", "plot the sales"]
            await one.until(lambda: "rename photos" in one.screen_text())
            await one.pilot.press("down")
            await one.until(lambda: "a chart of walnuts" in one.screen_text())


async def test_words_are_looked_for_inside_and_tab_shows_every_folder() -> None:
    with three():
        async with running() as one:
            screen = await opened(one)
            await one.pilot.press(*"walnut")
            await one.until(lambda: names(screen) == ["plot the sales"])
            await one.pilot.press(*(["backspace"] * 6), "tab")
            await one.until(lambda: len(names(screen)) == 3)
            assert "look at the logs" in names(screen)


async def test_enter_goes_on_with_it_and_ctrl_f_with_a_copy() -> None:
    with three() as (first, _, _):
        async with running() as one:
            await opened(one)
            await one.pilot.press("down", "enter")
            await one.until(lambda: one.told("resume"))
            (taken,) = one.told("resume")
            assert isinstance(taken, store.Saved) and taken.id == first.id
            await opened(one)
            await one.pilot.press("down", "ctrl+f")
            await one.until(lambda: len(one.told("resume")) == 2)
            copy = one.told("resume")[1]
            assert isinstance(copy, store.Saved) and copy.forked_from == first.id


async def test_a_title_is_written_in_place_and_esc_keeps_the_old_one() -> None:
    with three() as (_, second, _):
        async with running() as one:
            screen = await opened(one)
            await one.pilot.press("ctrl+r")
            title = screen.query_one("#picker-entry", Input)
            assert title.value == "photos by date"
            await one.pilot.press(*" x", "escape")
            await one.pilot.pause()
            assert one.app.screen is screen and store.load(second.path).title == "photos by date"
            await one.pilot.press("ctrl+r", *"!", "enter")
            await one.until(lambda: names(screen)[0] == "photos by date!")
            assert store.load(second.path).title == "photos by date!"
            await one.pilot.press(*"plot")
            await one.until(lambda: names(screen)[:1] == ["plot the sales"])


async def test_deleting_can_be_taken_back_until_the_list_is_closed() -> None:
    with three() as (first, second, _):
        kept = paths.private_dir(paths.outputs(second.id))
        async with running() as one:
            screen = await opened(one)
            await one.pilot.press("ctrl+d")
            await one.until(lambda: names(screen) == ["plot the sales"])
            assert not second.path.exists() and kept.exists()
            await one.pilot.press("ctrl+b")
            await one.until(lambda: names(screen) == ["photos by date", "plot the sales"])
            assert second.path.exists()
            await one.pilot.press("ctrl+d", "escape")
            await one.until(lambda: one.app.screen is one.main)
            assert not second.path.exists() and not kept.exists()
            assert [each.id for each in cards.cards(HERE)] == [first.id]


async def test_one_that_is_open_elsewhere_stays_and_is_told() -> None:
    with three() as (_, second, _):
        second.reopen()
        async with running() as one:
            screen = await opened(one)
            await one.pilot.press("ctrl+d")
            await one.until(lambda: "is open in another window" in one.screen_text())
            assert names(screen)[0] == "photos by date"
        second.close()


async def test_signs_of_a_terminal_in_a_session_stay_text() -> None:
    saved(1, "\x1b[31mred\x07 [bold]x[/]", inside="\x1b]0;title\x07 text")
    async with running() as one:
        await opened(one, most=1)
        await one.until(lambda: "[bold]x[/]" in one.screen_text())
        assert "\x1b" not in one.screen_text() and "\x07" not in one.screen_text()


@pytest.mark.parametrize("size", [(40, 12), (60, 20)])
async def test_a_small_terminal_shows_the_list_alone(size: tuple[int, int]) -> None:
    with three():
        async with running(size=size) as one:
            screen = await opened(one)
            assert screen.has_class("-narrow")
            assert screen.query_one(OptionList).size.height > 0
            assert "photos by date" in one.screen_text()


async def test_none_at_all_is_told() -> None:
    async with running() as one:
        one.app.host.run_line("/sessions")
        await one.until(lambda: "there are no earlier sessions in this folder" in one.screen_text())


async def test_esc_twice_goes_back_to_an_earlier_message() -> None:
    async with running(scripted.done()) as one:
        one.session.messages.append({"role": "user", "type": "message", "content": scripted.ASKED})
        await one.pilot.press("escape")
        await one.until(lambda: "esc again goes back" in one.screen_text())
        await one.pilot.press("escape")
        await one.until(lambda: one.app.screen is not one.main)
        await one.pilot.press("enter")
        await one.until(lambda: one.told("rewind"))
        assert one.told("rewind") == [(2, "ask")]
        await one.until(lambda: one.main.composer.draft == "and by region?")


async def test_ctrl_k_leaves_files_as_they_are() -> None:
    async with running(scripted.done()) as one:
        one.session.messages.append({"role": "user", "type": "message", "content": scripted.ASKED})
        one.app.host.run_line("/rewind")
        await one.until(lambda: one.app.screen is not one.main)
        await one.until(lambda: "changed since: report/build.py" in one.screen_text())
        await one.pilot.press("down", "ctrl+k")
        await one.until(lambda: one.told("rewind") == [(1, "keep")])
