"""SectionScroll: sections of lines in a scrolling widget: heights, following the end, what changes on a resize.

What is added at the end costs nothing that grows with what is above it. The view stays at the bottom while new lines
come, unless a person scrolled up; then it counts what is below. How lines look is LineView's part (lines.py).
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive, var
from textual.scroll_view import ScrollView
from textual.widget import Widget

from .painting import Painter
from .sections import Section, Stack


class SectionScroll(ScrollView):
    """Sections that scroll.

    Attributes:
        stack: the sections.
        painter: what is painted of them; told what to forget.
        following: at the bottom, and staying there when lines are added.
        unseen: rows added below since `following` ended.
    """

    MARGIN: ClassVar[int] = 1
    """Cells left of the text."""
    MAX_TEXT: ClassVar[int] = 0
    """Most cells a row of text may take, 0 for all there are."""

    following: var[bool] = var(True)
    unseen: var[int] = var(0)

    class FollowChanged(Message, namespace="line_view"):
        """`following` or `unseen` of a view is now another."""

        def __init__(self, view: SectionScroll, following: bool, unseen: int) -> None:
            super().__init__()
            self.view = view
            self.following = following
            self.unseen = unseen

        @property
        def control(self) -> SectionScroll:
            """The view, for `@on(..., selector)`."""
            return self.view

    def __init__(self, **options: Any) -> None:
        """Takes what every widget takes: `id`, `classes`, `name`, `disabled`."""
        super().__init__(**options)
        self.stack = Stack()
        self.painter = Painter()
        self._view_width = 0
        self._row_width = 0
        self._rows_known = 0
        self._thumb = (0, 0)
        self._new_rows = 0
        self._waiting = False
        self._moving = False
        self._repaint_from: int | None = None

    # ---- geometry

    @property
    def text_width(self) -> int:
        """Cells a row of text may take, right of the margin and left of one column of air."""
        room = max(1, self._view_width - self.MARGIN - 1)
        return min(room, self.MAX_TEXT) if self.MAX_TEXT else room

    def _on_resize(self, event: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width == self._view_width:
            self._arrange()
            return
        anchor = self._anchor_place()
        self._view_width = width
        # A row is painted as wide as the widget; the scrollbar lies over its end.
        self._row_width = self.outer_size.width
        self.painter.forget()
        for section in self.stack.sections:
            section.forget(self.text_width)
        self.stack.changed(0)
        self._repaint_from = -1
        self._arrange(anchor)

    def _anchor_place(self) -> tuple[int, int] | None:
        """The (index of section, line) at the top of the screen, None while following."""
        if self.following or not self.stack.sections or not self._view_width:
            return None
        row = round(self.scroll_y)
        index = self.stack.at(row)
        section = self.stack.sections[index]
        if not section.width:
            return index, 0
        return index, max(0, section.locate(row - self.stack.top(index))[0])

    # ---- change

    def add_section(self, section: Section) -> None:
        """Put a section at the end."""
        self.stack.add(section)
        section.height = section.guess(self.text_width)
        self._count_new(section.height)
        self._repaint(len(self.stack) - 1, 0)
        self._later()

    def touch(self, section: Section, first: int = 0) -> None:
        """The lines of a section from `first` on have changed, come or gone. A section that was removed is ignored."""
        if self.stack.get(section.serial) is not section:
            return
        index = self.stack.index_of(section.serial)
        self.painter.forget(section.serial, first)
        before = section.height
        if section.width:
            section.measure(self.text_width, first)
        else:
            section.height = section.guess(self.text_width)
        self._count_new(section.height - before)
        self.stack.changed(index)
        self._repaint(index, first)
        self._later()

    def repaint_lines(self, section: Section, first: int, last: int) -> None:
        """Paint lines of a section again; their heights have not changed."""
        self.painter.forget(section.serial, first, last)
        self.refresh()

    def drop_from(self, section: Section) -> None:
        """Remove a section and all after it."""
        index = self.stack.index_of(section.serial)
        for gone in self.stack.sections[index:]:
            self.painter.forget(gone.serial)
        self.stack.drop_from(index)
        self._repaint_from = -1
        self._later()

    def drop_first(self, count: int = 1) -> None:
        """Remove the first sections; what is on the screen stays where it is."""
        gone = self.stack.top(count)
        for section in self.stack.sections[:count]:
            self.painter.forget(section.serial)
        self.stack.drop_first(count)
        if not self.following:
            self._place(max(0, round(self.scroll_y) - gone))
        self._repaint_from = -1
        self._later()

    def replace_first(self, section: Section) -> None:
        """Put another section in the place of the first."""
        self.painter.forget(self.stack.sections[0].serial)
        before = self.stack.sections[0].height
        self.stack.replace_first(section)
        section.measure(max(1, self.text_width))
        if not self.following:
            self._place(max(0, round(self.scroll_y) + section.height - before))
        self._repaint_from = -1
        self._later()

    def clear(self) -> None:
        """Remove all lines."""
        self.stack.clear()
        self.painter.forget()
        self.following = True
        self._repaint_from = -1
        self._later()

    def _count_new(self, rows: int) -> None:
        if not self.following and rows > 0:
            self._new_rows += rows

    def _repaint(self, index: int, first: int) -> None:
        section = self.stack.sections[index]
        row = self.stack.top(index) + (section.row_of(first) if section.width and first else 0)
        self._repaint_from = row if self._repaint_from is None else min(row, self._repaint_from)

    def _later(self) -> None:
        """Arrange once for all changes of this batch."""
        if not self._waiting and self.is_running:
            self._waiting = True
            self.call_next(self._arrange)

    def _arrange(self, anchor: tuple[int, int] | None = None) -> None:
        """Measure what is on the screen, then set the height of everything and where the screen stands in it."""
        self._waiting = False
        if not self._view_width or not self.is_running:
            return
        if self.following:
            self._measure_end()
        elif anchor is not None:
            index, line = anchor
            if index < len(self.stack):
                self._measure(index)
                self._set_rows(self.stack.rows())
                self._place(self.stack.top(index) + self.stack.sections[index].row_of(line))
        self._set_rows(self.stack.rows())
        before = round(self.scroll_y)
        if self.following:
            self._place(self.max_scroll_y)
        else:
            self._measure_visible(upwards=False)
            self.unseen += self._new_rows
        self._new_rows = 0
        if round(self.scroll_y) == before:
            self._refresh_rows()
        self._repaint_from = None

    def _refresh_rows(self) -> None:
        if self._repaint_from is None:
            return
        top = max(0, self._repaint_from - round(self.scroll_y))
        height = self.scrollable_content_region.height
        if top < height:
            self.refresh(Region(0, top, self._view_width, height - top))

    def _set_rows(self, rows: int) -> None:
        """Set the virtual size without the layout of the whole screen that Textual's own reactive would start."""
        self._rows_known = rows
        size = Size(self._view_width, rows)
        if size == self.virtual_size:
            return
        self.set_reactive(cast(Reactive[Size], Widget.virtual_size), size)
        if (rows > self.scrollable_content_region.height) != self.show_vertical_scrollbar:
            self._scroll_update(size)
        elif self.scroll_y > self.max_scroll_y:
            self._place(self.max_scroll_y)
        self._sync_bar()

    def _sync_bar(self) -> None:
        """Move the scrollbar only when it would look different: each time it is painted costs a row's colours."""
        rows, height = self.virtual_size.height, self.scrollable_content_region.height
        if not self.show_vertical_scrollbar or not rows:
            return
        thumb = (round(self.scroll_y * height * 8 / rows), round(height * height * 8 / rows))
        if thumb != self._thumb:
            self._thumb = thumb
            bar = self.vertical_scrollbar
            bar.window_virtual_size, bar.window_size, bar.position = rows, height, self.scroll_y

    def _measure(self, index: int) -> int:
        """Make the height of a section exact; returns by how much it differs from the guess."""
        section = self.stack.sections[index]
        width = self.text_width
        if section.width == width:
            return 0
        before = section.height
        section.measure(width)
        if section.height != before:
            self.stack.changed(index)
        return section.height - before

    def _measure_end(self) -> None:
        """Measure sections from the last up, until they fill the screen."""
        room = self.scrollable_content_region.height
        index = len(self.stack) - 1
        while index >= 0 and room > 0:
            self._measure(index)
            room -= self.stack.sections[index].height
            index -= 1

    def _measure_visible(self, upwards: bool) -> None:
        """Measure the sections on the screen.

        upwards: the person moves up: what a section above turns out taller pushes the screen down by as much, so that
        what was read last stays in place.
        """
        if not self.stack.sections or not self._view_width:
            return
        height = self.scrollable_content_region.height
        index = self.stack.at(max(0, round(self.scroll_y)))
        while True:
            more = self._measure(index)
            if upwards and more and self.stack.top(index) <= self.scroll_y:
                self._set_rows(self.stack.rows())
                self._place(round(self.scroll_y) + more)
                if self.stack.at(round(self.scroll_y)) < index:
                    index = self.stack.at(round(self.scroll_y))
                    continue
            upwards = False
            index += 1
            if index >= len(self.stack) or self.stack.top(index) >= self.scroll_y + height:
                break
        self._set_rows(self.stack.rows())

    # ---- scrolling

    def _place(self, row: float) -> None:
        """Scroll there at once; not by the person."""
        self._moving = True
        try:
            self.scroll_y = self.scroll_target_y = row
        finally:
            self._moving = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what came into sight; notice whether the person left the bottom."""
        if not self._moving:
            self._measure_visible(upwards=new_value < old_value)
            self.following = round(self.scroll_y) >= self.max_scroll_y
        if round(old_value) != round(new_value):
            self.refresh(self.size.region)
        self._sync_bar()

    def watch_following(self, following: bool) -> None:
        """Nothing is unseen at the bottom."""
        if following:
            self.unseen = 0
            self.refresh()
        self.post_message(self.FollowChanged(self, following, self.unseen))

    def watch_unseen(self, unseen: int) -> None:
        """Tell how much is below, and paint the hint that says so."""
        if not self.following:
            region = self.scrollable_content_region
            self.refresh(Region(0, max(0, region.height - 1), region.width, 1))  # the row with the hint, no other
            self.post_message(self.FollowChanged(self, False, unseen))

    def follow(self) -> None:
        """Go to the bottom and stay there."""
        self.following = True
        self._arrange()

    def show_line(self, section: Section, number: int = 0) -> None:
        """Scroll so that a line is on the screen."""
        index = self.stack.index_of(section.serial)
        self._measure(index)
        self._set_rows(self.stack.rows())
        row = self.stack.top(index) + section.row_of(number)
        height = self.scrollable_content_region.height
        if not self.scroll_y <= row < self.scroll_y + height:
            self.scroll_to(y=max(0, row - height // 3), animate=False)

    def action_scroll_end(self) -> None:
        """Follow again."""
        self.follow()

    def action_scroll_home(self) -> None:
        """Go to the first line."""
        self.scroll_to(y=0, animate=False)

    def action_page_up(self) -> None:
        """One screen up, less a line to keep one's bearings."""
        self.scroll_to(y=self.scroll_y - max(1, self.scrollable_content_region.height - 1), animate=False)

    def action_page_down(self) -> None:
        """One screen down, less a line."""
        self.scroll_to(y=self.scroll_y + max(1, self.scrollable_content_region.height - 1), animate=False)
