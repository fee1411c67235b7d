"""What a program prints, as lines: colours kept, carriage returns and backspaces applied, other escapes removed.

Control functions are those of ECMA-48; only SGR (8.3.117), EL (8.3.41) and the string sequences that must be skipped
matter here. A sequence that is cut between two chunks waits for its rest.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .printable import printable
from .wrapping import Line, Run

LONGEST = 4096
"""Characters of a line kept together; a longer line is stored, and wrapped, in parts."""

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\t\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_CONTROL = re.compile(
    r"\x1b\[(?P<sgr>[\d;:]*)m"
    r"|\x1b\[(?P<erase>\d*)K"
    r"|(?P<move>[\r\b])"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
    r"|[\x07\x0e\x0f]"
)
_SGR = re.compile(r"\x1b\[([\d;:]*)m")
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*)\Z")
_LONGEST_ESCAPE = 65536
_ENDS = {22: ("1", "2"), 23: ("3",), 24: ("4", "21"), 25: ("5", "6"), 27: ("7",), 28: ("8",), 29: ("9",)}


def _unfinished(text: str) -> int:
    """Where an escape sequence begins that `text` ends in the middle of; the length of `text` if there is none."""
    found = _BEGUN.search(text, max(0, len(text) - _LONGEST_ESCAPE))
    return found.start() if found else len(text)


@lru_cache(1024)
def coloured(state: str, parameters: str) -> str:
    """The SGR state after one more sequence; a state is the shortest parameters that set it."""
    parts: dict[str, str] = {}
    for each in (state, parameters) if state else (parameters,):
        codes = each.replace(":", ";").split(";")
        index = 0
        while index < len(codes):
            code = int(codes[index]) if len(codes[index]) < 4 and codes[index].isdigit() else 0
            taken = 1
            if code in (38, 48):
                taken = {"5": 3, "2": 5}.get(codes[index + 1] if index + 1 < len(codes) else "", len(codes))
            _set(parts, code, ";".join(codes[index : index + taken]))
            index += taken
    return ";".join(parts.values())


def _set(parts: dict[str, str], code: int, text: str) -> None:
    what = str(code)
    if 30 <= code <= 39 or 90 <= code <= 97:
        what, text = "colour", "" if code == 39 else text
    elif 40 <= code <= 49 or 100 <= code <= 107:
        what, text = "ground", "" if code == 49 else text
    elif code in _ENDS:
        for ended in _ENDS[code]:
            parts.pop(ended, None)
        return
    elif code == 0:
        parts.clear()
        return
    elif code > 9 and code != 21:
        return
    parts.pop(what, None)
    if text:
        parts[what] = text


def without_colours(text: str) -> str:
    """The characters of a line as TerminalText gives it."""
    return _SGR.sub("", text) if "\x1b" in text else text


def line_of(text: str) -> Line:
    """A line as TerminalText gives it, with its colours as runs."""
    if "\x1b" not in text:
        return Line(text, chars=True)
    state = ""
    runs: list[Run] = []
    pieces = _SGR.split(text)
    for number, piece in enumerate(pieces):
        if number % 2:
            state = coloured(state, piece)
        elif piece:
            runs.append((len(piece), f"sgr:{state}" if state else "text"))
    return Line("".join(pieces[::2]), tuple(runs), chars=True)


class TerminalText:
    """Turns chunks of output into lines.

    Lines are kept as text with nothing but SGR sequences in it: a fifth of the memory of styled lines, and most are
    never looked at.

    Attributes:
        open: the line that is not ended yet, None when the output ends with a newline.
    """

    def __init__(self) -> None:
        self.open: Line | None = None
        self._text = ""
        self._runs: list[Run] = []
        self._column = 0
        self._state = ""
        self._style = "text"
        self._rest = ""

    def feed(self, chunk: str) -> list[str | Line]:
        """Lines that `chunk` ends, as text with SGR sequences (see `line_of`), or as Line when they go on in the next.

        What is after the last newline is in `open`.
        """
        if self._rest:
            chunk, self._rest = self._rest + chunk, ""
        if "\x1b" in chunk:
            cut = _unfinished(chunk)
            chunk, self._rest = chunk[:cut], chunk[cut:]
        if "\r\n" in chunk:
            chunk = chunk.replace("\r\n", "\n")
        if chunk.endswith("\r"):
            # It may be the first half of a line end.
            chunk, self._rest = chunk[:-1], "\r" + self._rest
        done: list[str | Line] = []
        first, *more = chunk.split("\n")
        self._write(first, done)
        if more:
            self._end(done)
            last = more.pop()
            self._whole(more, done)
            self._write(last, done)
        self.open = Line(self._text, tuple(self._runs), chars=True) if self._text else None
        return done

    def _whole(self, lines: list[str], done: list[str | Line]) -> None:
        """Lines that begin and end in this chunk: most need nothing but to be carried over."""
        if max(map(len, lines), default=0) > LONGEST or _SUSPECT.search(without_colours("".join(lines))):
            for line in lines:
                self._write(line, done)
                self._end(done)
            return
        for line in lines:
            done.append(f"\x1b[{self._state}m{line}" if self._state else line)
            if "\x1b" in line:
                self._follow_colours(line)

    def _follow_colours(self, line: str) -> None:
        last = line.rfind("\x1b")
        if line.startswith(("\x1b[0m", "\x1b[m"), last):
            self._set_state("")
        else:
            for found in _SGR.finditer(line):
                self._set_state(coloured(self._state, found[1]))

    def _set_state(self, state: str) -> None:
        self._state = state
        self._style = f"sgr:{state}" if state else "text"

    def finish(self) -> None:
        """The program ended: what waited for its rest is dropped, colours end."""
        self._rest = ""
        self._state = ""
        self._style = "text"

    def _write(self, text: str, done: list[str | Line]) -> None:
        place = 0
        if _SUSPECT.search(text):
            for found in _CONTROL.finditer(text):
                self._put(text[place : found.start()], done)
                place = found.end()
                self._control(found)
        self._put(text[place:] if place else text, done)

    def _control(self, found: re.Match[str]) -> None:
        if found["sgr"] is not None:
            self._set_state(coloured(self._state, found["sgr"]))
        elif found["erase"] is not None:
            if found["erase"] in ("", "0"):
                self._cut(self._column)
            elif found["erase"] == "2":
                self._cut(0)
        elif found["move"] == "\r":
            self._column = 0
        elif found["move"] == "\b":
            self._column = max(0, self._column - 1)

    def _put(self, text: str, done: list[str | Line]) -> None:
        if not text:
            return
        if "\t" in text or _SUSPECT.search(text):
            text = printable(" " * (self._column % 8) + text, tab=8)[self._column % 8 :]
        while len(self._text) + len(text) > LONGEST and self._column >= len(self._text):
            room = LONGEST - len(self._text)
            self._append(text[:room])
            text = text[room:]
            done.append(Line(self._text, tuple(self._runs), chars=True, joined=True))
            self._text, self._runs, self._column = "", [], 0
        if self._column >= len(self._text):
            self._append(text)
        else:
            self._over(text)

    def _append(self, text: str) -> None:
        if not text:
            return
        missing = self._column - len(self._text)
        if missing > 0:
            text = " " * missing + text
        self._text += text
        self._column = len(self._text)
        style = self._style
        if self._runs and self._runs[-1][1] == style:
            self._runs[-1] = (self._runs[-1][0] + len(text), style)
        else:
            self._runs.append((len(text), style))

    def _over(self, text: str) -> None:
        """Write over what is there, as after a carriage return."""
        rest_text = self._text[self._column + len(text) :]
        rest_runs = _after(self._runs, self._column + len(text)) if rest_text else []
        self._cut(self._column)
        self._append(text)
        self._text += rest_text
        self._runs.extend(rest_runs)

    def _cut(self, column: int) -> None:
        """Remove what is from `column` on."""
        self._text = self._text[:column]
        kept: list[Run] = []
        for length, style in self._runs:
            if column <= 0:
                break
            kept.append((min(length, column), style))
            column -= length
        self._runs = kept

    def _end(self, done: list[str | Line]) -> None:
        parts: list[str] = []
        place = 0
        for length, style in self._runs:
            if style != "text":
                parts.append(f"\x1b[0;{style[4:]}m")
            elif parts:
                parts.append("\x1b[0m")
            parts.append(self._text[place : place + length])
            place += length
        done.append("".join(parts))
        self._text, self._runs, self._column = "", [], 0


def _after(runs: list[Run], column: int) -> list[Run]:
    """The runs from `column` on."""
    kept: list[Run] = []
    for length, style in runs:
        if column < length:
            kept.append((length - max(0, column), style))
        column -= length
    return kept
