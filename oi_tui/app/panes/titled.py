"""A pane with a title line: what it shows on the left, what can be done with it on the right."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import Vertical

from oi_tui.app.panes.fitting import Part
from oi_tui.app.panes.status import Row
from oi_tui.app.widgets.lines import LineView


class TitledPane(Vertical):
    """A title over a view."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.title = Row(f"{id}-title")
        self.title.add_class("title")

    @property
    def view(self) -> LineView:
        """The view that takes the keys."""
        raise TypeError("a titled pane says which view takes the keys")

    def head(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Show this title."""
        self.title.show(left, right)

    def focus_view(self) -> None:
        """Give the keyboard to the view."""
        self.view.focus()
