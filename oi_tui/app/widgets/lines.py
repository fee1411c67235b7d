"""LineView: a scrolling view of styled lines, the base of the transcript, the console and the code pane.

One widget, however long its content: lines are data in sections (sections.py), and only rows on the screen are
painted, each once until it changes (painting.py). Scrolling is in scrolling.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.filter import ANSIToTruecolor
from textual.geometry import Offset, Region
from textual.selection import Selection
from textual.strip import Strip

from .inks import Inks, theme_palette
from .painting import Span
from .scrolling import SectionScroll
from .sections import PLACES, Section
from .strips import CompactStrip
from .wrapping import Line, Piece


class LineView(SectionScroll, can_focus=True):
    """Styled lines that scroll: add sections to it, `touch` them when their lines change."""

    ALLOW_SELECT = True

    DEFAULT_CSS: ClassVar[str] = """
    LineView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        height: 1fr;
    }
    """

    # ---- what subclasses decide

    def margin(self, section: Section, number: int, row: int) -> Sequence[Piece]:
        """What stands left of row `row` of a line; as wide as MARGIN."""
        return (Piece(" " * self.MARGIN, "text", -1),)

    def spans(self, section: Section, number: int) -> list[Span]:
        """Styles laid over a line's text, besides the selection."""
        return []

    # ---- paint

    def on_mount(self) -> None:
        """Take the colours of the theme, now and whenever it changes."""
        self._take_colours()
        self.app.theme_changed_signal.subscribe(self, self._theme_changed, immediate=True)

    def _theme_changed(self, _theme: object) -> None:
        self._take_colours()
        self.refresh()

    def _take_colours(self) -> None:
        self.painter.inks = Inks(theme_palette(self.app.theme_variables))
        self.painter.base = self.rich_style.background_style
        self.painter.forget()

    def notify_style_update(self) -> None:
        """The background may be another one: then nothing painted before holds."""
        super().notify_style_update()
        base = self.rich_style.background_style
        if base != self.painter.base:
            self.painter.base = base
            self.painter.forget()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows of the screen as strips, straight from what is remembered.

        Textual's own cache of styled lines would make every strip anew each time the view scrolls.
        """
        if any(self.styles.gutter):
            return super().render_lines(crop)
        filters = self.get_line_filters()
        background = self.background_colors[1]
        first, last = crop.column_span
        fill = None if self.app.no_color else self.painter.base
        strips: list[Strip] = []
        for y in crop.line_range:
            strip = self.render_line(y)
            exact = isinstance(strip, CompactStrip) and strip.exact
            for each in filters:
                if exact and isinstance(each, ANSIToTruecolor):
                    continue
                strip = strip.apply_filter(each, background)
            strips.append(strip if (first, last) == (0, strip.cell_length) else strip.crop_extend(first, last, fill))
        return strips

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        strip = self._row(round(self.scroll_y) + y)
        if self.unseen and not self.following and y == self.scrollable_content_region.height - 1:
            return self._with_hint(strip)
        return strip

    def _row(self, row: int) -> Strip:
        if row < 0 or row >= self._rows_known or not self.stack.sections or row >= self.stack.rows():
            return self.painter.blank(self._row_width)
        index = self.stack.at(row)
        section = self.stack.sections[index]
        if section.width != self.text_width:
            self._measure(index)
        number, within = section.locate(row - self.stack.top(index))
        if number < 0:
            return self.painter.blank(self._row_width)
        strips = self.painter.kept(section.serial, number)
        if strips is None:
            strips = self._paint_line(section, number)
        return strips[within] if within < len(strips) else self.painter.blank(self._row_width)

    def _paint_line(self, section: Section, number: int) -> list[Strip]:
        place = section.serial * PLACES + number
        spans = self.spans(section, number)
        selection = self.text_selection
        if selection is not None and (chosen := selection.get_span(place)) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            spans = [*spans, (max(0, chosen[0]), chosen[1], style)]
        strips = self.painter.paint(
            section.line(number),
            place,
            self.text_width,
            self._row_width,
            lambda row: self.margin(section, number, row),
            spans,
        )
        self.painter.keep(section.serial, number, strips)
        return strips

    def _with_hint(self, strip: Strip) -> Strip:
        """The last row with the words that there is more below."""
        style = self.painter.base + self.painter.inks.style("accent")
        text = f" ↓ {self.unseen:,} new · end "
        if len(text) + 8 > self._view_width:
            return strip
        text += " " * (self._row_width - self._view_width)
        return CompactStrip([*strip.crop(0, self._row_width - len(text)), Segment(text, style)], self._row_width)

    # ---- places and selection

    def place_at(self, y: int) -> tuple[Section, int] | None:
        """The (section, line) at row `y` of the screen; line -1 is the gap above a section's first."""
        row = round(self.scroll_y) + y
        if not self.stack.sections or not 0 <= row < self.stack.rows():
            return None
        index = self.stack.at(row)
        self._measure(index)
        section = self.stack.sections[index]
        return section, section.locate(row - self.stack.top(index))[0]

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint what is selected, or no longer."""
        self.painter.forget()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as the source had it: not wrapped, without bars and margins."""
        if not self.stack.sections:
            return None
        first = selection.start or Offset(0, self.stack.sections[0].serial * PLACES)
        final = self.stack.sections[-1]
        last = selection.end or Offset(-1, final.serial * PLACES + max(0, len(final) - 1))
        parts: list[str] = []
        index = max(0, self.stack.index_of(first.y // PLACES))
        for section in self.stack.sections[index : self.stack.index_of(last.y // PLACES) + 1]:
            if parts and section.gap:
                parts.append("\n")
            begin = first.y % PLACES if section.serial == first.y // PLACES else 0
            end = last.y % PLACES + 1 if section.serial == last.y // PLACES else len(section)
            for number in range(begin, min(end, len(section))):
                place = section.serial * PLACES + number
                start = max(0, first.x) if place == first.y else 0
                stop = last.x if place == last.y and last.x >= 0 else None
                parts.append(_copied(section.line(number), start, stop))
        if parts and parts[-1].endswith("\n"):
            parts[-1] = parts[-1][:-1]
        return "".join(parts), "\n"


def _copied(line: Line, start: int, stop: int | None) -> str:
    """Part of a line as it is copied; a line that goes on past `stop` ends without a newline."""
    text = line.text[start:stop]
    if start == 0 and (stop is None or stop > 0):
        text = line.mark + text
    return text if line.joined and stop is None else text + "\n"
