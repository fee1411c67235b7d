"""A real Session in the test's own process, with real kernels and the mock model behind real HTTP.

For what a run without a screen cannot do: answer approvals, steer, interrupt and go on with the same kernels.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, ConsoleOutput, Event, TurnEnded
from oi_tui.session.session import Session
from oi_tui.session.store import Saved
from oi_tui.settings import LlmSettings, Settings
from tests.mock_model import MockModel
from tests.user_reports.driver import MARK, check_home, command_lines, marked, results, until, work_folder

E = TypeVar("E")


class Live:
    """Use it as an async context manager; at the end the session is closed and the standing conditions are checked.

    settings: fields of Settings; auto-run is on unless `approval_policy` says otherwise.
    """

    def __init__(
        self,
        mock: MockModel,
        *,
        saved: Saved | None = None,
        model: str = "x",
        strict: bool = True,
        window: int | None = 200_000,  # None: the model's own, which for one nobody knows is small
        **settings: Any,
    ) -> None:
        self.mock, self._saved, self._strict = mock, saved, strict
        settings.setdefault("approval_policy", "auto")
        self.settings = Settings(model=model, llm=LlmSettings(api_base=mock.url, context_window=window), **settings)
        self.seen: list[Event] = []
        self._next = 0
        self._arrived = asyncio.Event()

    async def __aenter__(self) -> Live:
        self._mark = os.environ[MARK] = uuid.uuid4().hex  # code that is run inherits it
        self.session = Session(self.settings, str(work_folder()), self._saved)
        self._collector = asyncio.ensure_future(self._collect())
        await asyncio.sleep(0)
        self.session.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.session.close()
        await self._collector
        del os.environ[MARK]
        if kind is not None:
            return
        await asyncio.to_thread(
            until, lambda: not marked(self._mark), 3, lambda: f"processes were left: {self.processes()}"
        )
        check_home()
        if self._strict:
            assert self.mock.refused == []

    async def _collect(self) -> None:
        async for event in self.session.bus.subscribe():
            self.seen.append(event)
            self._arrived.set()

    async def until(self, kind: type[E], fits: Callable[[E], bool] = lambda _: True, seconds: float = 20.0) -> E:
        """The next event of this kind that fits; events before it are passed over."""
        async with asyncio.timeout(seconds):
            while True:
                while self._next < len(self.seen):
                    event = self.seen[self._next]
                    self._next += 1
                    if isinstance(event, kind) and fits(event):
                        return event
                self._arrived.clear()
                await self._arrived.wait()

    async def printed(self, text: str) -> None:
        """Until the running block has printed `text`."""
        await self.until(ConsoleOutput, lambda one: text in one.text)

    async def turn(self, text: str = "do it", seconds: float = 30.0) -> TurnEnded:
        """Submit and wait for the end of the turn."""
        self.session.submit(text)
        return await self.until(TurnEnded, seconds=seconds)

    async def asked(self) -> ApprovalRequested:
        """The next approval that is asked for."""
        return await self.until(ApprovalRequested)

    def approve(self, request: ApprovalRequested, kind: Any = "approve") -> None:
        """Let it run as it was shown."""
        self.session.answer(request.approval_id, Decision(kind, request.code))

    @property
    def results(self) -> list[str]:
        """The results of calls in the newest request."""
        return results(self.mock.requests[-1])

    def processes(self) -> list[str]:
        """Command lines of what code has started and still runs."""
        return command_lines(marked(self._mark))

    def all_of(self, kind: type[E]) -> list[E]:
        """Every event of this kind that was published so far."""
        return [one for one in self.seen if isinstance(one, kind)]
