"""The Anthropic Messages wire. Format: Anthropic's API reference, "Create a message" and "Streaming messages"."""

from __future__ import annotations

from typing import Any

from oi_tui.models import shaping
from oi_tui.models.computer_versions import beta_of
from oi_tui.models.wires.http_client import HttpClient
from oi_tui.models.wires.messages_stream import MessagesStream

_VERSION = "2023-06-01"  # of the API; each request names the one it was written for


class MessagesClient(HttpClient):
    """A connection to one model over Messages; a ModelClient."""

    wire = "messages"
    path = "messages"

    def answer(self) -> MessagesStream:
        return MessagesStream(self.target.request_model)

    def headers(self) -> dict[str, str]:
        headers = {"anthropic-version": _VERSION}
        if self.target.key:
            headers["x-api-key"] = self.target.key
            if self.target.provider.id != "anthropic":  # others that speak this wire take the one or the other
                headers["authorization"] = f"Bearer {self.target.key}"
        return headers

    def headers_for(self, body: dict[str, Any]) -> dict[str, str]:
        """The version of the computer tool, where the body has that."""
        beta = beta_of(body.get("tools"))
        return {"anthropic-beta": beta} if beta else {}

    def shape(self, body: dict[str, Any]) -> dict[str, Any]:
        return shaping.messages(self.target, body)
