"""A page of text that lies over the screen until the person is done with it: help, keys, status."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from oi_tui.app.panes.fitting import part
from oi_tui.app.panes.status import Row
from oi_tui.app.widgets.lines import LineView
from oi_tui.app.widgets.markdown import MarkdownLines
from oi_tui.app.widgets.sections import Section


class Page(LineView):
    """Markdown that scrolls; as tall as its text."""

    MAX_TEXT = 100


class Reading(ModalScreen[None]):
    """Shows a Markdown text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,ctrl+c,ctrl+d", "leave", "close", id="reading.close"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        markdown = MarkdownLines(text)
        markdown.finish()
        self._lines = markdown.lines
        self._page = Page()

    def compose(self) -> ComposeResult:
        head = Row("reading-head")
        head.show([part(2, (self._title, "text bold"))], [part(1, ("esc", "accent"), (" close", "muted"))])
        yield Vertical(head, self._page, id="reading")

    def on_mount(self) -> None:
        self._page.add_section(Section(self._lines))
        self._page.following = False
        self._page.styles.height = len(self._lines) + 1
        self._page.focus()

    def on_click(self, event: events.Click) -> None:
        if self.get_widget_at(*event.screen_offset)[0] is self:
            self.dismiss()

    def action_leave(self) -> None:
        self.dismiss()
