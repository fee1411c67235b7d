"""Where a path that a model named really leads, and whether that is inside the workspace."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from oi_tui.tools.base import Context
from oi_tui.tools.checked import BadArgument

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


def locate(ctx: Context, path: str) -> str:
    """The absolute path behind `path`, every symbolic link resolved; what does not exist is kept as named.

    Raises BadArgument for an empty path, a NUL character or links that go round in a circle.
    """
    if not path.strip():
        raise BadArgument("path is empty")
    if "\0" in path:
        raise BadArgument("a path must not contain a NUL character")
    joined = os.path.join(ctx.cwd, os.path.expanduser(path))  # noqa: PTH118, PTH111 - Path would drop a trailing slash
    try:
        resolved = os.path.realpath(joined)
        # realpath stops silently at a circle of links; what it returns is then still a link
        if os.path.islink(resolved):  # noqa: PTH114
            raise BadArgument(f"{path} is a circle of symbolic links")
    except (ValueError, UnicodeError) as error:
        raise BadArgument(f"{path!r} is no path: {error}") from error
    return resolved


def inside(ctx: Context, resolved: str) -> bool:
    """True when a resolved path lies in the workspace or is its root."""
    root = os.path.realpath(ctx.cwd)
    return resolved == root or resolved.startswith(root.rstrip(os.sep) + os.sep)


def writable(ctx: Context, path: str) -> str:
    """Like `locate`, for a file to be changed. Raises BadArgument when it lies outside the workspace and a person has
    not allowed that, or when it is not a regular file."""
    resolved = locate(ctx, path)
    allowed = ctx.memory.get("outside_ok") or resolved == ctx.memory.get("plan_file")
    if not inside(ctx, resolved) and not allowed:
        lead = "" if resolved == os.path.join(ctx.cwd, path) else f" leads to {resolved}, which"  # noqa: PTH118
        raise BadArgument(
            f"{path}{lead} lies outside the workspace {ctx.cwd}; write inside it, "
            "or change that place by running code, which the person decides about",
            "outside",
        )
    kind = odd_kind(resolved)
    if kind:
        raise BadArgument(f"{path} is {kind}, not a file", "kind")
    if path.endswith("/"):
        raise BadArgument(f"{path} names a folder, not a file", "kind")
    if os.path.lexists(resolved) and not _may_write(resolved):
        raise BadArgument(f"{path} is write-protected; ask the person to change its permissions", "protected")
    return resolved


def _may_write(resolved: str) -> bool:
    # Replacing a file needs no right to the file itself: its owner's wish to protect it has to be asked for.
    return os.access(resolved, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def odd_kind(resolved: str) -> str:
    """What a path is if it is not a regular file: `a folder`, `a named pipe`; "" for a file and for nothing at all."""
    try:
        mode = Path(resolved).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if stat.S_ISREG(mode):
        return ""
    return next((name for test, name in _KINDS if test(mode)), "a special file")


def read_regular(resolved: str, limit: int = -1) -> bytes:
    """Bytes of a regular file, at most `limit` of them if it is not negative.

    The kind is checked on the opened descriptor, so that a file swapped for a pipe cannot make anyone wait. Raises
    BadArgument for anything else than a regular file, OSError as `open` does.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    kind = odd_kind(resolved)
    if kind:
        raise BadArgument(f"{resolved} is {kind}, not a file", "kind")
    descriptor = os.open(resolved, flags)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BadArgument(f"{resolved} is not a regular file", "kind")
        return file.read(limit)


def shown(ctx: Context, resolved: str) -> str:
    """A path for people and models: relative to the workspace if it lies there, odd characters escaped."""
    root = os.path.realpath(ctx.cwd)
    return escaped(os.path.relpath(resolved, root) if inside(ctx, resolved) else resolved)


def escaped(name: str) -> str:
    """A file name on one line: control characters and bytes that are no text as backslash escapes."""
    if name.isprintable():
        return name
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in name)
