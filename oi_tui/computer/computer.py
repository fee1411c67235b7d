"""The computer: runs code in any of its languages, one block at a time, keeping state and working directory."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oi_tui.computer import languages
from oi_tui.computer.languages import Executor, Language, Languages, Setting, registry
from oi_tui.computer.limits import Limits
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

if TYPE_CHECKING:
    from pathlib import Path

    from oi_tui.computer.cell import Confinement
    from oi_tui.computer.devices.process import Ask, DeviceProcess
    from oi_tui.computer.environment import Variables
    from oi_tui.computer.interpreters import Interpreter
    from oi_tui.computer.jobs import Job, Jobs
    from oi_tui.computer.left_running import Left, LeftRunning
    from oi_tui.computer.processes import ProcessTable
    from oi_tui.computer.watch import Watch

GRACE = 2.0  # seconds that a block gets to obey when its time is up


class Computer:
    """Owns the kernels and shells of one session; all of its methods belong on the loop's thread.

    cwd: where code starts. python: the interpreter for Python blocks, "" to choose (see interpreters.py). env: the
    person's environment, the process's own by default; keys and secrets are taken out of it, see environment.py.
    limits: what code may take of the machine, `Limits.safe` by default; `Limits()` stands for none.
    backend: where it runs, see backends/base.py; ValueError with a sentence for one that cannot be used.
    outputs: the folder that full outputs of blocks are kept in, made on use; code finds it as OI_OUTPUTS.
    takes_input: a person answers programs that ask (here only; elsewhere, and without it, they find no input): each
    question is emitted as computer/input/asked and wants a `type_in`.
    confinement: the sandbox that code runs in here, None for none; see `confine`.
    """

    def __init__(
        self,
        cwd: str,
        *,
        python: str = "",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        backend: str = "local",
        outputs: Path | None = None,
        takes_input: bool = False,
        confinement: Confinement | None = None,
    ) -> None:
        self._base = dict(os.environ if env is None else env)
        self._python = python
        self.takes_input = takes_input and backend in ("", "local")
        self._cwd = os.path.abspath(cwd)  # noqa: PTH100
        self.limits = Limits.safe(self._cwd) if limits is None else limits
        self.outputs = outputs
        self.variables: Variables | None = None  # which of the person's code gets; to be set before anything runs
        self.drives_screen = False  # devices may leave the sandbox
        self.trusted = False  # the person trusts what the folder brings, for `computer.skills`
        self.active_lines = self._base.get("INTERPRETER_ACTIVE_LINE_DETECTION", "true").lower() == "true"
        self.opening: dict[str, str] = {}  # code that runs before the first block of a language, by its one name
        self._unopened: set[str] = set()
        self._backend = backend
        self._start_folder = self._cwd
        self._confinement = confinement
        self._runners: dict[str, Executor] = {}
        self._made_by: dict[str, Language] = {}
        self._ending: list[asyncio.Future[None]] = []  # closing of runners that were replaced
        self._languages = Languages(self._of_backend(backend), self._base)
        self._table: ProcessTable | None = None
        self._chosen: Interpreter | None = None
        self._env: dict[str, str] | None = None
        self._current: Executor | None = None
        self._turn = asyncio.Lock()
        self._jobs: Jobs | None = None
        self._local = backend in ("", "local")
        self._left: LeftRunning | None = None
        # Told what programs that were left running print after their block, and that one of them has ended. The number
        # of the block is that of `Left.block`.
        self.on_late: Callable[[str, int, str], None] | None = None  # language, block, text
        self.on_left_end: Callable[[Left], None] | None = None
        self.on_job_end: Callable[[Job], None] | None = None  # the same of a command of `jobs`
        self._devices: DeviceProcess | None = None
        self.ask: Ask | None = None  # the means to ask a model, for devices that need one
        self.on_stopped: Callable[[str], None] | None = None  # told why, when the person stops the devices

    def _of_backend(self, backend: str) -> Iterable[Language]:
        from oi_tui.computer.backends.base import languages_of

        return languages_of(backend, self._base)

    @property
    def cwd(self) -> str:
        """The working directory that all languages share, after the last block."""
        return self._cwd

    @property
    def languages(self) -> Languages:
        """The languages of this computer, a list that may be changed or assigned: `Language` descriptions, classes of
        one's own (see languages/base.py) or names of built-in ones. Called, it gives the names that can run here."""
        return self._languages

    @languages.setter
    def languages(self, entries: Iterable[Any]) -> None:
        """Replace the list. Raises TypeError for an entry that is no language."""
        self._languages = Languages(entries, self._base)

    def reading(self, path: str) -> str:
        """Words for a model on how to read on in an output that was cut. path: of the file with all of it."""
        from oi_tui.computer.backends.base import reading

        return reading(self._backend, path)

    def canonical(self, language: str) -> str | None:
        """The one name of a language however it is spelled; None when nobody knows it."""
        found = self._languages.find(language)
        return found.name if found is not None else languages.canonical(language)

    def why_not(self, language: str) -> str:
        """One sentence for the model on why this language cannot be run here and what can; "" when it can."""
        return self._languages.why_not(language)

    def system_message(self) -> str:
        """What a model should know about the languages that can run here; one line each, "" when there is nothing."""
        here = set(self._languages())
        lines = [one.system_message for one in self._languages.all() if one.name in here and one.system_message]
        return "\n".join(lines)

    def interpreter(self) -> Interpreter:
        """The Python that runs Python blocks; another is chosen when its environment has been deleted."""
        if self._chosen is None or not os.access(self._chosen.path, os.X_OK):
            from oi_tui.computer import interpreters

            self._chosen = interpreters.choose(self._start_folder, self._base, self._python)
        return self._chosen

    def prepare(self, language: str) -> None:
        """Start the language's kernel or shell in the background, so that it is warm when the code is whole.

        Never raises and never waits. An interpreter that comes from the working directory is not started: that would
        run the folder's own code before anybody agreed to it.
        """
        name = self.canonical(language)
        if name is None or self.why_not(name) or (name == "python" and self.interpreter().from_folder):
            return
        with contextlib.suppress(OSError, RuntimeError):
            asyncio.get_running_loop()
            self._runner(name).start(self._cwd)

    async def run(
        self, language: str, code: str, emit: Callable[[Chunk], None], *,
        timeout_s: float | None = None, outside: bool = False,
    ) -> Result:  # fmt: skip
        """Run one block to its end. Blocks of one computer run one after another. outside: in no sandbox, in a kernel
        or shell of its own that keeps its own variables.

        emit gets LMC chunks of role computer while they come: console/output, console/active_line (None at the end),
        image/base64.*, code/html. The result has no text of its own. timeout_s: when the block is interrupted, and
        killed if that does not help. Never raises for what the code does; cancelling the task stops the block.
        """
        reason = self.why_not(language)
        if reason:
            return Result(ok=False, note=reason)
        async with self._turn:
            try:
                runner = self._runner(self.canonical(language) or "", outside)
            except OSError as error:
                return Result(ok=False, note=f"{language.strip()} could not start: {error}")
            self._current = runner
            if not self.active_lines:
                emit = without_lines(emit)
            watch, failed = self._watch(runner), True
            try:
                await self._open(runner, self.canonical(language) or "")
                result = await self._within(runner, code, emit, timeout_s or self.limits.seconds or None)
                failed = not result.ok
            finally:
                self._current = None
                met = watch.stop(failed)
                self._cwd = runner.cwd or self._cwd
                emit({"role": "computer", "type": "console", "format": "active_line", "content": None})
            block = getattr(runner, "last_block", 0)
            left = await self.left_running.after_block(self.canonical(language) or language, block)
            still = "still running in the background: " + ", ".join(f"{one.command} ({one.id})" for one in left)
            notes = [one for one in (met, result.note, still if left else "") if one]
            return replace(result, note="; ".join(notes) or None)

    async def _open(self, runner: Executor, name: str) -> None:
        """Run the opening code of a language that has just begun; what it prints is nobody's."""
        if name in self._unopened:
            self._unopened.discard(name)
            await runner.run(self.opening[name], self._cwd, lambda chunk: None)

    @property
    def left_running(self) -> LeftRunning:
        """The programs that blocks left running."""
        if self._left is None:
            from oi_tui.computer.left_running import LeftRunning

            self._left = LeftRunning(self._processes())
            self._left.on_end = lambda left: self.on_left_end and self.on_left_end(left)
        return self._left

    def _watch(self, runner: Executor) -> Watch:
        from oi_tui.computer.watch import Watch

        assert self._table is not None, "a runner was made from it"
        watch = Watch(self._table, runner.kill)
        watch.start()
        return watch

    async def _within(
        self, runner: Executor, code: str, emit: Callable[[Chunk], None], timeout_s: float | None
    ) -> Result:
        if timeout_s is None:
            return await runner.run(code, self._cwd, emit)
        loop, late = asyncio.get_running_loop(), False

        def expire() -> None:
            nonlocal late
            late = True
            runner.interrupt()

        timers = [loop.call_later(timeout_s, expire), loop.call_later(timeout_s + GRACE, runner.kill)]
        try:
            result = await runner.run(code, self._cwd, emit)
        finally:
            for timer in timers:
                timer.cancel()
        if not late:
            return result
        return replace(result, ok=False, interrupted=False, timed_out=True, timeout_s=timeout_s)

    def limits_told(self) -> str:
        """The limits that are in force here, with what holds them, in words; "" for none and elsewhere."""
        return self._processes().cage.told() if self._local else ""

    def type_in(self, input_id: str, text: str | None) -> None:
        """Answer computer/input/asked: type `text` and enter, or end the input (None). Raises ValueError with a
        sentence when nothing waits for it any more or it cannot be taken."""
        from oi_tui.computer.runner import Runner

        if not isinstance(self._current, Runner):
            raise ValueError("no program waits for input")
        self._current.type_in(input_id, text)

    async def interrupt(self) -> None:
        """Stop the running block, keeping state. Asked again in the same block: kill it with all that it started."""
        if self._current is not None:
            self._current.interrupt()

    async def install(self, distribution: str, emit: Callable[[Chunk], None]) -> Result:
        """Install a package into the environment that Python blocks use; what is printed goes to `emit`.

        A running kernel finds it with its next block. See install.py, where `distribution_for` names what to install.
        """
        from oi_tui.computer import environment, install

        env = environment.for_code(self._base, "", self.interpreter().bin_folder, self.variables)
        async with self._turn:
            return await install.install(self.interpreter(), distribution, emit, env=env, cwd=self._cwd)

    @property
    def jobs(self) -> Jobs | None:
        """Commands beside the kernels; None where code runs elsewhere and only its own shell can be reached."""
        if self._jobs is None and self._local:
            from oi_tui.computer.jobs import Jobs

            self._jobs = Jobs(*self._means())
            self._jobs.on_end = lambda job: self.on_job_end and self.on_job_end(job)
        return self._jobs

    @property
    def is_local(self) -> bool:
        """Whether code runs on this machine."""
        return self._local

    def devices(self) -> DeviceProcess:
        """What carries out calls of mouse, browser and the other devices; its process starts with the first call."""
        if self._devices is None:
            from oi_tui.computer.devices.process import DeviceProcess

            self._devices = DeviceProcess(*self._means(), self)
        return self._devices

    def in_background(self) -> list[Left]:
        """All that runs beside the blocks now: what they left, then commands of `jobs`, each oldest first."""
        if self._table is None:
            return []
        commands = [one for one in self._jobs.all() if one.running] if self._jobs is not None else []
        return [*self.left_running.all(), *(one.as_left() for one in commands)]

    async def stop_background(self, id: str) -> Left | None:
        """End one of them with all that it started. None when none of that id runs."""
        command = self._jobs.get(id) if self._jobs is not None else None
        if command is not None and command.running:
            await command.stop()
            return command.as_left()
        return await self.left_running.stop(id) if self._table is not None else None

    async def close(self) -> None:
        """End every process that code started and remove temporary files."""
        if self._jobs is not None:
            await self._jobs.close()
        if self._devices is not None:
            await self._devices.close()
        if self._left is not None:
            self._left.close()
        for runner in self._runners.values():
            await runner.close()
        self._runners.clear()
        ending, self._ending = self._ending, []
        await asyncio.gather(*ending, return_exceptions=True)
        if self._table is not None:
            await self._table.close()

    def terminate(self) -> None:
        """End all kernels and shells and what they keep, at once; the next block of a language starts afresh."""
        for runner in self._runners.values():
            runner.kill()
        gone, self._runners = list(self._runners.values()), {}
        self._ending = [one for one in self._ending if not one.done()]
        self._ending += [asyncio.ensure_future(one.close()) for one in gone]

    def confine(self, confinement: Confinement | None) -> bool:
        """Run code in this sandbox from now on, None for in none. What runs ends for that: True if there was any."""
        if confinement is self._confinement:
            return False
        self._confinement, ran = confinement, bool(self._runners)
        if self._table is not None:
            self.terminate()
            self._table.confine(confinement)
        return ran

    def _runner(self, name: str, outside: bool = False) -> Executor:
        language = self._languages.find(name)
        if language is None:
            raise OSError(f"{name} is not among the languages of this computer")
        key = f"{name}, outside" if outside and self._confinement is not None else name
        made = self._runners.get(key)
        if made is None or self._made_by.get(key) is not language:
            if made is not None:  # the list was changed: another language has this name now
                self._ending.append(asyncio.ensure_future(made.close()))
            made = self._runners[key] = self._make(language, key != name)
            self._made_by[key] = language
            if key in self.opening:
                self._unopened.add(key)
        return made

    def _make(self, language: Language, outside: bool) -> Executor:
        from oi_tui.computer.runner import Runner

        table, env = self._means()
        path = registry.program(language, self._base) or language.name
        made = language.make(Setting(language.name, table, env, path, self.interpreter, self))
        if isinstance(made, Runner):
            made.takes_input, made.outside = self.takes_input, outside
            made.late = lambda block, text: self.on_late and self.on_late(language.name, block, text)
        return made

    def _means(self) -> tuple[ProcessTable, dict[str, str]]:
        """The process table and the environment of all that runs here, made when first needed."""
        from oi_tui.computer import environment

        table = self._processes()
        if self._env is None:
            self._env = environment.for_code(self._base, table.cookie, self.interpreter().bin_folder, self.variables)
            for name in environment.ANSWERED if self.takes_input else ():
                if name not in self._base:
                    self._env.pop(name)
            self._env.pop(environment.OUTPUTS, None)  # of a session that this one runs in
            self._env[environment.SKILLS] = environment.skills_command(self._start_folder, self.trusted)
            if self.outputs is not None:
                self._env[environment.OUTPUTS] = str(self.outputs)
        return table, self._env

    def _processes(self) -> ProcessTable:
        if self._table is None:
            from oi_tui.computer.processes import ProcessTable

            self._table = ProcessTable(self._base.get("TMPDIR") or "/tmp", self.limits)
            self._table.confine(self._confinement)
        return self._table


def without_lines(emit: Callable[[Chunk], None]) -> Callable[[Chunk], None]:
    """`emit` that is not told which line runs, only that none does any more."""

    def passing(chunk: Chunk) -> None:
        if chunk.get("format") != "active_line" or chunk.get("content") is None:
            emit(chunk)

    return passing
