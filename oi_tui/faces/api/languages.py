"""The base class that classic programs derive a language of their own from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar


class BaseLanguage:
    """A language for `computer.languages`. Only `name` and `run` are needed; see oi_tui/computer/languages/base.py."""

    name: ClassVar[str] = ""
    aliases: ClassVar[list[str]] = []
    file_extension: ClassVar[str] = ""

    def run(self, code: str) -> Iterator[dict[str, Any]]:
        """Chunks of one block: `{"type": "console", "format": "output", "content": "…"}`."""
        raise TypeError(f"{type(self).__name__} has no run(code)")

    def stop(self) -> None:
        """Halt what runs, keep the state."""

    def terminate(self) -> None:
        """Drop the state."""
