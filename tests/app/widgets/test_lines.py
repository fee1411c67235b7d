"""LineView in a running app: wrapping, following, reflow, selection, themes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection
from textual.theme import Theme

from oi_tui.app.widgets.inks import DARK
from oi_tui.app.widgets.lines import LineView
from oi_tui.app.widgets.printable import printable
from oi_tui.app.widgets.sections import PLACES, Section
from oi_tui.app.widgets.strips import CompactStrip
from oi_tui.app.widgets.wrapping import Line, char_breaks, word_breaks


class ViewApp(App[None]):
    """A view and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[bool, int]] = []

    def compose(self) -> ComposeResult:
        yield LineView()

    def on_line_view_follow_changed(self, message: LineView.FollowChanged) -> None:
        self.told.append((message.following, message.unseen))


def screen_text(view: LineView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.scrollable_content_region.height)]


def numbered(count: int, start: int = 0) -> list[Line]:
    return [Line(f"line {number}") for number in range(start, start + count)]


def grow(view: LineView, section: Section, lines: list[Line]) -> None:
    first = len(section)
    section.lines.extend(lines)
    view.touch(section, first)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab 中é👍🏽\u200d\ufe0f", max_size=80), st.integers(2, 20))
def test_rows_hold_all_of_the_text_and_fit(text: str, width: int) -> None:
    for chars in (False, True):
        rows = Line(text, chars=chars).rows(width)
        parts = ["".join(piece.text for piece in row) for row in rows]
        assert "".join(parts) == text
        assert all(cell_len(part.rstrip(" ")) <= width for part in parts)
        assert len(rows) == Line(text, chars=chars).height(width)


def test_wraps_at_words() -> None:
    assert word_breaks("one two three", 7) == [8]
    assert word_breaks("one two three", 8) == [8]
    assert word_breaks("abcdefghij", 4) == [4, 8]
    assert char_breaks("one two", 4) == [4]
    assert word_breaks("中文字中文字", 6) == [3]
    assert word_breaks("中文中。", 6) == [2]


def test_hanging_indent_and_offsets() -> None:
    line = Line("one two three", lead=(("• ", "muted"),), hang=(("  ", "text"),))
    rows = line.rows(9)
    assert ["".join(piece.text for piece in row) for row in rows] == ["• one two ", "  three"]
    assert [piece.offset for row in rows for piece in row] == [-1, 0, -1, 8]


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [("a\x1b[31mb", "a␛[31mb"), ("a\tb", "a   b"), ("\u202eabc", "<u+202e>abc"), ("\ud800", "�"), ("a\u200bb", "ab")],
)
def test_printable(given_text: str, shown: str) -> None:
    assert printable(given_text) == shown


async def test_follows_until_the_person_scrolls_up() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(LineView)
        section = Section(numbered(30))
        view.add_section(section)
        await pilot.pause()
        assert screen_text(view)[-1] == " line 29"
        grow(view, section, numbered(5, 30))
        await pilot.pause()
        assert screen_text(view)[-1] == " line 34"

        view.focus()
        await pilot.press("pageup")
        top = screen_text(view)[0]
        assert not view.following
        grow(view, section, numbered(7, 35))
        await pilot.pause()
        assert screen_text(view)[0] == top
        assert view.unseen == 7
        assert "7 new" in screen_text(view)[-1]
        assert app.told[-1] == (False, 7)

        await pilot.press("end")
        await pilot.pause()
        assert view.following
        assert view.unseen == 0
        assert screen_text(view)[-1] == " line 41"
        assert app.told[-1] == (True, 0)


async def test_scrolling_back_to_the_bottom_follows_again() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(LineView)
        view.add_section(Section(numbered(30)))
        await pilot.pause()
        view.scroll_to(y=3, animate=False)
        await pilot.pause()
        assert not view.following
        view.scroll_to(y=20, animate=False)
        await pilot.pause()
        assert view.following


async def test_resize_keeps_the_line_at_the_top() -> None:
    app = ViewApp()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(LineView)
        for number in range(50):
            view.add_section(Section([Line(f"{number}: " + "word " * 30)]))
        await pilot.pause()
        view.scroll_to(y=20, animate=False)
        await pilot.pause()
        place = view.place_at(0)
        assert place is not None
        await pilot.resize_terminal(33, 12)
        await pilot.pause()
        again = view.place_at(0)
        assert again is not None
        assert again[0] is place[0]
        assert screen_text(view)[0].strip()


