"""What a block may take of the machine at most, and how that is enforced.

Two means. **rlimits** hold for each process by itself and are inherited: memory (RLIMIT_DATA, private memory that can
be written, since RLIMIT_AS would stop programs that only reserve addresses, as Node and Java do), the size of a file
(RLIMIT_FSIZE), open files (RLIMIT_NOFILE). **A control group** holds for all processes of a computer together: memory
and number of processes. It is used where this program may make one (cgroups(7), version 2 or 1), in its own group or,
as on a desktop with systemd, in one above that is the person's. Where it may not, the number of processes is watched,
and what the block started is killed above it. There RLIMIT_NPROC is a second fence: it counts everything that the
person runs, so it lies that much above, and it does not bind root.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GB = 1 << 30
WATCHED = 400  # processes of a block where only watching holds them: the more there are, the harder they are to catch


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds; 0 stands for none.

    memory: bytes. processes: how many at once, threads included where a control group counts. file_size: bytes of one
    file. open_files: of one process, 256 at least, as the shell keeps its own high up. seconds: of one block, where
    `Computer.run` is not given a time of its own. outputs: bytes of output that a session keeps on disk.
    """

    memory: int = 0
    processes: int = 0
    file_size: int = 0
    open_files: int = 0
    seconds: float = 0
    outputs: int = 0

    @classmethod
    def safe(cls, cwd: str) -> Limits:
        """What keeps a machine usable and is not felt in ordinary work: 85 % of the memory, 512 processes and 256 more
        for each processor, 4,096 at most, 65,536 open files, no file larger than what is free on the disk of `cwd` but
        for a reserve of 1 GB or 5 %, and 4 GB of outputs."""
        memory = int(_physical_memory() * 0.85)
        try:
            disk = shutil.disk_usage(cwd)
            room = max(disk.free - max(GB, disk.total // 20), 64 << 20)
        except OSError:
            room = 0
        outputs = min(room, 4 * GB) if room else 4 * GB
        processes = min(512 + 256 * (os.cpu_count() or 2), 4096)
        return cls(memory=memory, processes=processes, file_size=room, open_files=65536, outputs=outputs)

    def apply(self, pid: int) -> None:
        """Set the rlimits of a process that has just been started. What it had already less of stays (Linux)."""
        try:
            import resource

            prlimit = resource.prlimit
        except (ImportError, AttributeError):
            return
        for kind, bound in (
            (resource.RLIMIT_DATA, self.memory),
            (resource.RLIMIT_FSIZE, self.file_size),
            (resource.RLIMIT_NOFILE, self.open_files and max(self.open_files, 256)),
        ):
            if not bound:
                continue
            with contextlib.suppress(OSError, ValueError):  # it has ended already, or is not ours to bind
                soft, hard = prlimit(pid, kind)
                ceiling = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
                lower = ceiling if soft == resource.RLIM_INFINITY else min(ceiling, soft)
                prlimit(pid, kind, (lower, ceiling))

    def apply_to_user(self, pid: int) -> None:
        """Bound what all processes of this person may be, for a new process that no control group holds. The bound lies
        above `processes`, so that the watch meets its own first and can say so."""
        running = _threads_of_user() if self.processes and os.getuid() else 0
        if not running:
            return
        import resource

        with contextlib.suppress(OSError, ValueError, AttributeError):
            soft, hard = resource.prlimit(pid, resource.RLIMIT_NPROC)
            bound = running + self.processes + max(self.processes // 4, 64)
            lower = bound if soft == resource.RLIM_INFINITY else min(bound, soft)
            resource.prlimit(pid, resource.RLIMIT_NPROC, (lower, hard))


def _threads_of_user() -> int:
    """Threads of this person's processes, which is what RLIMIT_NPROC counts; 0 where there is no /proc."""
    found, me = 0, os.getuid()
    with contextlib.suppress(OSError):
        for folder in os.scandir("/proc"):
            with contextlib.suppress(OSError, ValueError):
                if folder.name.isdigit() and folder.stat().st_uid == me:
                    found += int(Path(folder.path, "stat").read_bytes().rpartition(b")")[2].split()[17])
    return found


def may_run_ahead() -> bool:
    """Whether this program may run before all others when something multiplies; see processes.ahead_of_others."""
    try:
        before, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        os.sched_setscheduler(0, before, parameter)
    except (AttributeError, OSError):
        return False
    return True


def out_of_memory_kills() -> int:
    """How often this machine has ended a process for want of memory since it started (proc(5), vmstat)."""
    return _field(Path("/proc/vmstat"), "oom_kill")


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0


class Cage:
    """The control group of one computer, made with its first process. Without the right to make one: nothing."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._name = f"oi-{secrets.token_hex(5)}"
        self._pids: Path | None = None
        self._memory: Path | None = None
        self._made = False
        self._seen = (0, 0)

    def add(self, pid: int) -> None:
        """Put a process that has just been started into the group, with all that it will start."""
        if not self._made:
            self._made = True
            self._make()
        for folder in self.folders():
            with contextlib.suppress(OSError):
                (folder / "cgroup.procs").write_text(str(pid))

    def folders(self) -> list[Path]:
        """Where the groups lie."""
        return sorted({one for one in (self._pids, self._memory) if one is not None})

    def _make(self) -> None:
        for parent, controllers in _parents():
            folder = parent / self._name
            with contextlib.suppress(OSError):
                folder.mkdir()
                if "pids" in controllers and self._pids is None and self._limits.processes:
                    with contextlib.suppress(OSError):
                        (folder / "pids.max").write_text(str(self._limits.processes))
                        self._pids = folder
                if "memory" in controllers and self._memory is None and self._limits.memory:
                    with contextlib.suppress(OSError):
                        _bound_memory(folder, self._limits.memory)
                        self._memory = folder
                if folder not in (self._pids, self._memory):
                    folder.rmdir()
        self._seen = self._events()

    @property
    def holds_processes(self) -> bool:
        """Whether the group bounds the number of processes; else they have to be watched."""
        return self._pids is not None

    @contextlib.contextmanager
    def shut(self) -> Iterator[None]:
        """While this lasts, nothing in the group can start a process, so that all of it can be found and ended."""
        try:
            self._admit(0)
            yield
        finally:
            self._admit(self._limits.processes)

    def _admit(self, most: int) -> None:
        if self._pids is not None:
            with contextlib.suppress(OSError):
                (self._pids / "pids.max").write_text(str(most))

    def means(self) -> str:
        """What holds the number of processes, in words; before the first one, what will."""
        if self._pids or (not self._made and any("pids" in controllers for _, controllers in _parents())):
            return "a control group"
        return "watching, since no control group may be made here"

    def told(self) -> str:
        """All bounds that are in force, with what holds them; "" for none."""
        limits, by_group = self._limits, self.means() == "a control group"
        most = limits.processes if by_group else min(limits.processes, WATCHED)
        bounds = [
            f"{limits.memory / GB:.1f} GB of memory" if limits.memory else "",
            f"{most:,} processes of a block (held by {self.means()})" if most and not by_group else "",
            f"{most:,} processes (held by a control group)" if most and by_group else "",
            f"files up to {limits.file_size / GB:,.0f} GB" if limits.file_size else "",
            f"{limits.open_files:,} open files" if limits.open_files else "",
            f"{limits.seconds:g} s" if limits.seconds else "",
        ]
        told = ", ".join(one for one in bounds if one)
        if most and not by_group and not may_run_ahead() and not os.getuid():
            told += (
                "; a fork bomb of root can outrun the watching: start the container with a limit of its own, such as "
                "`--pids-limit 2000`"
            )
        return told

    def _events(self) -> tuple[int, int]:
        """How often the bounds were met up to now: (processes, memory)."""
        refused = killed = 0
        if self._pids is not None:
            refused = _field(self._pids / "pids.events", "max")
        if self._memory is not None:
            killed = _field(self._memory / "memory.events", "oom_kill") + _field(
                self._memory / "memory.oom_control", "oom_kill"
            )
        return refused, killed

    def met(self) -> str:
        """Which bound was met since this was last asked, as a sentence; "" for none."""
        now, before = self._events(), self._seen
        self._seen = now
        if now[0] > before[0]:
            return (
                f"the limit of {self._limits.processes} processes (held by {self.means()}) was reached: what this "
                "block started was ended"
            )
        if now[1] > before[1]:
            size = self._limits.memory / GB
            return (
                f"out of memory: the limit of {size:.1f} GB (held by a control group) was reached, and the process "
                "that took most was ended"
            )
        return ""

    def members(self) -> list[int]:
        """Processes in the group; [] where there is no group."""
        if self._pids is None:
            return []
        try:
            return [int(one) for one in (self._pids / "cgroup.procs").read_text().split()]
        except (OSError, ValueError):
            return []

    def close(self) -> bool:
        """Remove the group. False while something still runs in it."""
        gone = True
        for folder in self.folders():
            try:
                folder.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                gone = False
        if gone:
            self._pids = self._memory = None
            self._made = False
        return gone


def _parents(proc: Path = Path("/proc/self")) -> Iterator[tuple[Path, set[str]]]:
    """Groups where children may be made for what this process starts, with the controllers that children have."""
    try:
        lines = (proc / "cgroup").read_text().splitlines()
        mounts = [line.split() for line in (proc / "mounts").read_text().splitlines()]
    except OSError:
        return
    places = {}
    for _, where, kind, options, *_ in mounts:
        if kind == "cgroup2":
            places.setdefault("", Path(where))
        elif kind == "cgroup":
            for controller in options.split(","):
                places.setdefault(controller, Path(where))
    for line in lines:
        _, names, path = line.split(":", 2)
        root = places.get(names.split(",")[0])
        if root is None:
            continue
        folder = root / path.lstrip("/")
        if names and os.access(folder, os.W_OK):
            yield folder, set(names.split(","))
        elif not names:
            yield from _delegated(folder, root)


def _delegated(folder: Path, root: Path) -> Iterator[tuple[Path, set[str]]]:
    """The nearest group of version 2, this one or above, whose children have controllers and which may be used.

    A group that holds processes gives its children none, so the own one seldom does; systemd hands the part of the tree
    above a program on a desktop over to the person. Moving a process needs the right to write to `cgroup.procs` of the
    group that both places have in common.
    """
    for one in (folder, *folder.parents):
        if one != root and root not in one.parents:
            return
        if not os.access(one, os.W_OK) or not os.access(one / "cgroup.procs", os.W_OK):
            return
        with contextlib.suppress(OSError):
            controllers = set((one / "cgroup.subtree_control").read_text().split())
            if controllers & {"pids", "memory"}:
                yield one, controllers
                return


def _bound_memory(folder: Path, most: int) -> None:
    """Version 2 has memory.max, version 1 memory.limit_in_bytes. Swap is left to the machine."""
    for name in ("memory.max", "memory.limit_in_bytes"):
        if (folder / name).exists():
            (folder / name).write_text(str(most))
            return
    raise OSError("this group has no memory controller")


def _field(file: Path, name: str) -> int:
    try:
        for line in file.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    except (OSError, ValueError):
        pass
    return 0
