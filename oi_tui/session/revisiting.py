"""Going back: take messages back, begin anew, go on with an earlier session, or from an earlier message of this one."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from oi_tui.models.client import ModelError
from oi_tui.protocol.events import HistoryChanged, Notice
from oi_tui.protocol.lmc import Message
from oi_tui.session.conversation import Conversation
from oi_tui.session.history import spoken
from oi_tui.session.store import Saved, new_id
from oi_tui.settings import Settings

Files = Literal["ask", "keep", "force"]


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back. said: the person's message, "" if there was none. files: paths that are as they were."""

    said: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """A message of the person to go back to. number: counted from 1. files: what was changed since, as paths."""

    number: int
    said: str
    files: tuple[str, ...] = ()


class Revisiting(Conversation):
    """A conversation whose past can be gone back to."""

    def __init__(self, settings: Settings, cwd: str | None = None, saved: Saved | None = None) -> None:
        super().__init__(settings, cwd, saved)
        self._state_lost = False  # the model has yet to be told that the kernels are new
        self._turn: asyncio.Task[Any] | None = None
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def busy(self) -> bool:
        return self._turn is not None and not self._turn.done()

    def undo(self, files: Files = "ask") -> Undone:
        """Take back the person's last message and all that followed, with the changes of files that tools made.

        files: `ask` refuses where a file was changed by others since, with tools.undo.UndoRefused; `keep` leaves all
        files as they are; `force` takes back all. What code did to files stays.
        """
        self._refuse_if_busy()
        exchange = int(self.memory.get("exchange", 0))
        taken = self._take_back_files(exchange, files) if exchange else []
        said = self.history.undo()
        self.meter.forget()
        self.mark_cut()
        self.memory["exchange"] = max(0, exchange - 1)
        return Undone(said, tuple(taken))

    def _take_back_files(self, exchange: int, files: Files) -> list[str]:
        """Put back what tools changed since that message of the person."""
        from oi_tui.tools.undo import keep_exchange, undo_exchange

        if files == "keep":
            keep_exchange(self.memory, exchange)
            return []
        return undo_exchange(self.memory, self.cwd, exchange, force=files == "force")

    def stops(self) -> list[Stop]:
        """What can be gone back to, newest first."""
        from oi_tui.tools.undo import changed_since

        said = [str(one["content"]) for one in self.messages if spoken(one)]
        return [
            Stop(number, said[number - 1], tuple(changed_since(self.memory, self.cwd, number)))
            for number in range(len(said), 0, -1)
        ]

    def rewind(self, number: int, files: Files = "ask") -> Undone:
        """Go back to before message `number` of the person (from 1), in a session of its own: this one stays saved.

        files: as for `undo`, of all that was changed since. Raises ValueError, tools.undo.UndoRefused, OSError.
        """
        self._refuse_if_busy()
        indexes = [index for index, one in enumerate(self.messages) if spoken(one)]
        if not 1 <= number <= len(indexes):
            raise ValueError(f"there is no message {number}, there are {len(indexes)}")
        upto = indexes[number - 1]
        said = str(self.messages[upto]["content"])
        taken = [] if files == "keep" else self._take_back_files(number, files)
        self._continue(self._forked(upto))
        if files == "keep":  # the session that is left can still take them back, this one has nothing to do with them
            self._take_back_files(number, "keep")
        return Undone(said, tuple(taken))

    def fork(self, title: str = "") -> str:
        """Go on in a session of its own that begins as this one, which stays saved as it is. Returns its id.

        Variables stay. Raises OSError when it cannot be written.
        """
        self._refuse_if_busy()
        saved = self._forked(None, title)
        self._continue(saved)
        return saved.id

    def _forked(self, keep: int | None, title: str = "") -> Saved:
        from oi_tui.session import shelf

        head = self._head()
        now = Saved(self.id, Path(), head["cwd"], head["model"], head["harness"], title=title)
        now.messages, now.compactions = list(self.messages), list(self.history.compactions)
        now.usage, now.planning = self.budget.totals(), self.planning.on
        if self.history.saving and now.messages[:keep]:
            return shelf.fork(self.id, now, keep, title)
        now.id, now.messages = new_id(), now.messages[:keep]
        now.compactions = [one for one in now.compactions if one.fits(len(now.messages))]
        return now

    def _continue(self, saved: Saved) -> None:
        """The history is `saved` from here on; one without messages has no file yet."""
        if saved.messages or not self.history.saving:
            self.history.resume(saved)
        else:
            self.history.restart(**self._head())
        self.renew_memory()
        self.meter.forget()
        self.mark_cut()

    def resume(self, saved: Saved) -> None:
        """Go on with an earlier session, with its model where none is set; this one stays saved as it is.

        Raises store.SessionInUse and OSError, and then nothing has changed.
        """
        self._refuse_if_busy()
        self._continue(saved)
        self._drop_computer()
        self.budget.forget()
        self.budget.go_on(saved.usage)
        self.planning.on = saved.planning if self.settings.plan_mode is None else self.settings.plan_mode
        if saved.model and saved.model != self.model and not self.settings.model:
            try:
                self._swap_model(saved.model)
            except ModelError as error:
                self.bus.publish(Notice("warning", f"the session was held with {saved.model}: {error}", error.hint))
        self.changed()
        self.tell_usage()
        self.tell_resumed(saved.cwd)

    def tell_resumed(self, cwd: str = "") -> None:
        """Tell the person what of an earlier session is not as it was. cwd: the folder it was held in."""
        self._state_lost = any(one["type"] == "code" for one in self.messages)
        if cwd and os.path.realpath(cwd) != os.path.realpath(self.cwd):
            self.bus.publish(Notice("info", f"this was said in {cwd}; it goes on in {self.cwd}"))
        if self._state_lost:
            self.bus.publish(Notice("info", "the variables of the earlier run are gone; code starts afresh"))
        if self.history.compaction is not None:
            text = "the model goes on from what it was sent last, not from all that you see"
            self.bus.publish(Notice("info", text, "/context shows what is sent"))

    def rename(self, title: str) -> None:
        """Call this session so, "" for nothing."""
        self.history.rename(title)

    def reset(self) -> None:
        """Begin a new conversation: history and variables are gone, model, harness and settings stay. The old session
        stays saved as it was."""
        self._refuse_if_busy()
        self.budget.forget()
        self.meter.forget()
        self._drop_computer()
        self.history.restart(**self._head())
        self.renew_memory()
        if self.planning.on:
            self.history.planned(True)
        self.mark_cut()
        self.hooks.begin("clear")

    def adopt(self, messages: list[Message]) -> None:
        """Begin a new conversation that goes on from these messages, which code did not run for here. The old session
        stays saved as it was."""
        self.reset()
        self.history.append(*messages)
        self._state_lost = any(one["type"] == "code" for one in messages)
        self.bus.publish(HistoryChanged())

    # ---- inside

    def _drop_computer(self) -> None:
        computer = self.engine.take_computer()
        if computer is not None:
            self.engine.let_go(computer)

    def _swap_model(self, name: str) -> None:
        old = self.engine.use_model(name)
        if old is not None:
            self._keep(old.client.close())

    def _head(self) -> dict[str, str]:
        return {"cwd": self.cwd, "model": self.model, "harness": "auto" if self.harness_auto else self.harness_id}

    def _refuse_if_busy(self) -> None:
        if self.busy:
            raise ValueError("a turn is running; wait for it, or stop it with esc")

    def _keep(self, coroutine: Any) -> None:
        """Run in the background without losing the task."""
        task = asyncio.ensure_future(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
