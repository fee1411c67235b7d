"""The loop that every client shares: try, wait as the retry policy says, try again while nothing was yielded."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from oi_tui.models.client import ModelError, ModelLoading, StreamBroken
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol.stream import Delta, Retry

if TYPE_CHECKING:
    from oi_tui.models.providers import Target
    from oi_tui.models.wires.errors import Names


class RetryingClient:
    """Base of the clients of one model. A subclass brings `once`: one try.

    target: where and what to ask, from `providers.resolve`. idle: seconds without a sign of life before a try fails.
    """

    wire = "chat"

    def __init__(self, target: Target, *, retry: RetryPolicy | None = None, idle: float = 300.0) -> None:
        self.target, self.model = target, target.model
        self._retry = retry or target.retry
        self._idle = target.idle or idle

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """Send `body`, yield deltas, end with Stop. Raises ModelError. Closing the iterator drops the request.

        A failure that waiting can help is tried again after a Retry delta, as long as nothing of the answer was
        yielded; after that StreamBroken is left to the session.
        """
        attempts: Counter[type[ModelError]] = Counter()  # a model that took long to load may fail afterwards as well
        while True:
            begun = False
            try:
                async with contextlib.aclosing(self.once(body)) as batches:
                    async for batch in batches:
                        begun = True
                        for delta in batch:
                            yield delta
                return
            except ModelError as error:
                limit = self._retry.limit(error)
                kind = ModelLoading if isinstance(error, ModelLoading) else ModelError
                if begun or attempts[kind] >= limit:
                    raise
                attempts[kind] += 1
                attempt = attempts[kind]
                seconds = self._retry.seconds(error, attempt)
                cause = str(error)
            yield Retry(seconds, attempt, limit, cause)
            await self._retry.sleep(seconds)

    def once(self, body: dict[str, Any]) -> AsyncGenerator[list[Delta], None]:
        """One try: batches of deltas, never empty, as they come. Raises ModelError."""
        raise TypeError(f"{type(self).__name__} does not say how one request is made")

    def names(self) -> Names:
        """How a person knows the server, for the texts of errors."""
        from oi_tui.models.wires.errors import Names

        provider = self.target.provider
        return Names(
            provider=provider.name,
            model=self.target.model,
            base_url=self.target.base_url,
            key_from=provider.key_env[0] if provider.key_env else "",
            key=self.target.key,
            local=provider.local,
            pull=provider.pull.format(self.target.request_model),
            secrets=tuple(self.target.headers.values()),
        )

    def broken(self, why: str) -> StreamBroken:
        """The exception for an answer that stopped in the middle."""
        text = f"{self.target.provider.name}, model {self.target.model}: the answer broke off ({why})"
        return StreamBroken(self.names().mask(text), hint="ask again; the conversation is kept", retryable=True)
