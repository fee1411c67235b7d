"""A small app around one message box, for its tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from textual import events, on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Button, Static

from oi_tui.app import theming
from oi_tui.app.history import PromptHistory
from oi_tui.app.widgets.composer import Composer
from oi_tui.commands.suggest import Suggestion

COMMANDS = (
    Suggestion("/help", "/help", "list all commands"),
    Suggestion("/model ", "/model", "switch the model", "[NAME]"),
    Suggestion("/need ", "/need", "needs something", "NAME", complete=False),
)


CHOICES = tuple(Suggestion(f"/model {one}", one, by_tab=True) for one in ("first", "second"))


def suggestions(draft: str) -> list[Suggestion]:
    if draft == "/model ":
        return list(CHOICES)
    return [one for one in COMMANDS if one.label.startswith(draft) and draft]


class BoxApp(App[None]):
    """The box below some text; keeps what it posted."""

    CSS = "Composer { dock: bottom; }"

    def __init__(self, history: PromptHistory | None = None) -> None:
        super().__init__()
        self.box = Composer(history, suggestions)
        self.other = Button("other", compact=True)
        self.sent: list[tuple[str, str]] = []
        self.posted: list[Message] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variables(theming.load()[0][theming.DEFAULT_DARK])

    def compose(self) -> ComposeResult:
        yield Static("\n".join(f"line {number}" for number in range(40)))
        yield self.other
        yield self.box

    def on_mount(self) -> None:
        self.box.focus_box()

    @on(Composer.Submitted)
    def _sent(self, event: Composer.Submitted) -> None:
        self.sent.append((event.text, event.mode))

    @on(Composer.Unqueue)
    @on(Composer.KeysWanted)
    @on(Composer.EndOfInput)
    @on(Composer.Trouble)
    def _posted(self, event: Message) -> None:
        self.posted.append(event)

    def burst(self, text: str) -> None:
        """Keys as a terminal without paste marks sends a paste: one after the other, 1 ms apart."""
        start = events.Key("x", "x").time
        for number, sign in enumerate(text):
            key = {"\n": "enter", "\r": "enter", "\t": "tab", " ": "space"}.get(sign, sign)
            event = events.Key(key, sign)
            event.time = start + number / 1000
            event.set_sender(self)
            self.post_message(event)


def box(folder: Path | None = None) -> BoxApp:
    return BoxApp(PromptHistory(folder / "history.jsonl", "/work") if folder else None)


class Recorder(BoxApp):
    """Writes what is sent to a file, one JSON string a line: the app of a test with a real terminal."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        with self._file.open("a") as file:
            file.write(json.dumps(event.text) + "\n")


if __name__ == "__main__":
    Recorder(Path(sys.argv[1])).run()
