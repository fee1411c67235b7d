"""A unified diff as styled lines: tinted, numbered, changed words stronger, in the colours of the file's language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import PurePath

from oi_tui.app.panes.reveal import revealed
from oi_tui.app.widgets.highlight import Highlighter
from oi_tui.app.widgets.printable import printable
from oi_tui.app.widgets.wrapping import Line, Run

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
LONGEST_PAIR = 400  # characters of a changed line up to which its words are compared


@dataclass(slots=True)
class Row:
    """One row of a diff. number: of the line, in the new file unless it was removed; 0 for none. old: that of an
    unchanged line in the old file."""

    line: Line
    number: int = 0
    sign: str = " "
    old: int = 0


def _language(name: str) -> str:
    endings = {"py": "python", "js": "javascript", "ts": "typescript", "md": "markdown", "yml": "yaml", "rs": "rust"}
    ending = PurePath(name).suffix.lstrip(".").lower()
    return endings.get(ending, ending)


def _paths(lines: list[str]) -> tuple[str, str]:
    """The old and the new path of a diff's header."""
    old = next((line[4:].split("\t")[0].strip() for line in lines if line.startswith("--- ")), "")
    new = next((line[4:].split("\t")[0].strip() for line in lines if line.startswith("+++ ")), "")
    return old, new


def diff_rows(diff: str) -> list[Row]:
    """Rows of a unified diff, one or more files. Text that is no diff comes out as plain rows."""
    rows: list[Row] = []
    removed: list[Row] = []
    added: list[Row] = []
    lines = revealed(diff).splitlines()
    highlighter = Highlighter(_language(_paths(lines)[1]))
    old = new = 0
    inside = False

    def settle() -> None:
        _compare(removed, added)
        rows.extend((*removed, *added))
        removed.clear()
        added.clear()

    for text in lines:
        hunk = _HUNK.match(text)
        if hunk is not None:
            settle()
            inside, old, new = True, int(hunk[1]), int(hunk[2])
            rows.append(Row(_styled(f"… {hunk[3]}".rstrip(), "faint")))
        elif text.startswith(("--- ", "+++ ")) and not (inside and (removed or added)):
            settle()
            inside = False
            if text.startswith("+++ "):
                name = text[4:].split("\t")[0].strip()
                highlighter = Highlighter(_language(name))
                rows.append(Row(_styled(name.removeprefix("b/"), "accent")))
        elif inside and text.startswith("-"):
            if added:
                settle()
            removed.append(_row(highlighter, text[1:], old, "-", "removed"))
            old += 1
        elif inside and text.startswith("+"):
            added.append(_row(highlighter, text[1:], new, "+", "added"))
            new += 1
        elif inside and (text.startswith(" ") or not text):
            settle()
            rows.append(_row(highlighter, text[1:], new, " ", ""))
            rows[-1].old = old
            old, new = old + 1, new + 1
        else:
            settle()
            rows.append(Row(_styled(text, "muted")))
    settle()
    return rows


def _styled(text: str, style: str) -> Line:
    shown = printable(text)
    return Line(shown, ((len(shown), style),), chars=True)


def _row(highlighter: Highlighter, source: str, number: int, sign: str, ground: str) -> Row:
    shown = printable(source)
    return Row(Line(shown, highlighter.peek(shown), ground=ground, chars=True), number, sign)


def _compare(removed: list[Row], added: list[Row]) -> None:
    """Make the words stronger that differ between a removed line and the added line in its place."""
    if len(removed) != len(added):
        return
    for old, new in zip(removed, added, strict=True):
        if max(len(old.line.text), len(new.line.text)) > LONGEST_PAIR:
            continue
        before, after = _WORDS.findall(old.line.text), _WORDS.findall(new.line.text)
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        if matcher.ratio() < 0.4:
            continue
        gone, come = [], []
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind != "equal":
                gone.append((len("".join(before[:a])), len("".join(before[:b]))))
                come.append((len("".join(after[:c])), len("".join(after[:d]))))
        old.line.runs = tuple(_stronger(old.line.runs, len(old.line.text), gone))
        new.line.runs = tuple(_stronger(new.line.runs, len(new.line.text), come))


def _stronger(runs: tuple[Run, ...], length: int, places: list[tuple[int, int]]) -> Iterator[Run]:
    """The runs, with `strong underline` added within the places (start, end)."""
    covered = sum(count for count, _ in runs)
    start = 0
    for count, style in (*runs, (max(0, length - covered), "text")):
        end = start + count
        cuts = sorted({start, end, *(cut for place in places for cut in place if start < cut < end)})
        for one, other in pairwise(cuts):
            inside = any(begin <= one and other <= stop for begin, stop in places)
            yield other - one, f"{style} strong underline" if inside else style
        start = end
