"""The blocks of a transcript: what a person said, what a model said, one-line calls that open, notices.

A block keeps its source and makes lines of it only when it is about to be shown, so a long session opens at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .markdown import MarkdownLines
from .printable import printable
from .sections import Section
from .wrapping import Line

if TYPE_CHECKING:
    from .lines import LineView

Level = Literal["info", "warning", "error"]

_CLOSED = (("▸ ", "faint"),)
_OPEN = (("▾ ", "accent"),)
_UNDER = (("  ", "text"),)


def styled(*parts: tuple[str, str]) -> Line:
    """A line from (text, style) pairs; control characters in the texts become visible."""
    clean = [(printable(text).replace("\n", " "), style) for text, style in parts]
    return Line("".join(text for text, _ in clean), tuple((len(text), style) for text, style in clean))


def plain(text: str, style: str = "text", ground: str = "", chars: bool = False) -> list[Line]:
    """Text as it is, one line for each of its own."""
    return [
        Line(line, ((len(line), style),), ground=ground, chars=chars) for line in printable(text, tab=8).split("\n")
    ]


class Block(Section):
    """One part of a transcript, and the handle to change it.

    Attributes:
        kind: what it is, for whoever is told that it was pressed.
        bar: style of the bar at its left edge, "" for none.
        tight: stands without a gap next to others that are tight.
        open: are the lines under its head shown?
        data: anything the owner wants to find again (a call id).
    """

    __slots__ = (
        "_ended",
        "_head",
        "_markdown",
        "_parts",
        "_ready",
        "_style",
        "bar",
        "data",
        "kind",
        "open",
        "tight",
        "view",
    )

    def __init__(
        self,
        kind: str,
        text: str = "",
        *,
        bar: str = "",
        head: Line | None = None,
        markdown: bool = False,
        style: str = "text",
        tight: bool = False,
        is_open: bool = True,
        data: str = "",
    ) -> None:
        super().__init__()
        self.kind = kind
        self.bar = bar
        self.tight = tight
        self.open = is_open
        self.data = data
        self.view: LineView | None = None
        self._head = head
        self._style = style
        self._markdown = MarkdownLines(base=style) if markdown else None
        self._parts = [text] if text else []
        self._ready = False
        self._ended = False

    @property
    def foldable(self) -> bool:
        """Has it a head that stays when it is closed?"""
        return self._head is not None

    # ---- the section

    def __len__(self) -> int:
        """Lines shown."""
        self._fill()
        return len(self._lines)

    def line(self, number: int) -> Line:
        """One of the lines shown."""
        self._fill()
        return self._lines[number]

    def guess(self, width: int) -> int:
        """From the length of the source, until there are lines."""
        if self._ready:
            return super().guess(width)
        shown = self._parts if self.open else ()
        rows = sum(len(part) // max(1, width) + part.count("\n") for part in shown) + bool(shown)
        return rows + self.foldable + self.gap

    def measure(self, width: int, first: int = 0) -> None:
        """Make the lines, then measure them."""
        self._fill()
        super().measure(width, first)

    def _fill(self) -> None:
        """Make the lines of what is only source yet."""
        if self._ready:
            return
        self._ready = True
        self._lines = [] if self._head is None else [self._marked_head()]
        if self.open:
            self._body()

    def _body(self) -> None:
        text, self._parts = "".join(self._parts), []
        if self._markdown is not None:
            if text:
                self._markdown.append(text)
            if self._ended:
                self._markdown.finish()
            self._lines.extend(self._markdown.lines)
        elif text:
            self._parts = [text]
            self._lines.extend(plain(text, self._style))

    def _marked_head(self) -> Line:
        assert self._head is not None
        lead = _OPEN if self.open else _CLOSED
        return Line(self._head.text, self._head.runs, lead, _UNDER)

    # ---- the handle

    def append(self, text: str) -> None:
        """Add text at the end."""
        if not text:
            return
        if not self._ready or not self.open:
            self._parts.append(text)
            # What is off the screen waits as source; its height stays a guess until it is near.
            self._told(len(self._lines))
            return
        skip = int(self.foldable)
        if self._markdown is None:
            fresh = plain(self._parts.pop() + text if self._parts else text, self._style)
            self._parts = ["\n".join(line.text for line in fresh)]
            first = min(len(self._lines), max(skip, len(self._lines) - 1))
            self._lines[skip:] = fresh
        else:
            changed = self._markdown.append(text)
            first = changed + skip
            self._lines[first:] = self._markdown.lines[changed:]
        self._told(first)

    def finish(self) -> None:
        """The text is whole."""
        self._ended = True
        if self._ready and self.open and self._markdown is not None:
            first = self._markdown.finish()
            skip = int(self.foldable)
            self._lines[first + skip :] = self._markdown.lines[first:]
            self._told(first + skip)

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Other lines under the head (or instead of the text) from now on; they are shown when it is open."""
        self._markdown = _Fixed(lines)
        self._parts = []
        self._rebuild()

    def set_head(self, head: Line) -> None:
        """Another head line."""
        self._head = head
        self._rebuild()

    def set_open(self, is_open: bool) -> None:
        """Show or hide what is under the head."""
        if self.open != is_open and self.foldable:
            self.open = is_open
            self._rebuild()

    def _rebuild(self) -> None:
        if self._ready:
            self._ready = False
            self._fill()
        self._told(0)

    def _told(self, first: int) -> None:
        if self.view is not None:
            self.view.touch(self, first)


class _Fixed(MarkdownLines):
    """Lines that were given, not parsed. Text appended to them follows as Markdown."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self.lines.extend(lines)
        self._solid = len(self.lines)


def person(text: str) -> Block:
    """What a person said, as it was typed."""
    return Block("person", text, bar="person")


def model(text: str = "") -> Block:
    """What a model says, in Markdown."""
    return Block("model", text, bar="line", markdown=True)


def entry(head: Line, text: str = "", *, is_open: bool = False, kind: str = "call", data: str = "") -> Block:
    """One line that opens: a call, a thought. What is under it is Markdown in muted, or lines that are set."""
    return Block(
        kind, text, head=head, markdown=True, style="muted", tight=True, is_open=is_open, data=data, bar="line"
    )


def notice(level: Level, text: str) -> Block:
    """Something the program says itself: cause, then what can be done."""
    style = {"info": "muted", "warning": "warn", "error": "bad"}[level]
    return Block("notice", text, style=style, bar=style)
