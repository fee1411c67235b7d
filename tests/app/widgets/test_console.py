"""Program output: colours, carriage returns, cut escapes, dropped lines, search, pictures."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.selection import SELECT_ALL

from oi_tui.app.widgets.console import ConsoleView
from oi_tui.app.widgets.inks import is_style
from oi_tui.app.widgets.terminal_text import TerminalText, coloured, line_of
from oi_tui.app.widgets.wrapping import Line


class ConsoleApp(App[None]):
    """A console that keeps few lines."""

    def __init__(self, most: int = 200_000) -> None:
        super().__init__()
        self.most = most

    def compose(self) -> ComposeResult:
        yield ConsoleView(self.most)


def screen_text(view: ConsoleView) -> list[str]:
    rows = [view.render_line(y).text.rstrip() for y in range(view.scrollable_content_region.height)]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def lines_of(*chunks: str) -> list[Line]:
    text = TerminalText()
    lines = [line for chunk in chunks for line in text.feed(chunk)]
    shown = [line_of(line) if isinstance(line, str) else line for line in lines]
    return [*shown, *([text.open] if text.open else [])]


def seen(lines: list[Line]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Text, and the style of each character: runs may be cut differently."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in lines:
        styles = [piece.style for row in line.rows(10_000) for piece in row for _ in piece.text]
        found.append((line.text, list(zip(line.text, styles, strict=False))))
    return found


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (("one\ntwo\n",), ["one", "two"]),
        (("one\r\ntwo\r", "\nthree"), ["one", "two", "three"]),
        (("10%\r20%\r100%\n",), ["100%"]),
        (("100%\r5\n",), ["500%"]),
        (("100%\r\x1b[K5%\n",), ["5%"]),
        (("ab\b\bx\n",), ["xb"]),
        (("a\x1b]0;title\x07b\x1b[2Jc\x1b(Bd\n",), ["abcd"]),
        (("a\x1b]8;;http", "://x\x1b", "\\link\x1b]8;;\x1b\\ b\n"), ["alink b"]),
        (("\x1b[3", "1mred\x1b", "[0m\n"), ["red"]),
        (("a\tb\n",), ["a       b"]),
        (("\x00\x1b\x01 \x9b31m\n",), ["␀␛␁ �31m"]),
        (("[red]x[/red]\n",), ["[red]x[/red]"]),
        (("open",), ["open"]),
    ],
)
def test_text(chunks: tuple[str, ...], expected: list[str]) -> None:
    assert [line.text for line in lines_of(*chunks)] == expected


def test_colours_are_kept() -> None:
    (line,) = lines_of("a \x1b[1;31mred\x1b[0m \x1b[38;5;200mx\x1b[48;2;1;2;3my\x1b[39mz\n")
    assert line.text == "a red xyz"
    assert line.runs == (
        (2, "text"),
        (3, "sgr:1;31"),
        (1, "text"),
        (1, "sgr:38;5;200"),
        (1, "sgr:38;5;200;48;2;1;2;3"),
        (1, "sgr:48;2;1;2;3"),
    )
    assert all(is_style(style) for _, style in line.runs)


def test_colours_go_on_over_lines() -> None:
    lines = lines_of("\x1b[32mone\ntwo\n", "three\x1b[m\nfour\n")
    assert [line.rows(20)[0][0].style for line in lines] == ["sgr:32", "sgr:32", "sgr:32", "text"]


def test_colour_state_stays_short() -> None:
    state = ""
    for number in range(1000):
        state = coloured(state, f"1;3{number % 8};4")
    assert state == "1;37;4" or len(state) < 12


PIECES = [
    "a",
    "word ",
    "\n",
    "\r",
    "\r\n",
    "\b",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[K",
    "\x1b[1;44m",
    "\x1b]0;t\x07",
    "\t",
    "中",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.randoms(use_true_random=False))
def test_cuts_do_not_matter(parts: list[str], chance: random.Random) -> None:
    source = "".join(parts)
    cuts = sorted(chance.randrange(len(source) + 1) for _ in range(chance.randrange(6)))
    chunks = [source[start:end] for start, end in zip([0, *cuts], [*cuts, len(source)], strict=True)]
    assert seen(lines_of(*chunks, "\n")) == seen(lines_of(source + "\n"))


def test_a_line_without_end_is_kept_in_parts() -> None:
    lines = lines_of(*["x" * 1000] * 100)
    assert sum(len(line.text) for line in lines) == 100_000
    assert max(len(line.text) for line in lines) == 4096
    assert all(line.joined for line in lines[:-1])


async def test_output_is_shown_as_it_comes() -> None:
    app = ConsoleApp()
    async with app.run_test(size=(30, 8)) as pilot:
        view = app.query_one(ConsoleView)
        view.append("hel")
        await pilot.pause()
        view.append("lo\nloading 1%")
        await pilot.pause()
        assert screen_text(view) == [" hello", " loading 1%"]
        view.append("\rloading 99%")
        await pilot.pause()
        assert screen_text(view) == [" hello", " loading 99%"]
        view.note("cell 2")
        view.append("x\n")
        await pilot.pause()
        assert screen_text(view) == [" hello", " loading 99%", " cell 2", " x"]


async def test_much_at_once_is_taken_in_by_and_by_and_in_order() -> None:
    app = ConsoleApp()
    async with app.run_test(size=(30, 8)) as pilot:
        view = app.query_one(ConsoleView)
        await pilot.pause()
        view.append("".join(f"line {number}\n" for number in range(50_000)))
        assert view.busy
        view.note("then")
        view.append("last\n")
        deadline = time.monotonic() + 20
        while view.busy and time.monotonic() < deadline:
            await pilot.pause()
        await pilot.pause()
        assert screen_text(view)[-3:] == [" line 49999", " then", " last"]
        assert sum(len(section) for section in view.stack.sections) == 50_002


async def test_long_lines_wrap_at_the_edge_and_copy_whole() -> None:
    app = ConsoleApp()
    long = "0123456789" * 900
    async with app.run_test(size=(22, 8)) as pilot:
        view = app.query_one(ConsoleView)
        view.append(f"first\n{long}\nlast\n")
        await pilot.pause()
        found = view.get_selection(SELECT_ALL)
        assert found is not None
        assert found[0] == f"first\n{long}\nlast"
        assert screen_text(view)[0].strip() in long


async def test_old_lines_are_dropped_and_that_is_said() -> None:
    app = ConsoleApp(most=3000)
    async with app.run_test(size=(60, 8)) as pilot:
        view = app.query_one(ConsoleView)
        for start in range(0, 10_000, 700):
            view.append("".join(f"line {number}\n" for number in range(start, min(10_000, start + 700))))
            await pilot.pause()
        assert screen_text(view)[-1] == " line 9999"
        view.action_scroll_home()
        await pilot.pause()
        first, second = screen_text(view)[:2]
        assert first == f" … {view.dropped:,} earlier lines, saved"
        assert second == f" line {view.dropped}"
        assert 3000 <= 10_000 - view.dropped <= 5000


async def test_dropping_keeps_what_is_read_in_place() -> None:
    app = ConsoleApp(most=2000)
    async with app.run_test(size=(60, 8)) as pilot:
        view = app.query_one(ConsoleView)
        view.append("".join(f"line {number}\n" for number in range(3900)))
        await pilot.pause()
        view.scroll_to(y=view.max_scroll_y - 500, animate=False)
        await pilot.pause()
        before = screen_text(view)[:-1]
        view.append("".join(f"line {number}\n" for number in range(3900, 5000)))
        await pilot.pause()
        assert view.dropped > 0
        assert screen_text(view)[:-1] == before


async def test_search_goes_round() -> None:
    app = ConsoleApp()
    async with app.run_test(size=(60, 8)) as pilot:
        view = app.query_one(ConsoleView)
        view.append("".join(f"\x1b[31mLine\x1b[0m {number}\n" for number in range(5000)))
        await pilot.pause()
        assert view.search("line 1234")
        await pilot.pause()
        assert any(row.strip() == "Line 1234" for row in screen_text(view))
        assert view.search("ine 100")
        places = [view.found]
        while view.search("ine 100") and view.found != places[0]:
            places.append(view.found)
        assert len(places) == 11
        assert view.search("ine 100", backwards=True)
        assert view.found == places[-1]
        assert not view.search("LINE 1")
        assert not view.search("")


async def test_a_picture_gets_its_preview(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "plot.png"
    image.new("RGB", (40, 20), (255, 0, 0)).save(path)
    app = ConsoleApp()
    async with app.run_test(size=(100, 24)) as pilot:
        view = app.query_one(ConsoleView)
        view.append("before")
        view.add_image(path, 40, 20)
        view.append("after\n")
        deadline = time.monotonic() + 10
        while "▀" not in "".join(screen_text(view)) and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
            await pilot.pause()
        rows = screen_text(view)
        assert rows[0] == " before"
        assert rows[1] == " " + "▀" * 40
        assert rows[-2].endswith("40 × 20")
        assert rows[-1] == " after"


async def test_a_picture_that_cannot_be_read_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "no.png"
    path.write_bytes(b"not a picture")
    app = ConsoleApp()
    async with app.run_test(size=(200, 24)) as pilot:
        view = app.query_one(ConsoleView)
        view.add_image(path)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen_text(view) == [f" {path}"]
