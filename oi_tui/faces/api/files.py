"""`computer.files`: search and edit, for programs."""

from __future__ import annotations

import difflib
from typing import Any

aifs: Any = None  # the library of that name, imported with the first search where it is installed
_NEAR = 3  # phrases that are suggested for a text that is not there


class Files:
    """Search the meaning of files, and replace text in one."""

    def __init__(self, computer: Any = None) -> None:
        self.computer = computer

    def search(self, *args: Any, **kwargs: Any) -> Any:
        """What `aifs.search` finds. Raises ModuleNotFoundError with what to install where it is missing."""
        global aifs
        if aifs is None:
            try:
                import aifs as library  # pyright: ignore[reportMissingImports]
            except ModuleNotFoundError:
                raise ModuleNotFoundError(
                    "computer.files.search needs the package aifs: pip install aifs; in code that runs here, "
                    "search(words, path) finds lines without it"
                ) from None
            aifs = library
        return aifs.search(*args, **kwargs)

    def edit(self, path: str, original_text: str, replacement_text: str) -> None:
        """Replace `original_text` wherever it stands in the file. Raises OSError, and ValueError when it does not stand
        there, with what comes near; the file is then as it was."""
        with open(path, "r") as file:  # noqa: PTH123, UP015 - programs put their own `open` here
            content = file.read()
        if not original_text or original_text not in content:
            near = _near(original_text, content)
            hint = f" Did you mean one of these? {', '.join(near)}" if near else ""
            raise ValueError(f"Original text not found.{hint}")
        with open(path, "w") as file:  # noqa: PTH123
            file.write(content.replace(original_text, replacement_text))


def _near(text: str, content: str) -> list[str]:
    """Phrases of as many words that are most like it."""
    size, words = max(1, len(text.split())), content.split()
    phrases = dict.fromkeys(" ".join(words[at : at + size]) for at in range(max(0, len(words) - size + 1)))
    return difflib.get_close_matches(text, phrases, n=_NEAR, cutoff=0.5)
