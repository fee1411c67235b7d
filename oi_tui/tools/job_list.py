"""Executor `job_list`: the commands in the background, those that run and those that have ended."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools import job_facts
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument


def preview(ctx: Context, active: bool = False, limit: int = 20) -> Preview:
    """active: only those that run. limit: most jobs, newest kept."""
    if limit < 1:
        raise BadArgument("limit must be 1 or more")
    return Preview("tool", "", "jobs", "list the jobs")


async def run(ctx: Context, active: bool = False, limit: int = 20) -> Result:
    """List them, and agents in the background (with `agent`). meta["jobs"]: objects with job, status, command,
    description, pid, seconds, exit_code."""
    preview(ctx, active, limit)
    jobs = ctx.computer.jobs
    rows: list[dict[str, Any]] = [
        {**job_facts.facts(one), "job": one.id, "seconds": round(one.seconds, 1), "exit_code": one.exit_code}
        for one in (jobs.all() if jobs else [])
    ]
    agents = ctx.host.agents() if ctx.host is not None else ()
    rows += [{"description": one["command"], "pid": None, "exit_code": None, **one} for one in agents]
    rows = [one for one in rows if one["status"] == "running" or not active][-limit:]
    lines = [_line(row) for row in rows]
    summary = f"{len(rows)} job{'s' * (len(rows) != 1)}"
    return Result(ok=True, text="\n".join(lines) or "there are no jobs", meta={"jobs": rows, "summary": summary})


def _line(row: dict[str, Any]) -> str:
    code = f" (exit {row['exit_code']})" if row["exit_code"] is not None else ""
    return f"{row['job']}: {row['status']}{code}, {row['seconds']:g} s: {row['command']}"
