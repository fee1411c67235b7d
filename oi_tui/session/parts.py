"""What a session works with, each made when it is first needed: model connection, harness, computer, policy.

So the app paints before any of it exists, and switching a model or harness is forgetting one part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import harnesses
from harnesses.base import Harness
from harnesses.data import Env
from oi_tui.session.harness_faults import blamed, loaded
from oi_tui.session.missing_executors import missing_executors
from oi_tui.session.sandboxing import Sandboxing
from oi_tui.session.skills import Skills
from oi_tui.settings import Settings

if TYPE_CHECKING:
    from oi_tui.computer.computer import Computer
    from oi_tui.safety.planning import Planning
    from oi_tui.safety.policy import Policy
    from oi_tui.session.background import Background
    from oi_tui.session.connection import Connection, Progress
    from oi_tui.session.context import Snapshot
    from oi_tui.session.pictures import Fitting


class Parts:
    """The parts of one session; `engine.Engine` puts requests together from them."""

    def __init__(self, settings: Settings, cwd: str, model: str, progress: Progress, background: Background) -> None:
        self.settings, self.cwd, self._background = settings, cwd, background
        self.connection: Connection | None = None
        self.screen = (0, 0)  # in OS mode the size of the pictures that show it
        self.unusable = False  # the last attempt found no model to ask, or no place to run code
        self._model, self._progress = model, progress
        self.effort = settings.llm.reasoning_effort  # how hard the model is to think, "" for as it likes
        self._harness_choice = settings.harness  # for models that nothing was chosen for
        self._by_model = {str(name): str(one) for name, one in settings.model_harnesses.items()}
        self._harness: Harness | None = None
        self._text_mode: set[str] = set()  # models whose server refuses tools
        self.no_prefill: set[str] = set()  # models whose server refuses an answer that is begun
        self._env: Env | None = None
        self.skills = Skills(settings, cwd, self._forget_skills)
        self._skills_told = False  # those in `_env` are as they are wanted
        self.skills_left_out: tuple[str, ...] = ()  # those for which the window has no room
        self._told: Snapshot | None = None  # what the model knows of the working directory
        self._collected: frozenset[str] = frozenset()  # parts of it that only some harnesses want
        self._project_files: tuple[tuple[str, ...], ...] = ()  # that the docs in it are out of
        self._computer: Computer | None = None
        self._notes: tuple[str, ...] | None = None
        self._opening = asyncio.Lock()
        self._home: tuple[str, Connection | None] | None = None  # the person's own model, while another stands in
        self._stays = False  # the one that stands in does so until the person chooses another
        self._closing: set[asyncio.Future[None]] = set()
        self._tried: set[str] = set()  # fallbacks of this turn
        self.recall = False  # part of the history is not sent any more: the model can search it
        self._policy: Policy | None = None
        self.planning: Planning | None = None  # the session's
        self.may_plan: Callable[[], bool] = lambda: False  # whether the model may begin plan mode
        self.sandbox = Sandboxing(settings, cwd, background.outputs, lambda: self.policy.mode)
        self._fitting: Fitting | None = None
        self.takes_input = False  # a person answers programs that ask; to be set before the computer is there
        self._borrows: Parts | None = None  # whose connection and computer these are, for an agent
        self._lent = False  # the computer is somebody else's
        self._maker: Callable[[bool], Harness] | None = None  # of a harness that is in no registry
        self.withheld: frozenset[str] = frozenset()  # executors that this one does not get

    def bring(self, computer: Computer | None, harness: Callable[[bool], Harness] | None) -> None:
        """Work on a computer of somebody else's, with a harness of the caller's own."""
        self._lent, self._maker = computer is not None, harness
        if computer is not None:
            self._computer = computer
            self._background.attach(computer)

    def for_agent(self, model: str, *, read_only: bool, missing: frozenset[str]) -> Self:
        """An engine for a conversation inside this one: it works with the same model (unless `model` names another),
        computer and policy. read_only: nothing may be changed. missing: executors that it does not get."""
        own = type(self)(self.settings, self.cwd, model or self._model, self._progress, self._background)
        own._borrows, own.withheld = self, missing
        own._harness_choice, own._text_mode = self._harness_choice, self._text_mode
        own._by_model = self._by_model
        own.effort = self.effort
        own._computer = self.computer
        own._env, own._collected = self.env, self._collected
        if not model or model == self.model:
            own.connection = self.connection
        own.planning, own.sandbox = self.planning, self.sandbox
        own._policy = replace(self.policy, mode="read-only") if read_only else self.policy
        return own

    # ---- model

    @property
    def model(self) -> str:
        """The model's name as a person knows it, "" while none is chosen."""
        return self.connection.name if self.connection else self._model

    async def connect(self) -> Connection:
        """The connection to the chosen model, or to one that is found, once there is a computer to run its code on.

        Raises ModelError, also when code cannot run where it should.
        """
        await self.open_computer()
        if self.connection is None:
            from oi_tui.models.client import ModelError
            from oi_tui.session.connection import connect

            try:
                self.connection = await connect(self._settings(), self._model, self._progress)
            except ModelError:  # no model, no key, no such provider: nothing was sent yet
                self.unusable = True
                raise
            self.unusable, self._harness = False, None
            self._recall()
        return self.connection

    def _recall(self) -> None:
        """Take into account what earlier sessions learned of this model."""
        if self.connection is not None and self.settings.llm.supports_functions is None:
            from oi_tui.session import learned

            if learned.takes_no_tools(self.connection):
                self._text_mode.add(self.model)

    def use_model(self, name: str) -> Connection | None:
        """Choose another model; returns the connection that is to be closed. Raises ModelError if it cannot work."""
        from oi_tui.session.connection import check

        check(self.settings, name)
        old, self.connection = self.connection, None
        if self._home is not None:
            self._spare(old)
            old, self._home = self._home[1], None
        self._model, self._harness = name.strip(), None
        return old

    # ---- models that stand in

    def _settings(self) -> Settings:
        """The settings to reach the current model with."""
        if self._home is None:
            return self.settings
        from oi_tui.session.fallbacks import settings_for

        return settings_for(self.settings, self._model)

    @property
    def stands_in(self) -> bool:
        """Whether another model answers than the person's own."""
        return self._home is not None

    def fall_back(self, stays: bool) -> str:
        """Go on with the next model of `llm.fallbacks` that this turn has not tried; its name, "" if there is none.

        stays: the first model will not do in the next turn either.
        """
        names = self.settings.llm.fallbacks
        name = next((one for one in names if one != self.model and one not in self._tried), "")
        if not name:
            return ""
        if self._home is None:
            self._home = (self._model or self.model, self.connection)
            self._stays = stays
        else:
            self._spare(self.connection)
        self._tried.add(name)
        self.connection, self._model, self._harness = None, name, None
        return name

    def new_turn(self) -> bool:
        """Every turn begins with the person's own model again, where that is sensible. True if that is a change."""
        self._tried.clear()
        if self._home is None or self._stays:
            return False
        self._spare(self.connection)
        (self._model, self.connection), self._home, self._harness = self._home, None, None
        return True

    def _spare(self, connection: Connection | None) -> None:
        """Close a connection that is not needed any more, in the background."""
        if connection is not None:
            closing = asyncio.ensure_future(connection.client.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    # ---- harness

    @property
    def _chosen(self) -> str:
        """The harness that the person chose for this model, else for all; "" or `auto` for none."""
        return self._by_model.get(self.model) or self._harness_choice

    @property
    def harness_auto(self) -> bool:
        return self._chosen in {"", "auto"}

    @property
    def harness_id(self) -> str:
        if self._maker is not None:
            return self.harness.id
        return self.recommended if self.harness_auto else self._chosen

    @property
    def recommended(self) -> str:
        """The harness that `auto` takes for this model."""
        if self.connection is None:
            return harnesses.choose(self.model)
        return harnesses.choose(self.model, self.connection.provider, self.connection.url, self.connection.client.wire)

    @property
    def wire(self) -> str:
        """The wire that the model is asked over, "" while that is not known."""
        from oi_tui.session.connection import asked

        return self.connection.client.wire if self.connection else asked(self.settings, self.model)[2]

    @property
    def harness(self) -> Harness:
        if self._harness is None:
            without_tools = self.settings.llm.supports_functions is False or self.model in self._text_mode
            self._harness = self._maker(not without_tools) if self._maker else loaded(self.harness_id)
            if self._harness.uses_tools and without_tools:
                from harnesses.native import NativeHarness

                self._harness = self._harness.in_text() or NativeHarness(text=True)
        return self._harness

    def use_harness(self, harness_id: str) -> None:
        """Choose a harness for this model, or `auto`. Raises harnesses.UnknownHarness, also for one without the model's
        wire."""
        if harness_id not in {"", "auto"}:
            wires = harnesses.load(harness_id).wires
            if self.wire and self.wire not in wires:
                raise harnesses.UnknownHarness(harnesses.wrong_wire(harness_id, wires, self.model, self.wire))
        if not self.model:
            self._harness_choice = harness_id or "auto"
        self._by_model[self.model] = harness_id or "auto"
        self._harness = None

    def fall_back_to_text(self) -> bool:
        """The server refuses tools for this model: write code in fences from now on. False if that cannot help."""
        if not self.harness.uses_tools:
            return False
        self._text_mode.add(self.model)
        self._harness = None
        if self.connection is not None:
            from oi_tui.session import learned

            learned.learn_no_tools(self.connection)
        return True

    # ---- the rest

    @property
    def policy(self) -> Policy:
        if self._policy is None:
            from oi_tui.safety.beginning import policy_of

            self._policy = policy_of(self.settings, self._background.outputs)
        return self._policy

    def confine(self) -> bool:
        """Let code run in the sandbox that settings and approval mode want now. True if kernels ended for that."""
        if self._computer is None or self._lent:
            return False
        held = self.sandbox.confinement()
        return self._computer.confine(held)

    @property
    def computer(self) -> Computer:
        """The computer, made at once if it is not there. One that lies elsewhere is first opened by `open_computer`."""
        if self._computer is None:
            from oi_tui.session.backend import made

            outputs, held = self._background.outputs(), self.sandbox.confinement()
            self._computer = made(self.settings, self.cwd, outputs, self.takes_input, held)
            self._background.attach(self._computer)
        return self._computer

    async def open_computer(self) -> Computer:
        """The computer, without holding up the loop. Raises backend.BackendUnusable."""
        async with self._opening:
            if self._computer is None:
                from oi_tui.session.backend import BackendUnusable, opened

                try:
                    outputs = self._background.outputs()
                    held = self.sandbox.confinement()
                    self._computer = await opened(
                        self.settings, self.cwd, outputs, self.takes_input, self._progress, held
                    )
                    self._background.attach(self._computer)
                except BackendUnusable:
                    self.unusable = True
                    raise
                self.unusable = False
            return self._computer

    @property
    def env(self) -> Env:
        if self._env is None:
            from oi_tui.session.context import collect
            from oi_tui.tools.note import noted

            languages, files = self.computer.languages(), self.harness.project_files
            env = collect(self.settings, self.cwd, self.model, languages, self._python(), files)
            self._env, self._project_files = replace(env, memory=noted(self.cwd)), files
        wanted = self.harness.wants - self._collected
        if wanted:
            from oi_tui.session.workspace import add

            self._env = add(self._env, wanted)
            self._collected |= wanted
        names = self.harness.project_files
        if names != self._project_files:
            from oi_tui.session.project_docs import project_docs

            self._env, self._project_files = replace(self._env, project_docs=project_docs(self.cwd, names)), names
        window = self.window
        if not self._skills_told or window != self._env.window:
            told, self.skills_left_out = self.skills.told(window)
            self._env, self._skills_told = replace(self._env, skills=told), True
        with blamed(self.harness):
            missing = missing_executors(
                self.harness, self._env, self.settings, self.withheld,
                recall=self.recall, plans=self.may_plan(), jobs=self.computer.jobs is not None,
            )  # fmt: skip
        planning = self.planning is not None and self.planning.on
        now = (missing, window, planning, self.screen)
        if now != (self._env.missing, self._env.window, self._env.planning, self._env.screen):
            self._env = replace(self._env, missing=missing, window=window, planning=planning, screen=self.screen)
        return self._env

    @property
    def window(self) -> int:
        """Tokens of the model's window, 0 while there is no connection."""
        return self.connection.info.context if self.connection else 0

    def _forget_skills(self) -> None:
        """The person has changed which skills are used: the model is told of them as they are now."""
        self._skills_told = False

    def remember_context(self) -> None:
        """The model knows the working directory as it is now: a turn has ended."""
        if self._env is not None and self._borrows is None:
            from oi_tui.session.context import snapshot

            self._told = snapshot(self.cwd)

    def context_news(self) -> str:
        """What others have changed in the working directory since the last turn, "" for nothing."""
        if self._told is None or self.harness.single_step:
            return ""
        from oi_tui.session.context import changed, snapshot

        return changed(self._told, snapshot(self.cwd))

    def _python(self) -> str:
        """Version and packages of the Python that blocks run in, "" where it is not on this machine."""
        from oi_tui.session.backend import is_local

        if not is_local(self.settings.backend):
            return ""
        from oi_tui.session.python_here import described

        return described(self.computer.interpreter())

    def interrupt(self) -> Any:
        """The coroutine that stops running code, None when nothing can be running."""
        return self._computer.interrupt() if self._computer is not None else None

    def take_computer(self) -> Computer | None:
        """Give the computer up for closing; the next block gets a new one."""
        old, self._computer = self._computer, None
        self._background.forget()
        return None if self._lent else old

    async def close(self) -> None:
        """Close what is one's own: an agent's is only a connection to another model."""
        if self._borrows is not None:
            own, self.connection = self.connection, None
            if own is not None and own is not self._borrows.connection:
                await own.client.close()
            else:
                self.connection = own
            return
        computer = self.take_computer()
        if computer is not None:
            await computer.close()
        for one in (self.connection, self._home[1] if self._home else None):
            if one is not None:
                await one.client.close()
        if self._closing:
            await asyncio.wait(self._closing)
