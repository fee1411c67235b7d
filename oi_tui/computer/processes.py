"""The processes that run code: started in groups of their own, watched, and all gone in the end.

Four things find what code has left behind: the process group, the line of parents, a mark in the environment that
children inherit even when they leave both (Linux; elsewhere the groups alone are known), and the control group, which
nothing leaves, where there is one. A guard, a few lines of shell
that wait at a pipe, does the same if this program is killed before it could.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from oi_tui.computer.cell import Cell, Confinement
from oi_tui.computer.child import Child
from oi_tui.computer.environment import COOKIE
from oi_tui.computer.limits import Cage, Limits
from oi_tui.computer.process_list import Seen, all_processes, ancestors, is_helper, one_process

# Reads the process groups to kill, one line replacing the one before; at end of file they are killed, and everything
# that carries the mark; scratch folder and control groups go. An empty line means: all was closed in good order.
GUARD = r"""
trap '' HUP INT TERM QUIT
groups=
while read -r line; do groups=$line; done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -KILL -- "-$group"; done 2>/dev/null
mark=$1 scratch=$2
shift 2
cd /proc
for round in 1 2 3; do  # something may have been forking while it was looked for
  for found in $(grep -lsF -- "$mark" [0-9]*/environ); do kill -KILL "${found%/environ}"; done
  for folder; do
    [ -e "$folder/pids.max" ] && echo 0 >"$folder/pids.max"  # no process starts another one any more
    while read -r pid; do kill -KILL "$pid"; done <"$folder/cgroup.procs"
  done
  sleep 0.1
