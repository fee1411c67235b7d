"""CodeView: one piece of code with line numbers, in the colours of its language; the line that runs is lit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.reactive import var

from .highlight import Highlighter
from .lines import LineView
from .printable import printable
from .sections import Section
from .wrapping import Line, Piece


class CodeView(LineView):
    """Code that is written, shown or run.

    Attributes:
        language: as after a fence.
        active_line: the line that runs, counted from 1; 0 when none does.
        code: what is shown, exactly as it was given (control characters are only painted otherwise).
    """

    MARGIN = 6

    active_line: var[int] = var(0)

    def __init__(self, code: str = "", language: str = "", **options: Any) -> None:
        """Takes what every widget takes, and the code to begin with."""
        super().__init__(**options)
        self.language = language
        self.code = ""
        self._section = Section()
        self._highlighter = Highlighter(language)
        self._tail = ""
        self._pending = code

    def on_mount(self) -> None:
        """Show what was given at the beginning."""
        if self._pending:
            self.append(self._pending)
            self._pending = ""

    def show(self, code: str, language: str) -> None:
        """Show another piece of code, from its first line."""
        self.clear()
        self._section = Section()
        self._highlighter = Highlighter(language)
        self._tail = ""
        self.language = language
        self.code = ""
        self.active_line = 0
        if code:
            self.append(code)
            self.following = False
            if self.is_running:
                self.scroll_to(y=0, animate=False)

    def append(self, text: str) -> None:
        """Add code as it is written."""
        self.code += text
        lines = self._section.lines
        if self._section.serial < 0:
            self.add_section(self._section)
        if self._tail:
            lines.pop()
        first = len(lines)
        *whole, self._tail = (self._tail + text).split("\n")
        for source in whole:
            shown = printable(source.removesuffix("\r"))
            lines.append(Line(shown, self._highlighter.feed(shown), chars=True))
        if self._tail:
            shown = printable(self._tail)
            lines.append(Line(shown, self._highlighter.peek(shown), chars=True))
        self.touch(self._section, first)

    def watch_active_line(self, old: int, new: int) -> None:
        """Light the line, and bring it into sight."""
        lines = self._section.lines
        for number, ground in ((old, ""), (new, "lit")):
            if 0 < number <= len(lines):
                lines[number - 1].ground = ground
                self.repaint_lines(self._section, number - 1, number - 1)
        if 0 < new <= len(lines):
            self.show_line(self._section, new - 1)

    def margin(self, section: Section, number: int, row: int) -> Sequence[Piece]:
        """The number of the line, on its first row."""
        digits = f"{number + 1:>{self.MARGIN - 2}}" if row == 0 else " " * (self.MARGIN - 2)
        lit = number + 1 == self.active_line
        return (
            Piece(digits, "accent" if lit else "muted", -1),
            Piece(" ", "text", -1),
            Piece("▌" if lit else " ", "accent", -1),
        )
