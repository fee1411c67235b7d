"""Commands that put a picture into the next message."""

from __future__ import annotations

import asyncio
from pathlib import Path

from oi_tui.commands.base import Argument, Command, CommandError, Host


async def attach_picture(host: Host, path: str) -> None:
    """Attach the picture at `path`, or the one on the clipboard where that is empty. Raises CommandError."""
    from oi_tui.session.attached import NotAPicture, look, mark

    cwd = host.session.cwd
    if len(path) > 2 and path[0] == path[-1] and path[0] in "\"'":
        path = path[1:-1]
    try:
        file = await asyncio.to_thread(look, path, cwd) if path else await asyncio.to_thread(_pasted, host.session.id)
    except NotAPicture as error:
        raise CommandError(str(error), "/image PATH attaches a png, jpeg, gif, webp, bmp or tiff") from error
    host.attach(mark(file))


def _pasted(session_id: str) -> Path:
    """The picture of the clipboard as a file of the session."""
    from oi_tui.commands.clipboard_picture import read
    from oi_tui.session.attached import free, look

    data = read()
    try:
        file = free(session_id, "pasted", ".png")
        file.write_bytes(data)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise CommandError(f"the picture cannot be saved: {why}", "free some space, or say /image PATH") from error
    return look(str(file), "/")


PICTURES = (
    Command(
        "image",
        "/",
        "attach a picture, by default the one on the clipboard",
        attach_picture,
        Argument("PATH"),
        aliases=("picture",),
        keys="ctrl+v",
    ),
)
