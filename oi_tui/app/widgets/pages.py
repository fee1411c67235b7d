"""Program output stored by the page: text in one string, so that hundreds of thousands of lines stay small."""

from __future__ import annotations

from bisect import bisect_right

from .sections import Section
from .terminal_text import line_of, without_colours
from .wrapping import Line

PAGE = 1000
"""Lines of a full page."""


class Page(Section):
    """Up to PAGE lines of output. While it is the last it is a list; when full, `pack` makes it one string.

    Lines are text with SGR sequences, as TerminalText gives them; the few that need more are kept as Line.
    """

    __slots__ = ("_count", "_packed", "_plain", "_special", "_split", "_widest")

    def __init__(self) -> None:
        super().__init__()
        self._plain: list[str] = []
        self._special: dict[int, Line] = {}
        self._packed: str | None = None
        self._split: list[str] | None = None
        self._count = 0
        self._widest = 0

    def __len__(self) -> int:
        """Lines stored."""
        return self._count

    @property
    def full(self) -> bool:
        """May no more lines come?"""
        return self._count >= PAGE

    def extend(self, lines: list[str | Line]) -> None:
        """Add lines at the end."""
        for line in lines:
            if isinstance(line, str):
                text = line
            else:
                text = line.text
                self._special[len(self._plain)] = line
            self._plain.append(text)
            text = without_colours(text)
            # Beyond ASCII, two cells a character is the most there can be.
            size = len(text) if text.isascii() else 2 * len(text)
            if size > self._widest:
                self._widest = size
        self._count = len(self._plain)

    def pop(self) -> None:
        """Take the last line away again."""
        self._plain.pop()
        self._count -= 1
        self._special.pop(self._count, None)

    def pack(self) -> None:
        """No more lines will come: store them small."""
        self._packed = "\n".join(self._plain)
        self._plain = []

    def texts(self) -> list[str]:
        """All lines, as they are kept."""
        if self._packed is None:
            return self._plain
        if self._split is None:
            self._split = self._packed.split("\n")
        return self._split

    def find(self, text: str, fold: bool) -> list[int]:
        """Numbers of the lines that contain `text`; `fold`: upper and lower case are the same."""
        whole = self._packed if self._packed is not None else "\n".join(self._plain)
        whole = without_colours(whole)
        if fold:
            whole = whole.casefold()
        if text not in whole:
            return []
        return [number for number, line in enumerate(whole.split("\n")) if text in line]

    def release(self) -> None:
        """Forget what was split for showing."""
        self._split = None

    def line(self, number: int) -> Line:
        """One line."""
        special = self._special.get(number)
        return special if special is not None else line_of(self.texts()[number])

    def guess(self, width: int) -> int:
        """One row a line, or as many as when it was last known."""
        return super().guess(width) if self._widest > width else self._count

    def measure(self, width: int, first: int = 0) -> None:
        """A page without long lines is as high as it has lines."""
        if self._widest <= width:
            del self._starts[:]
            self.height = self._count
            self.width = width
            return
        if self.width != width or first > len(self._starts):
            first = 0
        starts = self._starts
        row = starts[first] if first < len(starts) else self.height if first else 0
        del starts[first:]
        texts = self.texts()
        for number in range(first, self._count):
            starts.append(row)
            text = without_colours(texts[number])
            row += max(1, -(-len(text) // width)) if text.isascii() else self.line(number).height(width)
        self.height = row
        self.width = width

    def locate(self, row: int) -> tuple[int, int]:
        """The (line, row within it) at a row."""
        if not self._starts:
            return min(row, max(0, self._count - 1)), 0
        number = bisect_right(self._starts, row) - 1
        return number, row - self._starts[number]

    def row_of(self, number: int) -> int:
        """The first row of a line."""
        return self._starts[number] if number < len(self._starts) else number
