"""What the code pane can show: the code cells and the changes that were asked about, in order, one of them on top."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Sheet:
    """One page of the code pane. number counts code cells from 1 and is 0 for what is no cell (a diff, a call)."""

    call_id: str
    language: str
    number: int = 0
    text: str = ""
    whole: bool = False


@dataclass(slots=True)
class Sheets:
    """Pages by call. The newest is on top until the person turns back; turning to the newest follows again."""

    pages: list[Sheet] = field(default_factory=list)
    top: int = -1
    following: bool = True
    cells: int = 0  # how many pages are code cells
    _places: dict[str, int] = field(default_factory=dict)  # call -> index of its page

    @property
    def current(self) -> Sheet | None:
        """The page on top."""
        return self.pages[self.top] if 0 <= self.top < len(self.pages) else None

    def of(self, call_id: str) -> Sheet | None:
        """The page of a call."""
        place = self._places.get(call_id)
        return None if place is None else self.pages[place]

    def add(self, call_id: str, language: str, cell: bool) -> Sheet:
        """The page of a call, made if it is new."""
        known = self.of(call_id)
        if known is not None:
            known.language = language or known.language
            return known
        self.cells += cell
        page = Sheet(call_id, language, self.cells if cell else 0)
        self._places[call_id] = len(self.pages)
        self.pages.append(page)
        if self.following:
            self.top = len(self.pages) - 1
        return page

    def drop(self, call_id: str) -> bool:
        """Take a page away. False if there is none."""
        page = self.of(call_id)
        if page is None:
            return False
        at = self._places[call_id]
        del self.pages[at]
        self.cells -= bool(page.number)
        self._places = {one.call_id: place for place, one in enumerate(self.pages)}
        if self.top >= at:
            self.top = max(self.top - 1, min(0, len(self.pages) - 1))
        return True

    def turn(self, step: int) -> bool:
        """Go back (-1) or on (+1). False at either end."""
        to = self.top + step
        if not 0 <= to < len(self.pages):
            return False
        self.top = to
        self.following = to == len(self.pages) - 1
        return True

    def open(self, call_id: str) -> bool:
        """Put the page of a call on top. False if it has none."""
        place = self._places.get(call_id)
        if place is None:
            return False
        self.top = place
        self.following = place == len(self.pages) - 1
        return True
