"""Looks after the person's own themes: a file that is saved, added or removed shows at once."""

from __future__ import annotations

from collections.abc import Callable

from oi_tui import paths

EVERY = 1.5  # seconds between two looks


class ThemeWatch:
    """changed: called when a file of the folder is another than at the last look."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed, self._seen = changed, _stamp()

    def look(self) -> None:
        """Look whether something changed."""
        now = _stamp()
        if now != self._seen:
            self._seen = now
            self._changed()


def _stamp() -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of each file; () where there is no such folder."""
    found: list[tuple[str, int, int]] = []
    for path in paths.themes().glob("*.toml"):
        try:
            state = path.stat()
        except OSError:
            continue
        found.append((path.name, state.st_mtime_ns, state.st_size))
    return tuple(sorted(found))
