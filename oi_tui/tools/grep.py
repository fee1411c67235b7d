"""Executor `grep`: what of files matches a regular expression: lines, the files alone, or numbers.

Ripgrep does it where it is installed, else a Python worker; both leave out binary files and what git ignores (in a
repository) or well-known heavy folders (elsewhere), and both run in a process of their own, so that no expression can
make the program wait. Where ripgrep does not know a piece of syntax (look-around), the Python worker takes over.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.safety.places import is_secret
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, failure
from oi_tui.tools.file_types import globs_of
from oi_tui.tools.globs import BadGlob, compile_glob
from oi_tui.tools.grep_engines import BadPattern, Job, Row, Stopped, rows
from oi_tui.tools.grep_words import COLUMNS, worded
from oi_tui.tools.places import locate, odd_kind, shown
from oi_tui.tools.text_files import printable

MODES = ("lines", "files", "counts")
MOST_ROWS = 20_000  # that are given back when there is no other limit
MOST_CONTEXT = 1000
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments, checked. root: resolved."""

    root: str
    job: Job
    mode: str
    wanted: tuple[Any, ...]
    exclude: tuple[Any, ...]
    limit: int
    offset: int
    within: str


def preview(
    ctx: Context,
    pattern: str,
    path: str = ".",
    glob: str = "",
    type: str = "",
    mode: str = "lines",
    ignore_case: bool = False,
    before: int = 0,
    after: int = 0,
    only_matching: bool = False,
    multiline: bool = False,
    literal: bool = False,
    limit: int = 200,
    offset: int = 0,
    ignored: bool = False,
    exclude: list[str] = [],  # noqa: B006 - read only
    columns: int = COLUMNS,
    timeout_s: float = SECONDS,
) -> Preview:
    """pattern: a regular expression, matched line by line unless `multiline` (`.` then matches line ends too). path: a
    folder or a file. glob: only files that fit (`*.py`, `src/**/*.ts`; several with spaces or commas between). type:
    only files of a kind (`py`). limit: most lines, or files, 0 for no limit; offset: how many are left out first.
    exclude: patterns of files that are left out. columns: of a line that are shown. The rest as README.md says."""
    asked = _check(ctx, pattern, path, glob, type, mode, ignore_case, before, after, only_matching, multiline, literal,
                   limit, offset, ignored, exclude, columns, timeout_s)  # fmt: skip
    case = " (any case)" if ignore_case else ""
    text = f"{pattern}\nin {asked.within}{case}"
    return Preview("tool", "", text, f"search for {pattern!r} in {asked.within}", reads=(asked.root,))


async def run(
    ctx: Context,
    pattern: str,
    path: str = ".",
    glob: str = "",
    type: str = "",
    mode: str = "lines",
    ignore_case: bool = False,
    before: int = 0,
    after: int = 0,
    only_matching: bool = False,
    multiline: bool = False,
    literal: bool = False,
    limit: int = 200,
    offset: int = 0,
    ignored: bool = False,
    exclude: list[str] = [],  # noqa: B006 - read only
    columns: int = COLUMNS,
    timeout_s: float = SECONDS,
) -> Result:
    """Search. Paths in the result count from the workspace. meta as README.md says."""
    asked = _check(ctx, pattern, path, glob, type, mode, ignore_case, before, after, only_matching, multiline, literal,
                   limit, offset, ignored, exclude, columns, timeout_s)  # fmt: skip
    found = _Found(asked)
    notes: list[str] = []
    try:
        async with asyncio.timeout(timeout_s):
            async with aclosing(rows(asked.root, asked.job)) as coming:
                async for row in coming:
                    if not found.take(row):
                        break
    except TimeoutError:
        notes.append(f"stopped after {timeout_s:g} s; search a smaller folder or with a simpler pattern")
    except BadPattern as problem:
        return failure(f"the pattern cannot be read: {problem}", "argument")
    except Stopped as problem:
        notes.append(f"the search broke off: {problem}")
    if found.kept_back:
        notes.append(f"{len(found.kept_back)} files that may hold secrets are not shown; read asks for them")
    if found.more:
        what = "matching lines" if mode == "lines" else "files"
        behind = f" after the first {offset}" if offset else ""
        notes.append(f"only the first {asked.limit} {what}{behind} are shown")
    names = {one: _name(ctx, asked.root, one) for one in found.names()}
    return worded(mode, found.rows, found.counts, names, notes, more=found.more, offset=offset, columns=columns)


def _name(ctx: Context, root: str, path: str) -> str:
    return shown(ctx, str(Path(root) / path) if path else root)


