"""A unified diff side by side: the old lines on the left, the new ones on the right, in step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.app import ComposeResult
from textual.containers import Horizontal

from oi_tui.app.panes.diff_lines import Row, diff_rows
from oi_tui.app.widgets.lines import LineView
from oi_tui.app.widgets.sections import Section
from oi_tui.app.widgets.wrapping import Line, Piece

SPLIT_WIDTH = 100  # columns from which a diff is shown side by side

Pair = tuple[Row | None, Row | None]


def pairs(rows: Sequence[Row]) -> Iterator[Pair]:
    """What stands beside what: a removed line beside the added one in its place, all else beside itself."""
    removed: list[Row] = []
    added: list[Row] = []
    for row in [*rows, None]:
        if row is not None and row.sign == "-":
            if added:
                yield from zip_longest(removed, added)
                removed, added = [], []
            removed.append(row)
        elif row is not None and row.sign == "+":
            added.append(row)
        else:
            yield from zip_longest(removed, added)
            removed, added = [], []
            if row is not None:
                yield row, row


class DiffSide(LineView):
    """One side; `numbers` are those of its lines, 0 for none."""

    MARGIN = 8

    def __init__(self) -> None:
        super().__init__()
        self._numbers: list[tuple[int, str]] = []

    def fill(self, lines: list[Line], numbers: list[tuple[int, str]]) -> None:
        """Show these lines, each with its number and sign."""
        self.clear()
        self._numbers = numbers
        self.add_section(Section(lines))
        self.following = False

    def margin(self, section: Section, number: int, row: int) -> Sequence[Piece]:
        """The number of the line and its sign, on its first row."""
        shown, sign = self._numbers[number] if number < len(self._numbers) and row == 0 else (0, " ")
        tone = {"+": "ok", "-": "bad"}.get(sign, "muted")
        return Piece(f"{shown:>5} " if shown else " " * 6, "muted", -1), Piece(f"{sign} ", tone, -1)


class SplitDiff(Horizontal):
    """Both sides of one unified diff; they scroll together."""

    DEFAULT_CSS = """
    SplitDiff { height: 1fr; & > DiffSide { width: 1fr; } & > #old { scrollbar-size-vertical: 0; } }
    """

    def __init__(self) -> None:
        super().__init__()
        self.old, self.new = DiffSide(), DiffSide()
        self.old.id = "old"
        self._pairs: list[Pair] = []
        self._width = 0

    def compose(self) -> ComposeResult:
        yield self.old
        yield self.new

    def on_mount(self) -> None:
        self.watch(self.old, "scroll_y", lambda y: self.new.scroll_to(y=y, animate=False), init=False)
        self.watch(self.new, "scroll_y", lambda y: self.old.scroll_to(y=y, animate=False), init=False)

    def show(self, diff: str) -> None:
        """Show a diff from its first line."""
        self._pairs = list(pairs(diff_rows(diff)))
        self._width = 0
        self._arrange()
        for side in (self.old, self.new):
            side.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._arrange)

    def _arrange(self) -> None:
        """Both sides anew, the shorter of two neighbours filled up: a long line wraps on its side alone."""
        width = min(self.old.text_width, self.new.text_width)
        if not self._pairs or width == self._width or width < 2:
            return
        self._width = width
        lines: tuple[list[Line], list[Line]] = ([], [])
        numbers: tuple[list[tuple[int, str]], list[tuple[int, str]]] = ([], [])
        for pair in self._pairs:
            heights = [row.line.height(width) if row is not None else 0 for row in pair]
            for side, row in enumerate(pair):
                if row is not None:
                    lines[side].append(row.line)
                    numbers[side].append((row.old if side == 0 and row.sign == " " else row.number, row.sign))
                for _ in range(max(heights) - heights[side]):
                    lines[side].append(Line(""))
                    numbers[side].append((0, " "))
        self.old.fill(lines[0], numbers[0])
        self.new.fill(lines[1], numbers[1])
