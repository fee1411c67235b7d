"""A strip that says each colour once.

Rich resets and sets every attribute anew for each segment, which makes a row of code three times as many bytes as it
needs; over a slow line that is what a person waits for. Here a segment sends only what differs from the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}


class CompactStrip(Strip):
    """One row of the screen, rendered with as few bytes as it takes.

    Attributes:
        exact: all its colours are 24-bit and nothing is dim, so filters that make them so have nothing to do.
    """

    __slots__ = ("_divided", "_sequence", "exact")

    def __init__(self, segments: Iterable[Segment], cell_length: int | None = None) -> None:
        super().__init__(segments, cell_length)
        self._sequence: tuple[str | None, str] | None = None
        self._divided: dict[tuple[int, ...], list[Strip]] = {}
        self.exact = all(_exact(segment.style) for segment in self)

    def render(self, console: Console) -> str:
        """The row as terminal sequences; ends with everything reset."""
        if self._sequence is None or self._sequence[0] != console.color_system:
            system = _SYSTEMS.get(console.color_system or "truecolor", ColorSystem.TRUECOLOR)
            self._sequence = (console.color_system, _encode(self, system))
        return self._sequence[1]

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """As of every strip; the parts are compact too. A row is cut where another widget, the scrollbar, begins."""
        key = tuple(cuts)
        found = self._divided.get(key)
        if found is None:
            if len(self._divided) > 4:
                self._divided.clear()
            parts = super().divide(key)
            found = [part if part is self else CompactStrip(part, part.cell_length) for part in parts]
            self._divided[key] = found
        return found


def _exact(style: Style | None) -> bool:
    if style is None:
        return True
    colours = (style.color, style.bgcolor)
    return not style.dim and all(colour is None or colour.triplet is not None for colour in colours)


_ON = ("1", "2", "3", "4", "5", "7", "8", "9", "21", "53")
_OFF = ("22", "22", "23", "24", "25", "27", "28", "29", "24", "55")
_Flags = tuple[bool | None, ...]


@lru_cache(4096)
def _change(before: _Flags, after: _Flags) -> tuple[str, ...]:
    """The SGR codes from one set of attributes to another."""
    off = {_OFF[place] for place, flag in enumerate(before) if flag and not after[place]}
    # Bold and dim, one and two underlines, go off together.
    on = [_ON[place] for place, flag in enumerate(after) if flag and (not before[place] or _OFF[place] in off)]
    return (*sorted(off), *on)


@lru_cache(4096)
def _colour(colour: Color | None, foreground: bool, system: ColorSystem) -> str:
    if colour is None:
        return "39" if foreground else "49"
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground))


def _flags(style: Style) -> _Flags:
    """The attributes of a style, in the order of _ON."""
    return (
        style.bold,
        style.dim,
        style.italic,
        style.underline,
        style.blink,
        style.reverse,
        style.conceal,
        style.strike,
        style.underline2,
        style.overline,
    )


_PLAIN = _flags(Style())


def _encode(segments: Iterable[Segment], system: ColorSystem) -> str:
    attributes, front, back = _PLAIN, "39", "49"
    parts: list[str] = []
    plain = Style()
    for text, style, _ in segments:
        style = style or plain
        now = _flags(style)
        ground = _colour(style.bgcolor, False, system)
        # The colour of spaces shows only in lines and in reverse, which are attributes.
        colour = front if text.isspace() and not any(now) else _colour(style.color, True, system)
        codes = list(_change(attributes, now)) if now != attributes else []
        if colour != front:
            codes.append(colour)
        if ground != back:
            codes.append(ground)
        attributes, front, back = now, colour, ground
        if codes:
            parts.append(f"\x1b[{';'.join(codes)}m")
        if style.link:
            text = f"\x1b]8;id={style.link_id};{style.link}\x1b\\{text}\x1b]8;;\x1b\\"
        parts.append(text)
    if any(attributes) or front != "39" or back != "49":
        parts.append("\x1b[0m")
    return "".join(parts)
