"""Long pastes as short marks in the message box; what is sent is the whole text."""

from __future__ import annotations

import re

MANY_LINES = 20
MANY_CHARS = 2_000

_PICTURE = re.compile(r"\[image: [^\[\]\n]+\]$")
_MARK = re.compile(r"\[pasted #\d+: [\d,]+ (?:lines|characters)\]")


class Pasted:
    """The long pastes of one draft, by their mark."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._count = 0

    def fold(self, text: str) -> str:
        """`text` itself if it is short, else a mark that stands for it."""
        lines = text.count("\n") + 1
        if lines <= MANY_LINES and len(text) <= MANY_CHARS:
            return text
        return self._mark(text, f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters")

    def fold_huge(self, text: str) -> str:
        """Like `fold`, but only for what would make the box slow: for texts that a person may want to edit again."""
        return self.fold(text) if len(text) > 10 * MANY_CHARS else text

    def unfold(self, text: str) -> str:
        """`text` with every mark replaced by what it stands for."""
        return _MARK.sub(lambda mark: self._texts.get(mark[0], mark[0]), text) if self._texts else text

    def mark_before(self, line: str, column: int) -> int:
        """Length of the mark, of a paste or a picture, that ends at `column` of `line`, 0 if there is none."""
        for mark in self._texts:
            if line[:column].endswith(mark):
                return len(mark)
        picture = _PICTURE.search(line[:column])
        return len(picture[0]) if picture else 0

    def forget(self) -> None:
        """A new draft begins."""
        self._texts.clear()
        self._count = 0

    def _mark(self, text: str, size: str) -> str:
        self._count += 1
        mark = f"[pasted #{self._count}: {size}]"
        self._texts[mark] = text
        return mark
