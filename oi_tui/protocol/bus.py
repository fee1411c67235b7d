"""The event bus: one writer, many readers, nobody waits for anybody.

Every reader has its own queue. While a reader is slow, adjacent deltas of the same kind and call merge into one event,
so a reader far behind holds the text it has not seen yet and nothing more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Protocol

from oi_tui.protocol.events import CodeDelta, ConsoleOutput, Event, JobOutput, MessageDelta, ReasoningDelta

_COMPACT_AT = 256  # pieces that may pile up before they are joined: bounds the overhead of tiny strings

_Mergeable = MessageDelta | ReasoningDelta | CodeDelta | ConsoleOutput | JobOutput


def _merge_key(event: _Mergeable) -> tuple[object, ...]:
    return (type(event), getattr(event, "call_id", None), getattr(event, "error", None), getattr(event, "source", None))


class _Run:
    """Adjacent deltas that will be delivered as one event."""

    __slots__ = ("first", "key", "pieces")

    def __init__(self, first: _Mergeable, key: tuple[object, ...]) -> None:
        self.first, self.key, self.pieces = first, key, [first.text]

    def add(self, text: str) -> None:
        self.pieces.append(text)
        if len(self.pieces) >= _COMPACT_AT:
            self.pieces = ["".join(self.pieces)]

    def whole(self) -> Event:
        return self.first if len(self.pieces) == 1 and self.pieces[0] is self.first.text else self._joined()

    def _joined(self) -> Event:
        return replace(self.first, text="".join(self.pieces))


class Reader(Protocol):
    """What a bus can hand events to."""

    def push(self, event: Event) -> None:
        """Take one event, at once, on the loop's thread."""
        ...

    def close(self) -> None:
        """No more will come."""
        ...


class Subscription:
    """One reader's view of the bus. Iterate it, or take what is there with `drain`."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._waiting: list[Event | _Run] = []
        self._arrived = asyncio.Event()
        self._closed = False

    def push(self, event: Event) -> None:
        """Take one event; only the bus calls this."""
        if isinstance(event, _Mergeable):
            key = _merge_key(event)
            last = self._waiting[-1] if self._waiting else None
            if isinstance(last, _Run) and last.key == key:
                last.add(event.text)
            else:
                self._waiting.append(_Run(event, key))
        else:
            self._waiting.append(event)
        self._arrived.set()

    def drain(self) -> list[Event]:
        """Everything that has arrived since the last call, merged, without waiting."""
        taken, self._waiting = self._waiting, []
        if not self._closed:
            self._arrived.clear()
        return [one.whole() if isinstance(one, _Run) else one for one in taken]

    async def wait(self) -> bool:
        """Wait until something is there to drain. False when the bus is closed and nothing is left."""
        await self._arrived.wait()
        return bool(self._waiting) or not self._closed

    def close(self) -> None:
        """Stop listening; what waits is still delivered, then iteration ends."""
        self._closed = True
        self._bus.forget(self)
        self._arrived.set()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while await self.wait():
            for event in self.drain():
                yield event


class EventBus:
    """Publish on the loop's thread; every subscription sees every event in order."""

    def __init__(self) -> None:
        self._readers: list[Reader] = []

    def publish(self, event: Event) -> None:
        for reader in self._readers:
            reader.push(event)

    def subscribe(self) -> Subscription:
        reader = Subscription(self)
        self.attach(reader)
        return reader

    def attach(self, reader: Reader) -> None:
        """Publish to `reader` from now on: for one that has to see the session as it is when something happens."""
        self._readers.append(reader)

    def forget(self, reader: Reader) -> None:
        """Publish no more to `reader`; `Subscription.close` calls this."""
        if reader in self._readers:
            self._readers.remove(reader)

    def close(self) -> None:
        """End every subscription after what it has not read yet."""
        for reader in list(self._readers):
            reader.close()
