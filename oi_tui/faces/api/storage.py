"""Conversations of programs on disk: one JSON file each, an array of messages, named as classic programs name them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui.protocol.secrets import kept

if TYPE_CHECKING:
    from oi_tui.faces.api.program import Program

_FORBIDDEN = dict.fromkeys(map(ord, '<>:"/\\|?*!\n\r\t\0'))
# strftime would write them in the language of the locale.
_MONTHS = ("January", "February", "March", "April", "May", "June", "July")
_MONTHS += ("August", "September", "October", "November", "December")
_WORDS, _WORD = 25, 15  # characters of the first message that make the name: of several words, of one


def file_name(messages: list[dict[str, Any]], now: time.struct_time) -> str:
    """`Hello_there_my_dear__November_29_2026_15-47-25.json`: how the conversation begins, and when."""
    first = next((str(one.get("content")) for one in messages if one.get("type") == "message"), "")
    words = first[:_WORDS].split(" ")
    name = "_".join(words[:-1]) if len(words) > 1 else first[:_WORD]
    stamp = f"{_MONTHS[now.tm_mon - 1]}_{time.strftime('%d_%Y_%H-%M-%S', now)}"
    return f"{name.translate(_FORBIDDEN)}__{stamp}.json"


def get_conversations(folder: str = "") -> list[str]:
    """File names of the saved conversations of programs, the newest first."""
    from oi_tui import paths

    place = Path(folder) if folder else paths.home() / "conversations"
    found = [one for one in place.glob("*.json") if one.is_file()]
    return [one.name for one in sorted(found, key=lambda one: one.stat().st_mtime, reverse=True)]


def save(interpreter: Program) -> Path:
    """Write the conversation as a whole, all of it or nothing; its name is chosen once. Raises OSError."""
    folder = Path(interpreter.conversation_history_path)
    folder.mkdir(parents=True, exist_ok=True)
    if not interpreter.conversation_filename:
        wanted = file_name(interpreter.messages, time.localtime())
        interpreter.conversation_filename = _free(folder, wanted)
    path = folder / interpreter.conversation_filename
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            file.write(kept(json.dumps(interpreter.messages, default=str)))
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return path


def _free(folder: Path, name: str) -> str:
    """The name, numbered where there is such a file already."""
    stem, number, made = name.removesuffix(".json"), 1, name
    while (folder / made).exists():
        number += 1
        made = f"{stem}_{number}.json"
    return made
