"""Rows of a table that align with each other, whatever the width they are shown in.

While a table is being written every row is one row of the screen, cut where it does not fit; when it is whole, cells
that do not fit wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size

from .inline import Styled
from .wrapping import Line, Piece, Run, affix_width, word_breaks

_GAP = 3
_LEAST = 6


@dataclass(slots=True, eq=False)
class TableLayout:
    """What the rows of one table share.

    Attributes:
        aligns: `left`, `right` or `center` for each column.
        widths: widest cell of each column so far, in cells of the terminal.
        tentative: the same for the row that is being written.
        settled: the table is whole.
    """

    aligns: tuple[str, ...]
    widths: list[int] = field(default_factory=list)
    tentative: list[int] = field(default_factory=list)
    settled: bool = False

    def widen(self, cells: Sequence[Styled], tentative: bool) -> bool:
        """Make room for a row; returns whether a column grew."""
        sizes = [cell_len(text) for text, _ in cells]
        before = self._natural()
        if tentative:
            self.tentative = sizes
        else:
            self.tentative = []
            self.widths = [max(pair) for pair in zip_longest(self.widths, sizes, fillvalue=0)]
        return self._natural() != before

    def _natural(self) -> list[int]:
        return [max(pair) for pair in zip_longest(self.widths, self.tentative, fillvalue=0)]

    def fits(self, width: int) -> bool:
        """Can every cell be shown in one row of `width` cells?"""
        natural = self._natural()
        return sum(natural) + _GAP * max(0, len(natural) - 1) <= width

    def columns(self, width: int) -> list[int]:
        """Width of each column in `width` cells: narrow ones whole, the others share what is left."""
        widths = self._natural()
        room = max(len(widths), width - _GAP * max(0, len(widths) - 1))
        if sum(widths) <= room:
            return widths
        left = room
        result = [0] * len(widths)
        for done, index in enumerate(sorted(range(len(widths)), key=widths.__getitem__)):
            share = left // (len(widths) - done)
            result[index] = max(1, min(widths[index], max(share, min(_LEAST, left))))
            left = max(0, left - result[index])
        return result


@dataclass(slots=True, eq=False)
class TableLine(Line):
    """A row of a table, or the rule under its head (no cells)."""

    layout: TableLayout = field(default_factory=lambda: TableLayout(()))
    cells: tuple[Styled, ...] = ()

    def height(self, width: int) -> int:
        """One while the table is being written or fits; else the rows of the tallest cell."""
        room = width - affix_width(self.lead)
        if not self.cells or not self.layout.settled or self.layout.fits(room):
            return 1
        pairs = zip(self.cells, self.layout.columns(room), strict=False)
        return max((len(word_breaks(text, size)) + 1 for (text, _), size in pairs), default=1)

    def rows(self, width: int) -> list[list[Piece]]:
        """The cells side by side."""
        room = width - affix_width(self.lead)
        columns = self.layout.columns(room)
        if not self.cells:
            rule = (" " * _GAP).join("─" * size for size in columns)
            return [[*self._affix(0), Piece(rule[:room], "line", 0)]]
        columns_of_rows = [
            _cell_rows(cell, size, align, self.layout.settled, offset)
            for cell, size, align, offset in zip(self.cells, columns, self.layout.aligns, self._offsets(), strict=False)
        ]
        tallest = max((len(rows) for rows in columns_of_rows), default=1)
        rows: list[list[Piece]] = []
        for number in range(tallest):
            row = self._affix(number)
            for column, size in zip(columns_of_rows, columns, strict=False):
                row.extend(column[number] if number < len(column) else [Piece(" " * size, "text", -1)])
                row.append(Piece(" " * _GAP, "text", -1))
            rows.append(row[:-1])
        return rows

    def _affix(self, number: int) -> list[Piece]:
        return [Piece(text, style, -1) for text, style in (self.hang if number else self.lead)]

    def _offsets(self) -> list[int]:
        place = 2
        offsets: list[int] = []
        for text, _ in self.cells:
            offsets.append(place)
            place += len(text) + 3
        return offsets


def row_text(cells: Sequence[Styled]) -> str:
    """A row as source text."""
    return "| " + " | ".join(text for text, _ in cells) + " |"


def _cell_rows(cell: Styled, size: int, align: str, wrap: bool, offset: int) -> list[list[Piece]]:
    """The rows of one cell, each exactly `size` cells wide."""
    text, runs = cell
    if cell_len(text) > size and not wrap:
        shown = set_cell_size(text, size - 1).rstrip()
        pieces = [*_styled(text, runs, 0, len(shown), offset), Piece("…", "faint", -1)]
        return [_aligned(pieces, size, "left")]
    starts = [0, *word_breaks(text, size)]
    ends = [*starts[1:], len(text)]
    rows: list[list[Piece]] = []
    for start, end in zip(starts, ends, strict=True):
        trimmed = start + len(text[start:end].rstrip(" "))
        rows.append(_aligned(_styled(text, runs, start, trimmed, offset), size, align))
    return rows


def _aligned(pieces: list[Piece], size: int, align: str) -> list[Piece]:
    space = max(0, size - sum(cell_len(piece.text) for piece in pieces))
    left = space if align == "right" else space // 2 if align == "center" else 0
    if left:
        pieces.insert(0, Piece(" " * left, "text", -1))
    if space - left:
        pieces.append(Piece(" " * (space - left), "text", -1))
    return pieces


def _styled(text: str, runs: Sequence[Run], start: int, end: int, offset: int) -> list[Piece]:
    """The pieces of text[start:end]."""
    pieces: list[Piece] = []
    place = 0
    for length, style in (*runs, (len(text), "text")):
        low, high = max(place, start), min(place + length, end)
        if low < high:
            pieces.append(Piece(text[low:high], style, offset + low))
        place += length
        if place >= end:
            break
    return pieces
