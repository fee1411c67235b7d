"""Places in a line that a search found, as styles laid over it."""

from __future__ import annotations

from rich.style import Style

from .inks import Inks
from .painting import Span


def lit(text: str, needle: str, here: bool, inks: Inks) -> list[Span]:
    """Each place with `needle`, lit; reversed where the search stands (`here`). Upper case counts only if the needle
    has some."""
    if not needle:
        return []
    if needle == needle.casefold():
        text = text.casefold()
    style = Style(reverse=True) if here else inks.ground("lit")
    spans: list[Span] = []
    place = text.find(needle)
    while place >= 0:
        spans.append((place, place + len(needle), style))
        place = text.find(needle, place + len(needle))
    return spans
