"""Search in the chat: over all that was said, written and printed, also in what is folded or far off the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oi_tui.app.panes.sources import searched_in
from oi_tui.app.widgets.blocks import Block
from oi_tui.app.widgets.transcript import Transcript as View
from oi_tui.protocol.transcript import Item


class ChatSearch:
    """Goes from one line that has the text to the next, round at the ends.

    view shows the blocks; block_of gives that of an item; unfold opens one and fills it.
    """

    def __init__(
        self, view: View, block_of: Callable[[Item], Block | None], unfold: Callable[[Block, Item], None]
    ) -> None:
        self._view, self._block_of, self._unfold = view, block_of, unfold
        self._at: tuple[int, int] | None = None  # (item, line of its block) that was found last

    def end(self) -> None:
        """No search any more; the view stays where it is."""
        self._at = None
        self._view.light("")

    def find(self, items: Sequence[Item], text: str, backwards: bool = False) -> bool:
        """Go to the next line with `text`, or the one before; the newest first. Upper case counts only if `text` has
        some. Returns whether there is any."""
        if text != self._view.needle:
            self._at = None
            self._view.light(text)
        if not text or not items:
            return False
        step = 1 if not backwards else -1
        start = self._at[0] if self._at is not None else len(items) - 1
        # Newest first: who searches has just read the end.
        for turn in range(len(items) + 1):
            index = (start - turn * step) % len(items)
            line = self._line_in(items[index], text, index, backwards, first=turn == 0)
            if line is not None:
                self._at = (index, line)
                return self._show(items[index], line)
        return False

    def _line_in(self, item: Item, text: str, index: int, backwards: bool, first: bool) -> int | None:
        """The line of an item's block at which the search goes on."""
        fold = text == text.casefold()
        source = searched_in(item)
        if text not in (source.casefold() if fold else source):
            return None
        block = self._block_of(item)
        if block is None:
            return None
        if block.foldable and not block.open:
            self._unfold(block, item)
        shown = (block.line(number).text for number in range(len(block)))
        lines = [number for number, line in enumerate(shown) if text in (line.casefold() if fold else line)]
        if first and self._at is not None and self._at[0] == index:
            here = self._at[1]
            lines = [line for line in lines if (line > here if backwards else line < here)]
        if not lines:
            return None
        return lines[0] if backwards else lines[-1]

    def _show(self, item: Item, line: int) -> bool:
        block = self._block_of(item)
        if block is None:
            return False
        self._view.stand_at(block, line)
        return True
