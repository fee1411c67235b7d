"""A cell: the sandbox that all processes of one computer are started in, so that they see each other and nothing else.

What it is made of is not known here: an `Enclosure` says what a command line begins with. The first process in there
(cell_child.py) starts the others on request and tells how they end. Process numbers that leave this module are those
of this machine, as the kernel translates them, so a process can be watched and signalled as if it were our own child.
What comes from the cell is data: it may be code of the model's that sends it.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import errno
import marshal
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

CHILD = Path(__file__).with_name("cell_child.py")
PATIENCE = 20.0  # seconds that the cell may take to start, or to start a process in it
_END = 2.0  # seconds that its end may take
_LONGEST = 1 << 16


class CellGone(OSError):
    """The cell does not start, has ended or does not answer."""


class Enclosure(Protocol):
    """How to start a process in the sandbox; `safety.sandbox.place.Plan` is one."""

    @property
    def program(self) -> bytes:
        """The filter of system calls, handed over by a descriptor."""
        ...

    @property
    def env(self) -> Mapping[str, str]:
        """Variables that its processes get."""
        ...

    @property
    def unset(self) -> Sequence[str]:
        """Variables that they do not get."""
        ...

    def argv(self, seccomp: int, first: bool = False) -> list[str]:
        """What a command line begins with."""
        ...


class Confinement(Protocol):
    """What cells of one computer are made of; the session gives it."""

    def enclosure(self) -> Enclosure:
        """What to start the next cell with. Raises OSError with a sentence when there is no sandbox to be had."""
        ...

    def started(self, cell: Cell) -> Mapping[str, str]:
        """A cell has started: variables that its processes get besides. Raises OSError."""
        ...

    def ended(self, cell: Cell) -> None:
        """A cell is over."""
        ...


class CellProcess:
    """One process in a cell. pid: its number on this machine."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.on_end: Callable[[], None] | None = None

    def poll(self) -> int | None:
        """How it ended (a negative number is a signal's), None while it runs."""
        return self.returncode

    def ended(self, code: int) -> None:
        """It has ended; told once."""
        if self.returncode is None:
            self.returncode = code
            if self.on_end is not None:
                self.on_end()


