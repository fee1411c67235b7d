"""What keys of the whole app do, wherever the keyboard is: palette, help, stop, paint anew, copy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from oi_tui.app.bridge import Engine
    from oi_tui.app.notify import Attention
    from oi_tui.app.panes.chat import ChatPane
    from oi_tui.app.screens.host import AppHost
    from oi_tui.app.screens.main import MainScreen
    from oi_tui.app.widgets.transcript import Transcript


class KeyedApp(App[int], inherit_bindings=False):
    """The part of the app that its own keys reach."""

    session: Engine | None
    host: AppHost
    attention: Attention

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "palette", "command palette", id="palette", priority=True),
        Binding("f1", "keys", "every key", id="keys", priority=True),
        Binding("ctrl+z", "stop", "back to the shell, fg returns", id="stop", priority=True),
        Binding("ctrl+l", "paint", "paint the screen anew", id="paint", priority=True),
        Binding("ctrl+o", "copy_answer", "copy the last answer", id="copy.answer", priority=True),
    ]

    @property
    def main(self) -> MainScreen:
        """The main screen."""
        raise NotImplementedError

    @contextmanager
    def away(self) -> Iterator[None]:
        """Give the terminal to another program."""
        with self.suspend():
            self.attention.quiet = True
            try:
                yield
            finally:
                self.attention.quiet = False

    def action_stop(self) -> None:
        """Stop, as Ctrl+Z does everywhere: the shell gets the terminal until `fg`."""
        from oi_tui.app.outside import shell_waits

        if shell_waits():
            self.action_suspend_process()
        else:
            self.host.notify("no shell waits behind this window", "warning")

    def action_paint(self) -> None:
        """Paint everything anew, over whatever else wrote to the terminal."""
        self.refresh(layout=True)

    def action_copy_answer(self) -> None:
        """Copy what the model said last."""
        if self.session is not None and self.screen is self.main:
            self.host.run_line("/copy")

    def on_chat_pane_run_wanted(self, message: ChatPane.RunWanted) -> None:
        """Run a block of the chat as the person's own."""
        self.run_worker(self.host.run_own(message.code.text, message.code.language), exit_on_error=False)

    def on_chat_pane_save_wanted(self, message: ChatPane.SaveWanted) -> None:
        """Save a block of the chat."""
        self.host.save(message.text, message.name, message.ending)

    def on_transcript_link_pressed(self, message: Transcript.LinkPressed) -> None:
        """Follow a link that was clicked."""
        self.run_worker(self.host.follow_link(message.address), exit_on_error=False)

    def action_palette(self) -> None:
        """Open the command palette."""
        if self.session is not None and self.screen is self.main:
            self.host.palette()

    def action_keys(self) -> None:
        """Show every key."""
        if self.screen is self.main:
            self.host.show("keys", self.host.keys())
