"""Executor `job_stop`: ends a job with all that it started; or every job."""

from __future__ import annotations

import asyncio

from oi_tui.protocol.calls import Result
from oi_tui.tools import job_facts
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument


def preview(ctx: Context, id: str = "", every: bool = False, reason: str = "") -> Preview:
    """id: of the job. every: all of them. reason: for the person."""
    if not id and not every:
        raise BadArgument("say which job, or every")
    if ctx.host is not None and not every and ctx.host.has_agent(id.strip()):
        return Preview("tool", "", f"stop agent {id}: {reason}" if reason else f"stop agent {id}", f"stop agent {id}")
    what = "stop every job" if every else f"stop job {job_facts.find(ctx, id).id}"
    return Preview("tool", "", f"{what}: {reason}" if reason else what, what)


async def run(ctx: Context, id: str = "", every: bool = False, reason: str = "") -> Result:
    """Stop it. text: one line a job. meta: as `job_output` for one; `stopped`: ids."""
    preview(ctx, id, every, reason)
    if ctx.host is not None and not every and ctx.host.has_agent(id.strip()):
        ran = await ctx.host.agent_stop(id.strip())
        text = f"agent {id}: {'stopped' if ran else 'had ended'}"
        facts = next((one for one in ctx.host.agents() if one["job"] == id.strip()), {"job": id.strip()})
        return Result(ok=True, text=text, meta={**facts, "stopped": [id.strip()] * ran, "summary": text})
    jobs = ctx.computer.jobs
    wanted = ([one for one in jobs.all() if one.running] if jobs else []) if every else [job_facts.find(ctx, id)]
    running = [one.id for one in wanted if one.running or one.lingers()]
    await asyncio.gather(*(one.stop() for one in wanted))
    rows = [f"job {one.id}: {'stopped' if one.id in running else 'had ended'}" for one in wanted]
    meta = {**(job_facts.facts(wanted[0]) if len(wanted) == 1 else {}), "stopped": running}
    meta["summary"] = f"{len(running)} stopped"
    return Result(ok=True, text="\n".join(rows) or "no job runs", meta=meta)
