"""The OpenAI Responses wire. Format: OpenAI's API reference, "Create a model response" and "Streaming events"."""

from __future__ import annotations

from typing import Any

from oi_tui.models import shaping
from oi_tui.models.wires.http_client import HttpClient
from oi_tui.models.wires.responses_stream import ResponsesStream


class ResponsesClient(HttpClient):
    """A connection to one model over Responses; a ModelClient."""

    wire = "responses"
    path = "responses"

    def answer(self) -> ResponsesStream:
        return ResponsesStream(self.target.request_model)

    def shape(self, body: dict[str, Any]) -> dict[str, Any]:
        return shaping.responses(self.target, body)
