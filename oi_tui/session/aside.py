"""What the computer's devices have of a session: its model, which they may ask, and its turn, which they may stop.

Each question is one request without history or tools. It counts for the budget of the session, and is not shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial

from oi_tui.computer.devices.base import DeviceError, Question
from oi_tui.models.client import ModelError
from oi_tui.protocol.events import Notice
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import TextDelta
from oi_tui.session.conversation import Conversation
from oi_tui.session.tally import Tally

_AT_ONCE = 4  # requests


def serve(session: Conversation, busy: Callable[[], bool], interrupt: Callable[[], None]) -> None:
    """Give the devices of the session's computer what they need. busy: whether a turn runs; interrupt: stops it."""

    def stopped(why: str) -> None:
        if busy() and not session.interrupting:
            session.bus.publish(Notice("warning", why, "say how to go on"))
            interrupt()

    session.background.ask = partial(answers, session)
    session.background.on_stopped = stopped


async def answers(session: Conversation, questions: Sequence[Question]) -> list[str]:
    """The answer to each. Raises DeviceError with the model's reason where one fails; the others are then dropped."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def one(question: Question) -> str:
        async with free:
            return await _answer(session, question)

    tasks = [asyncio.ensure_future(one(question)) for question in questions]
    try:
        return list(await asyncio.gather(*tasks))
    except ModelError as error:
        raise DeviceError(f"the model gave no answer: {error}{f' ({error.hint})' if error.hint else ''}") from error
    finally:
        for task in tasks:
            task.cancel()


async def _answer(session: Conversation, question: Question) -> str:
    from harnesses.classic import ClassicHarness, Wording
    from oi_tui.models import tokens

    engine = session.engine
    connection = await engine.connect()
    if question.picture and not connection.info.vision:
        raise DeviceError(
            f"{session.model} cannot see pictures; choose a model that can with /model, or set llm.supports_vision"
        )
    history: list[Message] = [message("user", "message", question.text)]
    if question.picture:
        history.append(message("user", "image", question.picture, "base64.png"))
    body = ClassicHarness(Wording(question.system), text=True).build(
        await engine.with_pictures(history), engine.env, engine.options(history, session.id)
    )
    size = tokens.count(question.text)
    session.check_money(size, 0)
    tally, texts, stopped = Tally(size), list[str](), False
    try:
        async with aclosing(connection.client.stream(body)) as deltas:
            async for delta in deltas:
                tally.take(delta)
                if isinstance(delta, TextDelta):
                    texts.append(delta.text)
    except asyncio.CancelledError:
        stopped = True
        raise
    finally:
        if (usage := tally.usage(stopped=stopped)) is not None:
            session.count(usage, aside=True)
    return "".join(texts).strip()
