"""The bus: every reader sees every character in order, and a slow one holds little."""

from __future__ import annotations

import asyncio
import random
import tracemalloc

from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.events import CodeDelta, ConsoleOutput, Event, MessageDelta, MessageEnded, TurnStarted


async def test_adjacent_deltas_of_one_kind_and_call_merge() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    for event in (
        MessageDelta("a"),
        MessageDelta("b"),
        MessageEnded(),
        MessageDelta("c"),
        CodeDelta("1", "x"),
        CodeDelta("1", "y"),
        CodeDelta("2", "z"),
        ConsoleOutput("1", "o"),
        ConsoleOutput("1", "e", error=True),
    ):
        bus.publish(event)
    assert reader.drain() == [
        MessageDelta("ab"),
        MessageEnded(),
        MessageDelta("c"),
        CodeDelta("1", "xy"),
        CodeDelta("2", "z"),
        ConsoleOutput("1", "o"),
        ConsoleOutput("1", "e", error=True),
    ]
    assert reader.drain() == []


async def test_a_reader_ten_seconds_behind_holds_less_than_a_megabyte() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    expected = []
    for number in range(50_000):  # ten seconds of 5,000 deltas
        text = f"{number % 9973:04d} "
        expected.append(text)
        bus.publish(MessageDelta(text))
    del text
    held = tracemalloc.get_traced_memory()[0] - before - sum(map(len, expected)) - 50_000 * 57
    tracemalloc.stop()
    assert held < 1_000_000
    (event,) = reader.drain()
    assert event == MessageDelta("".join(expected))


async def test_random_reading_gives_the_same_text() -> None:
    for seed in range(20):
        bus, dice = EventBus(), random.Random(seed)
        reader = bus.subscribe()
        sent: list[Event] = []
        seen: list[Event] = []
        for number in range(500):
            event = dice.choice((MessageDelta(f"{number}"), CodeDelta("c", f"{number}"), TurnStarted(number)))
            sent.append(event)
            bus.publish(event)
            if dice.random() < 0.1:
                seen.extend(reader.drain())
        seen.extend(reader.drain())
        assert _flat(seen) == _flat(sent)


def _flat(events: list[Event]) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for event in events:
        kind, text = type(event).__name__, getattr(event, "text", str(event))
        if flat and flat[-1][0] == kind and hasattr(event, "text"):
            flat[-1] = (kind, flat[-1][1] + text)
        else:
            flat.append((kind, text))
    return flat


async def test_iteration_ends_after_the_last_event_when_closed() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    late = bus.subscribe()
    bus.publish(TurnStarted(1))
    bus.publish(TurnStarted(2))
    bus.close()
    assert [event async for event in reader] == [TurnStarted(1), TurnStarted(2)]
    assert len(late.drain()) == 2


async def test_a_waiting_reader_is_woken() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    waiting = asyncio.ensure_future(reader.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    bus.publish(TurnStarted(1))
    assert await asyncio.wait_for(waiting, 2)
    reader.close()
    bus.publish(TurnStarted(2))
    assert reader.drain() == [TurnStarted(1)]
    assert not await asyncio.wait_for(reader.wait(), 2)
