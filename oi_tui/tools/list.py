"""Executor `list`: what lies in a folder, some levels deep, without what git ignores.

One path a line, relative to the folder asked about: folders end in `/`, symbolic links show their target and are never
followed. Nothing is opened.
"""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, reason
from oi_tui.tools.globs import BadGlob, compile_glob
from oi_tui.tools.ignored import HEAVY, ignored, in_repository
from oi_tui.tools.places import escaped, locate, odd_kind, shown

MOST_ENTRIES = 1000
MOST_SCANNED = 20_000  # entries of one folder that are looked at
DEEPEST = 20


def preview(
    ctx: Context,
    path: str = ".",
    depth: int = 2,
    ignore: list[str] = [],  # noqa: B006 - read only
    ignored: bool = False,
    hidden: bool = True,
) -> Preview:
    """path: a folder. depth: 1 for its own entries only, at most DEEPEST. ignore: patterns that are left out. ignored:
    also what git ignores, and into heavy folders. hidden: also names that begin with a dot."""
    resolved, _ = _check(ctx, path, depth, ignore)
    name = shown(ctx, resolved)
    return Preview("tool", "", f"{name} (depth {depth})", f"list {name}", reads=(resolved,))


async def run(
    ctx: Context,
    path: str = ".",
    depth: int = 2,
    ignore: list[str] = [],  # noqa: B006 - read only
    ignored: bool = False,
    hidden: bool = True,
) -> Result:
    """List it. meta: path, entries, left_out (how many were not shown, at least), items: path, kind, size."""
    resolved, unwanted = _check(ctx, path, depth, ignore)
    listing = await asyncio.to_thread(_Listing(resolved, unwanted, ignored, hidden).take, depth)
    entries = sorted(listing.entries, key=lambda entry: entry.key)
    left_out = listing.left_out + max(0, len(entries) - MOST_ENTRIES)
    entries = entries[:MOST_ENTRIES]
    notes = [f"{left_out:,} more entries are not shown; list a folder inside"] if left_out else []
    notes += listing.problems[:3]
    return Result(
        ok=True,
        text="\n".join(entry.line for entry in entries),
        note="; ".join(notes) or (None if entries else "the folder is empty"),
        meta={
            "path": shown(ctx, resolved),
            "entries": len(entries),
            "left_out": left_out,
            "items": [{"path": escaped("/".join(one.key)), "kind": one.kind, "size": one.size} for one in entries],
            "summary": "1 entry" if len(entries) == 1 else f"{len(entries):,} entries",
        },
    )


def _check(ctx: Context, path: str, depth: int, ignore: list[str]) -> tuple[str, tuple[re.Pattern[str], ...]]:
    resolved = locate(ctx, path)
    if not 1 <= depth <= DEEPEST:
        raise BadArgument(f"depth must be between 1 and {DEEPEST}, not {depth}")
    if not Path(resolved).exists():
        raise BadArgument(f"{path} does not exist", "missing")
    kind = odd_kind(resolved) or "a file"
    if kind != "a folder":
        raise BadArgument(f"{path} is {kind}, not a folder", "kind")
    try:
        return resolved, tuple(map(compile_glob, ignore))
    except BadGlob as error:
        raise BadArgument(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Entry:
    key: tuple[str, ...]
    line: str
    kind: str
    size: int | None


@dataclass(frozen=True, slots=True)
class _Seen:
    relative: str
    line: str
    kind: str  # file, folder or link
    size: int | None = None


@dataclass(slots=True)
class _Listing:
    """Walks a folder level by level, so that what lies near is shown even when there is too much."""

    root: str
    unwanted: tuple[re.Pattern[str], ...]
    everything: bool
    hidden: bool
    entries: list[_Entry] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: int = 0

    def take(self, depth: int) -> _Listing:
        repository = not self.everything and in_repository(self.root)
        level = [""]
        for _ in range(depth):
            found = [one for folder in level for one in self._scan(folder)]
            hidden = ignored(self.root, [one.relative for one in found]) if repository else frozenset[str]()
            level = []
            for one in found:
                if one.relative in hidden or self._left_aside(one.relative):
                    continue
                if len(self.entries) >= MOST_ENTRIES:
                    self.left_out += 1
                    continue
                mark = self._closed(one.relative, repository) if one.kind == "folder" else ""
                self.entries.append(_Entry(Path(one.relative).parts, one.line + mark, one.kind, one.size))
                if one.kind == "folder" and not mark:
                    level.append(one.relative)
            if not level or self.left_out:
                break
        return self

    def _left_aside(self, relative: str) -> bool:
        name = relative.replace(os.sep, "/")
        if not self.hidden and Path(relative).name.startswith("."):
            return True
        return any(one.fullmatch(name) or one.fullmatch(name + "/") for one in self.unwanted)

    def _closed(self, folder: str, repository: bool) -> str:
        """Why a folder is not looked into, as it is shown behind its name; "" if it is."""
        if self.everything:
            return ""
        if not repository:
            return " (not looked into)" if os.path.basename(folder) in HEAVY else ""  # noqa: PTH119
        # Git answers no question about files of a repository inside the repository.
        nested = os.path.lexists(os.path.join(self.root, folder, ".git"))  # noqa: PTH118
        return " (a repository of its own)" if nested else ""

    def _scan(self, folder: str) -> list[_Seen]:
        """Entries of one folder, sorted by name."""
        try:
            with os.scandir(os.path.join(self.root, folder)) as scan:  # noqa: PTH118
                entries = sorted(islice(scan, MOST_SCANNED), key=lambda entry: entry.name)
                self.left_out += sum(1 for _ in scan)
        except OSError as error:
            if not folder:
                raise
            self.problems.append(f"cannot look into {escaped(folder)}: {reason(error)}")
            return []
        return [self._described(folder, entry) for entry in entries if entry.name != ".git"]

    def _described(self, folder: str, entry: os.DirEntry[str]) -> _Seen:
        relative = os.path.join(folder, entry.name)  # noqa: PTH118
        name = escaped(relative)
        if entry.is_symlink():
            try:
                return _Seen(relative, f"{name} -> {escaped(os.readlink(entry.path))}", "link")  # noqa: PTH115
            except OSError:
                return _Seen(relative, f"{name} -> ?", "link")
        if entry.is_dir(follow_symlinks=False):
            return _Seen(relative, f"{name}/", "folder")
        try:
            return _Seen(relative, name, "file", entry.stat(follow_symlinks=False).st_size)
        except OSError:
            return _Seen(relative, name, "file")
