"""Server-sent events out of raw bytes, wherever the network cut them.

Format: "Server-sent events" in the WHATWG HTML standard. Only LF, CR and CRLF end a line, so text that holds U+2028 or
U+0085 stays whole; an event is decoded when it is complete, so no character is ever split.

Two liberties, taken because servers need them: a line that begins with `{` counts as data, and a field named `error`
counts as the data of an event named `error` (llama.cpp sends failures so).
"""

from __future__ import annotations

import re

Event = tuple[str, str]  # name ("" if none was given) and data

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class EventReader:
    """Feed it bytes, get the events that are complete."""

    def __init__(self) -> None:
        self._partial: list[bytes] = []  # an unfinished line, in pieces
        self._data: list[bytes] = []
        self._name = ""
        self._begun = False

    def feed(self, data: bytes) -> list[Event]:
        """Events that `data` completes, in order."""
        if b"\n" not in data and b"\r" not in data and not self._ends_in_cr():
            if data:
                self._partial.append(data)
            return []
        self._partial.append(data)
        text = b"".join(self._partial)
        if not self._begun:
            if len(text) < len(_BOM) and _BOM.startswith(text):
                self._partial = [text]
                return []
            self._begun = True
            text = text.removeprefix(_BOM)
        lines = self._split(text)
        rest = lines.pop()
        self._partial = [rest] if rest else []
        return self._events(lines)

    def close(self) -> list[Event]:
        """The last event, if the stream ended without the blank line after it."""
        rest = b"".join(self._partial).rstrip(b"\r")
        self._partial = []
        return self._events([rest.removeprefix(_BOM) if not self._begun else rest, b""])

    def _ends_in_cr(self) -> bool:
        return bool(self._partial) and self._partial[-1].endswith(b"\r")

    @staticmethod
    def _split(text: bytes) -> list[bytes]:
        if b"\r" not in text:
            return text.split(b"\n")
        if not text.endswith(b"\r"):
            return _LINE_END.split(text)
        lines = _LINE_END.split(text[:-1])  # the CR may be half of a CRLF: it waits for what follows
        lines[-1] += b"\r"
        return lines

    def _events(self, lines: list[bytes]) -> list[Event]:
        found: list[Event] = []
        for line in lines:
            if not line:
                if self._data:
                    whole = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
                    found.append((self._name, whole.decode("utf-8", "replace")))
                    self._data = []
                self._name = ""
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"{"):
                self._data.append(line)
            elif line[0] != 58:  # a colon begins a comment
                self._field(line)
        return found

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._name = value.decode("utf-8", "replace")
        elif name == b"error":
            self._name = "error"
            self._data.append(value)
        elif name == b"data":
            self._data.append(b"")
