"""One turn of a session, read step by step from a thread that is not the engine's.

The engine never waits for its reader, except where it asks: a decision is given when the reader takes the next step.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oi_tui.faces.api import loop
from oi_tui.faces.api.chunks import Chunks
from oi_tui.faces.api.messages import Message, shown
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import (
    ApprovalRequested,
    CallEnded,
    CallStarted,
    Event,
    RequestStarted,
    TurnEnded,
)
from oi_tui.protocol.lmc import Chunk
from oi_tui.session.approvals import StaleDecision
from oi_tui.session.session import Session

_SETTLED = (RequestStarted, ApprovalRequested, CallStarted, CallEnded, TurnEnded)  # the history is whole before these

_PATIENCE = 2.0  # seconds that what runs gets to obey an interrupt


@dataclass(frozen=True, slots=True)
class Settled:
    """What of the turn is in the history by now, as a program sees it. block: a block starts to run."""

    messages: list[Message]
    block: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision is wanted on `chunk`, a confirmation."""

    chunk: Chunk
    request: ApprovalRequested


@dataclass(frozen=True, slots=True)
class Told:
    """Something that has no chunk: for faces that show more than chunks."""

    event: Event


Step = Settled | Asked | Chunk | Told


class Turn:
    """A turn on `history`. Make it, iterate it once, and `stop` it where that is not done to the end."""

    def __init__(self, session: Session, history: list[dict[str, Any]]) -> None:
        self._session, self._history, self._begins = session, history, len(history)
        self._steps: queue.SimpleQueue[Step] = queue.SimpleQueue()
        self._chunks = Chunks()
        self.ended: TurnEnded | None = None
        loop.call(self._start)

    def _start(self) -> None:
        self._session.bus.attach(self)
        self._session.go_on(self._history)

    def push(self, event: Event) -> None:
        """One event of the session, on the engine's thread."""
        if isinstance(event, _SETTLED):
            self._steps.put(Settled(self._so_far(), isinstance(event, CallStarted)))
        made = self._chunks.of(event)
        if isinstance(event, ApprovalRequested):
            self._steps.put(Asked(made[0], event))
        elif made:
            for chunk in made:
                self._steps.put(chunk)
        else:
            self._steps.put(Told(event))
        if isinstance(event, TurnEnded):
            self._session.bus.forget(self)

    def close(self) -> None:
        """The session was closed under the turn."""
        self._steps.put(Told(TurnEnded("interrupted")))

    def _so_far(self) -> list[Message]:
        """The messages of this turn."""
        return shown(self._session.messages[self._begins :])

    def __iter__(self) -> Iterator[Step]:
        while self.ended is None:
            step = self._steps.get()
            if isinstance(step, Told) and isinstance(step.event, TurnEnded):
                self.ended = step.event
            yield step

    def approve(self, request: ApprovalRequested, code: str) -> None:
        """Let it run, as `code` if that is another text than was asked about."""
        edited = request.subject == "code" and code != request.code
        decision = Decision("edit" if edited else "approve", code if edited else request.code)

        def answer() -> None:
            try:
                self._session.answer(request.approval_id, decision)
            except StaleDecision:  # it was stopped meanwhile, or the edited text is empty
                self._session.interrupt()

        loop.call(answer)

    def stop(self) -> list[Step]:
        """End the turn: nothing that waits is approved, what runs is interrupted, and killed if it does not obey.
        Returns the steps that nobody has taken."""
        left: list[Step] = []
        if self.ended is None:
            loop.call(self._session.interrupt)
            while self.ended is None:
                try:
                    step = self._steps.get(timeout=_PATIENCE)
                except queue.Empty:
                    loop.call(self._session.interrupt)  # once more kills
                    continue
                if isinstance(step, Told) and isinstance(step.event, TurnEnded):
                    self.ended = step.event
                left.append(step)
        return left
