"""Lines as data, and how one line breaks into rows of a given width.

A line is text with style names by length. It knows nothing of a screen; the widths here are terminal cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size

Run = tuple[int, str]
"""So many characters of the text in this style (see inks.py)."""

Affix = tuple[tuple[str, str], ...]
"""Text that stands beside a line without being part of it: (text, style) pairs."""


class Piece(NamedTuple):
    """A stretch of one row. `offset` is the place of its first character in the line's text, -1 when not part of it."""

    text: str
    style: str
    offset: int


@dataclass(slots=True, eq=False)
class Line:
    """One logical line.

    Attributes:
        text: what is selected and copied; no control characters, no newline.
        runs: styles, in order; what they do not cover is `text`.
        lead: stands before the first row (a bullet, a quote bar).
        hang: stands before the rows after the first; same width as `lead`.
        ground: background from the last part of `lead` to the right end ("" is the view's own).
        mark: what `lead` is in source form, put before `text` when the line is copied from its beginning.
        chars: wrap at any character, as a terminal does, instead of at words.
        joined: the source had no newline after this line (a very long line cut into parts): "\\n" is not copied.
    """

    text: str
    runs: tuple[Run, ...] = ()
    lead: Affix = ()
    hang: Affix = ()
    ground: str = ""
    mark: str = ""
    chars: bool = False
    joined: bool = False

    def height(self, width: int) -> int:
        """Rows this line takes in `width` cells; at least one."""
        if len(self.text) <= width - 8 and not self.lead and self.text.isascii():
            return 1
        return len(self.breaks(width)) + 1

    def breaks(self, width: int) -> list[int]:
        """Places in `text` where the rows after the first begin."""
        room = max(1, width - affix_width(self.lead))
        return char_breaks(self.text, room) if self.chars else word_breaks(self.text, room)

    def rows(self, width: int) -> list[list[Piece]]:
        """The rows this line takes in `width` cells."""
        starts = [0, *self.breaks(width)]
        ends = [*starts[1:], len(self.text)]
        rows: list[list[Piece]] = []
        runs = iter((*self.runs, (len(self.text), "text")))
        length, style = next(runs)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            row = [Piece(text, name, -1) for text, name in (self.hang if number else self.lead)]
            while start < end:
                while length <= 0:
                    length, style = next(runs)
                stop = min(end, start + length)
                row.append(Piece(self.text[start:stop], style, start))
                length -= stop - start
                start = stop
            if not self.text:
                row.append(Piece("", "text", 0))
            rows.append(row)
        return rows


def affix_width(affix: Affix) -> int:
    """Cells an affix takes."""
    return sum(cell_len(text) for text, _ in affix)


def _fit(text: str, start: int, room: int) -> int:
    """The place after the last character that still fits in `room` cells from `start`; always past `start`."""
    cells = 0
    for place in range(start, len(text)):
        cells += get_character_cell_size(text[place])
        if cells > room:
            return max(place, start + 1)
    return len(text)


def _cluster_start(text: str, place: int, start: int) -> int:
    """Move a break back out of a sequence joined by ZWJ, variation selectors or combining marks."""
    back = place
    while start < back < len(text) and (
        text[back] in "\u200d\ufe0e\ufe0f" or text[back - 1] == "\u200d" or get_character_cell_size(text[back]) == 0
    ):
        back -= 1
    return back if back > start else place


def _reach(text: str, start: int, room: int, narrow: bool) -> int:
    if narrow:
        return min(len(text), start + room)
    place = _fit(text, start, room)
    return _cluster_start(text, place, start) if place < len(text) else place


def char_breaks(text: str, room: int) -> list[int]:
    """Where rows begin when every row is filled to `room` cells."""
    if text.isascii():
        return list(range(room, len(text), room))
    found: list[int] = []
    start = _reach(text, 0, room, False)
    while start < len(text):
        found.append(start)
        start = _reach(text, start, room, False)
    return found


def word_breaks(text: str, room: int) -> list[int]:
    """Where rows begin when they end at spaces, which hang over the edge; a word longer than a row is cut."""
    narrow = text.isascii()
    if narrow and len(text) <= room:
        return []
    found: list[int] = []
    start = 0
    length = len(text)
    while True:
        place = _reach(text, start, room, narrow)
        if place >= length:
            return found
        if text[place] != " ":
            space = text.rfind(" ", start, place)
            # A row of nothing but indentation would lose the word's own indent.
            if space > start and text[start : space + 1].strip():
                place = space + 1
            elif not narrow:
                place = _ideograph_break(text, start, place)
        while place < length and text[place] == " ":
            place += 1
        if place >= length:
            return found
        found.append(place)
        start = place


def _ideograph_break(text: str, start: int, place: int) -> int:
    """Scripts written without spaces break between any two wide characters; closing marks stay with the word."""
    back = place
    while back > start + 1 and text[back] in "、。，．！？：；）】」』〉》":
        back -= 1
    return back
