"""Sessions on disk: one append-only JSONL file each, written as things happen.

A line is one JSON object with `type` and `time`. Types: `session` (the first line: id, cwd, model, harness), `message`
(one LMC message), `cut` (only the first `keep` messages count from here on), `replace` (message `index` is
another one now), `compaction` (what is sent to the model from here on, see `view.Compaction`; the messages stay),
`usage` (tokens and cost so far), `title`, `mode` (`planning`: plan mode is on or off from here on). A kill at any byte
costs at most the line being written: a torn line is skipped on load, and the next write begins on a line of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.filelock import try_lock
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.secrets import kept
from oi_tui.session.cards import cards, files
from oi_tui.session.view import Compaction

_PREVIEW = 80  # characters of the first message that a list shows


class SessionNotFound(LookupError):
    """No saved session fits; the text says what was looked for."""


class SessionInUse(RuntimeError):
    """Another process writes to this session."""


@dataclass(slots=True)
class Saved:
    """A session as it lies on disk."""

    id: str
    path: Path
    cwd: str = ""
    model: str = ""
    harness: str = ""
    started: str = ""
    title: str = ""
    forked_from: str = ""
    messages: list[Message] = field(default_factory=lambda: list[Message]())
    compactions: list[Compaction] = field(default_factory=lambda: list[Compaction]())
    usage: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    planning: bool = False

    @property
    def preview(self) -> str:
        """The title that the person gave, else the beginning of their first message."""
        if self.title:
            return self.title
        first = next((one for one in self.messages if one["role"] == "user" and one["type"] == "message"), None)
        return " ".join(str(first["content"]).split())[:_PREVIEW] if first else ""


def new_id() -> str:
    """An id that sorts by time, also within a second, and does not clash: 20261129-153012-a3f19c2e.

    After the second comes its fraction in 65,536ths, as four hex digits, then four random ones.
    """
    second, fraction = divmod(time.time_ns(), 10**9)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(second))
    return f"{stamp}-{(fraction << 16) // 10**9:04x}{secrets.token_hex(2)}"


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


class Store:
    """The open file of one session. Nothing is created before the first message.

    Writing never raises: when the disk refuses, `broken` says why, once, and the session goes on in memory.
    """

    def __init__(self, session_id: str, path: Path | None = None) -> None:
        self.id = session_id
        self.path = path or paths.sessions() / time.strftime("%Y/%m/%d") / f"{session_id}.jsonl"
        self.broken: str = ""
        self._file: int | None = None
        self._head: dict[str, Any] | None = None
        self._later: dict[str, dict[str, Any]] = {}  # is written after the head
        self._torn = False

    def begin(self, *, cwd: str, model: str, harness: str, forked_from: str = "") -> None:
        """Remember the first line; it is written together with the first message."""
        self._head = {"type": "session", "id": self.id, "cwd": cwd, "model": model, "harness": harness}
        if forked_from:
            self._head["forked_from"] = forked_from

    def message(self, message: Message) -> None:
        self._write({"type": "message", "message": message})

    def cut(self, keep: int) -> None:
        """From here on only the first `keep` messages count."""
        if self._file is not None:
            self._write({"type": "cut", "keep": keep})

    def replace(self, index: int, message: Message) -> None:
        """Message number `index` now reads so."""
        if self._file is not None:
            self._write({"type": "replace", "index": index, "message": message})

    def compaction(self, compaction: Compaction) -> None:
        """From here on the model is sent less."""
        self._write({"type": "compaction", **compaction.record()})

    def usage(self, totals: dict[str, Any]) -> None:
        """The session has used so much."""
        if self._file is not None:
            self._write({"type": "usage", **totals})

    def mode(self, planning: bool) -> None:
        """Plan mode is on or off from here on; with nothing on disk yet it is written together with the first line."""
        self._now_or_later({"type": "mode", "planning": planning})

    def title(self, title: str) -> None:
        """The person calls the session so, "" for nothing; with nothing on disk yet as `mode`."""
        self._now_or_later({"type": "title", "title": title})

    def _now_or_later(self, record: dict[str, Any]) -> None:
        if self._file is not None:
            self._write(record)
        else:
            self._later[record["type"]] = record

    def _write(self, record: dict[str, Any]) -> None:
        records = [one for one in (self._head, *self._later.values(), record) if one is not None]
        lines = "".join(
            json.dumps({"time": _now(), **one}, ensure_ascii=False, separators=(",", ":")) + "\n" for one in records
        )
        data = kept(lines).encode("utf-8", "replace")
        try:
            file = self._open()
            if self._torn:
                data = b"\n" + data
            written = os.write(file, data)
            self._torn = written < len(data)
            if self._torn:
                raise OSError(f"only {written} of {len(data)} bytes were written")
            self._head = None
            self._later.clear()
        except OSError as error:
            self._torn = True
            self.broken = self.broken or f"the session cannot be saved to {self.path}: {error.strerror or error}"

    def _open(self) -> int:
        if self._file is None:
            paths.private_dir(self.path.parent)
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            if not try_lock(file):
                os.close(file)
                raise SessionInUse(f"session {self.id} is open in another window")
            size = os.lseek(file, 0, os.SEEK_END)
            self._torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            self._file = file
        return self._file

    @property
    def written(self) -> bool:
        """Whether the session lies on disk."""
        return self._file is not None

    def reopen(self) -> None:
        """Take an existing file to go on with it. Raises SessionInUse, OSError."""
        self._open()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def remove(saved: Saved) -> None:
    """Delete a session with all that was kept for it. Raises SessionInUse while it is open, OSError."""
    held = Store(saved.path.stem, saved.path)
    held.reopen()
    try:
        saved.path.unlink()
        remove_outputs(saved.id)
    finally:
        held.close()


def remove_outputs(session_id: str) -> None:
    """Delete the full outputs, pictures and changes to take back of a session; those that cannot be stay."""
    import shutil

    if (
        session_id not in ("", "..") and Path(session_id).name == session_id
    ):  # an id comes out of a file: it must not lead elsewhere
        for folder in (paths.outputs(session_id), paths.undo(session_id)):
            shutil.rmtree(folder, ignore_errors=True)


def load(path: Path) -> Saved:
    """Read a session file; lines that do not parse (torn by a kill) are skipped. Raises OSError."""
    saved = Saved(path.stem, path)
    with path.open(encoding="utf-8", errors="replace") as lines:
        for record in _records(lines):
            _apply(saved, record)
    return saved


def _records(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _apply(saved: Saved, record: dict[str, Any]) -> None:
    kind = record.get("type")
    if kind == "message" and isinstance(record.get("message"), dict):
        saved.messages.append(record["message"])
    elif kind == "cut" and isinstance(record.get("keep"), int):
        del saved.messages[record["keep"] :]
        saved.compactions = [one for one in saved.compactions if one.fits(len(saved.messages))]
    elif kind == "compaction":
        made = Compaction.of(record, len(saved.messages))
        if made is not None:
            saved.compactions.append(made)
    elif kind == "usage":
        saved.usage = record
    elif (
        kind == "replace"
        and isinstance(record.get("message"), dict)
        and record.get("index", -1) in range(len(saved.messages))
    ):
        saved.messages[record["index"]] = record["message"]
    elif kind == "mode":
        saved.planning = record.get("planning") is True
    elif kind == "title":
        saved.title = str(record.get("title", ""))
    elif kind == "session":
        saved.id = str(record.get("id", saved.id))
        saved.started = str(record.get("time", ""))
        for name in ("cwd", "model", "harness", "forked_from"):
            setattr(saved, name, str(record.get(name, "")))


def listed(cwd: str = "") -> Iterator[Saved]:
    """Saved sessions, newest first, only those of one folder if `cwd` is given (links resolved)."""
    for one in cards(cwd):
        with contextlib.suppress(OSError):
            yield load(one.path)


def find(reference: str = "", cwd: str = "") -> Saved:
    """The session whose id begins with `reference`, or whose title it is; without one, the newest of folder `cwd`.

    Raises SessionNotFound.
    """
    if not reference:
        newest = next(listed(cwd), None)
        if newest is None:
            raise SessionNotFound(f"no saved session belongs to {cwd}")
        return newest
    for path in files():
        if path.stem.startswith(reference):
            return load(path)
    titled = next((one for one in cards() if one.title == reference), None)
    if titled is not None:
        return load(titled.path)
    raise SessionNotFound(f"no saved session is called {reference}")
