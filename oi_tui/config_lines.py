"""Where in the text of a TOML file a table or a key stands, for messages about it."""

from __future__ import annotations

import re


def line_of(text: str, names: tuple[str, ...]) -> int:
    """The line of the longest beginning of `names` that a table's head or a key stands for, 0 if none is found."""
    head: tuple[str, ...] = ()
    best, found = 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        opened = re.match(r"\s*\[\[?(.+?)\]\]?\s*(?:#.*)?$", line)
        key = re.match(r"""\s*((?:[\w-]++|"[^"]*"|'[^']*'|[\s.]++)+?)\s*=""", line)
        if not opened and not key:
            continue
        own = _names_of(opened[1] if opened else key[1] if key else "")
        whole = own if opened else (*head, *own)
        head = own if opened else head
        if names[: len(whole)] == whole and len(whole) > best:
            best, found = len(whole), number
    return found


def _names_of(dotted: str) -> tuple[str, ...]:
    return tuple(bare or quoted[1:-1] for quoted, bare in re.findall(r"""("[^"]*"|'[^']*')|([\w-]+)""", dotted))
