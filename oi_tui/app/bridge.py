"""From the event bus to the screen: takes what has arrived, a batch at a time, and hands it to one function.

A batch is painted as one frame. After a batch the bridge rests, so that a fast model costs frames, not work per token;
when applying a batch took long, it rests longer, so that keys stay live.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from oi_tui.protocol.bus import EventBus, Subscription
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import Event
from oi_tui.protocol.lmc import Message

REST = 0.05  # seconds between two batches
LONG_REST = 0.1  # the same, after a batch that took longer than SLOW
SLOW = 0.025


class Engine(Protocol):
    """What the app needs of a session; `oi_tui.session.session.Session` is one."""

    cwd: str
    bus: EventBus
    settings: Any
    planning: Any

    @property
    def id(self) -> str: ...
    @property
    def messages(self) -> list[Message]: ...
    @property
    def model(self) -> str: ...
    @property
    def harness_id(self) -> str: ...
    @property
    def harness_auto(self) -> bool: ...
    @property
    def approval(self) -> str: ...
    @property
    def sandbox(self) -> str: ...
    @property
    def busy(self) -> bool: ...
    @property
    def git_branch(self) -> str: ...

    def submit(self, text: str) -> None: ...
    def queue(self, text: str) -> None: ...
    def start(self) -> None: ...
    def unqueue(self) -> str | None: ...
    def answer(self, approval_id: str, decision: Decision) -> None: ...
    def type_in(self, input_id: str, text: str | None) -> None: ...
    def interrupt(self) -> None: ...
    def use_model(self, name: str) -> None: ...
    def use_harness(self, harness_id: str) -> None: ...
    def use_approval(self, mode: str) -> None: ...
    def plan(self, on: bool) -> bool: ...
    @property
    def skills(self) -> Any: ...
    @property
    def effort(self) -> str: ...
    @property
    def efforts(self) -> tuple[str, ...] | None: ...
    def use_effort(self, level: str) -> str: ...
    def reset(self) -> None: ...
    async def run_shell(self, line: str, language: str = "shell") -> None: ...
    async def prewarm(self) -> None: ...
    async def close(self) -> None: ...


class Bridge:
    """Reads one subscription until the bus closes.

    apply gets each batch, a list of events in order, adjacent deltas merged. one_frame gives the context manager that
    joins all changes within it into one repaint (`App.batch_update`).
    """

    def __init__(
        self,
        subscription: Subscription,
        apply: Callable[[list[Event]], None],
        one_frame: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._subscription, self._apply, self._one_frame = subscription, apply, one_frame

    async def run(self) -> None:
        """Apply batches until the bus is closed and everything has been read."""
        while await self._subscription.wait():
            rest = REST if self._take() <= SLOW else LONG_REST
            await asyncio.sleep(rest)

    def _take(self) -> float:
        """Apply what is there; seconds it took."""
        began = time.perf_counter()
        batch = self._subscription.drain()
        if batch:
            with self._one_frame():
                self._apply(batch)
        return time.perf_counter() - began

    def close(self) -> None:
        """Stop listening."""
        self._subscription.close()
