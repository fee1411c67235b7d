"""Commands that write the conversation to a file for others, and go on from one."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host

if TYPE_CHECKING:
    from oi_tui.session.session import Session

_FORMATS = (
    Choice(".html", detail="a report in one file, charts inside"),
    Choice(".ipynb", detail="a Jupyter notebook that runs again"),
    Choice(".md", detail="Markdown"),
    Choice(".py", detail="the Python that ran well, as a script"),
    Choice(".sh", detail="the shell that ran well, as a script"),
    Choice(".json", detail="the messages"),
)
_SIGNS = re.compile(r"[^\w-]+")


def _nothing(host: Host) -> str:
    return "" if host.session.messages else "has nothing to write yet"


def _title(session: Session) -> str:
    """A file name without ending, out of the person's first message."""
    said = (one for one in session.messages if one["role"] == "user" and one.get("recipient") is None)
    words = _SIGNS.sub("-", str(next(said, {"content": ""})["content"])[:40].lower()).strip("-")
    return words or f"conversation-{session.id}"


def _path(session: Session, name: str) -> Path:
    """Where that file is: below `~`, or counted from the session's folder."""
    return Path(session.cwd, Path(name).expanduser())


def _json(session: Session, name: str) -> Path:
    return _path(session, f"{(name or 'messages').removesuffix('.json')}.json")


def _free(path: Path) -> Path:
    """The path, numbered where there is such a file already."""
    made, number = path, 1
    while made.exists():
        number += 1
        made = path.with_stem(f"{path.stem}-{number}")
    return made


def _write(host: Host, path: Path, replace: bool = False) -> None:
    from oi_tui.export.files import ExportError, export

    if not host.session.messages:
        raise CommandError("there is nothing to write yet", "say something first")
    try:
        size = export(host.session.messages, path, replace=replace)
    except ExportError as error:
        raise CommandError(str(error), error.hint) from error
    host.notify(f"wrote {path}, {size:,} bytes")


async def _export(host: Host, argument: str) -> None:
    replace = argument.startswith("-f ")
    name = argument.removeprefix("-f ").strip() or ".html"
    if name in {choice.value for choice in _FORMATS}:
        _write(host, _free(_path(host.session, _title(host.session) + name)))
    else:
        _write(host, _path(host.session, name), replace)


async def _import(host: Host, name: str) -> None:
    _read(host, _path(host.session, name))


def _read(host: Host, path: Path) -> None:
    from oi_tui.export.files import ExportError, read

    try:
        messages = read(path)
    except ExportError as error:
        raise CommandError(str(error), error.hint) from error
    if not messages:
        raise CommandError(f"{path.name} is empty")
    host.session.adopt(messages)
    host.notify(
        f"going on from {path.name}, {len(messages):,} messages; variables are not there, blocks have to run again"
    )


async def _jupyter(host: Host, _: str) -> None:
    stamp = time.strftime("%m-%d-%y-%I%M%p")
    _write(host, _free(Path.home() / "Downloads" / f"open-interpreter-{stamp}.ipynb"))


async def _markdown(host: Host, name: str) -> None:
    if name:
        _write(host, _path(host.session, name if name.endswith((".md", ".markdown")) else f"{name}.md"), replace=True)
    else:
        _write(host, _free(Path.home() / "Downloads" / f"{_title(host.session)}.md"))


async def _save(host: Host, name: str) -> None:
    _write(host, _json(host.session, name), replace=True)


async def _load(host: Host, name: str) -> None:
    _read(host, _json(host.session, name))


_FILE = Argument("FILE", options=_FORMATS)

EXPORTING = (
    Command("export", "/", "write the conversation to a file, by its ending", _export, _FILE, when=_nothing),
    Command(
        "import", "/", "go on from a notebook or from saved messages", _import, Argument("FILE", required=True),
        busy_ok=False,
    ),
    Command("jupyter", "%", "write a notebook to your downloads", _jupyter, when=_nothing),
    Command(
        "markdown", "%", "write Markdown, to your downloads if no file is named", _markdown, Argument("FILE"),
        when=_nothing,
    ),
    Command(
        "save_message", "%", "write the messages as JSON, by default messages.json", _save, Argument("FILE"),
        when=_nothing,
    ),
    Command(
        "load_message", "%", "go on from messages.json or another file of messages", _load, Argument("FILE"),
        busy_ok=False,
    ),
)  # fmt: skip
