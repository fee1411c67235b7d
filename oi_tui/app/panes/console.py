"""The console pane: what the block on top printed, as it comes."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from oi_tui.app.panes.cells import seconds
from oi_tui.app.panes.fitting import part
from oi_tui.app.panes.input_line import InputLine
from oi_tui.app.panes.search_line import SearchLine
from oi_tui.app.panes.titled import TitledPane
from oi_tui.app.widgets.console import ConsoleView
from oi_tui.app.widgets.lines import LineView
from oi_tui.protocol import events as ev
from oi_tui.protocol.transcript import CodeItem, ToolItem, Transcript


class ConsolePane(TitledPane):
    """Shows one call's output at a time: that of the running one, or of the page that the code pane was turned to."""

    HELP = "the output of the block on top: arrows and page keys scroll, end follows again, ctrl+f searches"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+f", "search", "search", id="console.search")]

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.console_view = ConsoleView()
        self.search_line = SearchLine()
        self.input_line = InputLine()
        self._missed = False  # what is searched is nowhere
        self._call_id = ""
        self._number = 0
        self._state = ("", "")

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.console_view
        yield self.search_line
        yield self.input_line

    def on_mount(self) -> None:
        self._tell()

    @property
    def view(self) -> LineView:
        return self.console_view

    # -- output as it comes

    def begin(self, call_id: str, number: int) -> None:
        """A call runs: its output is shown from now on."""
        self._turn_to(call_id, number)
        self._state = ("running", "accent")
        self._tell()

    def add(self, call_id: str, number: int, text: str) -> None:
        """A call printed."""
        self._turn_to(call_id, number)
        self.console_view.append(text)

    def add_image(self, call_id: str, number: int, image: ev.ImageOutput) -> None:
        """A call drew a picture."""
        self._turn_to(call_id, number)
        if image.path:
            self.console_view.add_image(Path(image.path))
        else:
            self.console_view.note(f"a picture ({image.format})")

    def ask(self, number: int, asked: ev.InputRequested) -> None:
        """A program of the call waits for the person to type."""
        self._turn_to(asked.call_id, number)
        self.input_line.ask(asked)
        self._state = ("waits for you", "accent")
        self._tell()

    def asked_no_more(self, given: ev.InputGiven) -> None:
        """It waits no longer."""
        self.input_line.settled(given.input_id)
        if given.call_id == self._call_id:
            self._state = ("running", "accent")
            self._tell()

    def end(self, call_id: str, ok: bool, summary: str, took: float) -> None:
        """A call is over."""
        if call_id == self._call_id:
            self.console_view.end()
            self._state = (f"{summary or ('ok' if ok else 'failed')}   {seconds(took)}", "muted" if ok else "bad")
            self._tell()

    def _turn_to(self, call_id: str, number: int) -> None:
        if call_id != self._call_id:
            self.forget()
            self._call_id, self._number = call_id, number
            self._tell()

    # -- output of before

    def show(self, item: CodeItem | ToolItem | None, number: int) -> None:
        """Show what is kept of a call's output."""
        if item is None or item.call_id == self._call_id:
            return
        self._turn_to(item.call_id, number)
        if item.output.cut:
            self.console_view.note(f"… {item.output.cut:,} earlier characters are not kept")
        self.console_view.append(item.output.tail)
        for picture in item.pictures:
            self.add_image(item.call_id, number, ev.ImageOutput(item.call_id, picture.format, "", picture.path))
        if item.settled:
            self.end(item.call_id, item.state == "ok", item.summary, item.seconds)

    def restart(self, transcript: Transcript) -> None:
        """Start over from a transcript: with the output of its last block, as the code pane."""
        self.forget()
        last = next((item for item in reversed(transcript.items) if isinstance(item, CodeItem)), None)
        self.show(last, last.number if last else 0)

    def forget(self) -> None:
        """Show nothing."""
        self.console_view.clear()
        self._call_id, self._number, self._state = "", 0, ("", "")
        self._tell()

    # -- search

    @property
    def searching(self) -> bool:
        """True while the line is open in which is written what to look for."""
        return self.search_line.display

    def action_search(self) -> None:
        """Ask what to look for."""
        self.search_line.display = True
        self.search_line.focus()
        self._tell()

    def leave_search(self) -> None:
        """Close the line; the view stays at what was found."""
        self.search_line.display = False
        self.search_line.value = ""
        self.console_view.search("")
        self.console_view.focus()
        self._tell()

    @on(SearchLine.Changed)
    def _written(self, event: SearchLine.Changed) -> None:
        event.stop()
        self._find(event.value, backwards=False)

    @on(SearchLine.Submitted)
    def _sent(self, event: SearchLine.Submitted) -> None:
        event.stop()
        self._find(event.value, backwards=False)

    @on(SearchLine.Step)
    def _stepped(self, event: SearchLine.Step) -> None:
        event.stop()
        self._find(self.search_line.value, event.backwards)

    def _find(self, text: str, backwards: bool) -> None:
        self._missed = not self.console_view.search(text, backwards) and bool(text)
        self._tell()

    def _tell(self) -> None:
        if self.searching:
            missed = [part(9, ("not found", "warn"), before="  ")] if self._missed else []
            hint = part(7, ("enter", "muted"), (" next · ", "faint"), ("↑", "muted"), (" earlier · ", "faint"),
                        ("esc", "muted"), (" close", "faint"))  # fmt: skip
            self.head([part(10, ("search", "accent")), *missed], [hint])
            return
        left = [part(9, ("console", "muted"))]
        if self._number:
            left.append(part(8, (f"cell {self._number}", "faint"), before="  "))
        self.head(left, [part(7, self._state)] if self._state[0] else ())
