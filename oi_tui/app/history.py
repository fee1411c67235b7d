"""What was typed into the message box: kept in one file for all sessions, offered again per folder.

The file holds one JSON object a line, `{"ts", "cwd", "text"}`. Every entry is one write to a file opened for appending,
which the system keeps whole, so that several windows can write at once. A torn line is passed over.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from oi_tui.protocol.secrets import kept

TAIL_BYTES = 2_000_000  # how much of the end of the file is read
LONGEST = 100_000  # characters of an entry that still goes to the file; longer ones last for the session


class PromptHistory:
    """The entries of one folder, oldest first, and a place among them while a person looks through."""

    def __init__(self, file: Path, cwd: str) -> None:
        self._file, self._cwd = file, cwd
        self._entries: list[str] | None = None
        self._at: int | None = None  # index of the entry that is shown, None while the own draft is
        self._drafts: dict[int | None, str] = {}  # what was edited on the way, by place

    @property
    def entries(self) -> list[str]:
        """All texts, oldest first, without repetitions in a row. Read from the file on first use."""
        if self._entries is None:
            self._entries = self._read()
        return self._entries

    def add(self, text: str) -> str:
        """Keep `text` and go back to the end. Returns "" or a sentence on why it could not be written."""
        self._at, self._drafts = None, {}
        if not text.strip():
            return ""
        if self.entries and self.entries[-1] == text:
            return ""
        self.entries.append(text)
        return self._write(text) if len(text) <= LONGEST else ""

    def older(self, shown: str) -> str | None:
        """The text before the one that is shown, or None at the oldest. `shown` is kept, edited or not."""
        place = len(self.entries) if self._at is None else self._at
        return self._move(place - 1, shown) if place > 0 else None

    def newer(self, shown: str) -> str | None:
        """The text after the one that is shown, at last the draft that was begun; None if that is shown already."""
        return None if self._at is None else self._move(self._at + 1, shown)

    def _move(self, place: int, shown: str) -> str:
        self._drafts[self._at] = shown
        self._at = None if place >= len(self.entries) else place
        if self._at in self._drafts:
            return self._drafts[self._at]
        return "" if self._at is None else self.entries[self._at]

    def _read(self) -> list[str]:
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - TAIL_BYTES))
                lines = file.read().split(b"\n")
        except OSError:
            return []
        found: list[str] = []
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if not isinstance(entry, dict) or entry.get("cwd") != self._cwd:
                continue
            text = entry.get("text")
            if isinstance(text, str) and text and (not found or found[-1] != text):
                found.append(text)
        return found

    def _write(self, text: str) -> str:
        line = json.dumps({"ts": round(time.time(), 3), "cwd": self._cwd, "text": kept(text)}).encode() + b"\n"
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            target = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                # A writer that was killed may have left half a line: do not glue ours to it.
                size = os.fstat(target).st_size
                if size and os.lseek(target, size - 1, os.SEEK_SET) >= 0 and os.read(target, 1) != b"\n":
                    line = b"\n" + line
                os.write(target, line)
            finally:
                os.close(target)
        except OSError as error:
            return f"could not save the message history: {error.strerror or error}"
        return ""
