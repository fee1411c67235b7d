"""What is told of a command or a job: the shared shape of the results of `shell` and the `job_...` executors."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from oi_tui.computer.jobs import Job, lines_of
from oi_tui.computer.output import Capture
from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context
from oi_tui.tools.checked import BadArgument


def outcome(
    ctx: Context, job: Job, capture: Capture, limit: int, *, waited: float = 0.0, interrupted: bool = False
) -> Result:
    """The result for `capture`, a part of what `job` printed or all of it. waited: the time limit it ran under."""
    text, cut = capture.for_model(limit)
    timed_out = job.status == "timed out"
    meta = {**facts(job), "lines": lines_of(text), "printed": capture.length, "summary": _summary(job)}
    if job.order.split:
        meta["stderr"], meta["stderr_cut"] = job.errors.for_model(limit)
    if not job.running and job.whole.path:
        meta["output_path"] = job.whole.path
    notes: list[str] = []
    if job.lingers():
        meta["status"] = "running"
        notes.append(f"something that it started still runs, as job {job.id}")
    if cut and capture is job.whole and not job.whole.complete:
        notes.append("the file with the full text is incomplete: no space was left")
    return Result(
        ok=job.running or (job.exit_code == 0 and not interrupted and not timed_out),
        text=text,
        exit_code=job.exit_code,
        timed_out=timed_out,
        timeout_s=waited or None,
        interrupted=interrupted,
        cut=cut,
        path=job.output_path if cut or job.background else None,
        seconds=job.seconds,
        note="; ".join(notes) or None,
        meta=meta,
    )


def facts(job: Job) -> dict[str, Any]:
    """What is known of a job, as JSON."""
    found: dict[str, Any] = {
        "command": job.order.command,
        "description": job.order.description,
        "cwd": job.order.cwd,
        "pid": job.pid,
        "pgid": job.pid,
        "signal": job.signal,
        "status": job.status,
    }
    if job.background or job.running or job.lingers():
        found["job"] = job.id
        found["output_path"] = job.output_path
    return found


def find(ctx: Context, id: str) -> Job:
    """The job of that id. Raises BadArgument."""
    jobs = ctx.computer.jobs
    job = jobs.get(id) if jobs is not None else None
    if job is None:
        known = ", ".join(one.id for one in jobs.all()) if jobs is not None else ""
        raise BadArgument(f"there is no job {id!r}; " + (f"there are {known}" if known else "none runs"), "missing")
    return job


async def wait(job: Job, seconds: float, until_end: bool) -> None:
    """Until the job has ended, or (not `until_end`) has printed something; at most so long."""
    if not job.running:
        return
    event = job.ended if until_end else job.printed
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _summary(job: Job) -> str:
    if job.running:
        return f"job {job.id} runs"
    return "ok" if job.exit_code == 0 else f"exit {job.exit_code}"
