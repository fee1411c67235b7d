"""`computer.files`: search and edit, for programs. Code in the Python kernel has more: kernels/computer_child.py."""

from __future__ import annotations

import contextlib
import difflib
import importlib
from typing import Any

from oi_tui.computer.devices.base import Device

aifs: Any = None  # the library of that name, imported with the first search where it is installed
_NEAR = 3  # phrases that are suggested for a text that is not there


class Files(Device):
    """Search in files, and replace text in one."""

    def __init__(self, computer: Any = None) -> None:
        super().__init__(computer)

    def search(self, *args: Any, **kwargs: Any) -> Any:
        """Passages of files that answer to a query: search(query, path=".", max_results=5). By meaning where the
        package aifs is installed, whose `search` this then is, else by the words of the query."""
        global aifs
        if aifs is None:
            with contextlib.suppress(ImportError):
                aifs = importlib.import_module("aifs")
        return _by_words(*args, **kwargs) if aifs is None else aifs.search(*args, **kwargs)

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


def _by_words(query: str, path: str | None = None, max_results: int = 5, **_: Any) -> list[str]:
    """What stands in for `aifs.search`, with its main arguments."""
    from oi_tui.computer.devices.passages import of_files, search

    return search(query, of_files(path or "."), max_results)


def _near(text: str, content: str) -> list[str]:
    """Phrases of as many words that are most like it."""
    size, words = max(1, len(text.split())), content.split()
    phrases = dict.fromkeys(" ".join(words[at : at + size]) for at in range(max(0, len(words) - size + 1)))
    return difflib.get_close_matches(text, phrases, n=_NEAR, cutoff=0.5)
