"""Vim keys for the message box, as a pure machine: a key and a text with a cursor in, an edit out.

What it knows: i a I A o O, h j k l w b e 0 ^ $ gg G, x X s S D C Y p P r J u, the operators d c y with those motions,
doubled, and with the text objects w W ( [ { " ' `, and counts. Everything else in normal mode does nothing, so that a
slip never writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["insert", "normal"]

_WORD = re.compile(r"\w+|[^\w\s]+|\n(?=\n)")
_BIG = re.compile(r"\S+")
_PAIRS = {"(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}"}
_SHORT = {"x": "dl", "X": "dh", "D": "d$", "C": "c$", "s": "cl", "S": "cc", "Y": "yy"}
_MOTIONS = frozenset("hljkwbe0^$G")
_LINEWISE = frozenset("jkG")
MOST = 10_000  # of a count


@dataclass(frozen=True, slots=True)
class Edit:
    """What a key does: `text` in place of start…end (characters from the beginning), then the cursor at `at`.

    undo: take the last change back instead.
    """

    at: int
    start: int = 0
    end: int = 0
    text: str = ""
    undo: bool = False

    @property
    def changes(self) -> bool:
        """Does it change the text?"""
        return self.start != self.end or bool(self.text)


@dataclass(slots=True)
class Vim:
    """on: vim keys are wanted. mode: `insert` types as ever. keys: what was pressed of a command that is not whole."""

    on: bool = False
    mode: Mode = "insert"
    keys: str = ""
    register: str = field(default="", repr=False)

    @property
    def inserting(self) -> bool:
        """Would Esc go to normal mode?"""
        return self.on and self.mode == "insert"

    def toggle(self) -> bool:
        """Switch vim keys on, or off. Returns how it is now."""
        self.on, self.mode, self.keys = not self.on, "insert", ""
        return self.on

    def escape(self, text: str, at: int) -> Edit:
        """Go to normal mode; the cursor steps back onto a character, as in vim."""
        self.mode, self.keys = "normal", ""
        return Edit(at - 1 if at > _line_start(text, at) else at)

    def press(self, sign: str, text: str, at: int) -> Edit | None:
        """A printable key in normal mode. None: nothing to do (yet)."""
        self.keys += sign
        found = re.fullmatch(r"([1-9]\d*)?(.*)", self.keys, re.DOTALL)
        assert found is not None
        count, command = min(int(found[1] or 1), MOST), found[2]
        if not command:
            return None
        command = _SHORT.get(command, command)
        edit, whole = self._run(command, count, bool(found[1]), text, at)
        if whole:
            self.keys = ""
        if edit is not None and self.mode == "normal":
            edit = _on_character(edit, text)
        return edit

    # -- commands

    def _run(self, command: str, count: int, counted: bool, text: str, at: int) -> tuple[Edit | None, bool]:
        """(what to do, whether the command is whole)."""
        first, rest = command[0], command[1:]
        if first in "dcy":
            return self._operate(first, rest, count, text, at)
        if first == "g":
            return (Edit(0) if rest == "g" else None), bool(rest)
        if first == "r":
            can = bool(rest) and at < _line_end(text, at)
            return (Edit(at, at, at + 1, rest) if can else None), bool(rest)
        if first in _MOTIONS:
            return Edit(_move(first, count, counted, text, at)), True
        if first in "iaIAoO":
            return self._insert(first, text, at), True
        if first in "pP":
            return self._put(first, count, text, at), True
        if first == "J":
            end = _line_end(text, at)
            after = re.compile(r"\n[ \t]*").match(text, end)
            return (Edit(end, end, after.end(), " ") if after else None), True
        return (Edit(at, undo=True) if first == "u" else None), True

    def _insert(self, key: str, text: str, at: int) -> Edit:
        self.mode = "insert"
        start, end = _line_start(text, at), _line_end(text, at)
        if key == "o":
            return Edit(end + 1, end, end, "\n")
        if key == "O":
            return Edit(start, start, start, "\n")
        places = {"i": at, "a": min(at + 1, end), "I": _first_sign(text, at), "A": end}
        return Edit(places[key])

    def _put(self, key: str, count: int, text: str, at: int) -> Edit | None:
        what = self.register * count
        if not what:
            return None
        if not self.register.endswith("\n"):
            place = min(at + 1, _line_end(text, at)) if key == "p" else at
            return Edit(place + len(what) - 1, place, place, what)
        if key == "P":
            place = _line_start(text, at)
            return Edit(place, place, place, what)
        end = _line_end(text, at)
        return Edit(end + 1, end, end, "\n" + what[:-1])

    def _operate(self, operator: str, rest: str, count: int, text: str, at: int) -> tuple[Edit | None, bool]:
        found = re.fullmatch(r"([1-9]\d*)?(.*)", rest, re.DOTALL)
        assert found is not None
        count, counted, motion = min(count * int(found[1] or 1), MOST), bool(found[1]) or count > 1, found[2]
        if motion in {"", "g", "i", "a"}:
            return None, False
        if motion == operator:
            return self._lines(operator, text, at, _move("j", count - 1, True, text, at)), True
        if motion[0] in "ia":
            span = _object(motion, text, at)
            return (self._apply(operator, text, *span) if span else None), True
        if motion in _LINEWISE or motion == "gg":
            to = 0 if motion == "gg" else _move(motion, count, counted, text, at)
            return self._lines(operator, text, min(at, to), max(at, to)), True
        if motion not in _MOTIONS:
            return None, True
        if operator == "c" and motion == "w" and text[at : at + 1].strip():
            motion = "e"  # cw leaves the space behind the word
        to = _move(motion, count, counted, text, at)
        if motion == "e":
            to = min(to + 1, len(text))
        elif motion == "$":
            to = _line_end(text, at)
        elif motion == "w" and count == 1 and "\n" in text[at:to]:
            to = _line_end(text, at)  # dw on the last word of a line leaves the line end
        return self._apply(operator, text, min(at, to), max(at, to)), True

    def _apply(self, operator: str, text: str, start: int, end: int) -> Edit:
        self.register = text[start:end]
        if operator == "y":
            return Edit(start)
        if operator == "c":
            self.mode = "insert"
        return Edit(start, start, end)

    def _lines(self, operator: str, text: str, first: int, last: int) -> Edit:
        """An operator on whole lines."""
        start, end = _line_start(text, first), _line_end(text, last)
        self.register = text[start:end] + "\n"
        if operator == "y":
            return Edit(first)
        if operator == "c":
            self.mode = "insert"
            return Edit(start, start, end)
        if end < len(text):
            return Edit(start, start, end + 1)
        before = max(0, start - 1)  # the last line goes with the line end before it
        return Edit(_line_start(text, before), before, end)


# -- places in a text


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _first_sign(text: str, at: int) -> int:
    start, end = _line_start(text, at), _line_end(text, at)
    line = text[start:end]
    return start + len(line) - len(line.lstrip())


def _on_character(edit: Edit, text: str) -> Edit:
    """In normal mode the cursor stands on a character, not behind the last one of its line."""
    if edit.undo:
        return edit
    after = text[: edit.start] + edit.text + text[edit.end :] if edit.changes else text
    at = max(0, min(edit.at, len(after)))
    if at == _line_end(after, at) and at > _line_start(after, at):
        at -= 1
    return Edit(at, edit.start, edit.end, edit.text)


def _move(motion: str, count: int, counted: bool, text: str, at: int) -> int:
    """Where a motion leads."""
    start, end = _line_start(text, at), _line_end(text, at)
    if motion == "h":
        return max(start, at - count)
    if motion == "l":
        return min(end, at + count)
    if motion in {"0", "^", "$"}:
        return {"0": start, "^": _first_sign(text, at), "$": end}[motion]
    if motion in "jkG":
        return _to_line(motion, count, counted, text, at)
    words = [found.span() for found in _WORD.finditer(text)]
    for _ in range(count):
        if motion == "w":
            at = next((begin for begin, _ in words if begin > at), len(text))
        elif motion == "b":
            at = next((begin for begin, _ in reversed(words) if begin < at), 0)
        else:
            at = next((stop - 1 for _, stop in words if stop - 1 > at), max(0, len(text) - 1))
    return at


def _to_line(motion: str, count: int, counted: bool, text: str, at: int) -> int:
    lines = text.split("\n")
    now = text.count("\n", 0, at)
    column = at - _line_start(text, at)
    if motion == "G":
        number = count - 1 if counted else len(lines) - 1
    else:
        number = now + count if motion == "j" else now - count
    number = max(0, min(number, len(lines) - 1))
    return sum(len(line) + 1 for line in lines[:number]) + min(column, len(lines[number]))


def _object(name: str, text: str, at: int) -> tuple[int, int] | None:
    """The (start, end) of a text object: `iw`, `a(`, `i"` …; None where there is none."""
    around, kind = name[0] == "a", name[1:]
    if kind in {"w", "W"}:
        every = (_BIG if kind == "W" else _WORD).finditer(text)
        found = next((one for one in every if one.start() <= at < one.end()), None)
        if found is None:
            return None
        space = re.compile(r"[ \t]*").match(text, found.end())
        return found.start(), space.end() if around and space else found.end()
    if kind in {'"', "'", "`"}:
        line, end = _line_start(text, at), _line_end(text, at)
        marks = [place for place in range(line, end) if text[place] == kind]
        for left, right in zip(marks[::2], marks[1::2], strict=False):
            if at <= right:
                return (left, right + 1) if around else (left + 1, right)
        return None
    return _bracketed(_PAIRS[kind], around, text, at) if kind in _PAIRS else None


def _bracketed(pair: str, around: bool, text: str, at: int) -> tuple[int, int] | None:
    """The innermost pair of brackets round a place."""
    depth, left = 0, at
    while left >= 0:
        sign = text[left : left + 1]
        if sign == pair[1] and left != at:
            depth += 1
        elif sign == pair[0]:
            if depth == 0:
                break
            depth -= 1
        left -= 1
    if left < 0:
        return None
    depth = 0
    for right in range(left, len(text)):
        depth += (text[right] == pair[0]) - (text[right] == pair[1])
        if depth == 0:
            return (left, right + 1) if around else (left + 1, right)
    return None
