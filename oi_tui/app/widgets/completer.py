"""The list of suggestions that rises over the message box while a command, a file or the name of a skill is typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from oi_tui.commands.suggest import Suggestion
from oi_tui.session.attached import ENDINGS

ROWS = 12

_LOOKED_AT = 1_000  # characters at the end of a draft, where a path may stand
_FILE = re.compile(r"(?:^|[\s(])@(?:\"[^\"\n]*|[^\s\"]*)$")
_SKILL = re.compile(r"(?:^|[\s(])\$[\w.:+-]*$")
_PICTURE = re.compile(rf"\.(?:{'|'.join(ENDINGS)})[\"']?[?!.,;:)]?\s*$", re.IGNORECASE)


class Completer(Widget):
    """Suggestions for a draft, one of them chosen. It floats: nothing moves when it opens."""

    DEFAULT_CSS = """
    Completer {
        overlay: screen;
        constrain: inside inside;
        display: none;
        width: 100%;
        height: 1;
        background: $raised;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """
    can_focus = False

    class Chosen(Message):
        """A row was clicked."""

    def __init__(self, source: Callable[[str], Sequence[Suggestion]] | None = None) -> None:
        super().__init__()
        self.source = source
        self._found: list[Suggestion] = []
        self._at = self._rows = 0  # _at: -1 while enter takes no row
        self._dismissed: str | None = None  # the draft for which it was closed

    @property
    def is_open(self) -> bool:
        return bool(self._found)

    @property
    def chosen(self) -> Suggestion | None:
        """The row that Enter would take."""
        return self._found[self._at] if self._found and self._at >= 0 else None

    @property
    def offered(self) -> Suggestion | None:
        """The row that Tab would take: the one that is chosen, else the first."""
        return self._found[max(0, self._at)] if self._found else None

    def offer(self, draft: str, tail: str = "") -> None:
        """Show what fits `draft`, the text up to the cursor, or nothing. tail: what stands behind the cursor."""
        if draft == self._dismissed:
            return
        self._dismissed = None
        command = draft[:1] in {"/", "%"} and "\n" not in draft
        end = draft[-_LOOKED_AT:]
        named = not tail[:1].strip() and any(one.search(end) for one in (_FILE, _SKILL, _PICTURE))
        wanted = named or (command and not tail)
        found = list(self.source(draft)) if wanted and self.source else []
        if found != self._found:
            self._found, self._at = found, -1 if found and found[0].by_tab else 0
            self._show()

    def close(self, draft: str = "") -> None:
        """Close it, and leave it closed while the draft stays as it is."""
        self._dismissed = draft
        if self._found:
            self._found = []
            self._show()

    def reopen(self, draft: str, tail: str = "") -> None:
        """Offer for `draft` even if it was closed for it."""
        self._dismissed = None
        self.offer(draft, tail)

    def move(self, rows: int) -> None:
        """Choose another row; goes round at the ends."""
        if self._found:
            self._at = (max(self._at, -1 if rows > 0 else 0) + rows) % len(self._found)
            self.refresh()

    def _show(self) -> None:
        self._rows = min(ROWS, len(self._found), self._space())
        self.display = bool(self._rows)
        if self._rows:
            self.styles.height = self._rows
            self.styles.offset = (0, -self._rows)
        self.refresh(layout=True)

    def _space(self) -> int:
        """Rows that are free above the message box, but for one."""
        box = self.parent
        return max(3, box.region.y - 1) if isinstance(box, Widget) else ROWS

    def _first(self) -> int:
        """Index of the first row that is shown, so that the chosen one is among them."""
        return max(0, min(self._at - self._rows // 2, len(self._found) - self._rows))

    def render(self) -> Content:
        first = self._first()
        wide = max((len(f"{one.label} {one.arguments}") for one in self._found), default=0)
        shown = self._found[first : first + self._rows]
        rows = [self._row(one, wide, one is self.chosen) for one in shown]
        below = len(self._found) - first - len(shown)
        if below:
            more = f"{below} more below"
            last = rows[-1].truncate(max(0, self.size.width - len(more) - 2), ellipsis=True)
            gap = max(0, self.size.width - last.cell_length - len(more) - 1)
            rows[-1] = Content.assemble(last, " " * gap, (more, "$muted"))
        return Content("\n").join(rows)

    def _row(self, one: Suggestion, wide: int, chosen: bool) -> Content:
        name_style = "$faint" if one.unavailable else ("$accent" if chosen else "$foreground")
        space = " " * (wide - len(f"{one.label} {one.arguments}") + 2)
        row = Content.assemble(
            "  " if not chosen else ("❯ ", "$accent"),
            (one.label, name_style),
            (f" {one.arguments}", "$muted"),
            space,
            (one.unavailable or one.help, "$muted"),
        )
        if chosen:
            row = row.pad_right(max(0, self.size.width - row.cell_length)).stylize_before("on $lit")
        return row

    def on_click(self, event: Click) -> None:
        index = self._first() + event.y
        if index < len(self._found):
            self._at = index
            self.post_message(self.Chosen())
