"""Finds where the chunks of a patch belong in a file, and puts them there. Pure: text in, text out.

Places are sought from the end of the previous chunk on, ever more leniently: exact, then without trailing space, then
without space at both ends, then with typographic dashes, quotes and spaces taken as plain ones. What the file says
in lines of context stays as the file has it; only removed lines go and only added lines come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from oi_tui.tools.patch_grammar import Chunk, PatchError
from oi_tui.tools.text_files import printable

_PLAIN = str.maketrans(
    dict.fromkeys("‐‑‒–—―−", "-")
    | dict.fromkeys("‘’‚‛", "'")
    | dict.fromkeys("“”„‟", '"')
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)

# How lines are compared, strictest first. The position in this tuple is the "fuzz" that a place needed.
LEVELS: tuple[Callable[[str], str], ...] = (
    lambda line: line.removesuffix("\r"),
    str.rstrip,
    str.strip,
    lambda line: line.translate(_PLAIN).strip(),
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The new text, and the highest fuzz (0 to 3) that a chunk needed."""

    text: str
    fuzz: int


class _Lines:
    """The lines of a file, with their forms for each level made when they are first needed."""

    def __init__(self, text: str) -> None:
        self.ended = text.endswith("\n") or not text
        self.lines = (text[:-1] if text.endswith("\n") else text).split("\n") if text else []
        self._forms: dict[int, list[str]] = {}

    def form(self, level: int) -> list[str]:
        if level not in self._forms:
            self._forms[level] = [LEVELS[level](line) for line in self.lines]
        return self._forms[level]

    def find(self, wanted: list[str], start: int, at_end: bool = False, near: int = 0) -> tuple[int, int] | None:
        """(index, level) of the first place at or after `start`, the tail first if `at_end`; of the one nearest to line
        `near` if that is given."""
        tail = len(self.lines) - len(wanted)
        for level, compared in enumerate(LEVELS):
            have, need = self.form(level), [compared(line) for line in wanted]
            if at_end and tail >= start and have[tail:] == need:
                return tail, level
            places = (
                index
                for index in range(start, tail + 1)
                if have[index] == need[0] and have[index : index + len(need)] == need
            )
            index = min(places, key=lambda one: abs(one - near + 1), default=None) if near else next(places, None)
            if index is not None:
                return index, level
        return None


def fit(text: str, chunks: tuple[Chunk, ...], name: str, fuzz_lines: int = 0) -> Fitted:
    """Apply `chunks` to the text of file `name`. fuzz_lines: outer lines of context that a numbered chunk may lose to
    fit. Raises PatchError that quotes what was not found."""
    source = _Lines(text)
    result: list[str] = []
    cursor = fuzz = 0
    touched_end = False
    moved = 0  # how far the file is from where the numbers of the patch say
    for chunk in chunks:
        start, level, lines = _place_fuzzily(source, chunk, cursor, name, moved, fuzz_lines)
        moved = start + 1 - chunk.near if chunk.near else 0
        result.extend(source.lines[cursor:start])
        cursor = _replace(source, start, lines, result)
        fuzz = max(fuzz, level)
        touched_end = touched_end or cursor == len(source.lines)
    result.extend(source.lines[cursor:])
    ending = "\n" if result and (source.ended or touched_end) else ""
    return Fitted("\n".join(result) + ending, fuzz)


def _place_fuzzily(
    source: _Lines, chunk: Chunk, cursor: int, name: str, moved: int, fuzz_lines: int
) -> tuple[int, int, tuple[tuple[str, str], ...]]:
    """As `_place`; a chunk that says its line may lose lines of context at its ends, as `patch` does it."""
    if not chunk.near:
        return _place(source, chunk, cursor, name)
    numbered = replace(chunk, near=max(1, chunk.near + moved))
    try:
        return _place(source, numbered, cursor, name)
    except PatchError:
        for drop in range(1, fuzz_lines + 1):
            lines, lead = _without_ends(chunk.lines, drop)
            if any(mark != "+" for mark, _ in lines) and lines != chunk.lines:
                try:
                    fewer = replace(numbered, lines=lines, near=numbered.near + lead, end_of_file=False)
                    return _place(source, fewer, cursor, name)
                except PatchError:
                    continue
        raise


