"""Unified diffs, as `diff -u` and git write them, as the operations of `patch_grammar`. Pure: knows no disk.

Numbers of lines are hints: models count badly. A hunk is a chunk that is sought near its line.
"""

from __future__ import annotations

import re

from oi_tui.tools.patch_grammar import Add, Chunk, Delete, Operation, PatchError, Update

_HUNK = re.compile(r"@@+ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@+.*")
_BARE_HUNK = re.compile(r"@@.*")
_TIME = re.compile(r"\t.*$")
_EXTENDED = (
    "diff ", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ",
    "dissimilarity index ", "copy from ", "copy to ",
)  # fmt: skip


def is_unified(text: str) -> bool:
    """Whether a patch is a unified diff and not of the other kind."""
    lines = text.lstrip().split("\n", 400)
    return any(line.startswith(("--- ", "diff --git ", "@@ -")) for line in lines) and "*** Begin Patch" not in lines


def parse_unified(text: str, path: str = "") -> tuple[Operation, ...]:
    """The operations of a diff, at least one. path: what hunks without headers change. Raises PatchError."""
    reader = _Reader(text.replace("\r\n", "\n").split("\n"), path)
    while reader.more():
        reader.step()
    reader.finish()
    if not reader.operations:
        raise PatchError("invalid patch: the diff changes no file")
    return tuple(reader.operations)


class _Reader:
    """Walks the lines once and collects the hunks of one file at a time."""

    def __init__(self, lines: list[str], path: str) -> None:
        self._lines = lines[:-1] if lines and lines[-1] == "" else lines
        self._at = 0
        self._path = path
        self._old: str | None = path or None
        self._new: str | None = path or None
        self._renamed = ["", ""]
        self._chunks: list[Chunk] = []
        self._no_newline = False
        self._deletes = False
        self.operations: list[Operation] = []

    def more(self) -> bool:
        return self._at < len(self._lines)

    def step(self) -> None:
        line = self._lines[self._at]
        follows = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        if line.startswith("--- ") and follows.startswith("+++ "):
            if not self._renamed[1]:  # git says a move before the headers of the file
                self.finish()
            self._old, self._new = self._name(line), self._name(follows)
            self._at += 2
        elif line.startswith("diff --git "):
            self.finish()
            self._at += 1
        elif line.startswith(("rename from ", "rename to ")):
            self._renamed[line.startswith("rename to ")] = line.split(" ", 2)[2].strip()
            self._at += 1
        elif _BARE_HUNK.fullmatch(line):
            self._hunk(line)
        elif line.startswith(("Binary files ", "GIT binary patch")):
            raise PatchError(f"invalid patch: line {self._at + 1} is about a binary file; change that with code")
        elif line.startswith(_EXTENDED) or not line.strip() or not self._chunks:
            self._at += 1  # words between the files
        else:
            raise PatchError(
                f"invalid hunk at line {self._at + 1}: a line starts with ' ', '-' or '+', not {line[:40]!r}"
            )

    @staticmethod
    def _name(header: str) -> str | None:
        name = _TIME.sub("", header[4:]).strip().strip('"')
        if name == "/dev/null":
            return None
        return name[2:] if name[:2] in {"a/", "b/"} else name

    def _hunk(self, header: str) -> None:
        numbers = _HUNK.fullmatch(header)
        first, lines, ends = self._at + 1, list[tuple[str, str]](), False
        self._at += 1
        while self.more():
            line = self._lines[self._at]
            if line.startswith("\\"):  # "No newline at end of file", said of the line before
                ends = True
                self._no_newline = self._no_newline or lines[-1][0] != "-" if lines else False
            elif line[:1] in {" ", "-", "+"} and not self._header_here():
                lines.append((line[0], line[1:]))
            elif line == "" and self._blank_inside():
                lines.append((" ", ""))
            else:
                break
            self._at += 1
        if not lines:
            raise PatchError(f"invalid hunk at line {first}: it has no lines")
        near = max(1, int(numbers[1])) if numbers else 0
        self._chunks.append(Chunk((), tuple(lines), ends, first, near))

    def _header_here(self) -> bool:
        here = self._lines[self._at : self._at + 3]
        return len(here) == 3 and here[0][:4] == "--- " and here[1][:4] == "+++ " and here[2][:2] == "@@"

    def _blank_inside(self) -> bool:
        """Whether an empty line is one of context whose space was lost, and not the gap before the next file."""
        rest = next((line for line in self._lines[self._at :] if line), "")
        return rest[:1] in {" ", "-", "+"} and not rest.startswith("--- ")

    def finish(self) -> None:
        """The file is complete."""
        old, new = self._renamed if self._renamed[1] else (self._old, self._new)
        chunks, self._chunks = tuple(self._chunks), []
        renamed, self._renamed = bool(self._renamed[1]), ["", ""]
        no_newline, self._no_newline = self._no_newline, False
        if not chunks and not renamed:
            return
        if old is None and new is not None:
            text = "".join(line + "\n" for chunk in chunks for mark, line in chunk.lines if mark == "+")
            self.operations.append(Add(new, text.removesuffix("\n") if no_newline else text))
        elif new is None and old is not None:
            self.operations.append(Delete(old))
        elif old is None or new is None:
            raise PatchError("invalid patch: a hunk comes before the line that names its file")
        else:
            self.operations.append(Update(old, new if renamed and new != old else "", chunks, no_newline))
