"""Which sandbox this machine has, whether it really starts, and the plan for a place in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

from oi_tui.safety.sandbox.guarded import below
from oi_tui.safety.sandbox.place import Place, Plan, Unusable

_KNOWN: dict[tuple[str, str], str] = {}  # what was tried, and what came of it
_PATIENCE = 20.0  # seconds; a trial takes a few milliseconds


def plan_for(place: Place, environ: Mapping[str, str] | None = None, kind: str = "") -> Plan:
    """The plan for this machine. kind: of sandbox, "" for the best there is. environ: the person's environment, the
    process's own by default.

    Raises Unusable with the cause: no sandbox can be started, so nothing may be."""
    environ = os.environ if environ is None else environ
    kind, program = found(kind, environ)
    try:
        if kind == "bubblewrap":
            from oi_tui.safety.sandbox import bubblewrap

            return bubblewrap.plan(program, place, environ)
        if kind == "landlock":
            from oi_tui.safety.sandbox import landlock

            return landlock.plan(place, environ)
        from oi_tui.safety.sandbox import seatbelt

        return seatbelt.plan(place, environ)
    except (OSError, ValueError) as error:
        raise Unusable(f"the sandbox could not be prepared: {error}") from None


def found(wanted: str = "", environ: Mapping[str, str] | None = None) -> tuple[str, str]:
    """The kind of sandbox that starts here, and its program. wanted: that kind alone, "" for the best there is.

    Each is tried once. Raises Unusable with what stands in the way.
    """
    environ = os.environ if environ is None else environ
    path = environ.get("PATH", os.defpath)
    _KNOWN[wanted, path] = ""
    kind, program = _found(wanted, path, os.getcwd())  # noqa: PTH109
    _KNOWN[wanted, path] = kind
    return kind, program


@cache
def _found(wanted: str, path: str, cwd: str) -> tuple[str, str]:
    if sys.platform == "darwin":
        program = "/usr/bin/sandbox-exec"
        if not os.access(program, os.X_OK):
            raise Unusable(f"{program} is missing")
        return "seatbelt", program
    if sys.platform != "linux":
        raise Unusable("there is no sandbox for this system yet; use the program inside WSL 2")
    why = ""
    if wanted != "landlock":
        # A workspace could bring a program of that name.
        places = [one for one in path.split(os.pathsep) if os.path.isabs(one) and not below(os.path.realpath(one), cwd)]  # noqa: PTH117
        program = shutil.which("bwrap", path=os.pathsep.join(places))
        why = _why_not(program) if program else "bubblewrap is not installed (apt install bubblewrap)"
        if program and not why:
            return "bubblewrap", program
    if wanted != "bubblewrap":
        from oi_tui.safety.sandbox import landlock

        if landlock.version() >= landlock.LEAST:
            return "landlock", ""
        why = f"{why}, and this kernel has no Landlock to take its place" if why else "this kernel has no Landlock"
    raise Unusable(why)


def tried(wanted: str = "", environ: Mapping[str, str] | None = None) -> str | None:
    """The kind that starts here if that is known already: "" for none, None while nobody has tried."""
    environ = os.environ if environ is None else environ
    return _KNOWN.get((wanted, environ.get("PATH", os.defpath)))


def _why_not(program: str) -> str:
    """Why bubblewrap does not start, "" if it does."""
    argv = [
        program, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--ro-bind", "/", "/", "--dev",
        "/dev", "--proc", "/proc", "--", "/bin/true",
    ]  # fmt: skip
    try:
        tried = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}"
    if tried.returncode == 0:
        return ""
    said = (tried.stderr.strip().splitlines() or [f"it ended with {tried.returncode}"])[-1]
    hint = "; user namespaces may be switched off here" if "namespace" in said or "uid map" in said else ""
    return f"bubblewrap does not start: {said.removeprefix('bwrap: ')}{hint}"


def described(kind: str, network: str) -> str:
    """A sandbox in words, for the status line and the approval."""
    return {"off": "sandbox, no network", "listed": "sandbox, listed hosts", "on": "sandbox, network"}[network] + (
        " (landlock)" if kind == "landlock" else ""
    )
