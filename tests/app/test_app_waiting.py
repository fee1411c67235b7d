"""What is awaited stays on the screen until it comes, also when something long began and ended meanwhile."""

from __future__ import annotations

import asyncio
import re

from oi_tui.protocol import events as ev
from tests.app.running import running


async def test_waiting_goes_on_after_the_model_was_loaded() -> None:
    async with running([ev.TurnStarted(1), ev.UserMessage("hello"), ev.RequestStarted("embedded/1.5b")]) as app:
        assert "waiting for embedded/1.5b" in app.screen_text()
        await app.play(ev.Progress("", 0, 0, "loading embedded/1.5b"))
        assert "loading embedded/1.5b" in app.screen_text()
        await app.play(ev.Progress("", 100, 300, "reading the request"))
        assert "reading the request 33%" in app.screen_text()
        await app.play(ev.Progress("", 0, 0, ""))
        assert "waiting for embedded/1.5b" in app.screen_text()
        await app.play(ev.MessageDelta("Hi."))
        assert "waiting for" not in app.screen_text()
        await app.play(ev.MessageEnded(), ev.TurnEnded("done"))
        await app.play(ev.Progress("fetching", 5, 10, "part 1"), ev.Progress("fetching", 10, 10, "done"))
        assert "fetching" not in app.screen_text()


async def test_the_seconds_until_it_is_tried_again_count_down_and_then_it_is_waited_for() -> None:
    def left() -> int:
        found = re.search(r"trying again in (\d+) s(?! \()", app.screen_text())
        return int(found[1]) if found else 0

    async with running([ev.TurnStarted(1), ev.UserMessage("hello"), ev.RequestStarted("m")]) as app:
        await app.play(ev.RetryScheduled(3, 1, 4, "too many requests"))
        seen = {left()}
        while left():
            await asyncio.sleep(0.05)
            await app.play()
            seen.add(left())
        assert {1, 2} < seen
        assert "waiting for" in app.screen_text()
        await app.play(ev.RetryScheduled(60, 2, 4, "too many requests"))
        assert left() > 50
        await app.play(ev.MessageDelta("Hi."))
        assert not left()