def _without_ends(lines: tuple[tuple[str, str], ...], drop: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """`lines` with at most `drop` lines of context less at each end, and how many went at the beginning."""
    first = 0
    while first < min(drop, len(lines)) and lines[first][0] == " ":
        first += 1
    last = len(lines)
    while last > max(first, len(lines) - drop) and lines[last - 1][0] == " ":
        last -= 1
    return lines[first:last], first


def _place(source: _Lines, chunk: Chunk, cursor: int, name: str) -> tuple[int, int, tuple[tuple[str, str], ...]]:
    """Where a chunk goes (line index), how leniently, and its lines (fewer if empty ones at its end had to go)."""
    start, fuzz = cursor, 0
    context_line = -1
    for context in chunk.contexts:
        found = source.find([context], start)
        if found is None:
            raise PatchError(f"failed to find context {context!r} in {name}{_earlier(source, [context], start)}")
        context_line, level = found
        start, fuzz = context_line + 1, max(fuzz, level)
    lines = chunk.lines
    old = [text for mark, text in lines if mark != "+"]
    if not old:
        at = start if context_line >= 0 and not chunk.end_of_file else len(source.lines)
        if chunk.near:  # a hunk that only adds names the line before
            at = min(max(cursor, chunk.near if source.lines else 0), len(source.lines))
        return at, fuzz, lines
    while True:
        found = source.find(old, start, chunk.end_of_file and not chunk.near, chunk.near)
        if found is None and context_line >= cursor:
            found = source.find(old, context_line, chunk.end_of_file)  # the chunk repeats its own @@ line
        if found is not None:
            return found[0], max(fuzz, found[1]), lines
        # An empty last line is often only the gap before the next header, not a line of the file.
        if lines[-1] != (" ", "") or len(old) == 1:
            break
        lines, old = lines[:-1], old[:-1]
    raise PatchError(_not_found(source, chunk, start, name))


def _replace(source: _Lines, start: int, lines: tuple[tuple[str, str], ...], result: list[str]) -> int:
    """Write a chunk placed at `start` to `result`; gives the index of the first line after it."""
    index = start
    neighbour = source.lines[start] if start < len(source.lines) else (source.lines[-1] if source.lines else "")
    ending = "\r" if neighbour.endswith("\r") else ""  # a file with mixed line ends: follow the neighbour
    for mark, text in lines:
        if mark == "+":
            result.append(text + ending if ending and not text.endswith("\r") else text)
            continue
        if mark == " ":
            result.append(source.lines[index])
        index += 1
    return index


def _not_found(source: _Lines, chunk: Chunk, start: int, name: str) -> str:
    old = [text for mark, text in chunk.lines if mark != "+"]
    quoted = "\n".join(old)
    return f"failed to find expected lines in {name}:\n{quoted}{_earlier(source, old, start) or _nearest(source, old)}"


def _earlier(source: _Lines, wanted: list[str], start: int) -> str:
    """A hint for chunks that are out of order."""
    found = source.find(wanted, 0) if start else None
    if found is None:
        return ""
    return f"\n(they are at line {found[0] + 1}, before the previous chunk: put chunks in the order of the file)"


def _nearest(source: _Lines, wanted: list[str]) -> str:
    """A hint: where most of the first lines agree, and the first line there that does not."""
    have, need = source.form(3), [LEVELS[3](line) for line in wanted]
    best, best_at = 0, 0
    for index, line in enumerate(have):
        if line != need[0] or not line:
            continue
        agree = 0
        while agree < len(need) and index + agree < len(have) and have[index + agree] == need[agree]:
            agree += 1
        if agree > best:
            best, best_at = agree, index
    if not best:
        return ""
    if best_at + best >= len(have):
        return f"\n(the file ends after line {len(have)})"
    is_there = printable(source.lines[best_at + best])[:200]
    return f"\n(line {best_at + best + 1} of the file is {is_there!r}, not {wanted[best][:200]!r})"
