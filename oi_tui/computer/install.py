"""A missing module: which package brings it, and how that gets into the environment of the person's Python.

Whether to install, and whether to ask first, is decided by the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from oi_tui.computer.distributions import DISTRIBUTIONS
from oi_tui.computer.interpreters import Interpreter
from oi_tui.computer.runner import output
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

LIMIT = 900.0  # seconds that an installation may take
# A distribution as PyPI knows names, with extras and a version at most (PEP 508, the part that is safe to pass on).
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9,._-]+\])?(?:[=<>!~]=?[\w.*+!-]+)?"
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """name: the distribution to install. known: it stands in our list; else the name is only guessed from the module,
    which is how typo-squats get in: ask before installing."""

    name: str
    known: bool


def distribution_for(module: str) -> Suggestion | None:
    """The distribution that brings `module` (`cv2`, `google.protobuf`): the longest known part of its dotted name.

    None for modules that no package brings: those of the standard library, and names that cannot be a distribution.
    """
    parts = module.strip().split(".")
    top = parts[0]
    if not top.isidentifier() or top.startswith("_") or top in sys.stdlib_module_names:
        return None
    for length in range(len(parts), 0, -1):
        known = DISTRIBUTIONS.get(".".join(parts[:length]))
        if known is not None:
            return Suggestion(known, True)
    guessed = top.replace("_", "-")  # `odd_` would end in what no name of a package ends in
    return Suggestion(guessed, False) if _REQUIREMENT.fullmatch(guessed) else None


def resembled(module: str) -> str:
    """The known module that a name which is in no list looks like (`sklaern`: sklearn), "" for none.

    A slip of the keyboard is one cause of that; the others are packages that are named to be mistaken for known ones.
    """
    import difflib

    top = module.partition(".")[0].lower()
    names = {known.lower(): known for known in DISTRIBUTIONS if "." not in known}
    near = difflib.get_close_matches(top, names, 1, 0.8) if len(top) > 3 and top not in names else []
    return names[near[0]] if near else ""


def command(interpreter: Interpreter, distribution: str, env: Mapping[str, str]) -> list[str]:
    """The command line that installs into the environment of `interpreter`: uv where it is found, else its own pip.

    ValueError for what is not the name of a distribution.
    """
    if not _REQUIREMENT.fullmatch(distribution):
        raise ValueError(f"{distribution!r} is not the name of a package")
    uv = shutil.which("uv", path=env.get("PATH"))
    if uv is not None:
        return [uv, "pip", "install", "--python", interpreter.path, "--", distribution]
    return [interpreter.path, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--", distribution]


async def install(
    interpreter: Interpreter, distribution: str, emit: Callable[[Chunk], None], *, env: Mapping[str, str], cwd: str
) -> Result:
    """Install and hand on what is printed on the way. The result says in its note what came of it, and never raises
    for a failed installation; cancelling the task ends it."""
    began = time.monotonic()
    try:
        argv = command(interpreter, distribution, env)
    except ValueError as error:
        return Result(ok=False, note=f"{error}; give the name that PyPI knows it by")
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, env=dict(env), cwd=cwd, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Result(
            ok=False, note=f"{argv[0]} could not start: {error.strerror or error}; install {distribution} by hand"
        )
    try:
        async with asyncio.timeout(LIMIT):
            said = await _passed_on(process, emit)
            status = await process.wait()
    except TimeoutError:
        return Result(
            ok=False, timed_out=True, timeout_s=LIMIT, note=f"installing {distribution} took too long; try again"
        )
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with what it has started: it leads its own group
            await process.wait()
    if status == 0:
        note = f"installed {distribution} into {Path(interpreter.path).parent.parent}"
        return Result(ok=True, exit_code=0, seconds=time.monotonic() - began, note=note)
    return Result(
        ok=False, exit_code=status, seconds=time.monotonic() - began, note=_why(said, distribution, interpreter)
    )


async def _passed_on(process: asyncio.subprocess.Process, emit: Callable[[Chunk], None]) -> str:
    """Hand on all output while it comes; returns its end."""
    assert process.stdout is not None
    tail = b""
    while piece := await process.stdout.read(1 << 14):
        cut = piece if piece.endswith(b"\n") else piece + await _rest_of_line(process.stdout)
        emit(output(cut.decode("utf-8", "replace")))
        tail = (tail + cut)[-4000:]
    return tail.decode("utf-8", "replace")


async def _rest_of_line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError:
        return b""


def _why(said: str, distribution: str, interpreter: Interpreter) -> str:
    """What to say about a failed installation: cause and next step."""
    lower = said.lower()
    if "externally-managed-environment" in lower or "externally managed" in lower:
        return (
            f"{interpreter.path} is managed by the system and takes no packages; make a virtual environment "
            f"(python -m venv .venv) and install {distribution} there"
        )
    if "no module named pip" in lower:
        return f"{interpreter.path} has no pip; run `{interpreter.path} -m ensurepip`, or install uv"
    if (
        "no matching distribution" in lower
        or "not found in the package registry" in lower
        or "no solution found" in lower
    ):
        return f"no package {distribution} fits this Python; check the name, or another version of Python"
    if any(word in lower for word in ("connection", "dns", "name resolution", "timed out", "network")):
        return f"the package index could not be reached; check the network, then install {distribution} again"
    return f"{distribution} could not be installed; the output says why"
