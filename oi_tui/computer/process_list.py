"""The processes of this machine, as /proc tells of them (Linux; elsewhere there is nothing to tell)."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# What languages start for themselves and keep: the command lines have these words.
HELPERS = (
    b"multiprocessing.resource_tracker",
    b"multiprocessing.forkserver",
    b"esbuild --service",
    b"chrome_crashpad_handler",
)


@dataclass(frozen=True, slots=True)
class Seen:
    pid: int
    parent: int
    session: int
    started: int  # clock ticks since boot
    zombie: bool


def all_processes() -> Iterator[Seen]:
    """All processes of this machine, from /proc (proc_pid_stat(5)); none where there is no /proc."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - a scan of hundreds, often
    except OSError:
        return
    for name in names:
        if not name.isdigit():
            continue
        found = one_process(int(name))
        if found is not None:
            yield found


def one_process(pid: int) -> Seen | None:
    """One of them, None when it is gone."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return Seen(pid, int(fields[1]), int(fields[3]), int(fields[19]), fields[0] == b"Z")
    return None


def ancestors(pid: int, seen: Mapping[int, Seen]) -> Iterator[int]:
    """Its parent, the parent of that, and so on."""
    for _ in range(64):
        pid = seen[pid].parent if pid in seen else 0
        if pid <= 1:
            return
        yield pid


def is_helper(pid: int) -> bool:
    """Whether it is what a language starts for itself and keeps."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        return any(one in words for one in HELPERS)
    return False


def ticks_now() -> int:
    """Now, in the unit of a process's start time; 0 where that is unknown."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0
    return math.floor(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
