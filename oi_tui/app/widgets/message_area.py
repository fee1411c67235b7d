"""The editable part of the message box: a text area whose keys can mean more than editing."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from oi_tui.app.widgets.vim import Edit, Vim


class MessageArea(TextArea):
    """The editable part. Keys that mean more than editing are offered to `on_special` first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Ctrl+Z stops the program, as in every terminal; the other keys are those of a shell's line editor.
        Binding("ctrl+underscore,ctrl+slash", "undo", "undo", show=False),
        Binding("alt+b", "cursor_word_left", "word left", show=False),
        Binding("alt+f", "cursor_word_right", "word right", show=False),
        Binding("alt+d", "delete_word_right", "delete word right", show=False),
        Binding("alt+backspace", "delete_word_left", "delete word left", show=False),
        Binding("ctrl+b", "cursor_left", "left", show=False),
        Binding("ctrl+f", "cursor_right", "right", show=False),
    ]

    def __init__(self, on_special: Callable[[events.Key], bool], on_pasted: Callable[[str], str]) -> None:
        super().__init__(compact=True, highlight_cursor_line=False, max_checkpoints=200)
        self._on_special, self._on_pasted = on_special, on_pasted
        self.vim = Vim()
        self.match_cursor_bracket = False
        self.cursor_blink = False  # nothing blinks, and an idle screen writes nothing

    async def _on_key(self, event: events.Key) -> None:
        if self._on_special(event):
            event.stop()
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.put(self._on_pasted(event.text))

    # -- vim keys

    class ModeChanged(Message):
        """Normal or insert mode, or vim keys on or off."""

    def vim_key(self, event: events.Key) -> bool:
        """Act on a key of normal mode. False where it means what it means without vim."""
        vim = self.vim
        if not vim.on or vim.mode == "insert":
            return False
        if not self.text and event.character in {"/", "%", "!", "?", "@"}:
            self.begin_insert()  # the beginning of a command needs no i
            return False
        if event.key == "backspace":
            self.action_cursor_left()
            return True
        if not event.is_printable or not event.character:
            return False
        at = len(self.before_cursor)
        self._carry_out(vim.press(event.character, self.text, at))
        return True

    def begin_insert(self) -> None:
        """Type as ever from now on."""
        if self.vim.mode != "insert":
            self.vim.mode, self.vim.keys = "insert", ""
            self.post_message(self.ModeChanged())

    def vim_escape(self) -> None:
        """Go to normal mode."""
        self._carry_out(self.vim.escape(self.text, len(self.before_cursor)))

    def _place(self, index: int) -> tuple[int, int]:
        """Row and column of a character of the text."""
        before = self.text[:index]
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    def _carry_out(self, edit: Edit | None) -> None:
        if edit is not None and edit.undo:
            self.undo()
        elif edit is not None:
            place = self._place
            if edit.changes:
                self.replace(edit.text, place(edit.start), place(edit.end), maintain_selection_offset=False)
            self.move_cursor(self._place(max(0, min(edit.at, len(self.text)))))
        self.post_message(self.ModeChanged())

    def put(self, text: str) -> None:
        """Insert `text` at the cursor, in place of what is selected."""
        result = self._replace_via_keyboard(text, *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)

    @property
    def before_cursor(self) -> str:
        """The text from the beginning to the cursor."""
        row, column = self.cursor_location
        lines = self.document.lines
        return "\n".join([*lines[:row], lines[row][:column]])

    @property
    def after_cursor(self) -> str:
        """The text from the cursor to the end."""
        row, column = self.cursor_location
        lines = self.document.lines
        return "\n".join([lines[row][column:], *lines[row + 1 :]])

    def at_edge(self, up: bool) -> bool:
        """True if the cursor is in the first (or last) row as it is wrapped on the screen."""
        here = self.cursor_location
        to = self.navigator.is_first_wrapped_line if up else self.navigator.is_last_wrapped_line
        return to(here)
