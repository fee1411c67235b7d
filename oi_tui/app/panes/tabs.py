"""The tabs of the narrow layout, where one pane is on the screen at a time."""

from __future__ import annotations

from textual import events
from textual.message import Message

from oi_tui.app.panes.fitting import Part, part
from oi_tui.app.panes.status import Row

PANES = ("chat", "code", "console")


class Tabs(Row):
    """Names of the panes; the shown one is lit, one with news is marked."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    def tell(self, shown: str, news: frozenset[str] = frozenset()) -> None:
        """Light the shown pane and mark those that have something new."""
        left: list[Part] = []
        for number, name in enumerate(PANES):
            style = "accent bold" if name == shown else "muted"
            mark = (("•", "accent"),) if name in news and name != shown else ((" ", ""),)
            left.append(part(10 - number, (f"f{number + 2} ", "faint"), (name, style), *mark, before="  "))
        self.show(left, ())

    def on_click(self, event: events.Click) -> None:
        column = 0
        for name in PANES:
            column += 3 + len(name) + 1 + 2
            if event.x < column:
                self.post_message(self.Chosen(name))
                return
