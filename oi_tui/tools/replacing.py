"""Exact replacement in a text, and what is to be told of it. Pure: knows no disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oi_tui.tools.checked import BadArgument
from oi_tui.tools.text_files import printable

AROUND = 4  # lines shown before and after a change
_MOST_TOLD = 10  # places of an ambiguous text that are named
_LONGEST = 200  # lines of a snippet


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    every: bool = False


def replaced(text: str, wanted: Sequence[Replacement], path: str, first_only: bool) -> tuple[str, int]:
    """`text` with all replacements made in order, and how many places changed. Raises BadArgument."""
    total = 0
    for number, one in enumerate(wanted, 1):
        which = f"edit {number}: " if len(wanted) > 1 else ""
        old, new = _fitting(text, one)
        if not old:
            raise BadArgument(f"{which}the text to replace is empty")
        if old == new:
            raise BadArgument(f"{which}old and new are the same; {path} stays as it is", "unchanged")
        count = text.count(old)
        if not count:
            raise BadArgument(
                f"{which}the text to replace is not in {path}{_hint(text, old)}", "no_match", count=0, edit=number
            )
        if count > 1 and not one.every and not first_only:
            lines = _lines_of(text, old)
            named = ", ".join(map(str, lines[:_MOST_TOLD])) + (", …" if len(lines) > _MOST_TOLD else "")
            raise BadArgument(
                f"{which}the text to replace is in {path} {count} times (lines {named}); give more of what is around "
                "the one that is meant, or replace all",
                "ambiguous",
                count=count,
                lines=lines[:100],
                edit=number,
            )
        text = text.replace(old, new) if one.every else text.replace(old, new, 1)
        total += count if one.every else 1
    return text, total


def around(old: str, new: str) -> dict[str, Any]:
    """Where two texts differ, for a model: `line` (first that changed, from 1), `total` lines now, `snippet` with the
    lines around the change and `snippet_first`, the number of its first."""
    before, after = _rows(old), _rows(new)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    first = max(0, start - AROUND)
    shown = after[first : min(len(after), len(after) - end + AROUND)][:_LONGEST]
    return {
        "line": min(start + 1, max(1, len(after))),
        "total": len(after),
        "snippet": printable("\n".join(shown)),
        "snippet_first": first + 1,
    }


def _rows(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _fitting(text: str, one: Replacement) -> tuple[str, str]:
    """old and new with the line ends of the place: files with one kind of line end are handled with LF alone."""
    if "\r\n" not in text:
        return one.old.replace("\r\n", "\n"), one.new.replace("\r\n", "\n")
    if one.old in text or "\r" in one.old or "\n" not in one.old:
        return one.old, one.new
    return one.old.replace("\n", "\r\n"), one.new.replace("\r\n", "\n").replace("\n", "\r\n")


def _lines_of(text: str, old: str) -> list[int]:
    found: list[int] = []
    at = text.find(old)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(old, at + len(old))
    return found


def _hint(text: str, old: str) -> str:
    """Where the text nearly is: the same lines but for white space, or the first of them."""
    have = [line.split() for line in text.split("\n")]
    need = [line.split() for line in old.strip("\n").split("\n")]
    for at in range(len(have) - len(need) + 1):
        if have[at : at + len(need)] == need and any(need):
            return f"; lines {at + 1}-{at + len(need)} differ from it only in white space: read them again"
    first = next((line for line in need if line), [])
    places = [at + 1 for at, line in enumerate(have) if line == first] if first else []
    return f"; its first line is at line {places[0]}, but what follows differs" if places else ""
