"""With `verbose`: what is sent to the model, whole, in a file of logs/, and a word on each request."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, cast

from oi_tui import paths
from oi_tui.protocol.events import Notice

if TYPE_CHECKING:
    from oi_tui.session.conversation import Conversation


def log(session: Conversation, body: dict[str, Any]) -> None:
    """Append one request to logs/requests-SESSION.jsonl, keys masked, and tell the person. Never raises OSError."""
    connection = session.engine.connection
    record = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "model": session.model,
        "harness": session.harness_id,
        "wire": connection.client.wire if connection else "",
        "body": body,
    }
    file = paths.home() / "logs" / f"requests-{session.id}.jsonl"
    sent = len(body.get("messages") or body.get("input") or ())
    told = f"request to {session.model}: {sent} messages, {len(body.get('tools') or ())} tools"
    try:
        paths.private_dir(file.parent)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8") as lines:
            lines.write(json.dumps(masked(record), ensure_ascii=False, default=str) + "\n")
    except OSError as error:
        session.bus.publish(Notice("info", told, f"it cannot be kept: {error.strerror or error}"))
    else:
        session.bus.publish(Notice("info", told, f"whole in {file}"))


def masked(value: Any) -> Any:
    """A body with keys in its texts masked."""
    from oi_tui.protocol.secrets import mask

    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {str(key): masked(one) for key, one in cast("dict[Any, Any]", value).items()}
    return [masked(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value
