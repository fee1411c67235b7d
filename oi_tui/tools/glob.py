"""Executor `glob`: files whose path fits a pattern, newest first, without what git ignores."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.globs import BadGlob, compile_glob
from oi_tui.tools.ignored import HEAVY, files, in_repository
from oi_tui.tools.places import locate, odd_kind, shown

ORDERS = ("newest", "name", "recent")
MOST = 10_000  # paths given back
MOST_LOOKED_AT = 500_000  # entries of the disk
RECENT = 24 * 3600.0  # seconds


def preview(
    ctx: Context,
    pattern: str,
    path: str = ".",
    limit: int = 100,
    order: str = "newest",
    ignored: bool = False,
    folders: bool = False,
) -> Preview:
    """pattern: such as `*.py`, `src/**/*.{js,ts}`; without a slash at any depth. path: the folder searched. limit: most
    paths. order: one of ORDERS. ignored: also what git ignores. folders: also folders."""
    resolved = _check(ctx, pattern, path, limit, order)
    name = shown(ctx, resolved)
    return Preview("tool", "", f"{pattern}\nin {name}", f"find {pattern} in {name}", reads=(resolved,))


async def run(
    ctx: Context,
    pattern: str,
    path: str = ".",
    limit: int = 100,
    order: str = "newest",
    ignored: bool = False,
    folders: bool = False,
) -> Result:
    """Find them. text: a path a line, relative to the workspace. meta: paths, total (as far as counted), more, path."""
    resolved = _check(ctx, pattern, path, limit, order)
    found, whole = await asyncio.to_thread(_find, resolved, _anchored(pattern, resolved), order, ignored, folders)
    paths = [shown(ctx, str(Path(resolved) / one)) + "/" * one.endswith("/") for one in found[:limit]]
    more = len(found) > limit
    notes = [f"only the first {limit} of {len(found):,} are shown"] if more else []
    if not whole:
        notes.append(f"only the first {MOST_LOOKED_AT:,} entries were looked at; search a smaller folder")
    if not paths:
        notes.append("no match")
    summary = f"{len(found):,} file{'s' * (len(found) != 1)}"
    meta = {"paths": paths, "total": len(found), "more": more or not whole, "path": shown(ctx, resolved)}
    return Result(ok=True, text="\n".join(paths), note="; ".join(notes) or None, meta={**meta, "summary": summary})


def _check(ctx: Context, pattern: str, path: str, limit: int, order: str) -> str:
    if not pattern.strip() or "\0" in pattern:
        raise BadArgument("the pattern is empty" if not pattern.strip() else "a pattern has no NUL character")
    if not 1 <= limit <= MOST:
        raise BadArgument(f"limit must be between 1 and {MOST:,}, not {limit}")
    if order not in ORDERS:
        raise BadArgument(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    resolved = locate(ctx, path)
    if odd_kind(resolved) != "a folder":
        if not Path(resolved).exists():
            raise BadArgument(f"{path} does not exist", "missing")
        raise BadArgument(f"{path} is {odd_kind(resolved) or 'a file'}, not a folder", "kind")
    try:
        compile_glob(_anchored(pattern, resolved))
    except BadGlob as error:
        raise BadArgument(str(error)) from error
    return resolved


def _anchored(pattern: str, root: str) -> str:
    """A pattern with an absolute path, relative to the folder searched."""
    if not pattern.startswith("/"):
        return pattern
    if not pattern.startswith(root.rstrip("/") + "/"):
        raise BadArgument(f"{pattern} does not lie below {root}; give its folder as path", "outside")
    return "./" + pattern[len(root.rstrip("/")) + 1 :]


def _find(root: str, pattern: str, order: str, ignored: bool, folders: bool) -> tuple[list[str], bool]:
    """Paths relative to `root` in order, and whether everything was looked at."""
    wanted = compile_glob(pattern)
    names: Iterable[str] = _everything(root) if ignored else files(root, in_repository(root))
    if folders:
        names = _with_folders(names)
    names = iter(names)
    fitting = [
        name for name in islice(names, MOST_LOOKED_AT) if wanted.fullmatch(name.replace(os.sep, "/").rstrip("/"))
    ]
    whole = next(names, None) is None
    timed: list[tuple[float, str]] = []
    for name in fitting:
        try:
            status = os.stat(os.path.join(root, name), follow_symlinks=False)  # noqa: PTH116, PTH118
        except OSError:  # in git's index, but no longer on the disk
            continue
        if stat.S_ISDIR(status.st_mode) == (name.endswith("/") and folders) or stat.S_ISLNK(status.st_mode):
            timed.append((status.st_mtime, name))
    if order == "name":
        return sorted(name for _, name in timed), whole
    since = time.time() - RECENT if order == "recent" else float("-inf")
    fresh = sorted((one for one in timed if one[0] >= since), key=lambda one: (-one[0], one[1]))
    return [name for _, name in fresh] + sorted(name for mtime, name in timed if mtime < since), whole


def _everything(root: str) -> Iterator[str]:
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(one for one in inner if one != ".git")
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118


def _with_folders(names: Iterable[str]) -> Iterator[str]:
    """Each folder (ending in `/`) before the first file in it; empty ones are not known."""
    seen: set[str] = set()
    for name in names:
        for parent in reversed(Path(name).parents[:-1]):
            folder = f"{parent}/"
            if folder not in seen and parent.name not in HEAVY:
                seen.add(folder)
                yield folder
        yield name
