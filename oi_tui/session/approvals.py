"""Requests that wait for a person. A decision is bound to the exact text that was asked about."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.call_events import Scanned
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, ApprovalResolved, ScanChanged

if TYPE_CHECKING:
    from oi_tui.session.check import Check


class StaleDecision(ValueError):
    """The decision names another text than the one that is being asked about, or nothing is being asked."""


@dataclass(slots=True)
class _Open:
    request: ApprovalRequested
    answer: asyncio.Future[Decision]
    check: Check | None = None


class Approvals:
    """Open requests of one session, by id."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._open: dict[str, _Open] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._open)

    def is_open(self, approval_id: str) -> bool:
        """Whether this request still waits for its answer."""
        return approval_id in self._open

    def next_id(self) -> str:
        self._count += 1
        return f"approval_{self._count}"

    async def ask(self, request: ApprovalRequested, check: Check | None = None) -> Decision:
        """Publish `request` and wait for its answer. Cancelling the wait declines it. check: of safe mode; what it
        comes to know until then is published as well."""
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._open[request.approval_id] = waiting = _Open(request, future, check)
        if check is not None:
            check.listener = lambda scan: self._scanned(waiting, scan)
        self._bus.publish(request)
        try:
            decision = await future
        except asyncio.CancelledError:
            self._bus.publish(ApprovalResolved(request.approval_id, request.call_id, "cancelled"))
            raise
        finally:
            self._open.pop(request.approval_id, None)
            if check is not None:
                check.listener = None
        self._bus.publish(ApprovalResolved(request.approval_id, request.call_id, decision.kind, decision.reason))
        return decision

    def answer(self, approval_id: str, decision: Decision) -> None:
        """Give the answer. Raises StaleDecision if it does not belong to what is being asked."""
        waiting = self._open.get(approval_id)
        if waiting is None or waiting.answer.done():
            raise StaleDecision("this is no longer being asked")
        if decision.kind == "scan":
            if waiting.check is None:
                raise StaleDecision("safe mode is off: start with --safe_mode ask or auto")
            waiting.check.begin(waiting.request.code if decision.code is None else decision.code)
            return
        runs = decision.kind in {"approve", "approve_session", "approve_always"}
        if runs and decision.code != waiting.request.code:
            raise StaleDecision("the decision was made about another text; look at it again")
        if decision.kind == "approve_always" and not waiting.request.rules:
            raise StaleDecision("no rule can be written for this; it is asked each time")
        if decision.kind == "edit" and waiting.request.subject != "code":
            raise StaleDecision("only code can be edited; decline it and say what to change")
        if decision.kind == "edit" and not (decision.code or "").strip():
            raise StaleDecision("the edited text is empty")
        waiting.answer.set_result(decision)

    async def looked(self, approval_id: str) -> Scanned:
        """What safe mode knows of a request once it has looked, or the request is answered."""
        waiting = self._open.get(approval_id)
        if waiting is None:
            return Scanned()
        if waiting.check is not None:
            await waiting.check.looking(waiting.answer)
        return waiting.request.scan

    def _scanned(self, waiting: _Open, scan: Scanned) -> None:
        waiting.request = replace(waiting.request, scan=scan)
        self._bus.publish(ScanChanged(waiting.request.approval_id, waiting.request.call_id, scan))

    def repeat(self) -> None:
        """Publish what is still open once more: the end of a turn takes requests off the screen, also those of an agent
        in the background."""
        for waiting in list(self._open.values()):
            if not waiting.answer.done():
                self._bus.publish(waiting.request)

    def stop_all(self) -> None:
        """Answer everything that is open with `stop`."""
        for waiting in list(self._open.values()):
            if not waiting.answer.done():
                waiting.answer.set_result(Decision("stop"))
