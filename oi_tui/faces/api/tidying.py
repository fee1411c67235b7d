"""Blocks that a program puts last into `messages` for running, cleaned as those of a model are."""

from __future__ import annotations

from typing import Any

from harnesses.classic import clean, is_text
from oi_tui.faces.api.messages import Message
from oi_tui.protocol.lmc import message


def tidy(messages: list[dict[str, Any]]) -> None:
    """Clean the last message in place if it is a block; one that is words for the person becomes such."""
    last = messages[-1] if messages else {}
    if last.get("type") != "code" or last.get("role") == "computer":
        return
    language, code = str(last.get("format") or "python"), str(last.get("content", ""))
    if is_text(language):
        messages[-1] = Message(message("assistant", "message", f"```\n{code}\n```"))
        return
    made = clean(language, code)
    if made != (language, code):
        last["format"], last["content"] = made