def _check(
    ctx: Context, pattern: str, path: str, glob: str, type: str, mode: str, ignore_case: bool, before: int, after: int,
    only_matching: bool, multiline: bool, literal: bool, limit: int, offset: int, ignored: bool, exclude: list[str],
    columns: int, timeout_s: float,
) -> _Asked:  # fmt: skip
    _check_pattern(pattern, multiline)
    if columns < 1 or not 0 < timeout_s <= 600:
        raise BadArgument("columns must be 1 or more, timeout_s between 0 and 600")
    if mode not in MODES:
        raise BadArgument(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if not 0 <= limit <= MOST_ROWS or offset < 0:
        raise BadArgument(f"limit must be between 0 and {MOST_ROWS:,}, not {limit}; offset 0 or more")
    if not (0 <= before <= MOST_CONTEXT and 0 <= after <= MOST_CONTEXT):
        raise BadArgument(f"before and after must be between 0 and {MOST_CONTEXT}")
    globs = [one for one in _several(glob) if one]
    kinds = globs_of(type) if type else ()
    if type and not kinds:
        raise BadArgument(f"{type!r} is no type of files that is known; use glob, such as *.{type}")
    resolved = locate(ctx, path)
    if not Path(resolved).exists():
        raise BadArgument(f"{path} does not exist", "missing")
    if odd_kind(resolved) not in ("", "a folder"):
        raise BadArgument(f"{path} is {odd_kind(resolved)}; it is not searched", "kind")
    try:
        wanted = tuple(tuple(map(compile_glob, group)) for group in (globs, kinds) if group)
        unwanted = tuple(map(compile_glob, exclude))
    except BadGlob as error:
        raise BadArgument(str(error)) from error
    lines = mode == "lines"
    job = Job(pattern, ignore_case, before if lines else 0, after if lines else 0, only_matching and lines, multiline,
              literal, ignored, first_only=mode == "files", names=kinds)  # fmt: skip
    within = f"{shown(ctx, resolved)}/**/{glob}" if glob else shown(ctx, resolved)
    return _Asked(resolved, job, mode, wanted, unwanted, limit or MOST_ROWS, offset, within)


def _several(glob: str) -> list[str]:
    """Patterns with spaces or commas between them; a comma in braces is part of a pattern."""
    parts, depth = [""], 0
    for one in glob:
        depth += (one == "{") - (one == "}")
        if one in ", \t" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += one
    return parts


def _check_pattern(pattern: str, multiline: bool) -> None:
    if not pattern:
        raise BadArgument("pattern is empty")
    if "\0" in pattern or ("\n" in pattern and not multiline):
        raise BadArgument("a pattern is matched line by line and must not contain a line end or a NUL character")
    if printable(pattern) != pattern:
        raise BadArgument("the pattern is not valid text")


@dataclass(slots=True)
class _Found:
    """Takes rows as they come, until there are enough."""

    asked: _Asked
    rows: list[Row] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    kept_back: set[str] = field(default_factory=set)
    more: bool = False
    _known: dict[str, bool] = field(default_factory=dict)
    _matched: int = 0
    _skipped: set[str] = field(default_factory=set)

    def names(self) -> set[str]:
        return {row.path for row in self.rows} | set(self.counts)

    def take(self, row: Row) -> bool:
        """Keep a row if it is wanted. False when there are enough."""
        if not self._shown(row.path):
            return True
        if self.asked.mode == "lines":
            return self._line(row)
        if row.path in self._skipped:
            return True
        if row.path not in self.counts:
            if len(self._skipped) < self.asked.offset:
                self._skipped.add(row.path)
                return True
            if len(self.counts) >= self.asked.limit:
                self.more = True
                return False
        self.counts[row.path] = self.counts.get(row.path, 0) + 1
        return True

    def _line(self, row: Row) -> bool:
        """Context belongs to the match that it surrounds: the limit counts matches."""
        if row.match:
            self._matched += 1
            if self._matched > self.asked.offset + self.asked.limit:
                self.more = True
                while self.rows and not self.rows[-1].match and self.rows[-1].lead:  # leads to what is left out
                    self.rows.pop()
                return False
            self.counts[row.path] = self.counts.get(row.path, 0) + (self._matched > self.asked.offset)
        if self._matched > self.asked.offset or (not row.match and row.lead and self._matched == self.asked.offset):
            self.rows.append(row)
        return True

    def _shown(self, path: str) -> bool:
        if path not in self._known:
            self._known[path] = self._wanted(path)
        return self._known[path]

    def _wanted(self, path: str) -> bool:
        asked, name = self.asked, path.replace("\\", "/")
        if path and not all(any(one.fullmatch(name) for one in group) for group in asked.wanted):
            return False
        if path and any(one.fullmatch(name) for one in asked.exclude):
            return False
        # Only the folder was agreed to, and not the secrets that it hides.
        if not is_secret(asked.root) and is_secret(str(Path(asked.root) / path)):
            self.kept_back.add(path)
            return False
        return True
