"""A picker with a line below its list in which something about the highlighted row is written, and one that tells."""

from __future__ import annotations

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from oi_tui.app.widgets.picker import Picker


class EditingPicker(Picker):
    """`write` opens the line; what is written goes to `written`, which says what is wrong with it."""

    DEFAULT_CSS = """
    EditingPicker {
        & .picker--said { height: 1; margin-top: 1; color: $muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & #picker-entry { display: none; margin: 1 0 0 0; height: 1; }
        &.-writing #picker-entry { display: block; }
    }
    """

    entry: Input

    def on_mount(self) -> None:
        self.entry = Input(id="picker-entry", select_on_focus=False)
        self.entry.cursor_blink = False
        self._said = Static(classes="picker--said", markup=False)
        self.query_one(Vertical).mount(self._said, self.entry)

    def say(self, text: str, tone: str = "$muted", key: str = "", does: str = "") -> None:
        """Tell something below the list; `key` does something about it."""
        more = ("   ", (key, "$accent"), f" {does}") if key else ()
        self._said.update(Content.assemble((text, tone), *more))

    @property
    def writing(self) -> bool:
        """True while the line is open."""
        return self.has_class("-writing")

    def write(self, value: str, placeholder: str = "", secret: bool = False) -> None:
        """Open the line with a text in it."""
        self.entry.placeholder, self.entry.password = placeholder, secret
        self.entry.value = value
        self.entry.cursor_position = len(value)
        self.add_class("-writing")
        self.entry.focus()

    def written(self, text: str) -> str:
        """Take what was written; returns what is wrong with it, "" if nothing, and then the line closes."""
        raise NotImplementedError

    def end_writing(self) -> None:
        """Close the line."""
        self.remove_class("-writing")
        self.entry.value = ""
        self.query_one(Input).focus()

    @on(Input.Changed, "#picker-entry")
    def _entry_changed(self, event: Input.Changed) -> None:
        event.stop()
        event.prevent_default()

    @on(Input.Submitted, "#picker-entry")
    def _entry_sent(self, event: Input.Submitted) -> None:
        event.stop()
        event.prevent_default()
        wrong = self.written(event.value)
        if wrong:
            self.say(wrong, "$bad")
        else:
            self.end_writing()

    def cancel(self) -> None:
        """Close the line, else the list."""
        if self.writing:
            self.end_writing()
        else:
            self.leave()

    def leave(self) -> None:
        """Close the list."""
        super().cancel()
