"""The settings screen: every setting with its value and where that comes from; enter changes it, for now and later."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from oi_tui.app.widgets.editing_picker import EditingPicker
from oi_tui.app.widgets.picker import Picker
from oi_tui.app.widgets.printable import printable
from oi_tui.commands.base import Choice, CommandError
from oi_tui.commands.setting_rows import Row, WrongSetting
from oi_tui.config_file import ConfigUnwritable
from oi_tui.models.client import ModelError

_KEY = 28  # columns


class SettingsScreen(EditingPicker):
    """Dismissed with None. read: gives all rows as they are now. change: sets a key to a text, or to its default
    (None), and returns what to tell."""

    DEFAULT_CSS = """
    SettingsScreen {
        & > Vertical.-about { height: 100%; max-height: 100%; padding: 1 2; }
        & > Vertical.-about > .picker--about { min-height: 3; }
        &.-short > Vertical.-about { padding: 0 1; }
        &.-short > Vertical.-about > .picker--about { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "reset", show=False, priority=True),
    ]

    def __init__(self, read: Callable[[], list[Row]], change: Callable[[str, str | None], str]) -> None:
        self._read, self._change = read, change
        self._rows = {one.key: one for one in read()}
        self._edited = ""
        super().__init__("settings", self._made(), about=self._words, does="change it")

    def _made(self) -> list[Choice]:
        return [Choice(one.key, one.key, one.help, group=one.section) for one in self._rows.values()]

    def on_resize(self) -> None:
        self.set_class(self.app.size.height < 16, "-short")

    def _head(self, searching: bool) -> Content:
        return Content.assemble(super()._head(searching), ("   ctrl+r", "$accent"), " back to its default")

    def _row(self, one: Choice, wide: int) -> Content:
        row = self._rows[one.value]
        value = printable(row.shown.replace("\n", " ")) or "–"
        changed = row.origin != "default"
        return Content.assemble(
            f"{one.value:<{_KEY}} ",
            (f"{value[:40]:<24}", "$foreground" if changed else "$muted"),
            (f"  {row.origin}" if changed else "", "$accent"),
            (f"  {row.help}", "$muted"),
        )

    def _words(self, key: str) -> str:
        """What is told below the list on a setting."""
        row = self._rows[key]
        lines = [f"{row.key}: {row.help}"]
        if row.options and row.kind != "switch":
            lines.append(f"one of {', '.join(row.options)}")
        first = f"at first {row.default}" if row.default else "nothing at first"
        lines.append(f"{first}; now from {row.origin}" if row.origin != "default" else first)
        if not row.editable:
            lines.append("a table: edit it in config.toml")
        return "\n".join(lines)

    # -- changing

    def _take(self, value: str) -> None:
        """Enter, or a click, on a row."""
        row = self._rows[value]
        if not row.editable:
            self.say(f"{row.key} is a table: edit it in config.toml", "$warn")
        elif row.kind == "switch" and row.default:
            self._set(row.key, "false" if row.value == "true" else "true")
        elif row.options:
            self._offer(row)
        else:
            self._edited = row.key
            self.write("" if row.secret else row.value, row.key, row.secret)

    def _offer(self, row: Row) -> None:
        nothing = Choice("", "nothing", "leave it open", current=row.value == "", group="")
        choices = [Choice(one, one, "", one == row.value) for one in row.options]

        def chosen(value: str | None) -> None:
            if value is not None:
                self._set(row.key, value or None)

        self.app.push_screen(Picker(row.key, choices if row.default else [nothing, *choices]), chosen)

    def written(self, text: str) -> str:
        """A value was written; nothing at all is the default."""
        return self._set(self._edited, text.strip() or None)

    def action_reset(self) -> None:
        """Take the highlighted one out of the file."""
        chosen = self._highlighted
        if chosen is not None and not self.writing and self._rows[chosen.value].editable:
            self._set(chosen.value, None)

    def _set(self, key: str, text: str | None) -> str:
        """Change it and show how it is now; returns what is wrong, "" if nothing."""
        try:
            told = self._change(key, text)
        except (WrongSetting, ConfigUnwritable, ModelError, CommandError, ValueError) as error:
            self.say(str(error), "$bad")
            return str(error)
        self._rows = {one.key: one for one in self._read()}
        self._choices = self._made()
        self._fill(self.query_one(Input).value, key)
        self.say(told, "$ok")
        return ""
