"""ConsoleView: what programs print, as it comes, with their colours, a search and pictures."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from textual import work

from .lines import LineView
from .pages import PAGE, Page
from .painting import Span
from .previews import half_blocks
from .printable import printable
from .sections import Section
from .spotlight import lit
from .terminal_text import TerminalText
from .wrapping import Line

MOST_LINES = 200_000
SLICE = 131_072
"""Characters taken in at a time."""
PREVIEW = (60, 16)
"""Cells a picture may take: columns, rows."""


class ConsoleView(LineView):
    """Program output, at most `most_lines` lines of it.

    Attributes:
        dropped: lines that are no longer here; the first row says so.
    """

    def __init__(self, most_lines: int = MOST_LINES, **options: Any) -> None:
        """Takes what every widget takes, and how many lines to keep (whole pages of 1,000)."""
        super().__init__(**options)
        self.dropped = 0
        self._most = max(PAGE, most_lines)
        self._later_tasks: deque[Callable[[], None]] = deque()
        self._text = TerminalText()
        self._page: Page | None = None
        self._shown_open = False
        self._needle = ""
        self._found: tuple[int, int] | None = None

    # ---- output

    def append(self, text: str) -> None:
        """Add output. A slice is taken in at once (a few ms); what is beyond it follows while the app goes on."""
        if self._later_tasks or len(text) <= SLICE or not self.is_running:
            self._do(partial(self._take_in, text))
            return
        self._later_tasks.extend(
            partial(self._take_in, text[place : place + SLICE]) for place in range(0, len(text), SLICE)
        )
        self._next_task()

    def _do(self, task: Callable[[], None]) -> None:
        """Do this now, or after the output that is still to be taken in."""
        if self._later_tasks:
            self._later_tasks.append(task)
        else:
            task()

    def _next_task(self) -> None:
        if self._later_tasks:
            self._later_tasks.popleft()()
        if self._later_tasks:
            # Keys and paints come in between.
            self.call_later(self._next_task)

    @property
    def busy(self) -> bool:
        """Is there output that was appended but is not taken in yet?"""
        return bool(self._later_tasks)

    def _take_in(self, text: str) -> None:
        page = self._page
        first = 0
        if page is not None:
            if self._shown_open:
                page.pop()
            first = len(page)
        lines = self._text.feed(text)
        self._shown_open = False
        place = 0
        while place < len(lines) or self._text.open is not None:
            if page is None or page.full:
                page, first = self._next_page(page, first), 0
            room = PAGE - len(page)
            page.extend(lines[place : place + room])
            place += room
            if place >= len(lines):
                if self._text.open is not None and not page.full:
                    page.extend([self._text.open])
                    self._shown_open = True
                    break
                if self._text.open is None:
                    break
        if page is not None:
            self.touch(page, first)
        self._drop_old()

    def _next_page(self, page: Page | None, first: int) -> Page:
        if page is not None:
            page.pack()
            self.touch(page, first)
        self._page = fresh = Page()
        self.add_section(fresh)
        return fresh

    def end(self) -> None:
        """The program ended: what is printed next begins on a line and without colours of its own."""
        self._do(self._end_now)

    def _end_now(self) -> None:
        self._text.finish()
        if self._text.open is not None:
            self._take_in("\n")

    def note(self, text: str, style: str = "faint") -> None:
        """A line of the program's own between the output, such as which cell it belongs to."""
        self.end()
        lines = [Line(line, ((len(line), style),)) for line in printable(text).split("\n")]
        self._do(partial(self._note_now, lines))

    def _note_now(self, lines: list[Line]) -> None:
        self._add_lines(lines)

    def _add_lines(self, lines: list[Line]) -> Section:
        """Lines that are not output, in a section of their own."""
        if self._page is not None:
            self._page.pack()
            self._page = None
        section = Section(lines)
        self.add_section(section)
        return section

    def clear(self) -> None:
        """Remove all output."""
        super().clear()
        self._later_tasks.clear()
        self._text = TerminalText()
        self._page = None
        self._shown_open = False
        self._found = None
        self.dropped = 0

    def _drop_old(self) -> None:
        sections = self.stack.sections
        if len(sections) * PAGE <= self._most + PAGE:
            return
        total = sum(len(section) for section in sections)
        count = 0
        while count < len(sections) - 1 and total - len(sections[count]) >= self._most:
            total -= len(sections[count])
            count += 1
        if not count:
            return
        self.dropped += sum(len(section) for section in sections[:count]) - bool(self.dropped)
        self.drop_first(count - 1)
        words = f"… {self.dropped:,} earlier lines, saved"
        self.replace_first(Section([Line(words, ((len(words), "faint"),))]))

    # ---- pictures

    def add_image(
        self, path: Path, width: int = 0, height: int = 0, columns: int = PREVIEW[0], rows: int = PREVIEW[1]
    ) -> None:
        """A picture: a line with its path and size, above it a preview as soon as one is made.

        Args:
            path: the image file.
            width: pixels, 0 when not known.
            height: pixels, 0 when not known.
            columns: cells the preview may take, 0 for none.
            rows: rows the preview may take, 0 for none.
        """
        self.end()
        self._do(partial(self._add_image_now, path, width, height, columns, rows))

    def _add_image_now(self, path: Path, width: int, height: int, columns: int, rows: int) -> None:
        size = f"   {width} × {height}" if width and height else ""
        name = printable(str(path))
        caption = Line(name + size, ((len(name), "accent"), (len(size), "faint")))
        section = self._add_lines([caption])
        if columns and rows:
            room = self.text_width if self.size.width else columns
            self._preview(section, path, min(columns, room), rows)

    @work(exit_on_error=False)
    async def _preview(self, section: Section, path: Path, columns: int, rows: int) -> None:
        lines = await asyncio.to_thread(half_blocks, path, columns, rows)
        if lines and self.stack.get(section.serial) is section:
            section.insert(0, lines)
            self.touch(section)

    # ---- search

    @property
    def found(self) -> tuple[int, int] | None:
        """The (serial of section, line) that the search stands at."""
        return self._found

    def search(self, text: str, backwards: bool = False) -> bool:
        """Go to the next line that contains `text`, or the one before; from the end round to the beginning.

        Upper case counts only if `text` has some. An empty text ends the search. Returns whether there is any.
        """
        if text != self._needle:
            self._found = None
        self._needle = text
        self.painter.forget()
        self.refresh()
        if not text:
            return False
        hits = self._next_hit(backwards)
        if hits is None:
            return False
        self._found = hits
        section = self.stack.get(hits[0])
        assert section is not None
        self.following = False
        self.show_line(section, hits[1])
        return True

    def _next_hit(self, backwards: bool) -> tuple[int, int] | None:
        sections = self.stack.sections
        if not sections:
            return None
        needle, fold = self._folded()
        start = self.stack.index_of(self._found[0]) if self._found else len(sections) - 1 if backwards else 0
        start = min(max(0, start), len(sections) - 1)
        step = -1 if backwards else 1
        for turn in range(len(sections) + 1):
            section = sections[(start + turn * step) % len(sections)]
            lines = _hits(section, needle, fold)
            if turn == 0 and self._found is not None and self._found[0] == section.serial:
                at = self._found[1]
                lines = [line for line in lines if (line < at if backwards else line > at)]
            if lines:
                return section.serial, lines[-1] if backwards else lines[0]
        return None

    def _folded(self) -> tuple[str, bool]:
        fold = self._needle == self._needle.casefold()
        return (self._needle.casefold() if fold else self._needle), fold

    def spans(self, section: Section, number: int) -> list[Span]:
        """What the search found, lit; where it stands, reversed."""
        here = self._found == (section.serial, number)
        return lit(section.line(number).text, self._needle, here, self.painter.inks)


def _hits(section: Section, needle: str, fold: bool) -> list[int]:
    if isinstance(section, Page):
        return section.find(needle, fold)
    texts = (section.line(number).text for number in range(len(section)))
    return [number for number, text in enumerate(texts) if needle in (text.casefold() if fold else text)]
