"""Executor `shell`: one command in a fresh shell, waited for or in the background.

Where code runs on another machine, or in a container, only the shell of the session reaches it: the command then runs
there in a subshell, and what needs a process of our own (background, input, a terminal) is refused with a sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.computer.jobs import SHELLS, Job, Jobs, Order, TooManyJobs
from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import ConsoleOutput
from oi_tui.tools import code
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, failure
from oi_tui.tools.job_facts import outcome
from oi_tui.tools.places import locate, shown

LONGEST = 86_400.0  # seconds
_INTERRUPT = 1.0  # seconds that an interrupted command gets before it is killed


def preview(
    ctx: Context,
    command: str,
    workdir: str = "",
    timeout_s: float = 120.0,
    on_timeout: str = "kill",
    background: bool = False,
    stdin: str = "",
    tty: bool = False,
    shell: str = "",
    login: bool = False,
    split: bool = False,
    keep_folder: bool = False,
    env: dict[str, str] = {},  # noqa: B006 - read only
    max_output: int = 0,
    description: str = "",
    background_s: float = 0.0,
) -> Preview:
    """command: for a POSIX shell. Everything else as README.md says; `reads` of the preview is the folder."""
    _check(ctx, command, timeout_s, on_timeout, max_output, env, background_s)
    _check_shell(shell)
    folder = _folder(ctx, workdir, keep_folder)
    if ctx.computer.jobs is None and (background or tty or shell or env or on_timeout == "background"):
        raise BadArgument("code runs elsewhere: there a command can only be run and waited for", "unavailable")
    what = "start this in the background" if background else "run this shell"
    if stdin:  # what an interpreter reads is code as well: both are shown, and cannot be edited apart
        return Preview("tool", "shell", f"{command}\n\n--- its input ---\n{stdin}", what, reads=(folder,))
    return Preview("code", "shell", command, what, reads=(folder,), editable="command")


async def run(
    ctx: Context,
    command: str,
    workdir: str = "",
    timeout_s: float = 120.0,
    on_timeout: str = "kill",
    background: bool = False,
    stdin: str = "",
    tty: bool = False,
    shell: str = "",
    login: bool = False,
    split: bool = False,
    keep_folder: bool = False,
    env: dict[str, str] = {},  # noqa: B006 - read only
    max_output: int = 0,
    description: str = "",
    background_s: float = 0.0,
) -> Result:
    """Run it; see README.md for the result. Cancelling the task interrupts the command, then kills it; what it has
    printed is in the result, which then says `interrupted`."""
    _check(ctx, command, timeout_s, on_timeout, max_output, env, background_s)
    _check_shell(shell)
    folder = _folder(ctx, workdir, keep_folder)
    jobs = ctx.computer.jobs
    limit = max_output or ctx.max_output
    if jobs is None:
        return await _elsewhere(ctx, command, folder if workdir else "", timeout_s, limit, stdin)
    folder_file = str(jobs.scratch() / f"folder-{os.urandom(6).hex()}") if keep_folder and not background else ""
    order = Order(
        command, folder, description, shell, login, tty, split,
        stdin=None if (background or tty or on_timeout == "background") and not stdin else stdin,
        env=env, folder_file=folder_file, outside=ctx.outside,
    )  # fmt: skip
    try:
        paths.private_dir(ctx.outputs)
        job = jobs.start(order, ctx.outputs, limit)
    except TooManyJobs as error:
        return failure(str(error), "unavailable")
    if background:
        jobs.watch(job, background_s)
        return outcome(ctx, job, job.fresh(), limit)
    return await _through(ctx, jobs, job, timeout_s, on_timeout, limit)


async def _through(ctx: Context, jobs: Jobs, job: Job, timeout_s: float, on_timeout: str, limit: int) -> Result:
    """Wait for a command in the foreground, showing what it prints."""
    job.listener = lambda text, error: ctx.publish(ConsoleOutput(ctx.call_id, text, error))
    interrupted = False
    try:
        async with asyncio.timeout(timeout_s or None):
            await job.ended.wait()
    except TimeoutError:
        if on_timeout == "background":
            job.listener = None
            jobs.watch(job)
            return outcome(ctx, job, job.fresh(), limit, waited=timeout_s)
        await job.stop("timed out")
    except asyncio.CancelledError:
        interrupted = True
        await _interrupt(job)
    finally:
        job.listener = None
    _take_folder(ctx, job)
    result = outcome(ctx, job, job.whole, limit, waited=timeout_s, interrupted=interrupted)
    if job.lingers():
        jobs.watch(job)
    else:
        jobs.forget(job)
    return result


async def _interrupt(job: Job) -> None:
    job.halted = "stopped"
    job.write("\x03")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_INTERRUPT):
            await job.ended.wait()
    await job.stop()


def _take_folder(ctx: Context, job: Job) -> None:
    """The next command with `keep_folder` starts where this one ended."""
    if not job.order.folder_file:
        return
    file = Path(job.order.folder_file)
    with contextlib.suppress(OSError, ValueError):
        folder = file.read_text(encoding="utf-8", errors="surrogateescape").removesuffix("\n")
        if Path(folder).is_dir():
            ctx.memory["shell_folder"] = folder
    file.unlink(missing_ok=True)


async def _elsewhere(ctx: Context, command: str, folder: str, timeout_s: float, limit: int, stdin: str) -> Result:
    """In a subshell of the session's own shell, so that it changes nothing there."""
    fed = f"printf %s {shlex.quote(stdin)} | " if stdin else ""
    there = f"cd -- {shlex.quote(folder)} && " if folder else ""
    result = await code.run(ctx, "shell", f"({there}{fed}eval {shlex.quote(command)})", timeout_s, limit)
    result.meta.update(command=command, cwd=ctx.computer.cwd)
    return result


def _check(
    ctx: Context, command: str, timeout_s: float, on_timeout: str, max_output: int, env: dict[str, Any], apart_s: float
) -> None:
    if not command.strip():
        raise BadArgument("the command is empty")
    if "\0" in command:
        raise BadArgument("a command must not contain a NUL character")
    for seconds in (timeout_s, apart_s):
        if not 0 <= seconds <= LONGEST:
            raise BadArgument(f"the timeout must be between 0 (none) and {LONGEST:,.0f} s, not {seconds:g}")
    if on_timeout not in {"kill", "background"}:
        raise BadArgument(f"on_timeout must be kill or background, not {on_timeout!r}")
    if max_output < 0:
        raise BadArgument("max_output must be 0 or more")
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise BadArgument(f"{name!r} is no name of a variable")


def _check_shell(shell: str) -> None:
    """A person agrees to a command, not to the program that reads it: only the shells of the system may do that."""
    if not shell:
        return
    found = shutil.which(Path(shell).name) if Path(shell).name in SHELLS else None
    if found is None or ("/" in shell and os.path.realpath(shell) != os.path.realpath(found)):
        raise BadArgument(f"{shell} is no shell of this machine that is known; there may be {', '.join(SHELLS)}")


def _folder(ctx: Context, workdir: str, keep_folder: bool) -> str:
    """Where it would run, absolute."""
    kept = ctx.memory.get("shell_folder") if keep_folder else None
    if not workdir:
        return str(kept) if kept and Path(kept).is_dir() else os.path.realpath(ctx.cwd)
    if ctx.computer.jobs is None:
        return workdir
    folder = locate(ctx, workdir)
    if not Path(folder).is_dir():
        missing = not Path(folder).exists()
        raise BadArgument(f"{shown(ctx, folder)} is no folder to run in", "missing" if missing else "kind")
    return folder
