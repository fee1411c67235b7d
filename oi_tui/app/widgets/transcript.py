"""The transcript: all blocks of a session in one scrolling view, with a cursor that moves from block to block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from .blocks import Block
from .lines import LineView
from .painting import Span
from .sections import PLACES, Section
from .spotlight import lit
from .wrapping import Piece

_AIR = Piece(" ", "text", -1)


class Transcript(LineView):
    """Blocks, each with a bar at its left edge that says who speaks."""

    MARGIN = 3
    MAX_TEXT = 100
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor(-1)", "previous block", show=False),
        Binding("down", "cursor(1)", "next block", show=False),
        Binding("enter", "press", "open or close", show=False),
    ]

    class BlockPressed(Message):
        """A block was clicked, or enter pressed on it; one that folds has done so already."""

        def __init__(self, view: Transcript, block: Block) -> None:
            super().__init__()
            self.view = view
            self.block = block

        @property
        def control(self) -> Transcript:
            """The view, for `@on(..., selector)`."""
            return self.view

    class CursorMoved(Message):
        """Another block is chosen, or none."""

    class LinkPressed(Message):
        """A link was clicked: `address` as the source had it, not checked."""

        def __init__(self, view: Transcript, address: str) -> None:
            super().__init__()
            self.view = view
            self.address = address

        @property
        def control(self) -> Transcript:
            """The view, for `@on(..., selector)`."""
            return self.view

    def __init__(self, **options: Any) -> None:
        """Takes what every widget takes."""
        super().__init__(**options)
        self.cursor: Block | None = None
        self.needle = ""  # what is searched for
        self._found: tuple[int, int] | None = None  # (serial, line) where the search stands

    # ---- search

    def light(self, needle: str) -> None:
        """Light every place with this text, "" for none."""
        self.needle, self._found = needle, None
        self.painter.forget()
        self.refresh()

    def stand_at(self, block: Block, number: int) -> None:
        """Bring a line into sight at which a search stands."""
        self._found = (block.serial, number)
        self.following = False
        self.painter.forget()
        self.show_line(block, number)
        self.refresh()

    def spans(self, section: Section, number: int) -> list[Span]:
        """What the search found, lit; where it stands, reversed."""
        here = self._found == (section.serial, number)
        return lit(section.line(number).text, self.needle, here, self.painter.inks)

    # ---- blocks

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks in order; a new list."""
        return [section for section in self.stack.sections if isinstance(section, Block)]

    def add(self, block: Block) -> Block:
        """Put a block at the end; returns it, as the handle to change it."""
        previous = self.stack.sections[-1] if self.stack.sections else None
        close = isinstance(previous, Block) and previous.tight and block.tight
        block.gap = 0 if previous is None or close else 1
        block.view = self
        self.add_section(block)
        return block

    def add_all(self, blocks: Iterable[Block]) -> None:
        """Put many blocks at the end, as when a session is opened again."""
        for block in blocks:
            self.add(block)

    def remove_from(self, block: Block) -> None:
        """Remove a block and all after it."""
        index = self.stack.index_of(block.serial)
        for gone in self.stack.sections[index:]:
            if isinstance(gone, Block):
                gone.view = None
            if gone is self.cursor:
                self.cursor = None
        self.drop_from(block)

    # ---- paint

    def margin(self, section: Section, number: int, row: int) -> Sequence[Piece]:
        """Air, the bar, air."""
        if not isinstance(section, Block):
            return super().margin(section, number, row)
        here = section is self.cursor and self.has_focus
        bar = "accent" if here else "" if section.foldable and number == 0 else section.bar
        return (_AIR, Piece("▌" if bar else " ", bar or "text", -1), _AIR)

    # ---- the cursor

    def action_cursor(self, step: int) -> None:
        """Go to the next block; first scroll to the end of one that is taller than the screen."""
        sections = self.stack.sections
        if not sections:
            return
        if self.cursor is None:
            if step < 0:
                self.set_cursor(sections[-1])
            else:
                self.scroll_to(y=self.scroll_y + 1, animate=False)
            return
        index = self.stack.index_of(self.cursor.serial)
        top, bottom = self.stack.top(index), self.stack.top(index + 1)
        height = self.scrollable_content_region.height
        if step > 0 and bottom > self.scroll_y + height:
            self.scroll_to(y=min(bottom - height, self.scroll_y + 3), animate=False)
        elif step < 0 and top < self.scroll_y:
            self.scroll_to(y=max(top, self.scroll_y - 3), animate=False)
        elif 0 <= index + step < len(sections):
            self.set_cursor(sections[index + step])
        elif step > 0:
            self.action_leave()

    def set_cursor(self, section: Section | None) -> None:
        """Choose a block, None for none."""
        old = self.cursor
        self.cursor = section if isinstance(section, Block) else None
        for each in (old, self.cursor):
            if each is not None:
                self.painter.forget(each.serial)
        if self.cursor is not None:
            upwards = old is not None and self.cursor.serial < old.serial
            last = len(self.cursor) - 1
            self.show_line(self.cursor, last if upwards else 0)
        self.refresh()
        if self.cursor is not old:
            self.post_message(self.CursorMoved())

    def action_leave(self) -> None:
        """No cursor; back to the bottom."""
        self.set_cursor(None)
        self.follow()

    def action_press(self) -> None:
        """Open or close the block under the cursor."""
        if self.cursor is not None:
            self._press(self.cursor)

    def _press(self, block: Block) -> None:
        block.set_open(not block.open)
        self.post_message(self.BlockPressed(self, block))

    def _focus_changed(self) -> None:
        if self.cursor is not None:
            self.painter.forget(self.cursor.serial)
            self.refresh()

    def on_focus(self) -> None:
        """The cursor shows only while the keys go here."""
        self._focus_changed()

    def on_blur(self) -> None:
        """The cursor shows only while the keys go here."""
        self._focus_changed()

    def on_click(self, event: events.Click) -> None:
        """Press the head of what folds, or a link; not at the end of a selection."""
        found = self.place_at(event.y)
        if found is None or event.chain > 1 or self.text_selection is not None:
            return
        section, number = found
        if address := self._address(event):
            self.post_message(self.LinkPressed(self, address))
        elif isinstance(section, Block):
            self.set_cursor(section)
            if section.foldable and number == 0:
                self._press(section)

    def _address(self, event: events.Click) -> str:
        """The link under the mouse, "" for none."""
        x, place = event.style.meta.get("offset", (0, -1))
        section = self.stack.get(place // PLACES) if place >= 0 else None
        if section is None or place % PLACES >= len(section):
            return ""
        for length, style in section.line(place % PLACES).runs:
            if x < length:
                return next((part[1:] for part in style.split(" ") if part.startswith("@")), "")
            x -= length
        return ""
