"""NO_COLOR: the screen without a single colour. What colour said is said by bold, dim and reverse instead.

Textual turns colours into greys, which are colours too. See https://no-color.org.
"""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

STANDS_OUT = 1.8  # contrast with the ground from which a background means cursor or selection
QUIET = 5.5  # contrast with its background below which text is muted

_REVERSE, _DIM = Style(reverse=True), Style(dim=True)


class Colourless(LineFilter):
    """Takes all colours out of what is painted."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments without colours; `background` is that of the widget they belong to."""
        ground = background.rgb
        return [
            Segment(text, None if style is None else colourless(style, ground), control)
            for text, style, control in segments
        ]


@lru_cache(4096)
def colourless(style: Style, ground: tuple[int, int, int]) -> Style:
    """The style without colours: reversed where its background stands out, dim where its text is muted."""
    plain = style.without_color
    behind = _rgb(style.bgcolor) or ground
    if contrast(behind, ground) >= STANDS_OUT:
        return plain + _REVERSE
    front = _rgb(style.color)
    if front is not None and not style.bold and contrast(front, behind) < QUIET:
        return plain + _DIM
    return plain


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Contrast ratio from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(rgb: tuple[int, int, int]) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (one / 255 for one in rgb)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(colour: RichColor | None) -> tuple[int, int, int] | None:
    triplet = None if colour is None else colour.triplet
    return None if triplet is None else (triplet.red, triplet.green, triplet.blue)
