"""The loop when it is interrupted: while an answer streams, while code starts or runs, while it waits."""

from __future__ import annotations

import asyncio

import pytest

from oi_tui.protocol.events import (
    ApprovalRequested,
    CallEnded,
    CodeEnded,
    MessageDelta,
    RequestStarted,
    RetryScheduled,
    TurnEnded,
)
from tests.mock_model import MockModel, answer, code, http, say, wait
from tests.user_reports.driver import output, results
from tests.user_reports.in_process import Live


async def test_while_streaming_keeps_the_partial_text() -> None:
    with MockModel([answer(say("one two "), wait(600)), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("count")
            await live.until(MessageDelta)
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=5)).reason == "interrupted"
            assert (await live.turn("go on")).reason == "done"
            messages = mock.requests[1]["messages"]
            (partial,) = [one["content"] for one in messages if one["role"] == "assistant"]
            assert "one two ".startswith(partial)
            assert "stopped" in str(messages[-2:])
            await asyncio.to_thread(mock.wait_until, lambda one: one.aborted == 1)


async def test_a_call_that_was_streaming_is_not_run() -> None:
    with MockModel([answer(code("shell", "touch made"), wait(600)), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("make")
            await live.until(RequestStarted)
            await asyncio.to_thread(mock.wait_until, lambda one: len(one.requests) == 1)
            live.session.interrupt()
            await live.until(TurnEnded, seconds=5)
            assert (await live.turn("go on")).reason == "done"
            assert results(mock.requests[1]) == []
            assert live.all_of(CallEnded) == []


async def test_while_running_keeps_output_and_variables() -> None:
    block = "x = 7\nprint('begun', flush=True)\nimport time\ntime.sleep(600)"
    with MockModel([code("python", block), code("python", "print(x)"), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("wait")
            await live.printed("begun")
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=5)).reason == "interrupted"
            assert len(mock.requests) == 1
            await live.turn("go on")
            first, second = live.results
            assert "interrupted" in first
            assert "begun" in first
            assert output(second) == "7\n"


_STUBBORN = {
    "python": "import time\nwhile True:\n  try: print('begun', flush=True); time.sleep(600)\n"
    "  except KeyboardInterrupt: print('no', flush=True)",
    "shell": "trap '' INT\necho begun\nwhile true; do sleep 1; done",
}


@pytest.mark.parametrize(("language", "block"), _STUBBORN.items())
async def test_a_second_interrupt_kills(language: str, block: str) -> None:
    after = "echo on" if language == "shell" else "print('on')"
    with MockModel([code(language, block), code(language, after)]) as mock:
        async with Live(mock) as live:
            live.session.submit("wait")
            await live.printed("begun")
            live.session.interrupt()
            if language == "python":
                await live.printed("no")
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=5)).reason == "interrupted"
            await live.turn("go on")
            first, second = live.results
            assert "lost" in first
            assert output(second).strip() == "on"


async def test_while_it_is_asked() -> None:
    with MockModel([code("shell", "touch made"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("make")
            await live.until(ApprovalRequested)
            live.session.interrupt()
            await live.until(TurnEnded, seconds=5)
            assert (await live.turn("go on")).reason == "done"
            assert len(live.results) == 1
            assert output(live.results[0]) == ""


async def test_while_waiting_to_ask_again() -> None:
    with MockModel([http(429, {"error": {"message": "slow"}}, {"retry-after": "60"}), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("hello")
            assert (await live.until(RetryScheduled)).seconds == 60
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=5)).reason == "interrupted"
            assert (await live.turn("go on")).reason == "done"


async def test_before_the_first_byte() -> None:
    with MockModel([answer(wait(600), say("late")), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("hello")
            await live.until(RequestStarted)
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=5)).reason == "interrupted"
            mock.script[:] = [say("ok")]
            assert (await live.turn("go on")).reason == "done"


async def test_the_moment_after_submitting() -> None:
    with MockModel([answer(wait(600), say("late"))]) as mock:
        async with Live(mock) as live:
            live.session.submit("hello")
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=5)).reason == "interrupted"


async def test_when_idle_it_does_nothing() -> None:
    with MockModel() as mock:
        async with Live(mock) as live:
            live.session.interrupt()
            assert (await live.turn("hello")).reason == "done"


async def test_steering_that_waits_is_not_lost() -> None:
    with MockModel([answer(say("one "), wait(600)), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("first")
            await live.until(MessageDelta)
            live.session.submit("second")
            live.session.interrupt()
            await live.until(TurnEnded, seconds=5)
            await live.turn("third")
            said = [one["content"] for one in mock.requests[1]["messages"] if one["role"] == "user"]
            assert "third" in said
            assert "second" in said


async def test_between_the_answer_and_the_block() -> None:
    """Stopped at the very moment at which the code is whole: it must not run for ever."""
    with MockModel([code("python", "while True: pass"), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("loop")
            await live.until(CodeEnded)
            live.session.interrupt()
            assert (await live.until(TurnEnded, seconds=10)).reason == "interrupted"
            await live.turn("go on")
            assert len(live.results) == 1
