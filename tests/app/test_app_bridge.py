"""The bridge: batches in order, one frame each, nothing lost when the bus closes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from oi_tui.app.bridge import Bridge
from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.events import Event, MessageDelta, SessionEnded, TurnStarted


async def test_everything_arrives_in_order_in_few_batches_of_one_frame_each() -> None:
    bus, batches, frames = EventBus(), list[list[Event]](), list[str]()

    @contextmanager
    def one_frame() -> Iterator[None]:
        frames.append("begin")
        yield
        frames.append("end")

    bridge = Bridge(bus.subscribe(), batches.append, one_frame)
    running = asyncio.create_task(bridge.run())
    bus.publish(TurnStarted(1))
    await asyncio.sleep(0)
    for number in range(500):
        bus.publish(MessageDelta(f"{number} "))
        if number % 100 == 0:
            await asyncio.sleep(0)
    bus.publish(SessionEnded())
    bus.close()
    await asyncio.wait_for(running, 10)
    events = [event for batch in batches for event in batch]
    assert isinstance(events[0], TurnStarted)
    assert isinstance(events[-1], SessionEnded)
    text = "".join(event.text for event in events if isinstance(event, MessageDelta))
    assert text == "".join(f"{number} " for number in range(500))
    assert len(batches) <= 4
    assert frames == ["begin", "end"] * len(batches)


async def test_a_closed_bridge_ends() -> None:
    bus, batches = EventBus(), list[list[Event]]()

    @contextmanager
    def one_frame() -> Iterator[None]:
        yield

    bridge = Bridge(bus.subscribe(), batches.append, one_frame)
    running = asyncio.create_task(bridge.run())
    await asyncio.sleep(0)
    bridge.close()
    await asyncio.wait_for(running, 10)
    bus.publish(TurnStarted(1))
    assert batches == []
