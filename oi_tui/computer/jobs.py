"""Commands in shells of their own, beside the kernels: in the foreground for a while, or in the background as jobs.

One registry a computer holds all that run. A job owns its process, its pipes or its terminal and the file with its
output; the registry ends what is left when the computer closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from oi_tui.computer.cell import Cell
from oi_tui.computer.child import Child, status_of
from oi_tui.computer.left_running import Left
from oi_tui.computer.output import KEEP, Capture, clean
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.tap import Tap

MOST = 64  # jobs that may run at once
GRACE = 1.0  # seconds between asking a job to end and killing it
SHELLS = ("bash", "zsh", "sh", "dash", "ksh")  # that read the same language
MARK = "OI_JOB"  # what a job's processes carry in their environment

Status = Literal["running", "ended", "stopped", "timed out"]

# A session leader that opens a terminal gets it as its controlling one (tty(4), Linux).
_ON_TERMINAL = 'exec <>"$1" >&0 2>&0; shift; exec "$@"'


class TooManyJobs(ValueError):
    """MOST jobs run already."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run. shell: path or name, "" for the person's. stdin: what it reads, None for an open pipe that
    can be written to later. split: keep standard error apart. folder_file: where the shell writes the folder that it
    ends in, "" for nowhere. outside: in no sandbox."""

    command: str
    cwd: str
    description: str = ""
    shell: str = ""
    login: bool = False
    tty: bool = False
    split: bool = False
    stdin: str | None = ""
    env: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    folder_file: str = ""
    outside: bool = False


class Job:
    """One command. Make it with `Jobs.start`.

    whole: all that it printed (with `split` on standard output), errors: what it printed on standard error with
    `split`. background: it is not waited for.
    """

    def __init__(
        self, id: str, order: Order, table: ProcessTable, env: Mapping[str, str], output: Path, limit: int
    ) -> None:
        self.id, self.order = id, order
        self.whole = Capture(output, limit)
        self.errors = Capture(None, KEEP)
        self.output_path = str(output)
        self.background = False
        self.exit_code: int | None = None
        self.signal = 0
        self.listener: Callable[[str, bool], None] | None = None
        self.ended, self.printed = asyncio.Event(), asyncio.Event()
        self.began, self._over = time.monotonic(), 0.0
        self.halted: Literal["", "stopped", "timed out"] = ""
        self._table = table
        self._mark = f"{table.cookie}-{id}"
        self._fresh = Capture(None, KEEP)
        self._stdin = self._master = -1
        self._pending = b""
        self._taps: list[Tap] = []
        self._start({**env, **order.env, MARK: self._mark})

    # ---- what is known

    @property
    def running(self) -> bool:
        """Whether the command itself has not ended."""
        return not self.ended.is_set()

    @property
    def status(self) -> Status:
        return "running" if self.running else self.halted or "ended"

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def seconds(self) -> float:
        return (self._over or time.monotonic()) - self.began

    def as_left(self) -> Left:
        """In the shape of what blocks left running."""
        return Left(self.id, self.order.command, "shell", self.began)

    def lingers(self) -> bool:
        """The command has ended, but something that it started still runs and holds its output."""
        return not self.running and any(tap.is_open for tap in self._taps) and bool(self._members())

    def fresh(self) -> Capture:
        """What was printed since the last call."""
        for tap in self._taps:
            tap.drain()
        taken, self._fresh = self._fresh, Capture(None, KEEP)
        self.printed.clear()
        return taken

    # ---- what is done

    def write(self, text: str) -> None:
        """Give it input. A ctrl+c reaches it as a key on a terminal, else as an interrupt. Raises OSError if it reads
        nothing any more."""
        if self._master < 0 and text == "\x03":
            self._signal(signal.SIGINT)
            return
        if self._stdin < 0:
            raise BrokenPipeError("its input is closed")
        self._pending += text.encode("utf-8", "replace")
        self._write_on()

    def close_input(self) -> None:
        """End its input, after what was written."""
        if self._master >= 0:
            self.write("\x04")
        elif self._pending:
            self._closing = True
        else:
            self._drop_stdin()

    def to_background(self) -> None:
        """Go on without anybody who waits; from now on all output is kept in the file."""
        self.background = True
        self.whole.save()

    async def stop(self, halted: Literal["stopped", "timed out"] = "stopped") -> None:
        """End it and all that it started: first asked, then killed."""
        if self.running:
            self.halted = halted
        self._signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await self.ended.wait()
        self.kill()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await self.ended.wait()
        self._release()

    def kill(self) -> None:
        """End all of it at once."""
        self._signal(signal.SIGKILL)
        for pid in self._members():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    # ---- inside

    def _start(self, env: Mapping[str, str]) -> None:
        self._closing = False
        argv = _command_line(self.order, env)
        out_read, out = -1, -1
        err_read, err = -1, -1
        stdin_read = -1
        cell = None if self.order.outside else self._table.cell()
        try:
            if self.order.tty:
                self._master, out, path = _terminal(cell)
                argv = ["/bin/sh", "-c", _ON_TERMINAL, "sh", path, *argv]
                out_read = self._stdin = self._master
            else:
                out_read, out = os.pipe()
                if self.order.split:
                    err_read, err = os.pipe()
                stdin_read, self._stdin = os.pipe()
                os.set_blocking(self._stdin, False)
            self._listen(out_read, error=False)
            if err_read >= 0:
                self._listen(err_read, error=True)
            self._child = Child(
                argv, env=env, cwd=self.order.cwd, on_exit=self._exited,
                stdin=stdin_read if stdin_read >= 0 else out, output=out, errors=err if err >= 0 else out,
                cell=cell,
            )  # fmt: skip
        except OSError:
            self._release()
            raise
        finally:
            for fd in {out, err, stdin_read} - {-1}:
                os.close(fd)
        self._table.add(self._child)
        self._table.jobs.add(self._child.pid)
        if self.order.stdin is not None:
            if self.order.stdin:
                with contextlib.suppress(OSError):
                    self.write(self.order.stdin)
            if not self.order.tty:
                self.close_input()

    def _listen(self, fd: int, error: bool) -> None:
        tap = Tap(fd)
        tap.open(lambda text: self._take(text, error))
        self._taps.append(tap)

    def _take(self, text: str, error: bool) -> None:
        (self.errors if error else self.whole).add(text)
        self._fresh.add(text)
        self.printed.set()
        if self.listener is not None:
            self.listener(text, error)

    def _write_on(self) -> None:
        """Write what fits; the rest when there is room again."""
        loop = asyncio.get_running_loop()
        try:
            self._pending = self._pending[os.write(self._stdin, self._pending) :] if self._pending else b""
        except BlockingIOError:
            pass
        except OSError:
            self._pending = b""
            self._drop_stdin()
            return
        if self._pending:
            loop.add_writer(self._stdin, self._write_on)
            return
        loop.remove_writer(self._stdin)
        if self._closing:
            self._drop_stdin()

    def _drop_stdin(self) -> None:
        if self._stdin >= 0:
            asyncio.get_running_loop().remove_writer(self._stdin)
            if self._stdin != self._master:  # the terminal is the tap's to close
                os.close(self._stdin)
        self._stdin = -1

    def _exited(self, returncode: int) -> None:
        self._table.discard(self._child)
        self.exit_code = status_of(returncode)
        self.signal = -returncode if returncode < 0 else 0
        self._over = time.monotonic()
        for tap in self._taps:
            tap.drain()
        self._drop_stdin()
        self.ended.set()
        self.printed.set()
        if not self._members():
            self._release()

    def _release(self) -> None:
        """Close what belongs to it; what it printed stays."""
        for tap in self._taps:
            tap.finish()
            tap.close()
        self._drop_stdin()
        self._master = -1
        self.whole.close()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, number)

    def _members(self) -> list[int]:
        """Living processes that carry this job's mark, where the system shows it."""
        mark = f"{MARK}={self._mark}".encode()
        found: list[int] = []
        for pid in self._table.members():
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(pid)
        return found


