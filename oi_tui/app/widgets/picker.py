"""A list to choose from, with a filter to type into: models, harnesses, themes, and the command palette.

It rises from the bottom of the screen. What the highlighted row would do can be shown at once (`preview`); going away
without a choice takes that back. Or it can be told below the list (`about`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from oi_tui.commands.base import Choice
from oi_tui.commands.suggest import ranked

_MOST_ROWS = 16
_PAUSE = 0.06  # seconds on a row before it is told about


class Picker(ModalScreen[str | None]):
    """Dismissed with the value of the chosen row, or None."""

    DEFAULT_CSS = """
    Picker {
        align: left bottom;
        background: transparent;
        & > Vertical {
            width: 100%;
            height: auto;
            max-height: 70%;
            padding: 0 2 1 2;
            background: $raised;
        }
        & .picker--head { height: 1; color: $muted; }
        & Input, & Input:focus {
            border: none;
            height: 1;
            padding: 0;
            margin: 0 0 1 0;
            background: $raised;
            background-tint: transparent;
        }
        & OptionList, & OptionList:focus {
            height: auto;
            max-height: 16;
            border: none;
            padding: 0;
            background: $raised;
            background-tint: transparent;
            scrollbar-size-vertical: 1;
            text-wrap: nowrap;
            text-overflow: ellipsis;
            & > .option-list--option { padding: 0; }
            & > .option-list--option-highlighted { background: $lit; color: $foreground; text-style: bold; }
            & > .option-list--option-disabled { color: $muted; }
        }
        & > Vertical.-about {
            height: 80%;
            max-height: 40;
            & > OptionList { height: 1fr; max-height: 100%; }
            & > .picker--about { height: auto; max-height: 50%; margin: 1 0 0 2; color: $muted; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", show=False),
        Binding("ctrl+c", "cancel", show=False, priority=True),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        deep: Sequence[Choice] = (),
        find: Callable[[], Awaitable[Sequence[Choice]]] | None = None,
        finding: str = "looking for more…",
        typed: str = "",
        preview: Callable[[str], None] | None = None,
        about: Callable[[str], str] | None = None,
        does: str = "choose",
        other: tuple[str, str, str] | None = None,
    ) -> None:
        """title: one or two words.

        deep: rows that only show when they are searched for. find: looks for more rows while the list is open;
        `finding` is said meanwhile. typed: what a row says that takes the filter text itself as the value, "" for none.
        preview: called with the value of the row that is highlighted. about: lines on the value of that row, its first
        in a stronger colour. does: what enter does, in a word. other: a key that chooses as well, what it does,
        and what is put after the value then.
        """
        super().__init__()
        self._does, self._about, self._other = does, about, other
        self._telling: Timer | None = None
        self._title, self._choices, self._deep = title, list(choices), list(deep)
        self._find, self._finding, self._typed, self._preview = find, finding, typed, preview
        self._shown: list[Choice] = []
        self._was = next((one.value for one in choices if one.current), None)
        self._previewed = self._was

    def compose(self) -> ComposeResult:
        with Vertical(classes="-about" if self._about else ""):
            yield Static(self._head(searching=self._find is not None), classes="picker--head", markup=False)
            yield Input(placeholder="type to search", select_on_focus=False)
            yield OptionList(markup=False)
            if self._about:
                yield Static(classes="picker--about", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()
        self._fill("")
        if self._find is not None:
            self.run_worker(self._look_for_more(self._find), exit_on_error=False)

    def on_resize(self) -> None:
        """The list is no higher than what there is room for: the highlighted row has to be on the screen."""
        if type(self) is Picker and not self._about:
            rows = self.query_one(OptionList)
            rows.styles.max_height = max(3, min(_MOST_ROWS, self.app.size.height * 7 // 10 - 4))
            self.call_after_refresh(rows.scroll_to_highlight)

    def _head(self, searching: bool) -> Content:
        return Content.assemble(
            (self._title, "bold $foreground"),
            "   ",
            ("enter", "$accent"),
            f" {self._does}   ",
            ("esc", "$accent"),
            " leave",
            *(((f"   {self._other[0]}", "$accent"), f" {self._other[1]}") if self._other else ()),
            f"   {self._finding}" if searching else "",
        )

    async def _look_for_more(self, find: Callable[[], Awaitable[Sequence[Choice]]]) -> None:
        try:
            found = await find()
        finally:
            self.query_one(".picker--head", Static).update(self._head(searching=False))
        known = {one.value for one in self._choices}
        self._choices += [one for one in found if one.value not in known]
        self._fill(self.query_one(Input).value)

    # -- rows

    def _fill(self, query: str, on: str = "") -> None:
        """Show the rows that fit; the highlight stays on its row if that is still there, or goes to that of `on`."""
        rows = self.query_one(OptionList)
        before = self._highlighted
        query = query.strip()
        found = self._fitting(query)
        if self._typed and query and query not in {one.value for one in found}:
            found.append(Choice(query, query, self._typed))
        self._shown = found
        wide = min(40, max((len(one.label or one.value) for one in found), default=0))
        options: list[Option] = []
        group = ""
        for index, one in enumerate(found):
            if one.group and one.group != group and not query:
                options.append(Option(one.group, disabled=True))
            group = one.group
            options.append(Option(self._row(one, wide), id=str(index)))
        if not found:
            options.append(Option("nothing fits", disabled=True))
        rows.clear_options()
        rows.add_options(options)
        kept = before.value if before is not None and not query else (None if query else self._was)
        place = next((index for index, one in enumerate(found) if one.value == (on or kept)), 0)
        if found:
            rows.highlighted = rows.get_option_index(str(place))

    def _fitting(self, query: str) -> list[Choice]:
        """The rows that fit, best first."""
        return ranked(query, [*self._choices, *self._deep] if query else self._choices)

    def _row(self, one: Choice, wide: int) -> Content:
        label = one.label or one.value
        return Content.assemble(
            ("• " if one.current else "  ", "$accent"),
            label,
            " " * (max(0, wide - len(label)) + 2),
            (one.detail, "$muted"),
        )

    @property
    def _highlighted(self) -> Choice | None:
        option = self.query_one(OptionList).highlighted_option
        return None if option is None or option.id is None or not self._shown else self._at(option.id)

    def _at(self, option_id: str) -> Choice | None:
        index = int(option_id)
        return self._shown[index] if index < len(self._shown) else None

    # -- events

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        self._fill(event.value)

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        chosen = self._at(event.option.id) if event.option.id is not None else None
        if self._preview and chosen is not None and chosen.value != self._previewed:
            self._previewed = chosen.value
            self._preview(chosen.value)
        if self._about and chosen is not None:
            # A moment later: who runs down the list wants the last row, and words on it may take a while to find.
            if self._telling is not None:
                self._telling.stop()
            self._telling = self.set_timer(_PAUSE, lambda: self._tell(chosen.value))

    def _tell(self, value: str) -> None:
        assert self._about is not None
        first, _, rest = self._about(value).partition("\n")
        self.query_one(".picker--about", Static).update(Content.assemble((first, "$foreground"), "\n", rest))

    @on(Input.Submitted)
    def _entered(self) -> None:
        chosen = self._highlighted
        if chosen is not None:
            self._take(chosen.value)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        chosen = self._at(event.option.id) if event.option.id is not None else None
        if chosen is not None:
            self._take(chosen.value)

    def _take(self, value: str) -> None:
        """That row was chosen."""
        self.dismiss(value)

    def on_key(self, event: events.Key) -> None:
        """The keyboard stays in the filter; keys that move go to the list."""
        if self._other is not None and event.key == self._other[0] and self._highlighted is not None:
            event.stop()
            self.dismiss(self._highlighted.value + self._other[2])
            return
        rows = self.query_one(OptionList)
        moves = {
            "up": rows.action_cursor_up,
            "down": rows.action_cursor_down,
            "pageup": rows.action_page_up,
            "pagedown": rows.action_page_down,
        }
        if event.key in moves:
            event.stop()
            moves[event.key]()

    def on_click(self, event: events.Click) -> None:
        if self.get_widget_at(*event.screen_offset)[0] is self:
            self.cancel()

    def action_cancel(self) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Go away without a choice; what was previewed is taken back."""
        if self._preview and self._was is not None and self._previewed != self._was:
            self._preview(self._was)
        self.dismiss(None)
