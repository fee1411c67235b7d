"""What blocks leave running: background jobs of a shell, programs that Python or another kernel started and left.

They are found by the same signs as everything that has to end with the session (see processes.py), and each is watched
until it ends. On systems without /proc none are known; they are ended with the session all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from oi_tui.computer.process_list import is_helper, one_process
from oi_tui.computer.processes import ProcessTable

GRACE = 1.0  # seconds between asking a job to end and killing it
SETTLE = 0.05  # seconds that what is about to end anyway gets after its block
SHOWN = 200  # characters of a command line


@dataclass(frozen=True, slots=True)
class Left:
    """A program that a block left running. id: its process number as it sees it. command: its command line in one line.

    language: of the block after which it was found. began: `time.monotonic` of then. block: the number of that block in
    its language, 0 where blocks of it cannot be told apart by what they print.
    """

    id: str
    command: str
    language: str
    began: float
    block: int = 0

    @property
    def seconds(self) -> float:
        """How long it has been running since its block ended."""
        return time.monotonic() - self.began


class LeftRunning:
    """Those of one computer. on_end: told of each that ended without having been stopped."""

    def __init__(self, table: ProcessTable) -> None:
        self._table = table
        self._known: dict[int, tuple[Left, int]] = {}  # pid -> (it, its pidfd or -1)
        self._stopped: set[int] = set()
        self._seen: set[int] = set()  # all that ran when this was last looked at
        self.on_end: Callable[[Left], None] | None = None

    async def after_block(self, language: str, block: int = 0) -> list[Left]:
        """Look for what the block that has just ended left behind; the new ones. Costs next to nothing when there is
        nothing."""
        beside = self._table.beside()
        if beside is not None and beside <= self._seen:
            return []
        before = set(self._known)
        if set(self._tops()) - before:
            await asyncio.sleep(SETTLE)  # what only needs a moment more is not worth a word
        self._table.left = self._take_in(language, block)
        return [one for pid, (one, _) in self._known.items() if pid not in before]

    def known(self) -> list[Left]:
        """Those that were running when this was last looked at and have not ended since."""
        return [one for one, _ in self._known.values()]

    def all(self) -> list[Left]:
        """All that run now, oldest first."""
        self._take_in("")
        return self.known()

    def _tops(self) -> dict[int, int]:
        """The topmost processes of what runs: pid -> start tick. What they started belongs to them."""
        pids = self._seen = set(self._table.members()) - self._table.kernels
        found: dict[int, int] = {}
        for pid in sorted(pids):
            one = one_process(pid)
            if one is None or one.parent in pids or one.session in self._table.jobs:
                continue
            if not is_helper(pid):
                found[pid] = one.started
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def _take_in(self, language: str, block: int = 0) -> dict[int, int]:
        found = self._tops()
        for pid in list(self._known):
            if pid not in found:
                self._ended(pid)
        for pid in found:
            if pid in self._known:  # a copy of a shell may be at its next command
                left, pidfd = self._known[pid]
                self._known[pid] = (replace(left, command=self._command(pid)), pidfd)
            else:
                left = Left(_number(pid), self._command(pid), language, time.monotonic(), block)
                self._known[pid] = (left, self._watch(pid))
        return found

    def _command(self, pid: int) -> str:
        """What runs, in one line. A copy of a shell or kernel says nothing by its own words: what it runs does."""
        if _cmdline(pid) not in self._table.own_commands():
            return _words(pid)
        inner = [_words(one) for one in _family(pid, list(self._seen)) if one != pid]
        return _short(", ".join(dict.fromkeys(inner))) or "a part of the block"

    def _watch(self, pid: int) -> int:
        try:
            pidfd = os.pidfd_open(pid)
        except (AttributeError, OSError):
            return -1
        asyncio.get_running_loop().add_reader(pidfd, self._ended, pid)
        return pidfd

    def _ended(self, pid: int) -> None:
        left, pidfd = self._known.pop(pid)
        if pidfd >= 0:
            asyncio.get_running_loop().remove_reader(pidfd)
            os.close(pidfd)
        if self.on_end is not None and pid not in self._stopped:
            self.on_end(left)

    async def stop(self, id: str) -> Left | None:
        """End one with all that it started: first asked, then killed. None when there is no such job."""
        self._take_in("")
        pid = next((pid for pid, (left, _) in self._known.items() if left.id == id), 0)
        if not pid:
            return None
        left = self._known[pid][0]
        self._stopped.add(pid)
        self._signal(pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while _family(pid, self._table.members()) and time.monotonic() < deadline:  # noqa: ASYNC110 - no event for all
            await asyncio.sleep(0.02)
        self._signal(pid, signal.SIGKILL)
        return left

    def _signal(self, pid: int, number: int) -> None:
        for one in _family(pid, self._table.members()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, number)

    def close(self) -> None:
        """Watch nothing any more; the process table ends what still runs."""
        self.on_end = None
        for pid in list(self._known):
            self._ended(pid)


def _number(pid: int) -> str:
    """The process number as code in the sandbox sees it (NSpid, proc_pid_status(5)), which is its own outside."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
        return next(line.split()[-1] for line in lines if line.startswith("NSpid:"))
    return str(pid)


def _family(pid: int, members: list[int]) -> list[int]:
    """Those of `members` that are this process or came from it."""
    parents = {one.pid: one.parent for one in map(one_process, members) if one is not None}
    found = {pid} & set(parents)
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def _cmdline(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _words(pid: int) -> str:
    """The command line of a process, in one short line."""
    return _short(" ".join(_cmdline(pid).replace("\0", " ").split())) or "a program"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
