"""The changes of a session that can be taken back: in memory, and on disk so that a resumed session knows them.

On disk there is one file a group, readable by the owner alone, in a folder of the session's own. It is written beside
its name first: a reader never sees half of it. What the disk refuses is not kept; the session goes on without.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.tools.changes import Change, Group

KEPT_GROUPS = 100
KEPT_BYTES = 64 * 1024 * 1024  # of files before and after, in memory
KEPT_ON_DISK = 16 * 1024 * 1024  # bytes of all groups of one session, packed


class UndoStack:
    """Groups of changes, oldest first. folder: where they are kept on disk, None for nowhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._groups: list[tuple[str, Group]] = list(_read(folder)) if folder is not None else []
        self._next = max((int(name) for name, _ in self._groups), default=0) + 1

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[Group]:
        return iter([group for _, group in self._groups])

    def __reversed__(self) -> Iterator[Group]:
        return iter([group for _, group in reversed(self._groups)])

    def push(self, group: Group) -> None:
        """Add a group; the oldest go when there are too many or they are too large."""
        name = f"{self._next:06}"
        self._next += 1
        self._groups.append((name, group))
        weights = [_weight(one) for one in self]
        while len(self._groups) > 1 and (len(self._groups) > KEPT_GROUPS or sum(weights) > KEPT_BYTES):
            self._forget(self._groups.pop(0)[0])
            del weights[0]
        self._write(name, group)

    def drop(self, groups: Sequence[Group]) -> None:
        """Take these out, the very objects."""
        gone = {id(one) for one in groups}
        for name, group in self._groups:
            if id(group) in gone:
                self._forget(name)
        self._groups = [one for one in self._groups if id(one[1]) not in gone]

    def _forget(self, name: str) -> None:
        if self._folder is not None:
            with contextlib.suppress(OSError):
                (self._folder / f"{name}.json").unlink(missing_ok=True)

    def _write(self, name: str, group: Group) -> None:
        if self._folder is None:
            return
        data = _packed(group)
        with contextlib.suppress(OSError):
            # What does not fit goes with all that is older: to take back only the newer part would mix two states.
            room = KEPT_ON_DISK - len(data)
            for file in sorted(self._folder.glob("*.json"), reverse=True):
                room -= file.stat().st_size
                if room < 0:
                    file.unlink()
            if len(data) > KEPT_ON_DISK:
                return
            target = paths.private_dir(self._folder) / f"{name}.json"
            fresh = target.with_suffix(".tmp")
            try:
                with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                    file.write(data)
                fresh.replace(target)
            except OSError:
                fresh.unlink(missing_ok=True)
                raise


def stack_of(memory: dict[str, Any]) -> UndoStack:
    """The stack of a session, made with what lies on disk when it is asked for first. memory: see tools.Context."""
    stack = memory.get("undo")
    if stack is None:
        folder = memory.get("undo_folder")
        stack = memory["undo"] = UndoStack(Path(folder) if folder else None)
    return stack


def _weight(group: Group) -> int:
    return sum(len(one.before or b"") + len(one.after or b"") for one in group.changes)


def _packed(group: Group) -> bytes:
    changes = [
        {"path": one.path, "mode": one.mode, "before": _pack(one.before), "after": _pack(one.after)}
        for one in group.changes
    ]
    facts = {"exchange": group.exchange, "undid": group.undid, "made": group.made, "changes": changes}
    return json.dumps(facts).encode()


def _pack(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(zlib.compress(content)).decode()


def _unpack(text: str | None) -> bytes | None:
    return None if text is None else zlib.decompress(base64.b64decode(text))


def _read(folder: Path) -> Iterator[tuple[str, Group]]:
    """What lies on disk, oldest first; what cannot be read is as if it were not there, and so is all before it."""
    found: list[tuple[str, Group]] = []
    for file in sorted(folder.glob("*.json")):
        try:
            facts = json.loads(file.read_bytes())
            changes = [
                Change(str(one["path"]), _unpack(one["before"]), _unpack(one["after"]), one["mode"])
                for one in facts["changes"]
            ]
            made = tuple(str(one) for one in facts["made"])
            group = Group(tuple(changes), made, facts["undid"] is True, int(facts["exchange"]))
            found.append((str(int(file.stem)).zfill(6), group))
        except (OSError, ValueError, KeyError, TypeError, zlib.error, binascii.Error):
            found.clear()
    yield from found
