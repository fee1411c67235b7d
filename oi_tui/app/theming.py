"""Colour themes: read TOML files, check them, turn them into Textual themes.

A theme file names the colours of one palette (see `NAMES`); everything else (diff tints, selection, scroll bars) is
derived here, so that all themes behave alike. One with `ansi = true` names colours of the terminal itself instead
(`default`, `red`, `bright_black`, … and ` dim` after it), which look as the person has set them there. Built-in files
lie in `themes/`, a person's own in the home folder under the same name; one of the same name replaces a built-in one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui import paths

if TYPE_CHECKING:
    from textual.theme import Theme

NAMES = (
    "ground",
    "panel",
    "raised",
    "line",
    "text",
    "muted",
    "faint",
    "accent",
    "person",
    "ok",
    "warn",
    "bad",
    "code",
)
TERMINAL_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
DEFAULT_DARK = "oi-dark"
DEFAULT_LIGHT = "oi-light"

# (name, least ratio, grounds it must be readable on): WCAG 2.2, 1.4.3 and 1.4.6.
CONTRAST_RULES = (
    ("text", 7.0, ("ground", "panel", "raised")),
    ("muted", 4.5, ("ground", "panel", "raised")),
    *((state, 4.5, ("ground", "panel")) for state in ("ok", "warn", "bad", "person", "accent", "code")),
)


class InvalidTheme(ValueError):
    """A theme file that cannot be used; the text names the file, what is wrong and what is wanted."""


@dataclass(frozen=True, slots=True)
class Look:
    """One theme: `name` is what a person types, `label` says in a few words what it is, `palette` maps NAMES to
    `#rrggbb`, or to `ansi_red` and its like, maybe with ` dim`, for a theme of the terminal's own colours (ansi)."""

    name: str
    label: str
    dark: bool
    palette: dict[str, str]
    ansi: bool = False


def _rgb(colour: str) -> tuple[int, int, int]:
    value = int(colour[1:], 16)
    return value >> 16, value >> 8 & 255, value & 255


