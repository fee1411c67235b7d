"""A session: one conversation in one folder. Faces call its plain methods and learn what happens from `bus` alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import HistoryChanged, Notice, SessionEnded, SessionStarted, TurnEnded, TurnStarted
from oi_tui.protocol.lmc import Message, message
from oi_tui.session import faults, hooked, turn
from oi_tui.session.agents import Desk
from oi_tui.session.aside import serve
from oi_tui.session.permissions import tell_broken
from oi_tui.session.questions import Questions
from oi_tui.session.revisiting import Revisiting, Undone
from oi_tui.session.scanning import tell_missing
from oi_tui.session.store import Saved
from oi_tui.settings import APPROVALS, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnesses.base import Harness
    from oi_tui.computer.computer import Computer
    from oi_tui.computer.left_running import Left
    from oi_tui.session.window import Filling

__all__ = ["Session", "Undone"]

_STATE_LOST = (
    "[This conversation is resumed: variables, imports and the working directory of earlier code are gone. "
    "Files are as they were left.]"
)


class Session(Revisiting):
    """A conversation that faces drive: they start it, send messages, answer approvals, change parts of it, close it."""

    def __init__(
        self,
        settings: Settings,
        cwd: str | None = None,
        saved: Saved | None = None,
        *,
        computer: Computer | None = None,
        harness: Callable[[bool], Harness] | None = None,
    ) -> None:
        """computer: somebody else's, not closed with the session. harness: makes it in place of the registry; told
        whether the model can be offered tools."""
        super().__init__(settings, cwd, saved)
        serve(self, lambda: self.busy, self.interrupt)
        self.engine.bring(computer, harness)
        self.questions = Questions(self.bus)
        self._desk = self.host = Desk(self, self.questions)
        self._resumed = saved is not None
        self._planned = saved is not None and saved.planning
        self._turns = 0
        self._closed = False

    # ---- what faces read

    @property
    def sandbox(self) -> str:
        """The cage that code runs in, in words: a person should see at all times that on this machine it is none."""
        from oi_tui.session.backend import whereabouts

        return whereabouts(self.settings.backend) or self.engine.sandbox.told()

    @property
    def unusable(self) -> bool:
        """The last request found no model to ask."""
        return self.engine.unusable

    @property
    def git_branch(self) -> str:
        from oi_tui.session.context import git_info

        info = git_info(self.cwd)
        return info.branch if info else ""

    # ---- what faces do

    def start(self) -> None:
        """Announce the session. Raises SessionInUse when a resumed one is open elsewhere."""
        self.history.open(resumed=self._resumed, **self._head())
        self.bus.publish(
            SessionStarted(self.id, self.cwd, self.model, self.harness_id, self.harness_auto, self._resumed)
        )
        if self.settings.speak_messages:
            from oi_tui.session.speaking import speak

            self._keep(speak(self.bus))
        self.tell_untrusted()
        if self.planning.on != self._planned:
            self.history.planned(self.planning.on)
        if self.planning.on:
            self.changed()
        tell_broken(self)
        tell_missing(self)
        self.hooks.tell_waiting()
        self.hooks.begin("resume" if self._resumed else "startup")
        if self._resumed:
            self.bus.publish(HistoryChanged())
            self.tell_resumed()

    def submit(self, text: str) -> None:
        """Start a turn with `text`; while one runs, answer the question that waits, or put it in at the next step."""
        text = text.encode("utf-8", "replace").decode().replace("\x00", "")
        if not text.strip():
            return
        if self.questions.reply(text):
            return
        if self.busy:
            self.steering.append(text)
            self.queue_changed()
        else:
            self._begin(text)

    def go_on(self, messages: list[Message]) -> None:
        """Start a turn on a history that the caller keeps; ids of its calls are unique. A block that stands last is run
        first, asked about as always, else the model is asked. Raises ValueError while a turn runs."""
        self._refuse_if_busy()
        self.history.replace(messages)
        self.interrupting = False
        self._turn = asyncio.ensure_future(self._run_turn())

    def queue(self, text: str) -> None:
        """Send `text` when the running turn has ended."""
        if self.busy and text.strip():
            self.queued.append(text)
            self.queue_changed()
        else:
            self.submit(text)

    def unqueue(self) -> str | None:
        """Take the newest waiting message back, None if there is none."""
        for waiting in (self.queued, self.steering):
            if waiting:
                text = waiting.pop()
                self.queue_changed()
                return text
        return None

    def answer(self, approval_id: str, decision: Decision) -> None:
        """Answer an ApprovalRequested. Raises approvals.StaleDecision when it is about another text."""
        self.approvals.answer(approval_id, decision)

    def take_input(self) -> None:
        """Somebody is there to answer programs that ask (InputRequested); without this they find no input. To be called
        before `start`."""
        self.engine.takes_input = True

    def type_in(self, input_id: str, text: str | None) -> None:
        """Answer an InputRequested: type `text` and enter, or end the input (None). The text is kept nowhere if it is
        secret. Raises ValueError with a sentence when the program no longer waits for it or cannot take it."""
        self.engine.computer.type_in(input_id, text)

    def interrupt(self) -> None:
        """Stop the answer that streams or the code that runs; a second time kills the code. Does nothing when idle."""
        if not self.busy:
            return
        self.interrupting = True
        self.approvals.stop_all()
        if self.interruptible is not None:
            self.interruptible.cancel()
        stopping = self.engine.interrupt()
        if stopping is not None:
            self._keep(stopping)

    def use_model(self, name: str) -> None:
        """Go on with another model, from the next request. Raises ModelError when its name or key cannot work."""
        self._swap_model(name)
        self.changed()

    def use_harness(self, harness_id: str) -> None:
        """Go on with another harness, or `auto`. Raises harnesses.UnknownHarness."""
        self.engine.use_harness(harness_id)
        self.changed()

    def use_approval(self, mode: str) -> None:
        """Set what runs unasked. Raises ValueError for an unknown mode."""
        if mode not in APPROVALS:
            raise ValueError(f"there is no approval mode {mode!r}; there are {', '.join(APPROVALS)}")
        if self.settings.safe_mode != "off" and mode in {"auto", "full"}:
            raise ValueError("safe mode is on, so code is asked about; start without --safe_mode to change that")
        self.engine.policy.mode = mode
        self.changed()

    def use_effort(self, level: str) -> str:
        """Set how hard the model is to think from the next request on; "" leaves it to the model.

        Returns what the model makes of it, in words, "" if just that. Raises ValueError for an unknown level.
        """
        from oi_tui.models.effort import LEVELS, nearest

        if level and level not in LEVELS:
            raise ValueError(f"there is no effort {level!r}; there are {', '.join(LEVELS)}, and auto")
        self.engine.effort = level
        taken = self.efforts
        if not level or taken is None or level in taken:
            return ""
        if not taken:
            return f"{self.model} cannot be told how hard to think, so it is left out"
        return f"{self.model} takes {', '.join(taken)}, so {nearest(level, taken)} is asked for"

    @property
    def effort(self) -> str:
        """How hard the model is to think, "" where that is left to it."""
        return self.engine.effort

    @property
    def efforts(self) -> tuple[str, ...] | None:
        """How hard the model can be told to think: () for not at all, None while that is not known."""
        return self.engine.connection.efforts() if self.engine.connection else None

    async def look(self) -> Filling:
        """How full the model's window is, and with what. Raises ModelError when there is no model to ask."""
        from oi_tui.session.compaction import looked_at

        await self.engine.connect()
        return await looked_at(self)

    async def compact(self, wanted: str = "") -> None:
        """Let a summary by the model stand for all that was said so far; `wanted` is to be in it. Raises ValueError
        while a turn runs. What goes wrong is told as the end of a turn is."""
        self._refuse_if_busy()
        self.interrupting = False
        self.bus.publish(TurnStarted(self._turns))
        from oi_tui.session.compaction import compact_on_demand

        running = asyncio.ensure_future(compact_on_demand(self, wanted))
        self._turn = self.interruptible = running
        await asyncio.wait({running})
        self._over(TurnEnded("interrupted") if running.cancelled() else running.result())

    def jobs(self) -> Sequence[Left]:
        """The programs that blocks left running, oldest first."""
        return self.background.jobs()

    async def stop_job(self, job_id: str) -> Left | None:
        """End one with all that it started. None when none of that id runs."""
        return await self.background.stop(job_id)

    async def run_shell(self, line: str, language: str = "shell") -> None:
        """Run the person's own `!line` in the session's shell, or code in another language, as a block of code; the
        next request tells the model."""
        from oi_tui.session.own_command import run_own

        self._refuse_if_busy()
        self.interrupting = False
        self.bus.publish(TurnStarted(self._turns))
        self._turn = running = asyncio.ensure_future(run_own(self, line, language))
        await asyncio.wait({running})
        self._over(TurnEnded("interrupted" if self.interrupting else "done"))
        running.result()

    async def prewarm(self) -> None:
        """After the first paint: choose the model and make its first answer fast. Publishes what stands in the way."""
        from oi_tui.models.client import ModelError

        try:
            connection = await self.engine.connect()
            self.changed()
            if connection.ready():
                await connection.client.prewarm(self.engine.warm_body(self.id))
        except ModelError as error:
            self.bus.publish(Notice("warning", str(error), error.hint))

    async def close(self) -> None:
        """Stop everything and release it: requests, kernels, shells, the session file."""
        if self._closed:
            return
        self._closed = True
        self.approvals.stop_all()
        self.queued.clear()
        self.steering.clear()
        pending = [task for task in (self._turn, *self._background) if task is not None and not task.done()]
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.wait(pending, timeout=5)
        await self._desk.close()
        await self.hooks.close("exit")
        await self.engine.close()
        self.history.close()
        self.bus.publish(SessionEnded())
        self.bus.close()

    # ---- inside

    def _begin(self, text: str) -> None:
        if self._state_lost:
            self.history.append(message("user", "message", _STATE_LOST, recipient="assistant"))
            self._state_lost = False
        news = self.engine.context_news()
        if news:
            self.history.append(message("user", "message", news, recipient="assistant"))
        held = text if self.hooks.active("UserPromptSubmit") else None
        if held is None:
            self.said(text)
        self.interrupting = False
        self._turn = asyncio.ensure_future(self._run_turn(held))

    async def _run_turn(self, held: str | None = None) -> None:
        self._turns += 1
        self.budget.new_turn()
        if self.engine.new_turn():
            self.changed()
        self.bus.publish(TurnStarted(self._turns))
        try:
            ended = await hooked.turn(self, held, turn.run)
        except asyncio.CancelledError:
            ended = TurnEnded("interrupted")
        except Exception as error:  # a fault of ours must not take the session down with it
            faults.log()
            ended = TurnEnded(
                "failed", f"an internal error stopped the turn: {type(error).__name__}: {error}", "try again"
            )
        self._over(ended)

    def _over(self, ended: TurnEnded) -> None:
        """A turn, or the person's own command, has ended: tell it, and go on with what waits."""
        self.engine.remember_context()
        self.interrupting, self.interruptible = False, None
        self.bus.publish(ended)
        self.approvals.repeat()
        waiting = self.steering or self.queued
        if waiting and not self._closed and ended.reason != "interrupted":
            text = waiting.pop(0)
            self.queue_changed()
            self._begin(text)
