"""What was written before, to search: the newest first, each once, in one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input, OptionList

from oi_tui.app.widgets.picker import Picker
from oi_tui.app.widgets.printable import printable
from oi_tui.commands.base import Choice

_LONGEST = 200  # characters of a row
_MOST = 2_000  # rows


def rows(entries: Sequence[str]) -> list[Choice]:
    """A row for each text, the newest first; the value is the text itself."""
    newest_first = dict.fromkeys(reversed(entries))
    return [Choice(text, _one_row(text)) for text, _ in zip(newest_first, range(_MOST), strict=False)]


def _one_row(text: str) -> str:
    words = printable(" ".join(text.split()))
    more = text.count("\n")
    cut = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return f"{cut}   {more + 1:,} lines" if more else cut


def matching(query: str, choices: Sequence[Choice]) -> list[Choice]:
    """Texts that have every word of the query, in the order they are in. Upper case counts only if the query has some:
    letters spread over a long text would fit anything, so unlike elsewhere they have to stand together."""
    fold = query == query.casefold()
    words = query.split()
    found: list[Choice] = []
    for one in choices:
        text = one.value.casefold() if fold else one.value
        if all(word in text for word in words):
            found.append(one)
    return found


class HistoryPicker(Picker):
    """Dismissed with a text, or None. Ctrl+R goes on to older ones, Ctrl+S back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "step(1)", show=False, priority=True),
        Binding("ctrl+s", "step(-1)", show=False, priority=True),
    ]

    def __init__(self, entries: Sequence[str], query: str = "") -> None:
        """query: what is searched for from the start."""
        super().__init__("history", rows(entries), does="put it into the box")
        self._query = query

    def on_mount(self) -> None:
        if self._query and "\n" not in self._query:
            self.query_one(Input).value = self._query
        super().on_mount()

    def _fitting(self, query: str) -> list[Choice]:
        return matching(query, self._choices)

    def action_step(self, rows: int) -> None:
        """Go on to the next row."""
        rows_shown = self.query_one(OptionList)
        rows_shown.action_cursor_down() if rows > 0 else rows_shown.action_cursor_up()
