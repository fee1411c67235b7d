"""A card on each saved session, for lists: made from the ends of its file, without reading all of it.

A session of ten thousand messages is megabytes, and there may be hundreds of sessions. What a list shows stands at the
beginning of a file, but for the title, which is searched for from its end.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from oi_tui import paths

_HEAD = 256 * 1024  # bytes in which the first message is looked for
_PREVIEW = 200  # characters of the first message
_TITLE = b'"type":"title"'


@dataclass(frozen=True, slots=True)
class Card:
    """What a list says of a session. changed: when it was written last, in seconds since 1970."""

    id: str
    path: Path
    cwd: str = ""
    model: str = ""
    forked_from: str = ""
    title: str = ""
    said: str = ""
    changed: float = 0.0
    size: int = 0

    @property
    def name(self) -> str:
        """The title that the person gave, else the beginning of their first message."""
        return self.title or self.said or "(no message)"


def files() -> list[Path]:
    """All session files, newest first."""
    return sorted(paths.sessions().glob("*/*/*/*.jsonl"), key=lambda path: path.name, reverse=True)


def cards(cwd: str = "") -> Iterator[Card]:
    """A card on each session, newest first, only those of one folder if `cwd` is given (links resolved)."""
    wanted = os.path.realpath(cwd) if cwd else ""
    for path in files():
        made = card(path)
        if made is not None and (not wanted or os.path.realpath(made.cwd) == wanted):
            yield made


def card(path: Path) -> Card | None:
    """The card on one file, None when it cannot be read or is no session."""
    try:
        state = path.stat()
        with path.open("rb") as file:
            head = file.read(_HEAD)
            title = _title(file.fileno(), state.st_size)
    except (OSError, ValueError):
        return None
    facts: dict[str, Any] = {}
    said = ""
    for record in _records(head):
        if record.get("type") == "session" and not facts:
            facts = record
        elif record.get("type") == "message":
            said = _said(record.get("message"))
            if said:
                break
    if not facts and not said:
        return None
    told = {name: str(facts.get(name, "")) for name in ("cwd", "model", "forked_from")}
    return Card(
        str(facts.get("id") or path.stem),
        path,
        title=title,
        said=said,
        changed=state.st_mtime,
        size=state.st_size,
        **told,
    )


def _records(head: bytes) -> Iterator[dict[str, Any]]:
    for line in head.split(b"\n"):
        try:
            record: Any = json.loads(line)
        except ValueError:  # torn by a kill, or by where the head ends
            continue
        if isinstance(record, dict):
            yield record


def _said(message: Any) -> str:
    if not isinstance(message, dict):
        return ""
    said = cast("dict[str, Any]", message)
    if said.get("role") != "user" or said.get("type") != "message" or said.get("recipient") is not None:
        return ""
    return " ".join(str(said.get("content", ""))[: 4 * _PREVIEW].split())[:_PREVIEW]


def _title(file: int, size: int) -> str:
    """The newest title in the file, "" for none. In a message these bytes would stand with backslashes."""
    if not size:
        return ""
    with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as text:
        at = text.rfind(_TITLE)
        while at >= 0:
            begin = text.rfind(b"\n", 0, at) + 1
            end = text.find(b"\n", at)
            found = next(_records(text[begin : end if end >= 0 else size]), dict[str, Any]())
            if found.get("type") == "title":
                return str(found.get("title", ""))
            at = text.rfind(_TITLE, 0, begin)
    return ""


def mentions(card: Card, words: str) -> bool:
    """Whether all words stand somewhere in what was said, run or printed in the session; upper case is lower case."""
    wanted = [json.dumps(word, ensure_ascii=False)[1:-1].encode() for word in words.split()]
    try:
        with card.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return all(re.search(re.escape(word), text, re.IGNORECASE) for word in wanted)
    except (OSError, ValueError):
        return False
