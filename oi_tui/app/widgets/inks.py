"""Names of text styles, and their colours under a palette.

Lines carry style *names* only; a view turns names into terminal styles when it paints, so that another theme costs
one cleared cache. A style is one or more names joined by a space (`"text strong"`), plus two open forms: `@URL` makes
a link of the run and `sgr:1;31` carries the colours a program asked for (ECMA-48 SGR parameters).
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.color import Color as TermColor
from rich.style import Style
from textual.color import Color, ColorParseError

from oi_tui.app.theming import NAMES

PALETTE_NAMES: tuple[str, ...] = (*NAMES, "lit", "added", "removed")

DARK: Mapping[str, str] = {
    "ground": "#14161b",
    "panel": "#191c23",
    "raised": "#20242d",
    "line": "#2b303b",
    "text": "#d6dae3",
    "muted": "#868e9f",
    "faint": "#4d5463",
    "accent": "#7aa2f7",
    "person": "#e0af68",
    "ok": "#9ece6a",
    "warn": "#e0af68",
    "bad": "#f7768e",
    "code": "#bb9af7",
    "lit": "#27303f",
    "added": "#2c3631",
    "removed": "#39292f",
}
"""What a view paints with where the theme says nothing."""

_VARIABLES = {"text": "ink", "panel": "sheet"}

_PLAIN = ("line", "text", "muted", "faint", "accent", "person", "ok", "warn", "bad", "code")

_DERIVED: Mapping[str, tuple[str, Style]] = {
    "heading": ("text", Style(bold=True)),
    "inline": ("code", Style()),
    "link": ("accent", Style(underline=True)),
    "code.text": ("text", Style()),
    "code.keyword": ("code", Style()),
    "code.call": ("accent", Style()),
    "code.type": ("accent", Style()),
    "code.string": ("ok", Style()),
    "code.number": ("warn", Style()),
    "code.comment": ("faint", Style(italic=True)),
    "code.punct": ("muted", Style()),
    "code.meta": ("person", Style()),
    "code.error": ("bad", Style()),
}

_MODIFIERS: Mapping[str, Style] = {
    "strong": Style(bold=True),
    "em": Style(italic=True),
    "strike": Style(strike=True),
    "underline": Style(underline=True),
}

STYLE_NAMES = frozenset((*_PLAIN, *_DERIVED, *_MODIFIERS))
"""Every name a line may use, besides the `@URL` and `sgr:` forms."""

GROUND_NAMES = frozenset(("", "panel", "raised", "lit", "added", "removed"))
"""What a line may ask for as its background; "" is the background of the widget."""

_SGR_BASIC = ("line", "bad", "ok", "warn", "accent", "code", "", "text", "muted", "bad", "ok", "warn", "accent", "code")
_LINK_SCHEMES = ("http://", "https://", "mailto:", "file://")


def is_style(style: str) -> bool:
    """Is every part of `style` a known name, a link or SGR parameters?"""
    return all(part in STYLE_NAMES or part.startswith(("@", "sgr:")) for part in style.split(" "))


def _colour(value: str) -> tuple[TermColor | None, Style]:
    """A palette entry: a colour, then optional `dim`, `bold` or `italic` (`"ansi_default dim"`)."""
    name, *attributes = value.split()
    extra = Style(
        dim=True if "dim" in attributes else None,
        bold=True if "bold" in attributes else None,
        italic=True if "italic" in attributes else None,
    )
    try:
        return Color.parse(name).rich_color, extra
    except ColorParseError:
        return None, extra


class Inks:
    """The styles of one palette, made on first use and kept.

    Args:
        palette: colour by name (see PALETTE_NAMES). A colour is anything Textual reads (`#7aa2f7`, `ansi_blue`), with
            optional attributes after it. Missing names take the dark default.
    """

    def __init__(self, palette: Mapping[str, str]) -> None:
        self.palette: dict[str, str] = {**DARK, **palette}
        self._styles: dict[str, Style] = {}
        self._grounds: dict[str, Style] = {}
        self._named = ink_styles(self.palette)

    def style(self, names: str) -> Style:
        """The terminal style of space-joined names; unknown names paint as plain text."""
        found = self._styles.get(names)
        if found is None:
            if len(self._styles) > 8192:
                self._styles.clear()
            found = self._styles[names] = self._compose(names)
        return found

    def ground(self, name: str) -> Style:
        """A style with only the background `name` asks for (see GROUND_NAMES)."""
        found = self._grounds.get(name)
        if found is None:
            found = self._grounds[name] = self._background(name)
        return found

    def _background(self, name: str) -> Style:
        if not name:
            return Style()
        colour, extra = _colour(self.palette[name])
        return Style(bgcolor=colour) + extra

    def _compose(self, names: str) -> Style:
        total = self._named["text"]
        for part in names.split(" "):
            if part.startswith("@"):
                total += _link_style(part[1:])
            elif part.startswith("sgr:"):
                total += sgr_style(part[4:], self._named)
            elif part in self._named:
                total += self._named[part]
        return total


def theme_palette(variables: Mapping[str, str]) -> dict[str, str]:
    """The palette in the CSS variables of the current Textual theme, where `text` and `panel` go by `ink` and `sheet`.

    Args:
        variables: what `App.theme_variables` gives. Names it lacks are left out.
    """
    named = ((name, variables.get(_VARIABLES.get(name, name))) for name in PALETTE_NAMES)
    dims = {name for name in PALETTE_NAMES if variables.get(f"{name}-style") == "dim"}
    return {name: f"{colour} dim" if name in dims else colour for name, colour in named if colour}


def ink_styles(palette: Mapping[str, str]) -> dict[str, Style]:
    """The one place where palette names become text styles.

    Args:
        palette: colour by palette name, all of PALETTE_NAMES.

    Returns:
        Style by style name, all of STYLE_NAMES, foreground and attributes only.
    """
    styles: dict[str, Style] = {}
    for name in _PLAIN:
        colour, extra = _colour(palette[name])
        styles[name] = Style(color=colour) + extra
    for name, (base, extra) in _DERIVED.items():
        styles[name] = styles[base] + extra
    styles.update(_MODIFIERS)
    return styles


def _link_style(url: str) -> Style:
    """An OSC 8 link for schemes that are safe to hand to a terminal; other targets only look like links."""
    if url.lower().startswith(_LINK_SCHEMES) and url.isprintable() and url.isascii():
        return Style(link=url)
    return Style()


def sgr_style(parameters: str, named: Mapping[str, Style]) -> Style:
    """The style that SGR parameters ask for (ECMA-48 8.3.117; 38/48 colours as in ISO 8613-6).

    The sixteen basic colours take the palette's own (red is `bad`, green `ok`, …), so that a program's output suits
    the theme; 256 and 24-bit colours are exact.
    """
    codes = [int(code) if code.isdigit() else 0 for code in parameters.replace(":", ";").split(";")]
    style = Style()
    index = 0
    while index < len(codes):
        code = codes[index]
        index += 1
        if code == 0:
            style = Style()
        elif code in (38, 48):
            colour, used = _extended(codes[index:], named)
            index += used
            if colour is not None:
                style += Style(color=colour) if code == 38 else Style(bgcolor=colour)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            colour = _basic(code - 30 if code < 40 else code - 82, named)
            style += Style(color=colour)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            colour = _basic(code - 40 if code < 50 else code - 92, named)
            style += Style(bgcolor=colour)
        else:
            style += _ATTRIBUTES.get(code, _NOTHING)
    return style


_NOTHING = Style()
_ATTRIBUTES: Mapping[int, Style] = {
    1: Style(bold=True),
    2: Style(dim=True),
    3: Style(italic=True),
    4: Style(underline=True),
    7: Style(reverse=True),
    9: Style(strike=True),
    21: Style(underline2=True),
    22: Style(bold=False, dim=False),
    23: Style(italic=False),
    24: Style(underline=False),
    27: Style(reverse=False),
    29: Style(strike=False),
}


def _basic(index: int, named: Mapping[str, Style]) -> TermColor | None:
    name = _SGR_BASIC[index] if index < len(_SGR_BASIC) else ("" if index == 14 else "text")
    if name:
        return named[name].color
    # No palette has a cyan: it lies half-way between accent and ok.
    blue, green = named["accent"].color, named["ok"].color
    if blue is None or green is None or blue.triplet is None or green.triplet is None:
        return TermColor.parse("cyan")
    pairs = zip(blue.triplet, green.triplet, strict=True)
    red, middle, last = ((one + other) // 2 for one, other in pairs)
    return TermColor.from_rgb(red, middle, last)


def _extended(rest: list[int], named: Mapping[str, Style]) -> tuple[TermColor | None, int]:
    """A 256 or 24-bit colour after 38 or 48, and how many parameters it took."""
    if len(rest) >= 2 and rest[0] == 5:
        number = rest[1]
        if number < 16:
            return _basic(number, named), 2
        return (TermColor.from_triplet(TermColor.from_ansi(number).get_truecolor()) if number < 256 else None), 2
    if len(rest) >= 4 and rest[0] == 2:
        red, green, blue = (min(255, part) for part in rest[1:4])
        return TermColor.from_rgb(red, green, blue), 4
    return None, len(rest)
