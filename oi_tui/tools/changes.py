"""Changes to files, made all together or not at all. `undo_stack` remembers them so that they can be taken back.

Every new content is first written to a temporary file beside its target; only when all of them lie safely on the disk
is anything replaced, and if replacing fails half-way what was done is undone. A reader never sees half a file.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after, as bytes; None stands for "does not exist". path: absolute, links resolved. mode:
    permission bits that the file had, or is to get (None: what a new file gets)."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Changes of one call, and the folders that had to be made for them, outermost first. undid: they took back the
    newest change of their files. exchange: number of the person's message that led to them."""

    changes: tuple[Change, ...]
    made: tuple[str, ...] = ()
    undid: bool = False
    exchange: int = 0


@dataclass(slots=True)
class _Staged:
    """What has been done so far, for taking it back."""

    temporary: dict[str, str] = field(default_factory=dict)
    replaced: list[Change] = field(default_factory=list)
    made: list[str] = field(default_factory=list)


def mode_of(path: str) -> int | None:
    """Permission bits of a file, None if there is none."""
    try:
        return stat.S_IMODE(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None


def apply(changes: Sequence[Change]) -> Group:
    """Make all the changes. Raises OSError when one of them cannot be made; then every file is as it was."""
    staged = _Staged()
    try:
        for change in changes:
            if change.after is not None:
                _make_parents(change.path, staged)
                staged.temporary[change.path] = _write_beside(change.path, change.after, change.mode)
        for change in changes:
            if change.after is None:
                Path(change.path).unlink()
            else:
                Path(staged.temporary[change.path]).replace(change.path)
                del staged.temporary[change.path]
            staged.replaced.append(change)
    except BaseException:
        _take_back(staged)
        raise
    return Group(tuple(changes), tuple(staged.made))


def note_state(memory: dict[str, Any], path: str) -> None:
    """Record that the session knows the file as it is now."""
    with contextlib.suppress(OSError):
        status = Path(path).stat()
        memory.setdefault("read", {})[path] = (status.st_mtime_ns, status.st_size)


def _make_parents(path: str, staged: _Staged) -> None:
    missing: list[Path] = []
    folder = Path(path).parent
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir()
        staged.made.append(str(one))


def _write_beside(path: str, data: bytes, mode: int | None) -> str:
    """Write `data` to a temporary file in the folder of `path` and return its name."""
    name = str(Path(path).parent / f".oi-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A new file gets what the umask leaves of 666; the copy of an old one is nobody else's until it has its mode.
    descriptor = os.open(name, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _dress(path, name, mode)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return name


def _dress(path: str, temporary: str, mode: int | None) -> None:
    """Give the temporary file the owner, permission bits and attributes that the target has or is to get."""
    with contextlib.suppress(OSError, AttributeError):
        old = Path(path).stat()
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(temporary, old.st_uid, old.st_gid)
    if mode is not None:
        Path(temporary).chmod(mode)
    with contextlib.suppress(OSError, AttributeError):  # access lists and other attributes, where the system has them
        for name in os.listxattr(path):
            os.setxattr(temporary, name, os.getxattr(path, name))


def _take_back(staged: _Staged) -> None:
    """Undo a half-made group, as far as the disk lets us: the first error is the one that is told."""
    for name in staged.temporary.values():
        with contextlib.suppress(OSError):
            Path(name).unlink(missing_ok=True)
    for change in reversed(staged.replaced):
        with contextlib.suppress(OSError):
            if change.before is None:
                Path(change.path).unlink(missing_ok=True)
            else:
                Path(_write_beside(change.path, change.before, change.mode)).replace(change.path)
    remove_empty(staged.made)


def remove_empty(folders: Sequence[str]) -> None:
    """Remove folders that are empty, innermost first; others stay."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()
