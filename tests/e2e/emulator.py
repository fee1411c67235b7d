"""A terminal emulator for tests: pyte, and what pyte leaves out (alternate screen, private modes, control strings)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import Any

import pyte

# What pyte would print or stumble over: CSI with < = > (kitty keys), strings (DCS, SOS, PM, APC), CSI … $ p, and signs
# of no width.
_NOT_DRAWN = re.compile(
    r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|"
    r"\x1b\[[<=>][0-9;]*[@-~]|\x1b[P_^X].*?(?:\x1b\\|\x07)|\x1b\[\?[0-9;]*\$p",
    re.DOTALL,
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[P_^X\]](?:(?!\x1b\\|\x07).)*)?\Z", re.DOTALL)
_MODES = re.compile(r"\x1b\[\?([0-9;]+)([hl])")
_COPIED = re.compile(r"\x1b\]52;[^;]*;([^\x07\x1b]*)(?:\x07|\x1b\\)")
_ALTERNATE = 1049


@dataclass
class Emulator:
    """Feed it bytes; read the screen. modes: private modes that are set; copied: payloads of OSC 52, in base64."""

    columns: int
    rows: int
    modes: set[int] = field(default_factory=set)
    copied: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.screen = pyte.Screen(self.columns, self.rows)
        self._main = self.screen
        self._stream = pyte.Stream(self.screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> None:
        """Draw what came; a sequence that is not whole yet waits for its rest."""
        text = self._rest + self._decoder.decode(data)
        unfinished = _UNFINISHED.search(text)
        self._rest = unfinished.group() if unfinished else ""
        text = text[: len(text) - len(self._rest)]
        self.copied += _COPIED.findall(text)
        at = 0
        for change in _MODES.finditer(text):
            self._draw(text[at : change.end()])
            at = change.end()
            self._set({int(one) for one in change[1].split(";") if one}, change[2] == "h")
        self._draw(text[at:])

    def _draw(self, text: str) -> None:
        self._stream.feed(_NOT_DRAWN.sub("", text))

    def _set(self, modes: set[int], on: bool) -> None:
        if _ALTERNATE in modes and on != (_ALTERNATE in self.modes):
            self.screen = pyte.Screen(self.columns, self.rows) if on else self._main
            self._stream = pyte.Stream(self.screen)
            if not on:
                self._main.resize(self.rows, self.columns)
        self.modes = self.modes | modes if on else self.modes - modes

    def resize(self, columns: int, rows: int) -> None:
        """The window has another size."""
        self.columns, self.rows = columns, rows
        self.screen.resize(rows, columns)

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return _ALTERNATE in self.modes

    def lines(self) -> list[str]:
        """The rows of the screen, without trailing blanks, no-break spaces as spaces."""
        return [line.replace("\u00a0", " ").rstrip() for line in self.screen.display]

    def cell(self, row: int, column: int) -> Any:
        """One cell: `data`, `fg`, `bg`, `bold`, … as pyte names them."""
        return self.screen.buffer[row][column]
