"""A change of several files, one at a time on the whole screen, before it is decided on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from oi_tui.app.panes.diff_view import DiffView
from oi_tui.app.panes.fitting import part
from oi_tui.app.panes.reveal import revealed
from oi_tui.app.panes.split_diff import SPLIT_WIDTH, SplitDiff
from oi_tui.app.panes.status import Row

Verdict = Literal["y", "n"]

LIST_WIDTH = 34  # columns of the list of files, where there is room for it beside the diff


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a diff: its path, its part of the diff, lines that come and go."""

    path: str
    diff: str
    added: int
    removed: int


def changed_files(diff: str) -> list[ChangedFile]:
    """The files of a unified diff in order; none for a text that is no diff."""
    parts: list[list[str]] = []
    hunk = 0  # lines of the hunk that are still to come: `--- ` in it is a removed line
    for line in diff.splitlines():
        if line.startswith("@@ "):
            hunk = _length(line)
        elif hunk > 0:
            hunk -= 2 if line.startswith(" ") or not line else 0 if line.startswith("\\") else 1
        elif line.startswith("--- "):
            parts.append([])
        if parts:
            parts[-1].append(line)
    return [_file(lines) for lines in parts]


def _length(head: str) -> int:
    """Lines of both sides that a hunk's head announces."""
    counts = [one.partition(",")[2] or "1" for one in head.split(" ")[1:3]]
    return sum(int(one) for one in counts if one.isdecimal())


def _file(lines: list[str]) -> ChangedFile:
    names = [line[4:].split("\t")[0].strip() for line in lines[:2] if line.startswith(("--- ", "+++ "))]
    name = next((one for one in reversed(names) if one != "/dev/null"), "")
    body = lines[2:]
    added = sum(line.startswith("+") for line in body)
    removed = sum(line.startswith("-") for line in body)
    return ChangedFile(name.removeprefix("b/").removeprefix("a/"), "\n".join(lines) + "\n", added, removed)


class Review(ModalScreen[Verdict | None]):
    """Dismissed with `y` or `n`, or None: back to the question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c,v", "back", "back to the question", id="review.back"),
        Binding("y", "decide('y')", "allow all", id="review.yes"),
        Binding("n", "decide('n')", "no, because…", id="review.no"),
        Binding("s", "split", "side by side, or not", id="review.split"),
        Binding("pagedown,space", "scroll(1)", "down", id="review.down"),
        Binding("pageup", "scroll(-1)", "up", id="review.up"),
    ]

    def __init__(self, files: list[ChangedFile]) -> None:
        super().__init__()
        self._files = files
        self._split: bool | None = None  # None: as the width allows
        self._head = Row("review-head")
        self._list = OptionList(*(Option(self._row(one)) for one in files), id="review-files", markup=False)
        self._unified, self._sides = DiffView(), SplitDiff()

    def compose(self) -> ComposeResult:
        yield Vertical(self._head, Horizontal(self._list, self._unified, self._sides), id="review")

    def on_mount(self) -> None:
        self._list.highlighted = 0
        self._list.focus()

    @staticmethod
    def _row(one: ChangedFile) -> Content:
        counts = ((f"+{one.added}", "$ok"), (f" -{one.removed}", "$bad"))
        return Content.assemble(*counts, "  ", revealed(one.path))

    @property
    def is_split(self) -> bool:
        """Are old and new side by side?"""
        return self.size.width - LIST_WIDTH >= SPLIT_WIDTH if self._split is None else self._split

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < 2 * LIST_WIDTH + 20, "-narrow")
        self._arrange()

    def _arrange(self) -> None:
        self._sides.display, self._unified.display = self.is_split, not self.is_split
        self._tell()

    def _tell(self) -> None:
        number = (self._list.highlighted or 0) + 1
        count = len(self._files)
        asks = f"Change these {count} files?" if count > 1 else "Change this file?"
        left = [part(9, (asks, "text bold")), part(1, (f"{number} of {count}", "muted"), before="   ")]
        keys = (
            (8, "y", "allow all"),
            (7, "n", "no, because…"),
            (3, "↑ ↓", "file"),
            (2, "s", "one column" if self.is_split else "side by side"),
            (6, "esc", "back"),
        )
        self._head.show(
            left, [part(rank, (key, "accent bold"), (f" {does}", "muted"), before="   ") for rank, key, does in keys]
        )

    @on(OptionList.OptionHighlighted)
    def _chosen(self, event: OptionList.OptionHighlighted) -> None:
        one = self._files[event.option_index]
        self._unified.show(one.diff)
        self._sides.show(one.diff)
        self._tell()

    def action_split(self) -> None:
        """The other way of showing it."""
        self._split = not self.is_split
        self._arrange()

    def action_scroll(self, pages: int) -> None:
        """Scroll the diff."""
        view = self._sides.new if self.is_split else self._unified
        view.action_page_down() if pages > 0 else view.action_page_up()

    def action_decide(self, verdict: Verdict) -> None:
        """The person decided."""
        self.dismiss(verdict)

    def action_back(self) -> None:
        """Back to the question."""
        self.dismiss(None)