class Cell:
    """Made at once; its first process is waited for when something is to be started. Belongs to the running loop.

    Raises OSError when it cannot be started.
    """

    def __init__(self, enclosure: Enclosure, env: Mapping[str, str]) -> None:
        self._enclosure = enclosure
        self.env: dict[str, str] = {}  # variables that its processes get, beside those of the enclosure
        self._loop = asyncio.get_running_loop()
        self._processes: dict[str, CellProcess] = {}
        self._count = 0
        self._ready = False
        self._inner = 0  # the first process in there
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = os.memfd_create("seccomp")
        try:
            os.write(program, enclosure.program)
            os.lseek(program, 0, os.SEEK_SET)
            argv = [*enclosure.argv(program, first=True), sys.executable, "-I", "-S", str(CHILD), str(theirs.fileno())]
            self._first = subprocess.Popen(
                argv, env=dict(env), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, pass_fds=(program, theirs.fileno()), start_new_session=True,
            )  # fmt: skip
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(program)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        ours.setblocking(False)
        self._socket = ours
        self._loop.add_reader(ours.fileno(), self._drain)

    @property
    def alive(self) -> bool:
        """Whether something can be started in it."""
        return self._socket.fileno() >= 0

    @property
    def pid(self) -> int:
        """The process that holds the cell, on this machine."""
        return self._first.pid

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Variables as they are in the cell."""
        made = {name: value for name, value in env.items() if name not in self._enclosure.unset}
        return {**made, **self._enclosure.env, **self.env}

    def spawn(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str, fds: Mapping[int, int], foreground: bool = False
    ) -> CellProcess:
        """Start a process, as leader of a session of its own. fds: number that a descriptor gets there -> ours.
        foreground: it is a group on our own terminal instead, and what is typed goes to it. Raises OSError."""
        self._count += 1
        name = str(self._count)
        order = {
            "argv": list(argv), "env": self.environment(env), "cwd": cwd, "fds": list(fds), "foreground": foreground,
        }  # fmt: skip
        told, telling = os.pipe()
        written = os.memfd_create("order")
        try:
            os.write(written, marshal.dumps(order))
            os.lseek(written, 0, os.SEEK_SET)
            self._ask(b"S" + name.encode(), written, telling, *fds.values())
        except OSError:
            os.close(told)
            raise
        finally:
            os.close(written)
            os.close(telling)
        try:
            _, pid, _ = self._wait(b"P" + name.encode())
            made = self._processes[name] = CellProcess(pid)
            failed = _read(told, PATIENCE)
        finally:
            os.close(told)
        if failed:
            self._processes.pop(name, None)
            number = int(failed)
            named = cwd if number == errno.ENOENT and not os.path.isdir(cwd) else argv[0]  # noqa: PTH112
            raise OSError(number, os.strerror(number), named)
        return made

    def terminal(self) -> tuple[int, int, str]:
        """A pseudo-terminal of the cell: master, slave, the slave's path there. Raises OSError."""
        self._ask(b"P")
        message, _, fds = self._wait(b"T", b"E")
        if len(fds) != 2:
            raise OSError(int(message[1:] or errno.EIO), "no terminal is to be had in the sandbox")
        return fds[0], fds[1], os.fsdecode(message[1:])

    def listen(self) -> tuple[socket.socket, int]:
        """A socket that listens in the network of the cell, and its port there. Raises OSError."""
        self._ask(b"L")
        message, _, fds = self._wait(b"L", b"E")
        if len(fds) != 1:
            raise OSError(int(message[1:] or errno.EIO), "no port is to be had in the sandbox")
        return socket.socket(fileno=fds[0]), int(message[1:])

    def close(self) -> None:
        """End it, with all that runs in it."""
        self._lost()
        # Process numbers of its own end with the first of them, and who waits for that one ends last.
        with contextlib.suppress(OSError):
            os.kill(self._inner or self._first.pid, signal.SIGKILL)
        try:
            self._first.wait(_END)
        except subprocess.TimeoutExpired:
            self._first.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._first.wait(_END)
        if self._first.stderr is not None:
            self._first.stderr.close()

    # ---- messages

    def _ask(self, message: bytes, *fds: int) -> None:
        if not self._ready:
            self._wait(b"R")
        extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds).tobytes())] if fds else []
        try:
            self._socket.sendmsg([message], extra)
        except OSError as error:
            raise CellGone(f"the sandbox has ended: {error.strerror or error}") from None

    def _wait(self, *wanted: bytes) -> tuple[bytes, int, list[int]]:
        """The next message that is or begins with one of these; those of other kinds are taken on the way. Raises
        CellGone."""
        deadline = time.monotonic() + PATIENCE
        while self.alive:
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            if not poll.poll(max(deadline - time.monotonic(), 0) * 1000):
                self.close()
                raise CellGone("the sandbox does not answer")
            found = self._take(keep=True)
            if found is not None and any(found[0] == one or (len(one) == 1 and found[0][:1] == one) for one in wanted):
                return found
            for fd in found[2] if found is not None else ():
                os.close(fd)
        raise CellGone(self._why())

    def _drain(self) -> None:
        """Take what has come, without waiting."""
        while self.alive and self._take() is not None:
            pass

    def _take(self, keep: bool = False) -> tuple[bytes, int, list[int]] | None:
        """One message: itself, the number of its sender, descriptors. None when there is none, or no more. keep: the
        descriptors are wanted; what nobody asked for is closed."""
        try:
            message, extra, _, _ = self._socket.recvmsg(_LONGEST, 512)
        except BlockingIOError:
            return None
        except OSError:
            message, extra = b"", []
        pid, fds = 0, array.array("i")
        for level, kind, data in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
            elif level == socket.SOL_SOCKET and kind == getattr(socket, "SCM_CREDENTIALS", 2):
                pid = struct.unpack("iII", data[:12])[0]
        if not message:
            self._lost()
            return None
        if message[:1] == b"X":
            self._ended(message[1:])
        if message == b"R" and not self._ready:
            self._ready, self._inner = True, pid
        if not keep:
            for fd in fds:
                os.close(fd)
        return message, pid, list(fds)

    def _ended(self, told: bytes) -> None:
        name, _, status = told.decode("ascii", "replace").partition(" ")
        process = self._processes.pop(name, None)
        if process is not None and status.isdigit():
            process.ended(os.waitstatus_to_exitcode(int(status)))

    def _lost(self) -> None:
        """The cell is over: with it everything has ended that ran there."""
        if not self.alive:
            return
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()
        processes, self._processes = list(self._processes.values()), {}
        for one in processes:
            one.ended(-9)

    def _why(self) -> str:
        """What it said when it ended."""
        said = b""
        if self._first.stderr is not None and not self._first.stderr.closed:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._first.wait(2.0)
                said = self._first.stderr.read()
        line = (said.decode("utf-8", "replace").strip().splitlines() or ["it ended without a word"])[-1]
        return f"the sandbox did not start: {line}"


def _read(fd: int, seconds: float) -> bytes:
    """All that is written to a pipe until it is closed on the other side. Raises CellGone when that takes too long."""
    found, deadline = b"", time.monotonic() + seconds
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    while poll.poll(max(deadline - time.monotonic(), 0) * 1000):
        piece = os.read(fd, 64)
        if not piece:
            return found
        found += piece
    raise CellGone("the sandbox does not answer")
