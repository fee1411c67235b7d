"""The message box: where a person writes. It owns the draft; nothing else ever changes or clears it.

Enter sends, Shift+Enter, Alt+Enter, Ctrl+J or a backslash before Enter begin a new line, Tab queues while a turn runs,
up and down at the edges go through what was written before. A paste stays one text, with or without paste marks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import category

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static, TextArea

from oi_tui.app.history import PromptHistory
from oi_tui.app.terminal_input import NEWLINE_KEYS
from oi_tui.app.typed import clean
from oi_tui.app.widgets import signs
from oi_tui.app.widgets.burst import HOLD, Burst
from oi_tui.app.widgets.completer import Completer
from oi_tui.app.widgets.message_area import MessageArea
from oi_tui.app.widgets.pasted import Pasted
from oi_tui.commands.suggest import Suggestion

Mode = Literal["send", "queue"]

_WANTS = {  # keys that say no more than a message to whoever owns the box
    "shift+tab": "PlanWanted",
    "ctrl+v": "PictureWanted",
    "ctrl+r": "HistoryWanted",
    "ctrl+g": "EditorWanted",
}


class Composer(Widget):
    """The message box with its prompt sign and its suggestions."""

    DEFAULT_CSS = """
    Composer {
        height: auto;
        layout: horizontal;
        & > .composer--sign { width: 2; height: 1; color: $accent; text-style: bold; }
        & > MessageArea {
            width: 1fr;
            height: auto;
            min-height: 1;
            max-height: 10;
            padding: 0;
            border: none;
            background: transparent;
            color: $foreground;
            scrollbar-size-vertical: 1;
            & .text-area--placeholder { color: $muted; }
        }
    }
    """

    @dataclass
    class Submitted(Message):
        """A whole message; mode `queue`: for after the running turn."""

        text: str
        mode: Mode = "send"

    @dataclass
    class DraftChanged(Message):
        """The draft is now `text`, with marks for long pastes."""

        text: str

    class Unqueue(Message):
        """The person wants the message back that was queued last: `load` it."""

    class PlanWanted(Message):
        """Plan mode is to be the other way round."""

    class PictureWanted(Message):
        """Ctrl+V, or a paste without text, which is how terminals pass on that the clipboard holds something else."""

    class HistoryWanted(Message):
        """Ctrl+R: search what was written before."""

    class EditorWanted(Message):
        """Ctrl+G: write on in the person's own editor."""

    class KeysWanted(Message):
        """`?` in an empty box."""

    class EndOfInput(Message):
        """Ctrl+D in an empty box."""

    @dataclass
    class Trouble(Message):
        """Something about the box failed; `text` says what."""

        text: str

    def __init__(
        self,
        history: PromptHistory | None = None,
        suggestions: Callable[[str], Sequence[Suggestion]] | None = None,
        *,
        dropped: Callable[[str], str] | None = None,
        id: str | None = None,
    ) -> None:
        """history: what was written before; without it nothing is kept. suggestions: those for a draft. dropped: what
        a paste of nothing but paths becomes, "" for any other paste."""
        super().__init__(id=id)
        self.history = history
        self.completer = Completer(suggestions)
        self.area = MessageArea(self._special, self._take_paste)
        self.busy = False  # a turn runs: Tab queues
        self.queued = 0  # messages that can be taken back
        self.typed_at = float("-inf")  # time.monotonic() of the last key or paste
        self._dropped = dropped
        self._pasted = Pasted()
        self._burst = Burst()
        self._told = False

    def compose(self) -> ComposeResult:
        yield self.completer
        yield Static("❯", classes="composer--sign")
        yield self.area

    # -- what others use

    @property
    def draft(self) -> str:
        """What is in the box, with marks for long pastes."""
        return self.area.text

    @property
    def text(self) -> str:
        """What would be sent."""
        return clean(self._pasted.unfold(self.area.text))

    def load(self, text: str) -> None:
        """Put `text` into the box in place of the draft, cursor at its end."""
        self._pasted.forget()
        self.area.begin_insert()
        self._fill(text)

    def _fill(self, text: str) -> None:
        shown = self._pasted.fold_huge(clean(text))
        self.completer.close(shown)
        self.area.load_text(shown)
        self.area.move_cursor(self.area.document.end)

    def add(self, text: str) -> None:
        """Type `text` at the cursor: for keys that went to another pane."""
        self.typed_at = time.monotonic()
        self.area.put(clean(text))

    def paste_text(self, text: str) -> bool:
        """Put a text in as if it were pasted. False if there is none."""
        if text:
            self.area.put(self._take_paste(text))
        return bool(text)

    def take_key(self, event: events.Key) -> None:
        """A key that another pane got but that belongs here: goes through the same door as a key typed here."""
        self.area.focus()
        if not self._special(event) and event.is_printable and event.character:
            self.area.put(event.character)

    def clear(self) -> bool:
        """Empty the box and keep its text in the history. False if it was empty."""
        text = self.text
        if not self.draft:
            return False
        self._keep(text)
        self.load("")
        return True

    def focus_box(self) -> None:
        """Give the keyboard to the box."""
        self.area.focus()

    def placeholder(self, text: str) -> None:
        """What an empty box says."""
        if self.area.placeholder != text:
            self.area.placeholder = text

    # -- keys

    def _special(self, event: events.Key) -> bool:
        """Act on a key that means more than editing. True if that was all it meant."""
        self.typed_at = time.monotonic()
        if self._burst.meant(event.time):
            self._settle()
        if text := self._burst.key(event.time):
            self.area.put(text)
        used = self._act(event)
        self._burst.note(event.time)
        return used

    def _act(self, event: events.Key) -> bool:
        key, area = event.key, self.area
        if area.vim_key(event):
            return True
        if key in NEWLINE_KEYS:
            area.put("\n")
            return True
        if key == "enter":
            self._weigh("\n", event.time)
            return True
        if key == "tab":
            burst, now = self._burst, event.time
            queues = self.busy and self.draft.strip() and not burst.fast(now) and not burst.pasting(now)
            if self.completer.is_open or queues:
                self._tab()
            else:
                self._weigh("\t", now)
            return True
        if key in _WANTS:
            self.post_message(getattr(self, _WANTS[key])())
            return True
        if key in {"up", "down"}:
            return self._vertical(up=key == "up")
        if key in {"backspace", "delete", "left", "right"}:
            return self._by_sign(key)
        if key in {"space", "shift+space"} and not event.character:  # CSI 32 u, without the text that belongs to it
            area.put(" ")
            return True
        if not area.text and key in {"question_mark", "ctrl+d"}:
            self.post_message(self.KeysWanted() if key == "question_mark" else self.EndOfInput())
            return True
        sign = event.character or ""
        if len(sign) == 1 and category(sign) in {"Cf", "Cs"}:
            area.put(clean(sign))  # joiners in emoji, direction marks, halves of surrogate pairs
            return True
        return False

    def _weigh(self, sign: str, now: float) -> None:
        """Enter or Tab: act on it, or take it as text of a paste, or wait to see which it is."""
        verdict = self._burst.sign(sign, now)
        if verdict == "text":
            self.area.put(sign)
        elif verdict == "hold":
            # Keys that came before the timer may still wait in the app's queue: let them pass first.
            self.set_timer(HOLD, lambda: self.app.call_later(self.call_later, self._settle))
        else:
            self._take_or_send()

    def _settle(self) -> None:
        sign, self._burst.held = self._burst.held, ""
        if sign == "\n":
            self._take_or_send()
        elif sign == "\t":
            self._tab()

    def _take_or_send(self) -> None:
        chosen = self.completer.chosen
        if chosen is not None and chosen.text.strip() != self.area.before_cursor.strip():
            self._accept(chosen)
            if not chosen.complete:
                return
        self.send()

    def _tab(self) -> None:
        if (offered := self.completer.offered) is not None:
            self._accept(offered)
        elif self.busy and self.draft.strip():
            self.send("queue")
        elif self.area.has_focus:
            self.screen.focus_next()

    def _vertical(self, up: bool) -> bool:
        if self.completer.is_open:
            self.completer.move(-1 if up else 1)
            return True
        if not self.area.at_edge(up):
            return False
        if up and not self.draft and self.queued:
            self.post_message(self.Unqueue())
            return True
        if self.history is None:
            return False
        shown = self._pasted.unfold(self.draft)
        text = self.history.older(shown) if up else self.history.newer(shown)
        if text is None:
            return False
        self._fill(text)
        return True

    def _by_sign(self, key: str) -> bool:
        """Delete or pass a whole sign, or a whole mark of a paste. False where the box itself does that rightly."""
        if not self.area.selection.is_empty:
            return False
        row, column = self.area.cursor_location
        line = self.area.document.get_line(row)
        back = key in {"backspace", "left"}
        mark = self._pasted.mark_before(line, column) if key == "backspace" else 0
        to = column - mark if mark else signs.before(line, column) if back else signs.after(line, column)
        if abs(to - column) < 2:
            return False
        if key in {"left", "right"}:
            self.area.move_cursor((row, to))
        else:
            self.area.delete((row, min(to, column)), (row, max(to, column)), maintain_selection_offset=False)
        return True

    # -- sending

    def send(self, mode: Mode = "send") -> None:
        """Send what is in the box; does nothing if that is blank. A backslash before the cursor makes a new line."""
        if mode == "send" and self._backslash():
            return
        text = self.text
        if not text.strip():
            return
        self._keep(text)
        self.load("")
        self.post_message(self.Submitted(text, mode))

    def _backslash(self) -> bool:
        row, column = self.area.cursor_location
        line = self.area.document.get_line(row)
        if column != len(line) or not line.endswith("\\") or line.endswith("\\\\"):
            return False
        self.area.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
        return True

    def _accept(self, chosen: Suggestion) -> None:
        """Take a suggestion in place of what stands before the cursor; what follows stays."""
        tail = self.area.after_cursor
        self._fill(chosen.text + tail)
        if tail:
            lines = chosen.text.split("\n")
            self.area.move_cursor((len(lines) - 1, len(lines[-1])))
            self.completer.close(chosen.text)
        if not chosen.complete:
            self.completer.reopen(chosen.text, tail)

    def _keep(self, text: str) -> None:
        problem = self.history.add(text) if self.history else ""
        if problem and not self._told:
            self._told = True
            self.post_message(self.Trouble(problem))

    # -- events

    def _take_paste(self, text: str) -> str:
        self.typed_at = time.monotonic()
        if sign := self._burst.key(self.typed_at):
            self.area.put(sign)
        text = clean(text)
        if not text:
            self.post_message(self.PictureWanted())
        return (self._dropped(text) if self._dropped else "") or self._pasted.fold(text)

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.completer.offer(self.area.before_cursor, self.area.after_cursor)
        self.post_message(self.DraftChanged(self.area.text))

    @on(TextArea.SelectionChanged)
    def _moved(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        if self.completer.is_open:
            self.completer.offer(self.area.before_cursor, self.area.after_cursor)

    def offer_again(self) -> None:
        """More may be known now of what fits the draft."""
        self.completer.reopen(self.area.before_cursor, self.area.after_cursor)

    @on(MessageArea.ModeChanged)
    def _mode_changed(self, event: MessageArea.ModeChanged) -> None:
        event.stop()
        self.query_one(".composer--sign", Static).update("❮" if self.area.vim.mode == "normal" else "❯")

    @on(Completer.Chosen)
    def _clicked(self, event: Completer.Chosen) -> None:
        event.stop()
        self._take_or_send()

    def on_unmount(self) -> None:
        if self.history is not None and self.draft.strip():
            self.history.add(self.text)
