"""A bare app to open screens and widgets in, with our colours."""

from __future__ import annotations

from textual.app import App

from oi_tui.app import theming
from oi_tui.app.widgets.picker import Picker


class Stage(App[None]):
    """Opens a picker and keeps what it was dismissed with."""

    def __init__(self, picker: Picker | None = None) -> None:
        super().__init__()
        self.picker = picker
        self.results: list[str | None] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variables(theming.load()[0][theming.DEFAULT_DARK])

    def on_mount(self) -> None:
        if self.picker is not None:
            self.push_screen(self.picker, self.results.append)