def blend(over: str, under: str, share: float) -> str:
    """Mix `share` (0 to 1) of one `#rrggbb` colour into another."""
    mixed = (round(a * share + b * (1 - share)) for a, b in zip(_rgb(over), _rgb(under), strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, relative luminance)."""

    def luminance(colour: str) -> float:
        parts = [part / 255 for part in _rgb(colour)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def hard_to_read(look: Look) -> list[str]:
    """One sentence for each pair of colours that is below the least contrast; empty when the theme is readable, and for
    a theme of the terminal's own colours, which nobody here knows."""
    found: list[str] = []
    if look.ansi:
        return found
    for name, least, grounds in CONTRAST_RULES:
        for ground in grounds:
            ratio = contrast(look.palette[name], look.palette[ground])
            if ratio < least:
                found.append(f"{look.name}: {name} on {ground} has contrast {ratio:.1f}, wanted {least:.1f}")
    return found


def read(path: Path) -> Look:
    """One theme file. Raises InvalidTheme when it cannot be read or a colour is missing or malformed."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidTheme(f"{path}: {error}") from error
    palette = found.get("palette")
    if not isinstance(palette, dict):
        raise InvalidTheme(f"{path}: has no [palette]; give it the colours {', '.join(NAMES)}")
    ansi = found.get("ansi") is True
    colours = {name: _terminal_colour(palette.get(name)) if ansi else _rgb_colour(palette.get(name)) for name in NAMES}
    for name, colour in colours.items():
        if not colour:
            wanted = "default, red, bright_black and the like, maybe with dim after it" if ansi else "'#rrggbb'"
            raise InvalidTheme(f"{path}: {name} is {palette.get(name)!r}; write it as {wanted}")
    return Look(path.stem, str(found.get("label", "")), bool(found.get("dark", True)), colours, ansi)


def _rgb_colour(value: object) -> str:
    """`#rrggbb` in small letters, "" for anything else."""
    if not isinstance(value, str) or len(value) != 7 or value[0] != "#":
        return ""
    return value.lower() if all(sign in "0123456789abcdefABCDEF" for sign in value[1:]) else ""


def _terminal_colour(value: object) -> str:
    """As Textual writes it, "" for what is none."""
    name, _, attribute = str(value).partition(" ")
    known = name == "default" or name.removeprefix("bright_") in TERMINAL_COLOURS
    return f"ansi_{name} {attribute}".strip() if known and attribute in {"", "dim"} else ""


def load(folders: Iterable[Path] | None = None) -> tuple[dict[str, Look], list[str]]:
    """All themes by name, built-in first, and a sentence for each file that could not be used.

    folders: where to look, later ones win; by default the built-in folder and the person's own.
    """
    looks: dict[str, Look] = {}
    problems: list[str] = []
    for folder in folders or (paths.shipped("themes"), paths.themes()):
        for path in sorted(folder.glob("*.toml")):
            try:
                looks[path.stem] = read(path)
            except InvalidTheme as error:
                problems.append(str(error))
    order = sorted(looks, key=lambda name: (name not in (DEFAULT_DARK, DEFAULT_LIGHT), not looks[name].dark, name))
    return {name: looks[name] for name in order}, problems


def find(name: str) -> Look | None:
    """The theme of that name, the person's own before the built-in one; None when there is none that can be used."""
    for folder in (paths.themes(), paths.shipped("themes")):
        path = folder / f"{name}.toml"
        try:
            if path.is_file():
                return read(path)
        except InvalidTheme:
            continue
    return None


def default() -> Look:
    """The theme that is there whenever the program is. Raises InvalidTheme when its file is damaged."""
    return read(paths.shipped("themes") / f"{DEFAULT_DARK}.toml")


def variables(look: Look) -> dict[str, str]:
    """The CSS variables of a theme: its palette names, the derived tints and Textual's own names. `NAME-style` says
    what a colour has besides."""
    p = {name: colour.removesuffix(" dim") for name, colour in look.palette.items()}
    styles = {
        f"{name}-style": "dim" if look.palette[name].endswith(" dim") else "not dim" for name in ("muted", "faint")
    }
    if look.ansi:  # what Textual asks of such a theme
        styles |= {"ansi-background": p["ground"], "ansi-foreground": p["text"]}
    lit, cursor = ("ansi_bright_black", "ansi_bright_black") if look.ansi else ("", "")

    def tint(colour: str, share: float, ground: str = "panel") -> str:
        return p[ground] if look.ansi else blend(p[colour], p[ground], share)

    return {
        **styles,
        # Textual has a `$text` and a `$panel` of its own; ours go by `ink` and `sheet`.
        **{name: p[name] for name in NAMES if name not in {"text", "panel", "accent"}},
        "ink": p["text"],
        "sheet": p["panel"],
        "added": tint("ok", 0.14),
        "removed": tint("bad", 0.14),
        "lit": lit or tint("accent", 0.16),
        "block-cursor-background": cursor or tint("accent", 0.22, "raised"),
        "block-cursor-foreground": p["text"],
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": cursor or tint("accent", 0.12, "raised"),
        "input-cursor-background": p["accent"],
        "input-cursor-foreground": p["ground"],
        "input-selection-background": cursor or tint("accent", 0.30, "ground"),
        "screen-selection-background": cursor or tint("accent", 0.30, "ground"),
        "scrollbar": p["line"],
        "scrollbar-hover": p["faint"],
        "scrollbar-active": p["accent"],
        "scrollbar-background": p["ground"],
        "scrollbar-background-hover": p["ground"],
        "scrollbar-background-active": p["ground"],
        "scrollbar-corner-color": p["ground"],
        "link-color": p["accent"],
        "link-background": "transparent",
        "link-style": "underline",
        "border": p["line"],
        "border-blurred": p["line"],
    }


def textual_theme(look: Look) -> Theme:
    """The Textual theme of a look. The only place where our names meet Textual's."""
    from textual.theme import Theme

    p = {name: colour.removesuffix(" dim") for name, colour in look.palette.items()}
    return Theme(
        name=look.name,
        primary=p["accent"],
        secondary=p["code"],
        accent=p["accent"],
        foreground=p["text"],
        background=p["ground"],
        surface=p["panel"],
        panel=p["raised"],
        success=p["ok"],
        warning=p["warn"],
        error=p["bad"],
        dark=look.dark,
        ansi=look.ansi,
        variables=variables(look),
    )