done 2>/dev/null
rm -rf -- "$scratch"
for folder; do rmdir "$folder"; done 2>/dev/null
"""


def _send(number: int, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


@contextlib.contextmanager
def ahead_of_others() -> Iterator[None]:
    """Where it is allowed (to root, mostly): run before all that multiplies, or each look would get a share of the
    processor that is the smaller the more there are. Elsewhere RLIMIT_NPROC holds them, see limits.py."""
    try:
        before, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except (AttributeError, OSError):
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, before, parameter)


class ProcessTable:
    """All processes of one computer, and its scratch folder.

    The folder is made on first use, readable by the owner alone. limits: what every process of it may take, none by
    default.
    """

    def __init__(self, temp_root: str, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.cage = Cage(self.limits)
        self.cookie = secrets.token_hex(12)
        self._folder = Path(temp_root) / f"oi-{secrets.token_hex(5)}"
        self._made = False
        self._children: dict[int, Child] = {}
        self.jobs: set[int] = set()  # sessions of commands beside the kernels: no block's to end
        self.kernels: set[int] = set()  # those that somebody else starts and ends for us
        self.left: dict[int, int] = {}  # what earlier blocks left running, as far as it was noticed: pid -> start tick
        self._guard: subprocess.Popen[bytes] | None = None
        self._confinement: Confinement | None = None
        self._cell: Cell | None = None

    def confine(self, confinement: Confinement | None) -> None:
        """Start what comes from now on in cells of this kind, None for in no cell. The cell up to now ends."""
        self.leave_cell()
        self._confinement = confinement

    def cell(self) -> Cell | None:
        """The sandbox that processes are to be started in, None for none. Raises OSError when it cannot be started:
        nothing may be started then."""
        if self._confinement is None:
            return None
        if self._cell is None or not self._cell.alive:
            self.leave_cell()
            made = Cell(self._confinement.enclosure(), {"PATH": os.environ.get("PATH", os.defpath)})
            try:
                made.env.update(self._confinement.started(made))
            except OSError:
                made.close()
                raise
            self._cell = made
        return self._cell

    def leave_cell(self) -> None:
        """End the cell, with all that runs in it; the next process is started in a new one."""
        made, self._cell = self._cell, None
        if made is not None:
            made.close()
            if self._confinement is not None:
                self._confinement.ended(made)

    def scratch(self) -> Path:
        """The folder for temporary files. Raises OSError when it cannot be made."""
        if not self._made:
            self._folder.mkdir(mode=0o700, parents=True)
            self._made = True
        return self._folder

    def add(self, child: Child) -> None:
        self._children[child.pid] = child
        self.limits.apply(child.pid)
        self.cage.add(child.pid)
        if not self.cage.holds_processes:
            self.limits.apply_to_user(child.pid)
        self.tell_guard()

    def discard(self, child: Child) -> None:
        """Forget a child that has ended; what it left running stays this table's to end."""
        self._children.pop(child.pid, None)
        if self._guard is not None:  # its number may soon be another process's
            self.tell_guard()

    def tell_guard(self) -> None:
        """Have somebody outlive this program who ends what is there now and all that carries our mark."""
        if self._guard is None:
            environment = {name: value for name, value in os.environ.items() if name != COOKIE}
            with contextlib.suppress(OSError):
                self._guard = subprocess.Popen(
                    ["/bin/sh", "-c", GUARD, "oi-guard", f"{COOKIE}={self.cookie}", str(self._folder),
                     *map(str, self.cage.folders())],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    env=environment, cwd="/", start_new_session=True, bufsize=0,
                )  # fmt: skip
        if self._guard is not None and self._guard.stdin is not None:
            groups = " ".join(str(pid) for pid in self._children) or "none"
            with contextlib.suppress(OSError):
                self._guard.stdin.write(f"{groups}\n".encode())

    def members(self, since: int = 0, skip: Collection[int] = ()) -> list[int]:
        """Living processes that code started, without the kernels and shells themselves, newest first.

        since: only those that began at or after this tick (see `ticks_now`) and belong to no job. skip: what need not
        be looked at.
        """
        return self._members({one.pid: one for one in all_processes() if not one.zombie}, since, skip)

    def _members(self, seen: Mapping[int, Seen], since: int, skip: Collection[int] = ()) -> list[int]:
        caged = set(self.cage.members())
        apart = self._own() | set(skip)
        found = [one for one in seen.values() if one.pid not in apart]
        found = [one for one in found if not since or (one.started >= since and one.session not in self.jobs)]
        found = [one for one in found if one.pid in caged or self._ours(one, seen)]
        return [one.pid for one in sorted(found, key=lambda one: one.started, reverse=True)]

    def _own(self) -> set[int]:
        """What code did not start: this program, the guard, the kernels and shells."""
        return {os.getpid(), self._guard.pid if self._guard is not None else 0, *self._children}

    def _ours(self, one: Seen, seen: Mapping[int, Seen]) -> bool:
        if one.session in self._children:
            return True
        if any(parent in self._children for parent in ancestors(one.pid, seen)):
            return True
        with contextlib.suppress(OSError):
            mark = f"{COOKIE}={self.cookie}".encode()
            return mark in Path(f"/proc/{one.pid}/environ").read_bytes().split(b"\0")
        return False

    def started(self, since: int) -> list[int]:
        """Living processes that the block which began at that tick has started; none where the tick is 0.

        What an earlier block left running is not among them, and neither is what that has started since.
        """
        if not since:
            return []
        seen = {one.pid: one for one in all_processes() if not one.zombie}
        return [pid for pid in self._members(seen, since) if not self._of_earlier(pid, seen, since)]

    def _of_earlier(self, pid: int, seen: Mapping[int, Seen], since: int) -> bool:
        """Whether it, or one that it comes from, was left running by an earlier block."""
        own = self._own() | self.kernels
        for one in (pid, *ancestors(pid, seen), seen[pid].session):  # a session goes on when its parents are gone
            if one in own or one not in seen:
                continue
            if self.left.get(one) == seen[one].started:
                return True
            # It was left running and not noticed; or it is what adopts orphans on this machine.
            if seen[one].started < since and self._ours(seen[one], seen) and not is_helper(one):
                return True
        return False

    def beside(self) -> set[int] | None:
        """Processes beside the kernels and shells, as far as they are known at a small cost: it may be only those
        that these started themselves. None where the system does not tell."""
        if self.cage.holds_processes:
            return set(self.cage.members()) - set(self._children) - self.kernels
        found: set[int] = set()
        try:
            for pid in (*self._children, *self.kernels):
                for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - after every block
                    found.update(map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()))
        except OSError:
            return None
        return found

    def own_commands(self) -> set[str]:
        """The command lines of the kernels and shells themselves, as /proc has them."""
        found: set[str] = set()
        for pid in (*self._children, *self.kernels):
            with contextlib.suppress(OSError):
                found.add(Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace"))
        return found

    def kill_started(self, since: int) -> None:
        """Kill what the block that began at that tick has started and did not end itself."""
        _send(signal.SIGKILL, self.started(since))

    def end_started(self, since: int) -> None:
        """Kill all that began since that tick and may be multiplying, whichever block it comes from.

        A control group is shut first, so that nothing new can come. Without one this takes two seconds at most, and
        everything is frozen before anything is killed: a frozen process makes no others, while one that is killed wakes
        the parent that waits for it. A look through /proc is quicker than forking is, so each finds fewer new ones.
        """
        if self.cage.holds_processes:
            if since:
                self._end_caged(since)
            return
        deadline, frozen = time.monotonic() + 2.0, set[int]()
        while since and time.monotonic() < deadline:
            fresh = self.members(since, frozen)
            _send(signal.SIGSTOP, fresh)
            frozen.update(fresh)
            if not fresh:
                break
        left = self.members(since) if frozen else []  # a number may be another process's by now
        _send(signal.SIGKILL, [pid for pid in left if pid in frozen])

    def _end_caged(self, since: int) -> None:
        """End what is in the control group and began at or after that tick."""
        with self.cage.shut(), ahead_of_others():
            killed = {*self._children, *self.kernels}  # or not to be killed
            quiet = 0
            while quiet < 2:  # one may have been starting when the group was shut
                fresh = [pid for pid in self.cage.members() if pid not in killed]
                found = [one for one in map(one_process, fresh) if one is not None]
                _send(
                    signal.SIGKILL,
                    [one.pid for one in found if one.started >= since and one.session not in self.jobs],
                )
                killed.update(fresh)
                quiet = 0 if fresh else quiet + 1

    async def close(self) -> None:
        """End everything that is left and remove the scratch folder."""
        for child in list(self._children.values()):
            child.signal(signal.SIGKILL)
            await child.ended(2.0)
            self.discard(child)
        self.leave_cell()
        with self.cage.shut():
            for _ in range(5):  # a process may have been forking while it was looked for
                left = self.members()
                if not left:
                    break
                _send(signal.SIGKILL, left)
                await asyncio.sleep(0.01)
            deadline = time.monotonic() + 5.0
            while not self.cage.close() and time.monotonic() < deadline:  # noqa: ASYNC110 - they may be many
                await asyncio.sleep(0.01)
        if self._made:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._made = False
        await self._close_guard()

    async def _close_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is None or guard.stdin is None:
            return
        with contextlib.suppress(OSError):
            guard.stdin.write(b"\n")
        guard.stdin.close()
        for _ in range(1000):
            if guard.poll() is not None:
                return
            await asyncio.sleep(0.002)
        guard.kill()
        guard.wait()
