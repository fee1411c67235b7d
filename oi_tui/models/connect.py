"""Picks the client that speaks a target's wire."""

from __future__ import annotations

from oi_tui.models.client import BadRequest, ModelClient
from oi_tui.models.providers import Target
from oi_tui.models.wires.retry import RetryPolicy


def connect(target: Target, *, retry: RetryPolicy | None = None, idle: float = 300.0) -> ModelClient:
    """A client for `target`. Nothing is sent yet.

    retry: other retries than the provider's. idle: seconds without a byte before a request fails, unless the provider's
    table says. Raises BadRequest for a wire that there is not.
    """
    match target.wire:
        case "chat":
            from oi_tui.models.wires.chat import ChatClient

            return ChatClient(target, retry=retry, idle=idle)
        case "messages":
            from oi_tui.models.wires.messages import MessagesClient

            return MessagesClient(target, retry=retry, idle=idle)
        case "responses":
            from oi_tui.models.wires.responses import ResponsesClient

            return ResponsesClient(target, retry=retry, idle=idle)
        case "litellm":
            from oi_tui.models.litellm_client import LitellmClient

            return LitellmClient(target, retry=retry, idle=idle)
    raise BadRequest(f"the wire {target.wire!r} is not known", hint="use one of chat, messages, responses, litellm")
