"""Sections: stretches of lines that are measured, folded and dropped together, and where each lies among the rows.

A section says how many rows it takes only when it comes near the screen; until then it guesses. That is what lets a
session of ten thousand messages open, and resize, without wrapping all of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from .wrapping import Line

PLACES = 1 << 24
"""Lines a section may have: a line's place in a view is `serial * PLACES + number`."""


class Section:
    """Lines with a known or guessed height. Subclass it to store lines in another way.

    Attributes:
        serial: number in its view, set by the view.
        height: rows, exact for `width`, a guess while `width` is 0. Includes `gap`.
        width: cells `height` was measured for.
        gap: blank rows before the first line.
    """

    __slots__ = ("_lines", "_starts", "gap", "height", "serial", "width")

    def __init__(self, lines: Sequence[Line] = (), gap: int = 0) -> None:
        self._lines = list(lines)
        self._starts = array("L")
        self.gap = gap
        self.serial = -1
        self.height = 0
        self.width = 0

    def __len__(self) -> int:
        """Lines, after whatever work it takes to know them."""
        return len(self._lines)

    def line(self, number: int) -> Line:
        """One line. Raises IndexError when there is no such line."""
        return self._lines[number]

    @property
    def lines(self) -> list[Line]:
        """The lines themselves; tell the view (`LineView.touch`) after changing them."""
        return self._lines

    def insert(self, number: int, lines: Sequence[Line]) -> None:
        """Put lines before the one at `number`; tell the view after it."""
        self._lines[number:number] = lines

    def guess(self, width: int) -> int:
        """Rows this section may take, found without looking at all of it."""
        if self.height and self.width:
            rows = self.height - self.gap
            # Without this, a pane that is dragged narrow and wide again would drift.
            return max(len(self), rows * self.width // max(1, width)) + self.gap
        return len(self) + self.gap

    def forget(self, width: int) -> None:
        """The width is another one now: fall back to a guess."""
        self.height = self.guess(width)
        self.width = 0
        del self._starts[:]

    def measure(self, width: int, first: int = 0) -> None:
        """Find the exact height; lines before `first` have not changed since the last time."""
        starts = self._starts
        if self.width != width or first > len(starts):
            first = 0
        lines = self._lines
        row = starts[first] if first < len(starts) else self.gap if first == 0 else self.height
        del starts[first:]
        for number in range(first, len(lines)):
            starts.append(row)
            row += lines[number].height(width)
        self.height = row if lines else 0
        self.width = width

    def locate(self, row: int) -> tuple[int, int]:
        """The (line, row within it) at a row of a measured section; line -1 is the gap before the first."""
        if row < self.gap:
            return -1, 0
        number = bisect_right(self._starts, row) - 1
        return number, row - self._starts[number]

    def row_of(self, number: int) -> int:
        """The first row of a line in a measured section."""
        return self._starts[number] if number < len(self._starts) else self.gap


class Stack:
    """All sections of a view in order, with the row each begins at."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._first_serial = 0
        self._tops: list[int] = []
        self._valid = 0

    def __len__(self) -> int:
        return len(self.sections)

    def add(self, section: Section) -> None:
        """Put a section at the end and give it its serial."""
        section.serial = self._first_serial + len(self.sections)
        self.sections.append(section)

    def index_of(self, serial: int) -> int:
        """Where the section with this serial is; out of range when it was dropped."""
        return serial - self._first_serial

    def get(self, serial: int) -> Section | None:
        """The section with this serial, None when it was dropped."""
        index = self.index_of(serial)
        return self.sections[index] if 0 <= index < len(self.sections) else None

    def drop_first(self, count: int = 1) -> None:
        """Drop sections from the front; the others keep their serials."""
        del self.sections[:count]
        self._first_serial += count
        self._valid = 0

    def drop_from(self, index: int) -> None:
        """Drop a section and all after it."""
        del self.sections[index:]
        self._valid = min(self._valid, index)

    def clear(self) -> None:
        """Drop all. Serials go on, so that places of before mean nothing now."""
        self._first_serial += len(self.sections)
        self.sections.clear()
        self._valid = 0

    def replace_first(self, section: Section) -> None:
        """Put another section in the place of the first."""
        section.serial = self._first_serial
        self.sections[0] = section
        self._valid = 0

    def changed(self, index: int) -> None:
        """The height of the section at `index` is another one."""
        self._valid = min(self._valid, index)

    def top(self, index: int) -> int:
        """The first row of a section; the height of everything for the index after the last."""
        if self._valid < len(self.sections):
            self._settle()
        if index < len(self.sections):
            return self._tops[index]
        return self._tops[-1] + self.sections[-1].height if self.sections else 0

    def at(self, row: int) -> int:
        """The index of the section at a row: the last one for rows past the end."""
        self.top(0)
        return bisect_right(self._tops, row) - 1

    def _settle(self) -> None:
        valid = self._valid
        start = self._tops[valid - 1] + self.sections[valid - 1].height if valid else 0
        del self._tops[valid:]
        heights = (section.height for section in self.sections[valid:])
        tops = list(accumulate(heights, initial=start))
        self._tops.extend(tops[:-1])
        self._valid = len(self.sections)

    def rows(self) -> int:
        """The height of everything."""
        return self.top(len(self.sections))
