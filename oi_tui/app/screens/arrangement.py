"""Which panes are on the screen: by the width of the terminal, by what happened, by what the person chose."""

from __future__ import annotations

from dataclasses import dataclass, replace

COLUMNS = 150  # columns from which chat, code and console are a column each
WIDE = 110  # columns from which code over console stands beside the chat
TINY = 60  # columns below which the margins go
SHORT = 18  # rows below which blank rows go

PANES = ("chat", "code", "console")


@dataclass(frozen=True, slots=True)
class Arrangement:
    """working: there is code or output to show. shown: the pane in front (narrow), or the one that is zoomed (wide)."""

    width: int = 80
    height: int = 24
    working: bool = False
    shown: str = "chat"
    zoomed: bool = False

    @property
    def narrow(self) -> bool:
        """True where one pane is shown at a time."""
        return self.width < WIDE

    @property
    def tabs(self) -> bool:
        """True where tabs are shown."""
        return self.narrow and self.working

    @property
    def work_classes(self) -> dict[str, bool]:
        """CSS classes of the work area, and whether they hold."""
        shown = self.shown if self.working else "chat"
        return {
            "-narrow": self.narrow,
            "-working": self.working,
            "-columns": self.width >= COLUMNS,
            "-zoom": self.zoomed and not self.narrow,
            **{f"-{name}": name == shown for name in PANES},
        }

    @property
    def frame_classes(self) -> dict[str, bool]:
        """CSS classes of the frame, and whether they hold."""
        return {"-tiny": self.width < TINY, "-short": self.height < SHORT}

    def visible(self, pane: str) -> bool:
        """True if that pane is on the screen."""
        if not self.working:
            return pane == "chat"
        return pane == self.shown if self.narrow or self.zoomed else True

    def follow(self, pane: str) -> Arrangement:
        """The action is in that pane now: it comes to the front where one is shown at a time."""
        working = self.working or pane != "chat"
        return replace(self, working=working, shown=pane if self.narrow else self.shown)

    def choose(self, pane: str, again: bool) -> Arrangement:
        """The person asked for a pane; asking for the focused one `again` zooms it, or ends the zoom."""
        working = self.working or pane != "chat"
        if self.narrow:
            return replace(self, working=working, shown=pane)
        return replace(self, working=working, shown=pane, zoomed=not self.zoomed if again else False)
