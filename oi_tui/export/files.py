"""Which file is written how: by its ending. Writes all of a file or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from oi_tui.protocol.foreign import KEYS, history_of
from oi_tui.protocol.lmc import InvalidMessage, Message
from oi_tui.protocol.secrets import kept

ENDINGS = (".ipynb", ".md", ".html", ".json", ".py", ".sh")
READABLE = (".ipynb", ".json")


class ExportError(Exception):
    """It could not be written or read; str() is one sentence, `hint` the next step."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


def export(messages: Sequence[Message], path: Path, *, replace: bool = False) -> int:
    """Write the conversation to `path` in the format of its ending; returns the bytes. Raises ExportError, also for a
    file that is there already unless `replace`."""
    write = _writer(path.suffix.lower())
    if path.is_dir():
        raise ExportError(f"{path} is a folder", "give a file name")
    if path.exists() and not replace:
        raise ExportError(f"{path} exists already", f"/export -f {path} replaces it")
    data = kept(write(messages)).encode("utf-8", "replace")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise ExportError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from error
    return len(data)


def _writer(ending: str) -> Callable[[Sequence[Message]], str]:
    from oi_tui.export import markdown

    match ending:
        case ".ipynb":
            from oi_tui.export import notebook

            return notebook.write
        case ".md" | ".markdown":
            return markdown.write
        case ".html" | ".htm":
            from oi_tui.export import html

            return html.write
        case ".json":
            return as_json
        case ".py":
            return markdown.script
        case ".sh":
            return lambda messages: markdown.script(messages, "shell")
        case _:
            raise ExportError(f"a file that ends in {ending or 'nothing'} is not known", f"use {', '.join(ENDINGS)}")


def as_json(messages: Sequence[Message]) -> str:
    """The messages as classic programs know them, without what only this program needs."""
    shown = [
        {key: one[key] for key in KEYS if key in one}
        for one in messages
        if one.get("content") or one.get("type") != "message"
    ]
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def read(path: Path) -> list[Message]:
    """A history out of a notebook or a JSON array of messages. Raises ExportError."""
    try:
        if path.suffix.lower() == ".ipynb":
            from oi_tui.export import notebook

            return notebook.read(path)
        if path.suffix.lower() != ".json":
            raise ExportError(f"{path.name} cannot be read as a conversation", f"use {' or '.join(READABLE)}")
        given: Any = json.loads(path.read_bytes().decode("utf-8-sig"))
        if not isinstance(given, list):
            raise ExportError(f"{path.name} holds no list of messages")
        return history_of(given)  # pyright: ignore[reportUnknownArgumentType] - checked there
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error
    except InvalidMessage as error:
        raise ExportError(f"{path.name} is no conversation: {error}") from error
    except ValueError as error:
        raise ExportError(str(error) if path.suffix == ".ipynb" else f"{path.name} is not JSON: {error}") from error
