"""The line in which a person writes what to look for."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class SearchLine(Input):
    """One line, hidden until it is wanted. Enter and down go on to the next place, up to the one before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(False)", "next"),
        Binding("up", "step(True)", "the one before"),
    ]

    class Step(Message):
        """The person wants the next place, or the one before."""

        def __init__(self, backwards: bool) -> None:
            super().__init__()
            self.backwards = backwards

    def __init__(self, placeholder: str = "search this output") -> None:
        super().__init__(placeholder=placeholder, compact=True, classes="search")
        self.display = False
        self.cursor_blink = False

    def action_step(self, backwards: bool) -> None:
        """Go on searching."""
        self.post_message(self.Step(backwards))
