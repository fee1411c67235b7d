"""Landlock (landlock(7)): rights that a process gives up for good, for where bubblewrap does not start.

It needs no namespace, so it holds less. Process numbers are the machine's, though `/proc` tells of none, and before
version 6 of its interface a program may still signal others of the same person. Files outside the places that may be
written are read-only, secrets cannot be opened (their names can be listed), and sockets of any family but pipes of
one's own (`socketpair`) cannot be made while the network is off, since Landlock does not know those on a disk. What
lies in a folder that may be written cannot be excepted, so `.git/hooks` can be changed. A list of hosts cannot be held:
with one, the network is off.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from oi_tui.safety.sandbox import bubblewrap, guarded, seccomp
from oi_tui.safety.sandbox.guarded import below
from oi_tui.safety.sandbox.place import Place, Plan, Unusable

LEAST = 3  # the first version that holds truncating
CHILD = Path(__file__).with_name("landlock_child.py")
_CREATE_RULESET = 444  # on every machine
_DEVICES = (
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts", "/dev/ptmx",
    "/dev/shm",
)  # fmt: skip
_NOT_TOLD = ("kcore", "keys", "kmsg", "sysrq-trigger")
_DEEP = 12  # steps below the root that are listed to go round a secret


@cache
def version() -> int:
    """The version of the interface that this kernel has, 0 for none."""
    try:
        call = ctypes.CDLL(None, use_errno=True).syscall
        return max(int(call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))), 0)
    except (OSError, AttributeError):
        return 0


def plan(place: Place, environ: Mapping[str, str]) -> Plan:
    """environ: the person's environment. Raises Unusable, OSError."""
    if not seccomp.supported():
        raise Unusable(f"no filter of system calls is known for this machine ({os.uname().machine})")
    hidden = {*guarded.secrets(), guarded.own_home()}
    shown = [os.path.realpath(one) for one in place.shown]
    writable = bubblewrap.writable_places(place, environ)
    without = hidden if place.writes else hidden | {os.path.realpath(place.workspace)}
    rules = {
        "version": version(),
        "list": ["/"],
        "read": [*around("/", {*hidden, "/proc"}), *_facts(), *(one for one in shown if os.path.exists(one))],  # noqa: PTH110
        "write": [one for root in writable for one in around(root, without)] + list(place.kept),
        "devices": list(_DEVICES),
        "network": place.network == "on",
    }
    families = (seccomp.UNIX, seccomp.INET, seccomp.INET6, seccomp.NETLINK) if rules["network"] else (seccomp.NETLINK,)
    prefix = (sys.executable, "-I", "-S", str(CHILD), "{seccomp}", "--")
    # The rules can be longer than a command line may be, so they go before the filter.
    program = json.dumps(rules).encode() + b"\0" + seccomp.program(families=families)
    return Plan("landlock", prefix, program, unset=guarded.unset(), writable=writable)


def _facts() -> list[str]:
    """What /proc says of the machine. What it says of processes is closed, also of one's own: their environment would
    be open otherwise, and no right can be given to what a process does not have a name for yet."""
    return [
        f"/proc/{one}"
        for one in os.listdir("/proc")  # noqa: PTH208
        if not one.isdigit() and one not in _NOT_TOLD and not os.path.islink(f"/proc/{one}")  # noqa: PTH114
    ]


def around(root: str, without: set[str], deep: int = _DEEP) -> list[str]:
    """The files and folders that together are `root` but for `without`: rights that are given cannot be taken back
    further down, so what lies beside the exceptions is named one by one."""
    if any(below(root, one) for one in without):
        return []
    if not deep or not any(below(one, root) for one in without):
        return [root] if deep else []
    found: list[str] = []
    try:
        entries = sorted(os.scandir(root), key=lambda one: one.name)
    except OSError:
        return []
    for one in entries:
        if not one.is_symlink():
            found += around(one.path, without, deep - 1)
    return found
