"""The frame of the main screen: what is painted first, how the panes come into it, and which of them are in sight.

The first frame holds the lines of status, a few words and the message box. The panes, and the modules they need, come
right after it (`furnish`), so that a person can type while they load.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from oi_tui.app.panes.status import Activity, Facts, FootLine, HeadLine, Hint
from oi_tui.app.panes.welcome import welcome
from oi_tui.app.screens.arrangement import Arrangement
from oi_tui.app.widgets.composer import Composer
from oi_tui.commands.suggest import Suggestion

if TYPE_CHECKING:
    from oi_tui.app.history import PromptHistory
    from oi_tui.app.panes.approval import ApprovalPane
    from oi_tui.app.panes.chat import ChatPane
    from oi_tui.app.panes.code import CodePane
    from oi_tui.app.panes.console import ConsolePane
    from oi_tui.app.panes.tabs import Tabs
    from oi_tui.app.screens.routing import Routing
    from oi_tui.commands.first_run import Way

IDLE_HINTS: tuple[Hint, ...] = (("enter", "send"), ("alt+enter", "new line"), ("/", "commands"), ("?", "keys"))
ASKING_HINTS: tuple[Hint, ...] = (("pgup pgdn", "scroll the code"), ("f5", "answer or write"), ("esc", "stop"))
BUSY_HINTS: tuple[Hint, ...] = (("enter", "steer"), ("tab", "queue"), ("ctrl+p", "palette"), ("esc", "stop"))
REASON_HINTS: tuple[Hint, ...] = (("enter", "no, because of this"), ("esc", "back to the question"))
INPUT_HINTS: tuple[Hint, ...] = (("enter", "type it in"), ("esc", "end the input"), ("ctrl+c", "stop"))
WANTED_HINTS: tuple[Hint, ...] = (("f5", "answer the program"), *BUSY_HINTS)
BLOCK_HINTS: tuple[Hint, ...] = (
    ("y", "copy"), ("c", "copy code"), ("o", "open code"), ("r", "run again"), ("s", "save"), ("ctrl+f", "search"),
    ("esc", "back"),
)  # fmt: skip
EDIT_HINTS: tuple[Hint, ...] = (("ctrl+s", "ask again with this"), ("esc", "leave as it was"))


class FramedScreen(Screen[None]):
    """Frame, panes and their arrangement."""

    tabs: Tabs
    chat: ChatPane
    code: CodePane
    console: ConsolePane
    approval: ApprovalPane
    routing: Routing

    def __init__(
        self,
        history: PromptHistory,
        suggestions: Callable[[str], Sequence[Suggestion]],
        motion: bool = True,
        dropped: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__()
        self.head, self.foot = HeadLine("head"), FootLine("foot")
        self.welcome = Static(id="welcome", markup=False)
        self.activity = Activity("activity", motion)
        self.composer = Composer(history, suggestions, dropped=dropped, id="box")
        self.work = Horizontal(self.welcome, id="work", classes="-empty -chat")
        self.frame = Vertical(self.head, self.work, self.activity, self.composer, self.foot, id="frame")
        self.furnished = False
        self.busy = False
        self.pinned = False  # the person chose a pane in this turn: the action does not take it away
        self._arrangement = Arrangement()
        self._news: frozenset[str] = frozenset()
        self._empty = True
        self._facts: Facts | None = None
        self._ways: Sequence[Way] | None = None

    def compose(self) -> ComposeResult:
        yield self.frame

    def on_mount(self) -> None:
        self.composer.area.cursor_blink = False
        self.foot.tell(hints=IDLE_HINTS)
        self.welcome.update(welcome(Facts()))
        self.composer.focus_box()

    async def furnish(self) -> None:
        """Bring the panes in. Takes as long as their modules take to load."""
        from oi_tui.app.panes.approval import ApprovalPane
        from oi_tui.app.panes.chat import ChatPane
        from oi_tui.app.panes.code import CodePane
        from oi_tui.app.panes.console import ConsolePane
        from oi_tui.app.panes.tabs import Tabs
        from oi_tui.app.screens.routing import Routing

        self.tabs = Tabs("tabs")
        self.chat, self.code, self.console = ChatPane("chat"), CodePane("code"), ConsolePane("console")
        self.approval = ApprovalPane("approval", lambda: self.composer.typed_at)
        self.routing = Routing(self)
        with self.app.batch_update():
            await self.work.mount(self.chat, Vertical(self.code, self.console, id="side"))
            await self.frame.mount(self.tabs, before=self.work)
            await self.frame.mount(self.approval, before=self.activity)
            self.furnished = True
            self.lay_out(self._arrangement)

    def update_node_styles(self, animate: bool = True) -> None:
        """Textual restyles a whole screen when its window gains or loses the focus. Only these look different then."""
        parts = (self.composer, self.approval) if self.furnished else (self.composer,)
        nodes = [self, *(node for part in parts for node in part.walk_children(with_self=True))]
        self.app.stylesheet.update_nodes(nodes, animate=animate)

    # -- arrangement

    def on_resize(self, event: events.Resize) -> None:
        self.lay_out(replace(self._arrangement, width=event.size.width, height=event.size.height))

    def lay_out(self, to: Arrangement) -> None:
        """Bring those panes into sight."""
        self._arrangement = to
        self.frame.update_classes(to.frame_classes)
        self.work.update_classes(to.work_classes)
        if self.furnished:
            self.tabs.display = to.tabs
            self.approval.may_zoom(not to.narrow)
            self._news -= {pane for pane in self._news if to.visible(pane)}
            self.tabs.tell(to.shown, self._news)
        self.call_after_refresh(self._place_cursor)

    def _place_cursor(self) -> None:
        """Where an input method shows what is composed. Textual tells the terminal only when the caret moves."""
        if self.composer.area.has_focus:
            self.app.cursor_position = self.composer.area.cursor_screen_offset

    def follow(self, pane: str) -> None:
        """Something happens in that pane."""
        before = self._arrangement
        if self.pinned and before.narrow and before.working:
            if not before.visible(pane) and pane not in self._news:
                self._news |= {pane}
                self.tabs.tell(before.shown, self._news)
        elif (after := before.follow(pane)) != before:
            self.lay_out(after)

    def choose(self, pane: str) -> None:
        """The person wants that pane; asked for again, it is zoomed."""
        target = {"chat": self.chat, "code": self.code, "console": self.console}[pane]
        self.pinned = True
        self.lay_out(self._arrangement.choose(pane, again=target.has_focus_within))
        target.focus_view()

    def zoom_code(self, is_so: bool | None = None) -> bool:
        """Let the code fill the work area, or no longer (None: the other way round). Returns how it is now."""
        zoomed = not self._arrangement.zoomed if is_so is None else is_so
        self.lay_out(replace(self._arrangement, shown="code" if zoomed else self._arrangement.shown, zoomed=zoomed))
        return zoomed

    def on_tabs_chosen(self, event: Tabs.Chosen) -> None:
        event.stop()
        self.choose(event.pane)

    # -- what the routing tells

    def tell(self, facts: Facts) -> None:
        """Show the facts in head and foot, and on the empty screen."""
        self.head.tell(facts)
        self.foot.tell(facts)
        if self._empty and facts != self._facts:
            self._facts = facts
            self.welcome.update(welcome(facts, self._ways))

    def tell_ways(self, ways: Sequence[Way]) -> None:
        """Show on the empty screen how a model can be reached: it is the first start."""
        self._ways = ways
        self.welcome.update(welcome(self._facts or Facts(), ways))

    def occupied(self, is_so: bool) -> None:
        """Something was said, or nothing any more."""
        if self._empty == is_so:
            self._empty = not is_so
            self.work.set_class(self._empty, "-empty")
            if self._empty:
                self.lay_out(Arrangement(self._arrangement.width, self._arrangement.height))

    def turn_is(self, running: bool) -> None:
        """A turn runs now, or no longer."""
        self.busy = self.composer.busy = running
        if running:
            self.pinned = False
        self.show_hints()

    def window_title(self, folder: str) -> str:
        """What the window is called: that it waits comes first, for a narrow tab."""
        waits = self.approval.pending or self.console.input_line.asked is not None
        return f"{'waits for you · ' if waits else 'works · ' if self.busy else ''}oi · {folder}"

    def input_wanted(self) -> None:
        """A program waits for the person to type."""

    def later(self, do: Callable[[], None]) -> None:
        """Do it once what is to be seen now has been painted."""
        self.call_after_refresh(self.set_timer, 0.02, do)

    def show_hints(self) -> None:
        """Show the keys that work now."""
        if self.code.editing:
            self.foot.tell(hints=EDIT_HINTS)
        elif self.approval.asks_reason:
            self.foot.tell(hints=REASON_HINTS)
        elif self.approval.asked is not None:
            self.foot.tell(hints=ASKING_HINTS if self.code.view.max_scroll_y else ASKING_HINTS[1:])
        elif self.console.input_line.asked is not None:
            self.foot.tell(hints=INPUT_HINTS if self.console.input_line.has_focus_within else WANTED_HINTS)
        elif self.chat.view.has_focus and self.chat.view.cursor is not None:
            self.foot.tell(hints=BLOCK_HINTS)
        else:
            self.foot.tell(hints=BUSY_HINTS if self.busy else IDLE_HINTS)
