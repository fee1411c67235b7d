"""One process that runs code, in a session of its own: started here or in the sandbox, and watched until it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

from oi_tui.computer.cell import Cell, CellProcess

POLL = 0.1  # seconds between looks at a child where the system has no pidfd


# What code has to hear. Started by nohup, or in the background of a script, a program ignores them, and so would all
# that it starts: no interrupt would end anything.
_HEARD = tuple(getattr(signal, name) for name in ("SIGINT", "SIGQUIT", "SIGHUP") if hasattr(signal, name))


def _hear() -> None:
    for one in _HEARD:
        signal.signal(one, signal.SIG_DFL)


class Child:
    """One process in a session of its own. `on_exit` is called once, on the loop, when it has ended. cell: the sandbox
    that it is started in.

    Raises OSError when the program cannot be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        on_exit: Callable[[int], None],
        pass_fds: Sequence[int] = (),
        stdin: int = subprocess.DEVNULL,
        output: int = subprocess.DEVNULL,
        errors: int = subprocess.STDOUT,
        cell: Cell | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_exit = on_exit
        self._process: subprocess.Popen[bytes] | CellProcess
        self.returncode: int | None = None
        self._pidfd, self._timer = -1, None
        if cell is not None:
            self._process = in_cell(cell, argv, env, cwd, (stdin, output, errors), pass_fds)
            self.pid = self._process.pid
            self._process.on_end = self.look
            return
        deaf = any(signal.getsignal(one) is signal.SIG_IGN for one in _HEARD)
        self._process = subprocess.Popen(
            argv, env=dict(env), cwd=cwd, stdin=stdin, stdout=output, stderr=errors, pass_fds=tuple(pass_fds),
            start_new_session=True, preexec_fn=_hear if deaf else None,
        )  # fmt: skip
        self.pid = self._process.pid
        try:
            self._pidfd = os.pidfd_open(self.pid)
            self._loop.add_reader(self._pidfd, self.look)
        except (AttributeError, OSError):
            self._timer = self._loop.call_later(POLL, self.look)

    def look(self) -> None:
        """See whether it has ended, and tell if so."""
        code = self._process.poll()
        if code is None:
            if self._pidfd < 0 and isinstance(self._process, subprocess.Popen):
                self._timer = self._loop.call_later(POLL, self.look)
            return
        self._unwatch()
        if self.returncode is None:
            self.returncode = code
            self._on_exit(code)

    def _unwatch(self) -> None:
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def signal(self, number: int) -> None:
        """Send a signal to the whole group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def ended(self, seconds: float) -> bool:
        """Wait for the end at most so long."""
        deadline = time.monotonic() + seconds
        while self.returncode is None and time.monotonic() < deadline:
            await asyncio.sleep(0.002)
            self.look()
        return self.returncode is not None


def in_cell(
    cell: Cell, argv: Sequence[str], env: Mapping[str, str], cwd: str, standard: Sequence[int], more: Sequence[int]
) -> CellProcess:
    """Start a process in a cell; `standard` as Popen takes it."""
    empty = os.open(os.devnull, os.O_RDWR)
    try:
        stdin, output, errors = (empty if one == subprocess.DEVNULL else one for one in standard)
        errors = output if errors == subprocess.STDOUT else errors
        fds = {0: stdin, 1: output, 2: errors, **{fd: fd for fd in more}}
        return cell.spawn(argv, env=env, cwd=cwd, fds=fds)
    finally:
        os.close(empty)


def status_of(returncode: int) -> int:
    """A return code as shells count it: 128 and the signal's number for a process that a signal ended."""
    return returncode if returncode >= 0 else 128 - returncode


def ending(returncode: int) -> str:
    """How a process ended, in words: `exit code 3`, `signal 11 (SIGSEGV)`."""
    if returncode >= 0:
        return f"exit code {returncode}"
    with contextlib.suppress(ValueError):
        return f"signal {-returncode} ({signal.Signals(-returncode).name})"
    return f"signal {-returncode}"
