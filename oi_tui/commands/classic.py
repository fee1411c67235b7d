"""Commands that people know from Open Interpreter and that have no other name here."""

from __future__ import annotations

import json
import os
import platform
import sys
from typing import Any

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host

_LONGEST = 1000  # characters of one message that are shown
_ON_OFF = (Choice("true"), Choice("false"))


async def _verbose(host: Host, wanted: str) -> None:
    """Keep what is sent from now on, and show all messages as they are kept, pictures by their size; or stop that."""
    if wanted.lower() not in {"", "true", "false"}:
        raise CommandError(f"%verbose is true or false, not {wanted}")
    host.session.settings.verbose = wanted.lower() != "false"
    if not host.session.settings.verbose:
        host.notify("requests are not kept any more")
        return
    host.notify("what is sent to the model is kept in the folder logs from now on", hint="%verbose false ends that")
    lines = json.dumps([_short(one) for one in host.session.messages], indent=2, ensure_ascii=False, default=str)
    host.show("messages", f"```json\n{lines.replace('```', '` ` `')}\n```")


def _short(one: dict[str, Any]) -> dict[str, Any]:
    shown = {key: value for key, value in one.items() if key != "signature"}
    content = one.get("content")
    if isinstance(content, str) and one.get("type") == "image" and one.get("format") != "path":
        shown["content"] = f"{content[:30]}…, {len(content):,} characters"
    elif isinstance(content, str) and len(content) > 2 * _LONGEST:
        shown["content"] = f"{content[:_LONGEST]}…, {len(content):,} characters"
    return shown


async def _loop(host: Host, wanted: str) -> None:
    settings = host.session.settings
    if wanted.lower() not in {"", "on", "off"}:
        raise CommandError(f"/loop is on or off, not {wanted}")
    settings.loop = not settings.loop if not wanted else wanted.lower() == "on"
    if settings.loop:
        ends = settings.loop_breakers[0] if settings.loop_breakers else "nothing: esc stops it"
        host.notify(f"the model is prompted to go on until it says: {ends}", hint="/loop off ends that")
    else:
        host.notify("the model is not prompted any more")


async def _auto_run(host: Host, wanted: str) -> None:
    session = host.session
    if wanted.lower() not in {"", "true", "false"}:
        raise CommandError(f"%auto_run is true or false, not {wanted}")
    on = session.approval != "auto" if not wanted else wanted.lower() == "true"
    if session.approval == "read-only" and on:
        raise CommandError("the session only reads, so nothing can run unasked", "/approval auto changes that")
    session.use_approval("auto" if on else "ask")
    if on:
        host.notify("everything runs unasked from now on", "warning", "%auto_run false asks again")
    else:
        host.notify("asks before anything runs")


async def _info(host: Host, _: str) -> None:
    """What a bug report needs; nothing secret is in it."""
    from oi_tui import __version__

    session = host.session
    connection = session.engine.connection
    info = connection.info if connection else None
    rows = {
        "version": __version__,
        "Python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "terminal": os.environ.get("TERM", ""),
        "model": session.model or "none chosen yet",
        "wire": connection.client.wire if connection else "",
        "server": _bare(connection.url) if connection else "",
        "window": f"{info.context:,} tokens{'' if info.known else ' (assumed)'}" if info else "",
        "sees pictures": ("yes" if info.vision else "no") if info else "",
        "harness": session.harness_id,
        "approval": session.approval,
        "where code runs": session.sandbox,
        "messages": f"{len(session.messages):,}",
    }
    host.show("info", "\n".join(f"- **{name}**: `{value}`" for name, value in rows.items() if value))


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GB"
    except (ValueError, OSError, AttributeError):
        return ""


def _bare(url: str) -> str:
    """An address without user, password and query."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else ""


CLASSIC = (
    Command(
        "verbose", "%", "show all messages, and keep what is sent from now on", _verbose,
        Argument("true|false", options=_ON_OFF), aliases=("debug",),
    ),
    Command(
        "loop", "/", "prompt the model to go on until it says that it is done", _loop,
        Argument("on|off", options=(Choice("on"), Choice("off"))),
    ),
    Command(
        "auto_run", "%", "run everything unasked, or ask again", _auto_run, Argument("true|false", options=_ON_OFF)
    ),
    Command("info", "%", "show versions, machine and model, for a bug report", _info),
)  # fmt: skip
