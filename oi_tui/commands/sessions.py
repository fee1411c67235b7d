"""Commands about sessions: look through earlier ones, go on with one, fork, go back to an earlier message, rename."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host

if TYPE_CHECKING:
    from oi_tui.session.cards import Card
    from oi_tui.session.revisiting import Stop
    from oi_tui.session.session import Session

_OFFERED = 50  # sessions that the popup of a command knows


async def _sessions(host: Host, _: str) -> None:
    host.pick("sessions")


async def _resume(host: Host, reference: str) -> None:
    if not reference:
        host.pick("sessions")
        return
    from oi_tui.session import store

    session = host.session
    try:
        saved = store.find(reference)
        if saved.id == session.id:
            raise CommandError("that session is the one on the screen")
        session.resume(saved)
    except store.SessionNotFound as error:
        raise CommandError(str(error), "/sessions shows them") from error
    except store.SessionInUse as error:
        raise CommandError(str(error), "close it there, or /fork it from there") from error
    host.notify(f"went on with “{_short(saved.preview) or saved.id}”")


async def _fork(host: Host, title: str) -> None:
    new = host.session.fork(title)
    host.notify(f"this is a fork now, {title or new}; the session it came from stays as it was")


async def _rename(host: Host, title: str) -> None:
    host.session.rename(title)
    host.notify(f"this session is called “{title}”" if title else "this session has no title any more")


async def _rewind(host: Host, wanted: str) -> None:
    from oi_tui.tools.undo import UndoRefused

    if not wanted:
        host.pick("rewind")
        return
    number, _, files = wanted.partition(" ")
    files = files.strip()
    if not number.isdigit() or files not in {"", "keep", "force"}:
        raise CommandError(f"cannot go back to {wanted!r}", "/rewind 2, /rewind 2 keep or /rewind 2 force")
    try:
        gone = host.session.rewind(int(number), "keep" if files == "keep" else "force" if files == "force" else "ask")
    except UndoRefused as error:
        raise CommandError(
            f"{error}; nothing was taken back" if not error.changed else f"{', '.join(error.changed)} changed since",
            f"/rewind {number} force puts files back all the same, /rewind {number} keep leaves them as they are",
        ) from error
    host.draft(gone.said)
    back = f"; put back {', '.join(gone.files[:3])}{' and more' * (len(gone.files) > 3)}" if gone.files else ""
    host.notify(f"went back to before “{_short(gone.said)}”{back}; the session it came from stays saved")


def _short(text: str, most: int = 40) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 1] + "…"


def session_choices(cwd: str, but: str = "") -> list[Choice]:
    """The newest sessions of a folder as choices, without the one whose id is `but`."""
    from oi_tui.session.cards import cards

    return [card_choice(one) for one, _ in zip((c for c in cards(cwd) if c.id != but), range(_OFFERED), strict=False)]


def card_choice(card: Card, now: float | None = None) -> Choice:
    """A row on a session; its value is the id."""
    about = [age((time.time() if now is None else now) - card.changed), card.model]
    if card.forked_from:
        about.append("fork")
    return Choice(card.id, card.name, " · ".join(filter(None, about)))


def age(seconds: float) -> str:
    """How long ago, in a word or two."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit} ago" if unit != "d" or count < 60 else f"{count // 30} months ago"
    return "just now"


def stop_choices(session: Session) -> list[Choice]:
    """The person's messages, newest first; the value is what `/rewind` takes."""
    return [_stop_choice(one) for one in session.stops()]


def _stop_choice(one: Stop) -> Choice:
    return Choice(str(one.number), f"{one.number:>3}  {_short(one.said, 90)}", _files(one.files))


def _files(files: Iterable[str]) -> str:
    names = list(files)
    if not names:
        return ""
    return f"changed since: {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _something_said(host: Host) -> str:
    return "" if host.session.messages else "has nothing to work on yet"


SESSIONS = (
    Command("sessions", "/", "look through earlier sessions, rename and delete them", _sessions, busy_ok=False),
    Command(
        "resume",
        "/",
        "go on with an earlier session",
        _resume,
        Argument("ID or TITLE", "sessions"),
        busy_ok=False,
    ),
    Command(
        "fork",
        "/",
        "go on in a copy; this session stays as it is",
        _fork,
        Argument("TITLE"),
        when=_something_said,
        busy_ok=False,
    ),
    Command(
        "rewind",
        "/",
        "go back to an earlier message; this session stays saved",
        _rewind,
        Argument("NUMBER", "rewind"),
        when=_something_said,
        keys="esc esc",
        busy_ok=False,
    ),
    Command("rename", "/", "give this session a title", _rename, Argument("TITLE")),
)
