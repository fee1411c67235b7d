"""From lines to terminal strips, each made once and kept until its line, the width or the colours change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from .inks import DARK, Inks
from .strips import CompactStrip
from .wrapping import Line, Piece

Span = tuple[int, int, Style]
"""Characters from..to of a line's text (to = -1: its end) with a style laid over them."""

Margin = Callable[[int], Sequence[Piece]]
"""What stands left of a row of a line, by the number of the row within the line."""

_KEEP = 600


class Painter:
    """Paints rows of lines and remembers them, by section and line.

    Attributes:
        inks: colours in use.
        base: background of the view.
    """

    def __init__(self) -> None:
        self.inks = Inks(DARK)
        self.base = Style()
        self._kept: dict[int, dict[int, list[Strip]]] = {}
        self._count = 0
        self._blank: CompactStrip | None = None

    def forget(self, serial: int | None = None, first: int = 0, last: int | None = None) -> None:
        """Drop what is remembered: everything, or the lines from `first` (to `last`) of one section."""
        if serial is None:
            self._kept.clear()
            self._count = 0
            self._blank = None
            return
        section = self._kept.get(serial)
        if section is None:
            return
        for number in [number for number in section if number >= first and (last is None or number <= last)]:
            self._count -= len(section.pop(number))

    def kept(self, serial: int, number: int) -> list[Strip] | None:
        """The strips of a line, if they are remembered."""
        section = self._kept.get(serial)
        return None if section is None else section.get(number)

    def keep(self, serial: int, number: int, strips: list[Strip]) -> None:
        """Remember the strips of a line."""
        if self._count > _KEEP:
            self.forget()
        self._kept.setdefault(serial, {})[number] = strips
        self._count += len(strips)

    def blank(self, width: int) -> Strip:
        """An empty row of the view."""
        if self._blank is None or self._blank.cell_length != width:
            self._blank = CompactStrip([Segment(" " * width, self.base)], width)
        return self._blank

    def paint(
        self, line: Line, place: int, text_width: int, width: int, margin: Margin, spans: Sequence[Span] = ()
    ) -> list[Strip]:
        """All rows of a line as strips `width` cells wide.

        Args:
            line: what to paint.
            place: its place in the view, which selection refers to.
            text_width: cells its text may take, right of the margin.
            width: cells of the view.
            margin: pieces left of each row.
            spans: styles over parts of the text.
        """
        base = self.base
        ground = base + self.inks.ground(line.ground) if line.ground else base
        strips: list[Strip] = []
        for number, row in enumerate(line.rows(text_width)):
            segments: list[Segment] = []
            left = 0
            for text, style, _ in margin(number):
                segments.append(Segment(text, base + self.inks.style(style)))
                left += cell_len(text)
            used = 0
            panel = _panel_start(row) if line.ground else 0
            for index, piece in enumerate(row):
                used += max(cell_len(piece.text), piece.offset >= 0)
                self._piece(segments, piece, place, base if index < panel else ground, spans)
            if used < text_width and (line.ground or not used):
                segments.append(Segment(" " * (text_width - used), ground))
            strip = Strip(segments)
            if used > text_width:
                # Spaces at a break hang over the edge.
                strip = strip.crop(0, left + text_width)
            strips.append(CompactStrip(strip.adjust_cell_length(width, base), width))
        return strips

    def _piece(self, segments: list[Segment], piece: Piece, place: int, ground: Style, spans: Sequence[Span]) -> None:
        text, name, offset = piece
        style = ground + self.inks.style(name)
        if offset < 0:
            if text:
                segments.append(Segment(text, style))
            return
        if not text:
            segments.append(Segment(" ", style + Style.from_meta({"offset": (0, place)})))
            return
        for start, stop, over in _cut(offset, offset + len(text), spans):
            part = style if over is None else style + over
            meta = Style.from_meta({"offset": (start, place)})
            segments.append(Segment(text[start - offset : stop - offset], part + meta))


def _panel_start(row: Sequence[Piece]) -> int:
    """The piece a ground begins at: the last that is no text, so that a panel in a list stays right of its mark."""
    for index, piece in enumerate(row):
        if piece.offset >= 0:
            return max(0, index - 1)
    return 0


def _cut(start: int, end: int, spans: Sequence[Span]) -> list[tuple[int, int, Style | None]]:
    """Cut start..end where spans begin and end; the last span wins where they overlap."""
    cuts: list[tuple[int, int, Style | None]] = [(start, end, None)]
    for begin, stop, style in spans:
        stop = end if stop < 0 else stop
        if stop <= start or begin >= end:
            continue
        fresh: list[tuple[int, int, Style | None]] = []
        for one, other, over in cuts:
            low, high = max(one, begin), min(other, stop)
            if low >= high:
                fresh.append((one, other, over))
                continue
            if one < low:
                fresh.append((one, low, over))
            fresh.append((low, high, style))
            if high < other:
                fresh.append((high, other, over))
        cuts = fresh
    return cuts
