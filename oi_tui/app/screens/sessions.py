"""Earlier sessions to look through: a list to search in, beside it the end of the one that is highlighted.

Words that are typed are looked for in titles and first messages at once, and a moment later in all that was said, run
and printed. A session can be given another title or be deleted in place; what was deleted can be brought back until the
list is closed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from oi_tui.app.widgets.blocks import Block
from oi_tui.app.widgets.editing_picker import EditingPicker
from oi_tui.app.widgets.printable import printable
from oi_tui.app.widgets.transcript import Transcript as View
from oi_tui.commands.base import Choice
from oi_tui.commands.sessions import card_choice
from oi_tui.session import cards as shelf_cards
from oi_tui.session import shelf, store
from oi_tui.session.cards import Card

_PAUSE = 0.12  # seconds on a row, or without a key, before files are read for it
_TAIL = 60  # messages that a preview is made of
_AGE = 14  # columns


class SessionsScreen(EditingPicker):
    """Dismissed with `resume ID`, `fork ID` or None."""

    DEFAULT_CSS = """
    SessionsScreen {
        & > Vertical { height: 100%; max-height: 100%; padding: 1 2; }
        & #shelf { height: 1fr; }
        & OptionList, & OptionList:focus { width: 1fr; height: 100%; max-height: 100%; }
        & #shelf-preview {
            width: 1fr; height: 100%; background: $sheet; margin-left: 2; padding: 0 0 0 1;
            scrollbar-background: $sheet;
            scrollbar-background-hover: $sheet;
            scrollbar-background-active: $sheet;
        }
        &.-narrow #shelf-preview { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "rename", show=False, priority=True),
        Binding("ctrl+d", "delete", show=False, priority=True),
        Binding("ctrl+b", "bring_back", show=False, priority=True),
        Binding("ctrl+f", "fork", show=False, priority=True),
        Binding("tab", "everywhere", show=False, priority=True),
    ]

    def __init__(self, cwd: str, own: str, now: Callable[[], float] = time.time) -> None:
        """cwd: the folder whose sessions are shown first. own: id of the session on the screen, which is left out."""
        super().__init__("sessions", (), does="go on with it")
        self._cwd, self._own, self._now = cwd, own, now
        self._all_folders = False
        self._cards: dict[str, Card] = {}
        self._gone: list[tuple[Card, Path]] = []
        self._within: set[str] = set()  # what mentions the words of the filter
        self._inside = View(id="shelf-preview")
        self._renamed = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._head(searching=True), classes="picker--head", markup=False)
            yield Input(placeholder="type to search in all that was said", select_on_focus=False, id="shelf-filter")
            with Horizontal(id="shelf"):
                yield OptionList(markup=False)
                yield self._inside

    def on_mount(self) -> None:
        self.run_worker(self._read(), exit_on_error=False)

    def on_resize(self) -> None:
        self.set_class(self.app.size.width < 90, "-narrow")

    def _head(self, searching: bool) -> Content:
        where = "every folder" if self._all_folders else "this folder"
        keys = (("ctrl+f", "fork"), ("ctrl+r", "rename"), ("ctrl+d", "delete"), ("tab", "folders"))
        more = [piece for key, does in keys for piece in ((f"   {key}", "$accent"), f" {does}")]
        narrow = self.is_mounted and self.app.size.width < 90
        return Content.assemble(
            (self._title, "bold $foreground"),
            f" of {where}",
            ("   enter", "$accent"),
            " go on",
            *([] if narrow else more),
        )

    # -- the list

    async def _read(self) -> None:
        """Make the cards in a thread: there may be hundreds of files."""

        def read() -> list[Card]:
            shelf.clear_old()
            return [one for one in shelf_cards.cards("" if self._all_folders else self._cwd) if one.id != self._own]

        found = await asyncio.to_thread(read)
        self._keep(found)
        self._show()
        if not found:
            self.say(
                "there are no earlier sessions" + ("" if self._all_folders else " in this folder; tab: every folder")
            )
            self._inside.clear()

    def _keep(self, cards: list[Card]) -> None:
        """These are on the list, what was worked on last first."""
        self._cards = {one.id: one for one in sorted(cards, key=lambda one: -one.changed)}

    def _show(self, on: str = "") -> None:
        self._choices = [card_choice(one, self._now()) for one in self._cards.values()]
        self.query_one(".picker--head", Static).update(self._head(searching=False))
        self._fill(self.query_one("#shelf-filter", Input).value, on)

    def _fitting(self, query: str) -> list[Choice]:
        found = super()._fitting(query)
        shown = {one.value for one in found}
        return [*found, *(one for one in self._choices if one.value in self._within and one.value not in shown)]

    def _row(self, one: Choice, wide: int) -> Content:
        age, _, about = one.detail.partition(" · ")
        card = self._cards.get(one.value)
        where = f"  {card.cwd}" if card is not None and self._all_folders else ""
        return Content.assemble(
            (f"{age:<{_AGE}}", "$muted"), printable(one.label), (f"  {about}{printable(where)}", "$muted")
        )

    # -- looking inside

    @on(Input.Changed, "#shelf-filter")
    def _typed(self, event: Input.Changed) -> None:
        self._within = set()
        self._later(lambda: self.run_worker(self._search(event.value.strip()), exclusive=True, group="search"))

    @on(OptionList.OptionHighlighted)
    def _looked_at(self) -> None:
        chosen = self._highlighted
        if chosen is not None:
            self._later(lambda: self.run_worker(self._look_into(chosen.value), exclusive=True, group="look"))

    def _later(self, do: Callable[[], object]) -> None:
        """In a moment: who runs down the list, or types on, wants the last row and the last word."""
        self.set_timer(_PAUSE, do)

    async def _search(self, words: str) -> None:
        if len(words) < 3 or words != self.query_one("#shelf-filter", Input).value.strip():
            return
        cards = list(self._cards.values())
        found = await asyncio.to_thread(lambda: {one.id for one in cards if shelf_cards.mentions(one, words)})
        if words == self.query_one("#shelf-filter", Input).value.strip() and found:
            self._within = found
            self._fill(words)

    async def _look_into(self, session_id: str) -> None:
        """Show the end of a session, as the chat would."""
        card, chosen = self._cards.get(session_id), self._highlighted
        if card is None or chosen is None or chosen.value != session_id or self.has_class("-narrow"):
            return
        blocks = await asyncio.to_thread(_end_of, card)
        self._inside.clear()
        self._inside.add_all(blocks)
        self._inside.follow()

    # -- what is done with one

    def _chosen(self) -> Card | None:
        chosen = self._highlighted
        return self._cards.get(chosen.value) if chosen is not None else None

    def _take(self, value: str) -> None:
        if value in self._cards:
            self._leave(f"resume {value}")

    def action_fork(self) -> None:
        """Go on in a copy of it."""
        if (card := self._chosen()) is not None:
            self._leave(f"fork {card.id}")

    def action_everywhere(self) -> None:
        """Sessions of every folder, or of this one again."""
        self._all_folders = not self._all_folders
        self.say("")
        self.run_worker(self._read(), exclusive=True, exit_on_error=False)

    def action_delete(self) -> None:
        """Take it off the list; it can be brought back until the list is closed."""
        card = self._chosen()
        if card is None or self.writing:
            return
        try:
            self._gone.append((card, shelf.delete(card)))
        except (store.SessionInUse, OSError) as error:
            self.say(str(error), "$bad")
            return
        del self._cards[card.id]
        self._show()
        self.say(f"deleted “{printable(card.name)[:40]}”", key="ctrl+b", does="brings it back")
        if not self._cards:
            self._inside.clear()

    def action_bring_back(self) -> None:
        """The one that was deleted last is there again."""
        if not self._gone:
            return
        card, gone = self._gone.pop()
        try:
            shelf.bring_back(gone)
        except OSError as error:
            self.say(f"it cannot be brought back: {error}", "$bad")
            return
        self._keep([*self._cards.values(), card])
        self._show(card.id)
        self.say(f"“{printable(card.name)[:40]}” is back")

    def action_rename(self) -> None:
        """Write another title for it."""
        card = self._chosen()
        if card is None or self.writing:
            return
        self._renamed = card.id
        self.write(card.title, "title")

    def written(self, text: str) -> str:
        """The title was written."""
        card = self._cards.get(self._renamed)
        if card is None:
            return ""
        try:
            shelf.rename(card, " ".join(text.split()))
        except (store.SessionInUse, OSError) as error:
            return str(error)
        fresh = shelf_cards.card(card.path)
        if fresh is not None:
            self._cards[card.id] = fresh
        self._show(self._renamed)
        return ""

    # -- leaving

    def leave(self) -> None:
        """Close the list."""
        self._leave(None)

    def _leave(self, result: str | None) -> None:
        """What was deleted goes for good."""
        for _, gone in self._gone:
            shelf.clear(gone)
        self._gone.clear()
        self.dismiss(result)


def _end_of(card: Card) -> list[Block]:
    """The last part of a session as blocks."""
    from oi_tui.app.panes.chat import whole_block
    from oi_tui.protocol.transcript import Transcript

    try:
        messages = store.load(card.path).messages
    except OSError:
        return []
    first = max(0, len(messages) - _TAIL)
    while 0 < first < len(messages) and messages[first]["role"] == "computer":
        first -= 1  # what was printed belongs to the call before it
    return [whole_block(item) for item in Transcript.from_messages(messages[first:]).items]
