"""The Chat Completions wire: sends a body, yields deltas, retries what waiting can help, names what it cannot.

Format: OpenAI's API reference, "Create chat completion", which nearly every other server speaks too.
"""

from __future__ import annotations

from typing import Any

from oi_tui.models import shaping
from oi_tui.models.wires.chat_stream import ChatStream
from oi_tui.models.wires.http_client import HttpClient


class ChatClient(HttpClient):
    """A connection to one model over Chat Completions; a ModelClient."""

    wire = "chat"
    path = "chat/completions"

    def answer(self) -> ChatStream:
        return ChatStream(self.target.request_model)

    def shape(self, body: dict[str, Any]) -> dict[str, Any]:
        return shaping.chat(self.target, body)