class Jobs:
    """The jobs of one computer. env: what commands find. on_end: told of each background job that ended by itself."""

    def __init__(self, table: ProcessTable, env: Mapping[str, str]) -> None:
        self._table, self._env = table, env
        self._jobs: dict[str, Job] = {}
        self._count = 0
        self._waits: set[asyncio.Task[None]] = set()
        self.on_end: Callable[[Job], None] | None = None

    def start(self, order: Order, outputs: Path, limit: int) -> Job:
        """Start a command; what it prints is kept in a file in `outputs` once it is longer than `limit` characters, or
        the command goes to the background. Raises OSError, TooManyJobs."""
        if sum(one.running for one in self._jobs.values()) >= MOST:
            raise TooManyJobs(f"{MOST} commands run already; stop one of them first")
        self._count += 1
        job = Job(str(self._count), order, self._table, self._env, _free(outputs, self._count), limit)
        self._jobs[job.id] = job
        return job

    def scratch(self) -> Path:
        """The folder for temporary files of this computer. Raises OSError."""
        return self._table.scratch()

    def get(self, id: str) -> Job | None:
        return self._jobs.get(id.strip())

    def all(self) -> list[Job]:
        """Those in the background and those that run, oldest first."""
        return [one for one in self._jobs.values() if one.background or one.running]

    def watch(self, job: Job, seconds: float = 0.0) -> None:
        """A job is nobody's to wait for from now on: its end is told. seconds: after which it is ended, 0 for never."""
        job.to_background()
        task = asyncio.ensure_future(self._tell(job, seconds))
        self._waits.add(task)
        task.add_done_callback(self._waits.discard)

    async def _tell(self, job: Job, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds or None):
                await job.ended.wait()
        except TimeoutError:
            await job.stop("timed out")
        job.whole.flush()
        if job.halted != "stopped" and self.on_end is not None:
            self.on_end(job)

    def forget(self, job: Job) -> None:
        """A command in the foreground has been answered for."""
        self._jobs.pop(job.id, None)

    async def close(self) -> None:
        """End all that runs."""
        for task in self._waits:
            task.cancel()
        left = [job for job in self._jobs.values() if job.running or job.lingers()]
        for job in left:
            job.halted = job.halted or "stopped"
            job.kill()
        for job in left:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await job.ended.wait()
        for job in self._jobs.values():
            job._release()
        self._jobs.clear()


