"""What a program printed, made fit for a model, and kept whole for the person.

`clean` turns terminal output into plain text, `for_model` cuts it to head and tail, `Capture` does both for a stream
of any length in bounded memory.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from pathlib import Path
from typing import IO

from oi_tui import paths

LIMIT = 2800  # characters of one output that a model is shown
KEEP = 1 << 18  # characters of an output that stay in memory
FILE_LIMIT = 1 << 31  # bytes of an output that are kept on disk

# ECMA-48: CSI, OSC and the other string controls, then two-character escapes.
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[PX^_][^\x1b]*(?:\x1b\\)?|\x1b[ -/]*[0-~]?"
)
_SGR = re.compile(r"\x1b\[[0-9;:]*m")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BACKSPACE = re.compile(r"[^\n\x08]\x08")


def clean(text: str) -> str:
    """Plain text: no escapes, `\\r` and backspace applied as a terminal would, no other control characters."""
    text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = "\n".join(map(_overwritten, text.replace("\r\n", "\n").split("\n")))
    while "\x08" in text:
        shorter = _BACKSPACE.sub("", text)
        if shorter == text:
            break
        text = shorter
    return _CONTROL.sub("", text)


def for_screen(text: str) -> str:
    """Text that may be put on a screen: colours stay (SGR), every other escape and control character goes."""
    kept = _ESCAPE.sub(lambda found: found.group() if _SGR.fullmatch(found.group()) else "", text)
    return re.sub(r"[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]", "", kept)


def _overwritten(line: str) -> str:
    """What a line with carriage returns looks like in the end: the last text that was written over the others."""
    return next((part for part in reversed(line.split("\r")) if part), "")


def for_model(text: str, limit: int = LIMIT, where: str = "") -> tuple[str, int]:
    """`text` cleaned and, where it is longer than `limit` characters, cut to its head and tail.

    Returns the text and how many characters were left out. where: words on where the full text lies and how to read
    on, for the marker line.
    """
    text = clean(text)
    if len(text) <= limit:
        return text, 0
    return _joined(text, text, len(text), limit, where)


def _joined(head: str, tail: str, total: int, limit: int, where: str) -> tuple[str, int]:
    if len(_marker(total, where)) > limit // 3:
        where = where.partition(" (")[0]  # the text counts for more than words on it
    room = max(limit - len(_marker(total, where)) - 2, 200)
    first, last = head[: room // 2], tail[-(room - room // 2) :]
    # Whole lines read better, where that costs little.
    edge = first.rfind("\n")
    if edge >= len(first) - 160 and edge > 0:
        first = first[: edge + 1]
    edge = last.find("\n")
    if 0 <= edge < 160 and edge + 1 < len(last):
        last = last[edge + 1 :]
    cut = total - len(first) - len(last)
    gap = "" if first.endswith("\n") else "\n"
    return f"{first}{gap}{_marker(cut, where)}\n{last}", cut


def _marker(cut: int, where: str) -> str:
    return f"[... {cut} characters left out{f'; {where}' if where else ''} ...]"


class Capture:
    """Collects one block's output. Memory stays below about three times `keep`, whatever comes.

    path: the file that gets the full text, as it was printed (mode 600; made with its folder when needed): while it
    comes once it is longer than `limit`, else when the capture is closed. Without a path only head and tail are kept.
    most: bytes that the file may have, FILE_LIMIT at most. A disk that is full, or a longer text, ends the file early:
    `complete` is False then.
    """

    def __init__(self, path: Path | None = None, limit: int = LIMIT, keep: int = KEEP, most: int = FILE_LIMIT) -> None:
        self._path, self._limit, self._keep = path, limit, keep
        self._short = min(limit, keep)  # characters up to which the head has all of it
        self._most = min(most, FILE_LIMIT)
        self._head: list[str] = []
        self._head_size = 0
        self._tail = ""
        self._file: IO[str] | None = None
        self._written = 0
        self.length = 0
        self.complete = True

    def add(self, text: str) -> None:
        """Add a piece of output."""
        self.length += len(text)
        room = self._keep - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += min(len(text), room)
            if len(self._head) > 512:
                self._head = ["".join(self._head)]
        if len(text) > room:
            self._tail = (self._tail + text[max(room, 0) :])[-self._keep :]
        if self._file is not None:
            self._write(text)
        elif self.length > self._short and self._path is not None and self.complete:
            self._open(self._path, text)

    def save(self) -> None:
        """Keep everything in the file from now on, however little it is."""
        self._short = -1
        if self._file is None and self._path is not None and self.complete:
            self._open(self._path, "")

    def _open(self, path: Path, text: str) -> None:
        try:
            paths.private_dir(path.parent)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError:
            self.complete = False
            return
        self._file = os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="")
        before = "".join(self._head)
        # The head holds this text as well, as far as it had room; beyond that the text itself has the rest.
        self._write(before + text[len(text) - (self.length - len(before)) :] if self.length > len(before) else before)

    def _write(self, text: str) -> None:
        if self._file is None or not self.complete:
            return
        try:
            size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
            if self._written + size > self._most:
                raise OSError(errno.EFBIG, "more than may be kept")
            self._written += size
            self._file.write(text)
        except OSError:
            self.complete = False

    @property
    def path(self) -> str | None:
        """Where the full text lies, None while it is short enough to be shown whole."""
        return str(self._path) if self._file is not None else None

    def for_model(self, limit: int | None = None, where: str | None = None) -> tuple[str, int]:
        """The text for a model and the number of characters left out, as the function of that name.

        where: words on how to read on, the path alone if left out; they are not used when there is no file.
        """
        self.flush()
        limit = self._limit if limit is None else limit
        told = (f"full text: {self.path}" if where is None else where) if self.path else ""
        whole = "".join(self._head)
        if self.length <= self._keep * 2:
            return for_model(whole + self._tail, limit, told)
        return _joined(clean(whole), clean(self._tail), self.length, limit, told)

    def flush(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError, ValueError):
                self._file.flush()

    def close(self) -> None:
        """Close the file; it stays where it is. A text that was short until now gets its file."""
        if self._file is None and self.length and self._path is not None and self.complete:
            self._open(self._path, "")
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
