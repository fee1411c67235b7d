"""Takes back changes of files that tools made: files return byte for byte, new ones go, deleted ones come back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oi_tui.tools.changes import Change, Group, apply, mode_of, note_state, remove_empty
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.places import read_regular
from oi_tui.tools.undo_stack import stack_of


class UndoRefused(ValueError):
    """Nothing was undone; the text says why and what to do. changed: the files that are no longer as they were left."""

    def __init__(self, text: str, changed: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.changed = tuple(changed)


@dataclass(frozen=True, slots=True)
class _Net:
    """What several changes did to one file in all."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None


def undo_last(memory: dict[str, Any], cwd: str) -> list[str]:
    """Undo the newest group of changes and return its paths, relative to `cwd` where they lie below it.

    All files of the group or none. [] when there is nothing to undo. Raises UndoRefused when a file is no longer as
    the change left it (the group stays on the stack) or cannot be written.
    """
    return _undo(memory, cwd, list(stack_of(memory))[-1:], force=False)


def undo_exchange(memory: dict[str, Any], cwd: str, exchange: int, *, force: bool = False) -> list[str]:
    """Undo all that was changed since the person's message of that number; the rest as `undo_last`.

    force: also files that were changed by others since.
    """
    groups = [one for one in stack_of(memory) if one.exchange >= exchange]
    return _undo(memory, cwd, groups, force=force)


def changed_since(memory: dict[str, Any], cwd: str, exchange: int) -> list[str]:
    """The files, relative to `cwd` where they lie below it, that were changed since that message of the person."""
    return [_short(one.path, cwd) for one in _net([one for one in stack_of(memory) if one.exchange >= exchange])]


def keep_exchange(memory: dict[str, Any], exchange: int) -> None:
    """Let the changes since that message be: they cannot be undone any more."""
    stack = stack_of(memory)
    stack.drop([one for one in stack if one.exchange >= exchange])


def _undo(memory: dict[str, Any], cwd: str, groups: Sequence[Group], *, force: bool) -> list[str]:
    files = _net(groups)
    now = {one.path: _content(one.path) for one in files}
    changed = [_short(one.path, cwd) for one in files if now[one.path] != one.after]
    if changed and not force:
        raise UndoRefused(
            f"{', '.join(changed)} has changed since; undo would lose that. "
            "put it back by hand, or ask for the change you want",
            changed,
        )
    wanted = [one for one in files if now[one.path] != one.before]
    try:
        apply([_backwards(one, now[one.path]) for one in wanted])
    except OSError as error:
        raise UndoRefused(f"cannot undo {_short(wanted[0].path, cwd)}: {error.strerror or error}") from error
    for group in reversed(groups):
        remove_empty(group.made)
    stack_of(memory).drop(groups)
    for one in files:
        note_state(memory, one.path)
    return [_short(one.path, cwd) for one in files]


def _net(groups: Sequence[Group]) -> list[_Net]:
    """What groups, oldest first, did to each file in all, in the order of the first change."""
    found: dict[str, _Net] = {}
    for group in groups:
        for one in group.changes:
            known = found.get(one.path)
            before, mode = (known.before, known.mode) if known else (one.before, one.mode)
            found[one.path] = _Net(one.path, before, one.after, one.mode if mode is None else mode)
    return list(found.values())


def _backwards(one: _Net, now: bytes | None) -> Change:
    mode = mode_of(one.path)
    return Change(one.path, now, one.before, one.mode if mode is None else mode)


def _content(path: str) -> bytes | None:
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except BadArgument as error:
        raise UndoRefused(f"{error}; undo leaves it alone") from error
    except OSError as error:
        raise UndoRefused(f"cannot read {path}: {error.strerror or error}") from error


def _short(path: str, cwd: str) -> str:
    root = os.path.realpath(cwd)
    return os.path.relpath(path, root) if path.startswith(root.rstrip(os.sep) + os.sep) else path
