"""Finds out which program waits for a person to type, exactly, where the system tells it (Linux).

A thread waits when it sleeps in a system call that reads the terminal, or that lasts until the terminal can be read.
The call and its arguments stand in /proc/PID/task/TID/syscall (proc_pid_syscall(5)); what a `poll` or `select` waits
for, in the memory of the process; what an epoll instance watches, in /proc/PID/fdinfo (proc_pid_fdinfo(5)). A program
that merely sleeps, computes or waits for another one is in none of these calls.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Call = Literal["read", "poll", "select", "epoll"]

# Numbers of the system calls, from the tables of the kernel: x86-64 has its own, newer machines share theirs.
_X86: dict[int, Call] = {
    0: "read", 19: "read", 7: "poll", 271: "poll", 23: "select", 270: "select", 232: "epoll", 281: "epoll",
    441: "epoll",
}  # fmt: skip
_NEWER: dict[int, Call] = {63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll"}
_CALLS: dict[str, dict[int, Call]] = {"x86_64": _X86, "aarch64": _NEWER, "riscv64": _NEWER}

_CONTROLLING = os.makedev(5, 0)  # /dev/tty
_READABLE = 1  # POLLIN and EPOLLIN
_MOST = 1024  # descriptors of one call that are looked at
_CROWD = 400  # processes of one block that are looked at


class Unknowable(Exception):
    """The system does not tell what a program waits for."""


@dataclass(frozen=True, slots=True)
class Waiter:
    """A thread that waits. name: of its program. turns: how often it has slept, so that one who waits again can be
    told from one who has not woken yet. sure: it reads and does nothing else meanwhile. terminal: the device number of
    what it reads, 0 for its controlling terminal."""

    tid: int
    name: str
    turns: int
    sure: bool
    call: Call = "read"
    terminal: int = 0


def find(root: int, terminals: Sequence[int], since: int) -> Waiter | None:
    """The first thread that waits for one of `terminals` (device numbers) or for its controlling one: of the process
    `root`, or of one that came from it at or after the tick `since`.

    Raises Unknowable when nobody was found, but not everybody was looked at.
    """
    calls = _CALLS.get(platform.machine())
    if calls is None or not Path("/proc/self/syscall").exists():
        raise Unknowable
    hidden = False
    for pid in _family(root, since):
        try:
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):  # noqa: PTH208 - several times a second
                found = _look(pid, tid, terminals, calls)
                if found is not None:
                    return found
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        except (OSError, ValueError, IndexError):  # it belongs to another user: sudo, su
            hidden = True
    if hidden:
        raise Unknowable
    return None


def _family(root: int, since: int) -> Iterator[int]:
    waiting, left = [root], _CROWD
    while waiting:
        pid, left = waiting.pop(), left - 1
        if not left:
            raise Unknowable
        if pid != root and _started(pid) < since:
            continue
        yield pid
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for tid in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
                try:
                    waiting += map(int, Path(f"/proc/{pid}/task/{tid}/children").read_text().split())
                except FileNotFoundError:
                    if Path(f"/proc/{pid}/task/{tid}").exists():  # the kernel was built without it
                        raise Unknowable from None


def _started(pid: int) -> int:
    """Clock ticks from boot to the start of the process, -1 when it is gone."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    return -1


def _look(pid: int, tid: int, terminals: Sequence[int], calls: dict[int, Call]) -> Waiter | None:
    fields = Path(f"/proc/{pid}/task/{tid}/syscall").read_text().split()
    call = calls.get(int(fields[0])) if fields[0].isdigit() else None
    if call is None:
        return None
    first, second = int(fields[1], 16), int(fields[2], 16)
    read = (_terminal(pid, fd, terminals) for fd in _waits_for(call, pid, first, second))
    terminal = next((one for one in read if one is not None), None)
    if terminal is None:
        return None
    status = Path(f"/proc/{pid}/task/{tid}/status").read_text()
    turns = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.MULTILINE)
    name = Path(f"/proc/{pid}/comm").read_text().strip()
    return Waiter(tid, name, int(turns.group(1)) if turns else 0, call == "read", call, terminal)


def _waits_for(call: Call, pid: int, first: int, second: int) -> Iterator[int]:
    """Descriptors whose input ends the call; `first` and `second` are its arguments."""
    if call == "read":
        yield first
    elif call == "poll":  # an array of struct pollfd and its length, poll(2)
        entries = _memory(pid, first, 8 * min(second, _MOST))
        for at in range(0, len(entries), 8):
            if entries[at + 4] & _READABLE:
                yield int.from_bytes(entries[at : at + 4], "little", signed=True)
    elif call == "select" and second:  # the number of descriptors and a bit for each, select(2)
        bits = int.from_bytes(_memory(pid, second, (min(first, _MOST) + 63) // 64 * 8), "little")
        yield from (fd for fd in range(min(first, _MOST)) if bits >> fd & 1)
    elif call == "epoll":
        for entry in re.finditer(r"^tfd:\s*(\d+) events:\s*([0-9a-f]+)", _fdinfo(pid, first), re.MULTILINE):
            if int(entry.group(2), 16) & _READABLE:
                yield int(entry.group(1))


def _fdinfo(pid: int, fd: int) -> str:
    return Path(f"/proc/{pid}/fdinfo/{fd}").read_text()


def _memory(pid: int, address: int, size: int) -> bytes:
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123 - unbuffered
        return os.pread(memory.fileno(), size, address)


def _terminal(pid: int, fd: int, terminals: Sequence[int]) -> int | None:
    """Which of them a descriptor is, 0 for the controlling one, None for none."""
    with contextlib.suppress(FileNotFoundError):
        device = os.stat(f"/proc/{pid}/fd/{fd}").st_rdev  # noqa: PTH116
        return 0 if device == _CONTROLLING else device if device in terminals else None
    return None
