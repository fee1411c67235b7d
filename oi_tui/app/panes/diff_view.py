"""DiffView: the change to a file that is asked about, with the numbers of its lines."""

from __future__ import annotations

from collections.abc import Sequence

from oi_tui.app.panes.diff_lines import Row, diff_rows
from oi_tui.app.widgets.lines import LineView
from oi_tui.app.widgets.sections import Section
from oi_tui.app.widgets.wrapping import Piece


class DiffView(LineView):
    """One unified diff. `diff` is what is shown."""

    MARGIN = 8

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.diff = ""
        self._rows: list[Row] = []

    def show(self, diff: str) -> None:
        """Show a diff from its first line."""
        self.clear()
        self.diff, self._rows = diff, diff_rows(diff)
        self.add_section(Section([row.line for row in self._rows]))
        self.following = False
        self.scroll_to(y=0, animate=False)

    def margin(self, section: Section, number: int, row: int) -> Sequence[Piece]:
        """The number of the line and its sign, on its first row."""
        shown = self._rows[number] if number < len(self._rows) and row == 0 else None
        digits = f"{shown.number:>5} " if shown is not None and shown.number else " " * 6
        sign = shown.sign if shown is not None else " "
        tone = {"+": "ok", "-": "bad"}.get(sign, "muted")
        return Piece(digits, "muted", -1), Piece(f"{sign} ", tone, -1)
