"""What every model client can do, and the ways in which it can fail.

A client sends a request body that a harness built and yields deltas. It never interprets calls and never retries what
cannot be helped by waiting.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from oi_tui.protocol.stream import Delta


class ModelClient(Protocol):
    """A connection to one model."""

    model: str  # the name as the person gave it, for messages
    wire: str  # "chat", "messages" or "responses": what bodies it takes

    def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """Send `body`, yield deltas, end with Stop. Raises ModelError. Closing the iterator cancels the request."""
        ...

    async def prewarm(self, body: dict[str, Any] | None = None) -> None:
        """Make the first request faster if that can be done (open the connection, load, fill a prompt cache)."""
        ...

    async def close(self) -> None:
        """Release connections and child processes."""
        ...


class ModelError(Exception):
    """A request that failed. str() is one sentence with the cause; `hint` is what the person can do.

    retryable: whether waiting can help. retry_after: seconds that the server asked for. status: HTTP status, if any.
    """

    def __init__(
        self,
        text: str,
        *,
        hint: str = "",
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(text)
        self.hint, self.status, self.retryable, self.retry_after = hint, status, retryable, retry_after


class AuthError(ModelError):
    """Key missing, wrong or not allowed (401, 403)."""


class QuotaError(ModelError):
    """No credit left; waiting does not help."""


class RateLimited(ModelError):
    """Too many requests (429): waiting helps."""


class ModelNotFound(ModelError):
    """The server does not know this model."""


class Unreachable(ModelError):
    """No server answered at that address, or the connection broke."""


class ServerFailed(ModelError):
    """5xx, or an error object in the stream."""


class Overloaded(ServerFailed):
    """The server has too much to do (529, or 503 that says so): waiting longer helps."""


class ModelLoading(ServerFailed):
    """The server is up, and still loads the model: waiting for minutes helps."""


class ContextTooLong(ModelError):
    """The request is larger than the model's window."""


class ToolsUnsupported(ModelError):
    """The server refuses `tools` for this model: a text harness can help."""


class BadRequest(ModelError):
    """The server refuses the request for another reason (400, 422)."""


class BadTable(BadRequest):
    """A table of the person's own, about a provider or a model, that cannot be read. path: names down to what is wrong,
    such as ("models", "gpt-4.1", "context")."""

    def __init__(self, path: tuple[str, ...], text: str, *, hint: str = "") -> None:
        super().__init__(text, hint=hint)
        self.path = path


class StreamBroken(ModelError):
    """The answer stopped in the middle: connection lost, or no end marker."""
