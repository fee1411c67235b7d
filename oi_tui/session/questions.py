"""Questions of the model that wait for the person. What the person says next is the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.calls import Question
from oi_tui.protocol.events import QuestionAnswered, QuestionAsked
from oi_tui.protocol.questions import meant


@dataclass(slots=True)
class _Open:
    asked: QuestionAsked
    answer: asyncio.Future[tuple[str, ...]]


class Questions:
    """Open questions of one session; one at a time is shown."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._open: _Open | None = None
        self._count = 0

    @property
    def open(self) -> QuestionAsked | None:
        """The question that waits, None if there is none."""
        waiting = self._open
        return waiting.asked if waiting is not None and not waiting.answer.done() else None

    async def ask(self, call_id: str, questions: Sequence[Question]) -> list[tuple[str, ...]]:
        """Ask one after the other and give the answers. Cancelling it withdraws what is open."""
        answers: list[tuple[str, ...]] = []
        for number, question in enumerate(questions, 1):
            self._count += 1
            asked = QuestionAsked(f"question_{self._count}", call_id, question, number, len(questions))
            waiting = _Open(asked, asyncio.get_running_loop().create_future())
            self._open = waiting
            self._bus.publish(asked)
            answer: tuple[str, ...] = ()
            try:
                answer = await waiting.answer
            finally:
                self._open = None
                self._bus.publish(QuestionAnswered(asked.question_id, call_id, answer))
            answers.append(answer)
        return answers

    def reply(self, text: str) -> bool:
        """Answer the open question. False if there is none."""
        waiting = self._open
        if waiting is None or waiting.answer.done() or not text.strip():
            return False
        waiting.answer.set_result(meant(waiting.asked.question, text))
        return True
