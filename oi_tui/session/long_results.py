"""Results that are too long for a request: a file takes the whole, and the harness shows the model its beginning."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from harnesses.wording import MARGIN
from oi_tui import paths
from oi_tui.protocol.calls import Call, Result
from oi_tui.session.conversation import Conversation


async def kept_whole(session: Conversation, event_id: str, call: Call, result: Result) -> Result:
    """`result`, with where its whole text lies in `meta["stored"]` if it is longer than its harness shows and its tool
    has not put it into a file."""
    harness = session.engine.harness
    most = harness.limits.stored
    binding = session.engine.binding_of(call) if most is not None else None
    if most is None or binding is None or binding.executor == "read" or result.path or "stored" in result.meta:
        return result
    text = harness.word(call.name, result, call.args, session.engine.env)
    if len(text) <= most + MARGIN:  # what its tool cut to `most` has notes around it
        return result
    data = text.encode("utf-8", "replace")
    path = session.background.outputs() / f"result-{event_id}.txt"
    try:
        await asyncio.to_thread(write_private, path, data)
    except OSError:  # no room on the disk: the model gets all of it
        return result
    stored = {"path": str(path), "characters": len(text), "bytes": len(data), "call_id": call.id}
    return replace(result, meta={**result.meta, "stored": stored})


def write_private(path: Path, data: bytes) -> None:
    """Write a file of the session that only the person can read. Raises OSError."""
    paths.private_dir(path.parent)
    path.write_bytes(data)
