"""One-line rows of short parts that shorten by dropping whole parts, never by cutting a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

Span = tuple[str, str]  # text, style name of the palette ("" for plain text)

GAP = 3  # least columns between the left and the right group


@dataclass(frozen=True, slots=True)
class Part:
    """A few words that stay or go together. The part with the lowest `rank` goes first. `before` is the text that
    separates it from the part on its left, when there is one."""

    spans: tuple[Span, ...]
    rank: int
    before: str = " · "

    @property
    def width(self) -> int:
        return sum(cell_len(text) for text, _ in self.spans)


def part(rank: int, *spans: Span, before: str = " · ") -> Part:
    """A part of the given spans."""
    return Part(spans, rank, before)


def _width(parts: Sequence[Part]) -> int:
    return sum(one.width for one in parts) + sum(cell_len(one.before) for one in parts[1:])


def fit(left: Sequence[Part], right: Sequence[Part], width: int) -> tuple[list[Part], list[Part]]:
    """The parts of both groups that fit into `width` columns, with at least GAP between the groups."""
    kept = [list(left), list(right)]
    while _width(kept[0]) + _width(kept[1]) + (GAP if kept[0] and kept[1] else 0) > width:
        weakest = min((one for group in kept for one in group), key=lambda one: one.rank, default=None)
        if weakest is None:
            break
        for group in kept:
            if weakest in group:
                group.remove(weakest)
                break
    return kept[0], kept[1]


def row(left: Sequence[Part], right: Sequence[Part], width: int) -> list[Span]:
    """Spans of one row, exactly `width` columns: the left group, space, the right group at the edge."""
    kept_left, kept_right = fit(left, right, width)
    spans = _joined(kept_left)
    filling = width - _width(kept_left) - _width(kept_right)
    if filling > 0:
        spans.append((" " * filling, ""))
    return spans + _joined(kept_right)


def _joined(parts: Sequence[Part]) -> list[Span]:
    spans: list[Span] = []
    for number, one in enumerate(parts):
        if number:
            spans.append((one.before, "faint"))
        spans.extend(one.spans)
    return spans
