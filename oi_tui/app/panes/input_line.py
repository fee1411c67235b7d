"""The line in which a person types into a program that waits for it: what asks, its prompt, and room for one line.

It stands below the output of the program, on the raised tone with the accent bar, because it can be acted on now.
"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from oi_tui.app.panes.status import content_of
from oi_tui.protocol.events import InputRequested

HOLD = 0.6  # seconds that the line stays after an answer: a program that asks on is answered without losing a key


class InputLine(Vertical):
    """Hidden until a program asks. A secret is masked, and forgotten when it has been sent."""

    class Answered(Message):
        """The person typed a line (text), or ends the input of the program (None)."""

        def __init__(self, input_id: str, text: str | None) -> None:
            super().__init__()
            self.input_id, self.text = input_id, text

    class Closed(Message):
        """Nothing is asked any more; had_focus: the keyboard was here."""

        def __init__(self, had_focus: bool) -> None:
            super().__init__()
            self.had_focus = had_focus

    def __init__(self) -> None:
        super().__init__()
        self.asked: InputRequested | None = None
        self._label, self._prompt = Static(id="input-head", markup=False), Static(id="input-prompt", markup=False)
        self._box = Input(id="input-box", compact=True, select_on_focus=False)
        self._box.cursor_blink = False
        self._timer: Timer | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        yield self._label
        with Horizontal():
            yield self._prompt
            yield self._box

    def ask(self, asked: InputRequested) -> None:
        """A program waits: show it."""
        self._stay()
        self.asked = asked
        self._box.password = asked.secret
        hidden = ("  not shown, not kept", "muted") if asked.secret else ("", "")
        self._label.update(content_of([(f"{asked.program or 'a program'} waits for you to type", "accent"), hidden]))
        self._prompt.update(content_of([(asked.prompt.strip()[-60:] or "›", "text")]))
        self.display = True

    def settled(self, input_id: str) -> None:
        """That question is answered, or was taken back."""
        if self.asked is not None and self.asked.input_id == input_id:
            self.asked = None
            self._box.value = ""
            self._timer = self.set_timer(HOLD, self._leave)

    def close(self) -> None:
        """The block is over: nobody can ask any more."""
        self._stay()
        self.asked = None
        self._box.value = ""
        self._leave()

    def take_focus(self) -> None:
        """Give it the keyboard."""
        self._box.focus()

    def end_input(self) -> None:
        """The person wants the program to find the end of its input."""
        if self.asked is not None:
            self.post_message(self.Answered(self.asked.input_id, None))
        else:
            self.close()

    @on(Input.Submitted)
    def _sent(self, event: Input.Submitted) -> None:
        event.stop()
        if self.asked is not None:
            self.post_message(self.Answered(self.asked.input_id, event.value))

    @on(Input.Changed)
    def _written(self, event: Input.Changed) -> None:
        event.stop()

    def _stay(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _leave(self) -> None:
        """Go, unless the person already types on: that is for the next question."""
        if self.asked is None and self.display and not self._box.value:
            had_focus = self.has_focus_within
            self.display = False
            self.post_message(self.Closed(had_focus))
