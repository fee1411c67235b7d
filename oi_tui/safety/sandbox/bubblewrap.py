"""The command line of bubblewrap (github.com/containers/bubblewrap): the whole machine read-only, in namespaces of its
own for users, mounts, processes, System V objects and, unless the network is on, the network.

Later mounts lie over earlier ones, so what protects comes last. The folders of sockets (`/run`) are empty: a socket on
a disk can be connected to through any mount, also one that is read-only.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from oi_tui.safety.sandbox import guarded, seccomp
from oi_tui.safety.sandbox.guarded import below
from oi_tui.safety.sandbox.place import Place, Plan, Unusable

# What is needed of /run: where names are looked up, and where some distributions keep their programs.
_OF_RUN = (
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system",
    "/run/opengl-driver", "/run/opengl-driver-32",
)  # fmt: skip
_SET = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi")
_TOLD = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats")
_COMPUTING = (
    "/dev/dri",
    "/dev/kfd",
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
    "/dev/nvidia-modeset",
)


def plan(program: str, place: Place, environ: Mapping[str, str]) -> Plan:
    """program: the path of bwrap. environ: the person's environment. Raises Unusable, OSError."""
    if not seccomp.supported():
        raise Unusable(f"no filter of system calls is known for this machine ({os.uname().machine})")
    writable = writable_places(place, environ)
    words = [
        program, "--unshare-user", "--unshare-pid", "--unshare-ipc",
        *(["--unshare-net"] if place.network != "on" else []),
        "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", *_computing(), "--proc", "/proc", *_kernel(),
        "--tmpfs", "/run", *_each("--ro-bind-try", _OF_RUN), "--remount-ro", "/run",
    ]  # fmt: skip
    for one in writable:
        words += ["--bind", one, one]
    words += [*_held(place, writable), *_masks(place, environ)]
    words += ["--seccomp", "{seccomp}", "--"]
    return Plan(
        "bubblewrap", tuple(words), seccomp.program(), unset=guarded.unset(), own_pids=True, as_first=("--as-pid-1",),
        writable=writable,
    )  # fmt: skip


def _kernel() -> list[str]:
    """What of /proc changes the machine, which the owner may do who is root outside too, without any other right."""
    fixed = [one for one in _SET if os.path.exists(one)]  # noqa: PTH110
    hidden = [word for one in _TOLD if os.path.isfile(one) for word in ("--ro-bind", "/dev/null", one)]  # noqa: PTH113
    return [*_each("--ro-bind-try", fixed), *hidden]


def _computing() -> list[str]:
    """The devices that compute."""
    cards = sorted(str(one) for one in Path("/dev").glob("nvidia[0-9]*"))
    return _each("--dev-bind-try", [one for one in (*_COMPUTING, *cards) if os.path.exists(one)])  # noqa: PTH110


def _each(how: str, places: Sequence[str]) -> list[str]:
    return [word for one in places for word in (how, one, one)]


def writable_places(place: Place, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Outermost first, so that none hides another."""
    named = ["/tmp", "/var/tmp", tempfile.gettempdir(), environ.get("TMPDIR", "")]
    if place.writes:
        named += [*guarded.roots(place.workspace), *place.extra]
        repository = guarded.Repository(os.path.realpath(place.workspace))
        if repository.outside and repository.place:
            named.append(repository.place)
    real = {os.path.realpath(one) for one in named if one}
    return tuple(sorted(one for one in real if one != "/" and os.path.exists(one)))  # noqa: PTH110


def _held(place: Place, writable: Sequence[str]) -> Iterator[str]:
    """What in the writable places may not be changed all the same."""
    for root in {os.path.realpath(place.workspace), *writable}:
        if not os.path.isdir(root):  # noqa: PTH112
            continue
        repository = guarded.Repository(root)
        if any(below(root, one) for one in writable):
            # A folder that is a mount cannot be renamed, and another one be put in its place.
            if repository.place and not repository.outside:
                yield from ("--bind", repository.place, repository.place)
            if repository.file:
                yield from ("--ro-bind", repository.file, repository.file)
            yield from _each("--ro-bind", guarded.obeyed(root))
        if any(below(repository.place, one) for one in writable):
            yield from _each("--ro-bind", list(repository.fixed()))
    if not place.writes:  # a workspace in the folder for temporary files
        workspace = os.path.realpath(place.workspace)
        if any(below(workspace, one) and workspace != one for one in writable):
            yield from ("--ro-bind", workspace, workspace)


def _masks(place: Place, environ: Mapping[str, str]) -> Iterator[str]:
    """What cannot even be seen: secrets, sockets, and our own home but for what code has to read there."""
    for one in (*guarded.secrets(), *guarded.sockets(environ)):
        if os.path.isdir(one):  # noqa: PTH112
            yield from ("--perms", "0000", "--tmpfs", one, "--remount-ro", one)
        else:
            yield from ("--ro-bind", "/dev/null", one)
    home = guarded.own_home()
    yield from ("--tmpfs", home)
    workspace = os.path.realpath(place.workspace)
    shown = [*place.shown, *([workspace] if below(workspace, home) else [])]
    for one in sorted({os.path.realpath(one) for one in shown}):
        if below(one, home) and os.path.exists(one):  # noqa: PTH110
            yield from ("--ro-bind", one, one)
    yield from _each("--bind", [os.path.realpath(one) for one in place.kept])
    yield from ("--remount-ro", home)
