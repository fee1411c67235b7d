"""When a failed request is sent again, and after how long. Shared by all wires."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from oi_tui.models.client import ModelError, ModelLoading, Overloaded, RateLimited, StreamBroken

_LOADING_EVERY = 5.0  # seconds between two looks at a model that is being loaded


def _jitter() -> float:
    import random

    return random.uniform(0.9, 1.1)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently.

    requests, streams: how many times a refused request, and an answer that broke off before anything of it was shown,
    are tried again; loading: the same for a model that its server still loads, asked at least every five seconds.
    base: seconds of the first wait, doubled each time, give or take a tenth; a rate limit or a busy server without a
    stated time is waited for five times as long. longest: a server that asks for more seconds than that is not waited
    for.
    """

    requests: int = 4
    streams: int = 5
    loading: int = 120
    base: float = 0.2
    longest: float = 300.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = _jitter

    def limit(self, error: ModelError) -> int:
        """How many further tries this kind of failure gets; 0 if waiting cannot help."""
        if not error.retryable or (error.retry_after or 0.0) > self.longest:
            return 0
        if isinstance(error, ModelLoading):
            return self.loading if self.requests else 0
        return self.streams if isinstance(error, StreamBroken) else self.requests

    def seconds(self, error: ModelError, attempt: int) -> float:
        """How long to wait before try `attempt` (1 is the first repetition)."""
        if error.retry_after is not None:
            return error.retry_after
        patient = isinstance(error, RateLimited | Overloaded | ModelLoading)
        seconds = self.base * (5 if patient else 1) * 2 ** min(attempt - 1, 16) * self.jitter()
        return min(seconds, _LOADING_EVERY) if isinstance(error, ModelLoading) else seconds