def _free(folder: Path, number: int) -> Path:
    """A file for the output of job `number` that no earlier run of this session has left."""
    path, again = folder / f"job-{number}.txt", 1
    while path.exists():
        again += 1
        path = folder / f"job-{number}_{again}.txt"
    return path


def _terminal(cell: Cell | None) -> tuple[int, int, str]:
    """A pseudo-terminal: master, slave, and where programs find the slave."""
    if cell is not None:
        return cell.terminal()
    import pty

    master, slave = pty.openpty()
    return master, slave, os.ttyname(slave)


def lines_of(text: str) -> int:
    """How many lines a text has on a screen."""
    text = clean(text)
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _command_line(order: Order, env: Mapping[str, str]) -> list[str]:
    shell = order.shell or env.get("SHELL") or ""
    name = Path(shell).name
    if order.shell and shutil.which(order.shell, path=env.get("PATH")) is None:
        raise FileNotFoundError(2, "there is no such shell", order.shell)
    if not order.shell and (name not in SHELLS or shutil.which(shell) is None):
        shell = shutil.which("bash", path=env.get("PATH")) or "/bin/sh"  # fish and others read another language
    command = order.command
    if order.folder_file:
        command = f"trap {shlex.quote('pwd -P >' + shlex.quote(order.folder_file))} EXIT; {command}"
    return [shell, *(["-l"] if order.login else []), "-c", command]