async def test_scrolling_up_into_unmeasured_sections_loses_nothing() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.query_one(LineView)
        for number in range(40):
            view.add_section(Section([Line(f"{number:02} " + "word " * 20)]))
        await pilot.pause()
        seen: list[str] = []
        while view.scroll_y > 0:
            seen.insert(0, screen_text(view)[0][1:3])
            view.scroll_to(y=view.scroll_y - 1, animate=False)
            await pilot.pause()
        numbers = [int(head) for head in seen if head.isdigit()]
        assert numbers == sorted(numbers)
        assert set(range(1, 30)) <= set(numbers)


async def test_only_what_is_near_the_screen_is_measured() -> None:
    app = ViewApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.query_one(LineView)
        for number in range(1000):
            view.add_section(Section([Line(f"line {number}")]))
        await pilot.pause()
        assert sum(section.width > 0 for section in view.stack.sections) < 60
        assert screen_text(view)[-1] == " line 999"


async def test_selection_gives_the_source() -> None:
    app = ViewApp()
    source = "a long line that is wrapped over rows of the screen"
    async with app.run_test(size=(20, 10)) as pilot:
        view = app.query_one(LineView)
        section = Section([Line(source), Line("two", mark="- "), Line("cut here", joined=True), Line(" on")])
        view.add_section(section)
        await pilot.pause()
        assert view.get_selection(SELECT_ALL) == (f"{source}\n- two\ncut here on", "\n")
        place = section.serial * PLACES
        part = Selection(Offset(2, place), Offset(2, place + 1))
        assert view.get_selection(part) == (source[2:] + "\n- tw", "\n")


async def test_dragging_the_mouse_selects() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.query_one(LineView)
        view.add_section(Section([Line("first line"), Line("second line")]))
        await pilot.pause()
        await pilot.mouse_down(view, offset=(3, 0))
        await pilot.hover(view, offset=(6, 1))
        await pilot.mouse_up(view, offset=(6, 1))
        await pilot.pause()
        assert app.screen.get_selected_text() == "rst line\nsecond"
        styles = {segment.style.bgcolor for segment in view.render_line(0) if segment.style}
        assert len(styles) == 2


async def test_markup_and_escapes_are_text() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 5)) as pilot:
        view = app.query_one(LineView)
        view.add_section(Section([Line(printable("[red]x[/red] \x1b[31my"))]))
        await pilot.pause()
        assert screen_text(view)[0] == " [red]x[/red] ␛[31my"
        assert "\x1b[31m" not in view.render_line(0).render(app.console)


async def test_another_theme_paints_anew() -> None:
    app = ViewApp()
    async with app.run_test(size=(20, 3)) as pilot:
        app.register_theme(Theme(name="pink", primary="#ff00ff", variables={"ink": "#ff00aa"}))
        view = app.query_one(LineView)
        view.add_section(Section([Line("x", ((1, "text"),))]))
        await pilot.pause()

        def colour() -> str:
            styles = [segment.style for segment in view.render_line(0) if segment.text == "x"]
            assert styles[0] is not None and styles[0].color is not None
            return styles[0].color.name

        assert colour() == DARK["text"]
        app.theme = "pink"
        await pilot.pause()
        assert colour() == "#ff00aa"


async def test_rows_are_rendered_compactly_and_alike() -> None:
    """What our strips send paints the same cells as what Rich would send."""
    import pyte

    app = ViewApp()
    async with app.run_test(size=(40, 4)) as pilot:
        view = app.query_one(LineView)
        runs = ((2, "text strong"), (3, "code.keyword"), (1, "text"), (4, "link em"), (3, "bad strike"), (5, "faint"))
        view.add_section(Section([Line("ab def gh, ijk lmno", runs, ground="panel")]))
        await pilot.pause()
        strip = view.render_line(0)
        assert isinstance(strip, CompactStrip)
        screens = []
        for sent in (strip.render(app.console), super(CompactStrip, strip).render(app.console)):
            screen = pyte.Screen(40, 1)
            pyte.Stream(screen).feed(sent)
            screens.append([screen.buffer[0][x] for x in range(40)])
        visible = [[cell if cell.data != " " else (cell.bg, cell.underscore) for cell in row] for row in screens]
        assert visible[0] == visible[1]
        assert len(strip.render(app.console)) < len(super(CompactStrip, strip).render(app.console)) * 0.8
