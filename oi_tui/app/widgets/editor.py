"""The area in which the code of an approval is edited before it is decided on again.

Signs that a terminal would hide are shown as `‹U+202E›` and become the signs again when the code is taken, so that
nothing invisible is run, and nothing is lost by opening the editor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from oi_tui.app.panes.reveal import revealed
from oi_tui.app.terminal_input import NEWLINE_KEYS

DONE_KEYS = NEWLINE_KEYS - {"ctrl+j"} | {"ctrl+s"}

_SHOWN = re.compile(r"‹U\+([0-9A-F]{4,6})›")


def _sign(shown: re.Match[str]) -> str:
    number = int(shown[1], 16)
    return chr(number) if number <= 0x10FFFF else shown[0]


class Editor(TextArea):
    """Editable code with line numbers. Ctrl+S, or Enter with Ctrl, Alt or Shift, is done."""

    DEFAULT_CSS = """
    Editor, Editor:focus {
        border: none;
        padding: 0 1;
        background: $sheet;
        color: $foreground;
        scrollbar-size-vertical: 1;
        & .text-area--gutter { color: $muted; }
        & .text-area--cursor-gutter { color: $foreground; background: $lit; }
        & .text-area--cursor-line { background: $lit; }
    }
    """

    @dataclass
    class Done(Message):
        """`code` is what is to be decided on; `changed`: it differs from what was loaded."""

        code: str
        changed: bool

    class Cancelled(Message):
        """Nothing is to be changed."""

    def __init__(self, code: str = "", *, id: str | None = None) -> None:
        super().__init__(show_line_numbers=True, tab_behavior="focus", compact=True, id=id)
        self.indent_width = 4
        self.cursor_blink = False
        self._original = self._shown = ""
        self._literal = False
        self.open_code(code)

    def open_code(self, code: str) -> None:
        """Begin anew with `code`, cursor at its beginning."""
        self._original = code
        self._literal = bool(_SHOWN.search(code))
        self.load_text(revealed(code))
        self._shown = self.text

    @property
    def code(self) -> str:
        """The code as it would be taken. Exactly what was loaded as long as nothing was changed."""
        if self.text == self._shown:
            return self._original
        # A text that had such a notation of its own keeps it: it cannot be told from a sign that was shown.
        return self.text if self._literal else _SHOWN.sub(_sign, self.text)

    async def _on_key(self, event: events.Key) -> None:
        if event.key in DONE_KEYS:
            self.post_message(self.Done(self.code, self.code != self._original))
        elif event.key == "escape":
            self.cancel()
        elif event.key == "enter":
            self._insert("\n" + self._indentation())
        elif event.key == "tab":
            self._insert(" " * (4 - self.cursor_location[1] % 4))
        else:
            return
        event.stop()
        event.prevent_default()

    def cancel(self) -> None:
        """Leave without a change."""
        self.post_message(self.Cancelled())

    def _insert(self, text: str) -> None:
        result = self._replace_via_keyboard(text, *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)

    def _indentation(self) -> str:
        """White space at the beginning of the line, up to the cursor; one step more after a colon."""
        row, column = self.cursor_location
        line = self.document.get_line(row)[:column]
        own = line[: len(line) - len(line.lstrip())]
        return own + "    " if line.rstrip().endswith(":") else own
