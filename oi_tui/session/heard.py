"""Who said what: the person's words and the output of tools, told apart in the messages of a session."""

from __future__ import annotations

from oi_tui.protocol.lmc import Message
from oi_tui.safety.provenance import Heard


def heard_in(messages: list[Message]) -> Heard:
    """What the person said and tools printed, in the messages of a session."""
    said: list[str] = []
    printed: list[str] = []
    for one in messages:
        content = one["content"]
        if not isinstance(content, str):
            continue
        if one["role"] == "user" and one["type"] == "message" and one.get("recipient") != "assistant":
            said.append(content)
        elif one["role"] == "computer" and one["type"] in {"console", "message", "code"}:
            printed.append(content)
    return Heard(said, printed)
