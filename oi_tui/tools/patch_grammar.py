"""The `*** Begin Patch` text as operations on files. Pure: knows no disk.

The grammar (that of Codex's apply_patch), in short: an envelope of `*** Begin Patch` and `*** End Patch`, and in it

- `*** Add File: P` with lines that start with `+`;
- `*** Delete File: P`;
- `*** Update File: P`, perhaps `*** Move to: P`, then chunks. A chunk begins with `@@` or `@@ CONTEXT` (the first may
  leave it out); its lines start with a space, `-` or `+`; an empty line is an empty line of context;
  `*** End of File` pins the chunk to the end.

A shell heredoc around it all is taken off. Beyond the grammar: several `@@` lines in a row narrow the place down step
by step, the line numbers of unified diffs after `@@` are ignored, and an update with `*** Move to` needs no chunk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
MOVE, END_OF_FILE, ENVIRONMENT = "*** Move to: ", "*** End of File", "*** Environment ID: "

_HEREDOC = re.compile(r"(?:apply_?patch\s+)?<<-?\s*(['\"]?)(\w+)\1")
_LINE_NUMBERS = re.compile(r"-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@.*)?")


class PatchError(ValueError):
    """The patch cannot be read or does not fit; the text says where and why, for the model."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """contexts: lines to seek first, in order. lines: (mark, text) with mark one of space, `-`, `+`. line: 1-based
    line of the patch where it begins. near: line of the file that it is near, 0 where that is not said."""

    contexts: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    end_of_file: bool = False
    line: int = 0
    near: int = 0


@dataclass(frozen=True, slots=True)
class Add:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    path: str


@dataclass(frozen=True, slots=True)
class Update:
    """no_newline: the file is to end without a line end."""

    path: str
    move_to: str
    chunks: tuple[Chunk, ...]
    no_newline: bool = False


Operation = Add | Delete | Update


def parse(text: str) -> tuple[Operation, ...]:
    """The operations of a patch, at least one. Raises PatchError."""
    return _Parser(_unwrapped(text)).operations()


def _unwrapped(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").strip().split("\n")
    heredoc = _HEREDOC.fullmatch(lines[0].strip())
    if heredoc and len(lines) > 1 and lines[-1].strip() == heredoc[2]:
        lines = "\n".join(lines[1:-1]).strip().split("\n")
    return lines


class _Parser:
    """Walks the lines once; `at` is the 0-based line it looks at."""

    def __init__(self, lines: list[str]) -> None:
        if lines[0].strip() != BEGIN:
            raise PatchError(f"invalid patch: the first line must be '{BEGIN}'")
        if lines[-1].strip() != END or len(lines) == 1:
            raise PatchError(f"invalid patch: the last line must be '{END}'")
        self._lines = lines[:-1]
        self._at = 1

    def operations(self) -> tuple[Operation, ...]:
        if self._peek().startswith(ENVIRONMENT):
            self._at += 1
        found: list[Operation] = []
        while self._at < len(self._lines):
            line = self._peek()
            if line.startswith(ADD):
                found.append(self._add(self._path(ADD)))
            elif line.startswith(DELETE):
                found.append(Delete(self._path(DELETE)))
            elif line.startswith(UPDATE):
                found.append(self._update(self._path(UPDATE)))
            elif line:
                raise self._invalid(f"{line!r} is no file header; use '{ADD}PATH', '{DELETE}PATH' or '{UPDATE}PATH'")
            else:
                self._at += 1
        if not found:
            raise PatchError("invalid patch: it changes no file")
        return tuple(found)

    def _peek(self) -> str:
        """The line looked at without space around it, "" at the end."""
        return self._lines[self._at].strip() if self._at < len(self._lines) else ""

    def _invalid(self, why: str) -> PatchError:
        return PatchError(f"invalid hunk at line {self._at + 1}: {why}")

    def _path(self, header: str) -> str:
        path = self._peek()[len(header) :].strip()
        if not path:
            raise self._invalid("the path is missing")
        self._at += 1
        return path

    def _add(self, path: str) -> Add:
        first = self._at
        while self._at < len(self._lines) and self._lines[self._at].startswith("+"):
            self._at += 1
        if self._at == first:
            raise self._invalid(f"adding {path} needs at least one line that starts with '+'")
        return Add(path, "".join(line[1:] + "\n" for line in self._lines[first : self._at]))

    def _update(self, path: str) -> Update:
        move_to = self._path(MOVE) if self._peek().startswith(MOVE) else ""
        chunks: list[Chunk] = []
        while self._at < len(self._lines) and not self._peek().startswith((ADD, DELETE, UPDATE)):
            if not self._peek() and not self._more_of_this_file():
                self._at += 1
                continue
            chunks.append(self._chunk(first=not chunks))
        if not chunks and not move_to:
            raise self._invalid(f"the update of {path} has no chunk")
        return Update(path, move_to, tuple(chunks))

    def _more_of_this_file(self) -> bool:
        """False when only empty lines lie between here and the next file header or the end."""
        rest = (line.strip() for line in self._lines[self._at :])
        return not next((line for line in rest if line), ADD).startswith((ADD, DELETE, UPDATE))

    def _chunk(self, first: bool) -> Chunk:
        start = self._at
        contexts: list[str] = []
        while self._at < len(self._lines) and self._is_marker(self._lines[self._at]):
            context = self._lines[self._at].rstrip()[3:]
            if context.strip() and not _LINE_NUMBERS.fullmatch(context.strip()):
                contexts.append(context)
            self._at += 1
        if self._at == start and not first:
            raise self._invalid(f"a chunk begins with '@@', not {self._lines[self._at]!r}")
        lines = self._chunk_lines()
        if not lines:
            raise self._invalid("the chunk has no lines; each starts with ' ', '-' or '+'")
        ends = self._peek() == END_OF_FILE
        self._at += ends
        return Chunk(tuple(contexts), tuple(lines), ends, start + 1)

    @staticmethod
    def _is_marker(line: str) -> bool:
        return line.rstrip() == "@@" or line.startswith("@@ ")

    def _chunk_lines(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if self._is_marker(line) or line.startswith("*** "):
                break
            if line[:1] not in ("", " ", "-", "+"):
                raise self._invalid(f"a line of a chunk starts with ' ', '-' or '+', not {line[:40]!r}")
            found.append((line[:1] or " ", line[1:]))
            self._at += 1
        return found
