"""The profile for macOS (sandbox-exec(1), seatbelt): everything may be read but secrets, little may be written.

Written from Apple's published profiles; its text is tested, but it has not been run by this project yet. Paths go in as
parameters, never as text, so that no name of a folder can change the profile.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping

from oi_tui.safety.sandbox import guarded
from oi_tui.safety.sandbox.place import Place, Plan

PROGRAM = "/usr/bin/sandbox-exec"
_BASE = """(version 1)
(deny default)
(import "system.sb")
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.SystemConfiguration.configd"))
(allow ipc-posix-sem ipc-posix-shm)
(allow pseudo-tty)
(allow file-ioctl (regex #"^/dev/tty.*"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/tty.*") (regex #"^/dev/fd/"))
(allow file-read*)
"""  # noqa: E501
_NETWORK = """(allow network*)
(allow mach-lookup (global-name "com.apple.dnssd.service") (global-name "com.apple.trustd.agent"))
"""


def plan(place: Place, environ: Mapping[str, str]) -> Plan:
    """environ: the person's environment. A list of hosts cannot be held here: with one, the network is off."""
    text, parameters, writable = profile(place, environ)
    words = [PROGRAM, "-p", text]
    for name, path in parameters.items():
        words += ["-D", f"{name}={path}"]
    return Plan("seatbelt", (*words, "--"), unset=guarded.unset(), writable=writable)


def profile(place: Place, environ: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The text, its parameters, and what may be written. The last rule that fits decides, so what protects is last."""
    named = ["/private/tmp", "/private/var/tmp", tempfile.gettempdir(), environ.get("TMPDIR", ""), *place.kept]
    if place.writes:
        named += [*guarded.roots(place.workspace), *place.extra]
    writable = tuple(sorted({os.path.realpath(one) for one in named if one} - {"/"}))
    workspace = os.path.realpath(place.workspace)
    held = [*guarded.obeyed(workspace), *guarded.Repository(workspace).fixed()]
    if not place.writes:
        held.append(workspace)
    home = guarded.own_home()
    parameters: dict[str, str] = {}

    def rules(verb: str, prefix: str, paths: list[str]) -> str:
        lines: list[str] = []
        for number, path in enumerate(paths):
            parameters[f"{prefix}_{number}"] = path
            lines.append(f'({verb} (subpath (param "{prefix}_{number}")))\n')
        return "".join(lines)

    text = _BASE + rules("allow file-write*", "WRITABLE", list(writable))
    text += rules("deny file-write*", "HELD", held)
    text += rules("deny file-read* file-write*", "SECRET", [*guarded.secrets(), home])
    text += rules("allow file-read*", "SHOWN", [os.path.realpath(one) for one in place.shown])
    text += rules("allow file-read* file-write*", "KEPT", [os.path.realpath(one) for one in place.kept])
    return text + (_NETWORK if place.network == "on" else ""), parameters, writable
