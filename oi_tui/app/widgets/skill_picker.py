"""The picker of skills: the list, below it what the highlighted one says; it can be switched on and off in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from oi_tui.app.widgets.picker import Picker
from oi_tui.app.widgets.printable import printable
from oi_tui.commands import skills as rows

if TYPE_CHECKING:
    from oi_tui.session.skills import Skills

_SHOWN = 4_000  # characters of a preview; no screen shows more


class SkillPicker(Picker):
    """Dismissed with the name or path of a skill, or None."""

    DEFAULT_CSS = """
    SkillPicker {
        & OptionList, & OptionList:focus { max-height: 12; }
        & .picker--preview { height: auto; max-height: 12; margin: 1 0 0 0; color: $muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "switch", show=False, priority=True),
    ]

    def __init__(self, skills: Skills) -> None:
        super().__init__("skills", rows.choices(skills), preview=self._say, does="use it in the message")
        self._skills = skills
        self._preview_box = Static(classes="picker--preview", markup=False)

    def on_mount(self) -> None:
        self.query_one(Vertical).mount(self._preview_box)
        super().on_mount()

    def _head(self, searching: bool) -> Content:
        return Content.assemble(super()._head(searching), "   ", ("ctrl+t", "$accent"), " switch on or off")

    def _say(self, value: str) -> None:
        """Show what a skill says."""
        one = self._skills.find(value)
        if one is not None:
            text = f"{one.path}\n\n{rows.body(one)}"
            self._preview_box.update(Content(printable(text[:_SHOWN])))

    def action_switch(self) -> None:
        """Switch the highlighted skill off, or on again."""
        chosen = self._highlighted
        one = self._skills.find(chosen.value) if chosen is not None else None
        if chosen is None or one is None:
            return
        try:
            self._skills.switch(chosen.value, one.state == "off")
        except (ValueError, OSError) as error:
            self._preview_box.update(Content(printable(f"{error}; {one.why}".removesuffix("; "))))
            return
        self._choices = rows.choices(self._skills)
        self._was = chosen.value
        self._fill(self.query_one(Input).value)
