"""Executor `job_output`: what a job has printed since it was last looked at, after waiting for it if wanted."""

from __future__ import annotations

from oi_tui.protocol.calls import Result
from oi_tui.tools import job_facts
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

LONGEST = 3600.0  # seconds


def preview(
    ctx: Context, id: str, wait_s: float = 0.0, until: str = "output", whole: bool = False, max_output: int = 0
) -> Preview:
    """id: of the job. wait_s: seconds to wait at most. until: `output` or `end`. whole: from its start."""
    _check(wait_s, until, max_output)
    if ctx.host is not None and ctx.host.has_agent(id.strip()):
        return Preview("tool", "", f"agent {id}", f"look at agent {id.strip()}")
    job = job_facts.find(ctx, id)
    return Preview("tool", "", f"job {job.id}: {job.order.command}", f"look at job {job.id}")


async def run(
    ctx: Context, id: str, wait_s: float = 0.0, until: str = "output", whole: bool = False, max_output: int = 0
) -> Result:
    """Look at it, or at an agent; see README.md for the result. Cancelling the task ends the waiting, not the job."""
    _check(wait_s, until, max_output)
    if ctx.host is not None and ctx.host.has_agent(id.strip()):
        return await ctx.host.agent_output(id.strip(), wait_s)
    job = job_facts.find(ctx, id)
    if wait_s:
        await job_facts.wait(job, wait_s, until == "end")
    fresh = job.fresh()
    return job_facts.outcome(ctx, job, job.whole if whole else fresh, max_output or ctx.max_output)


def _check(wait_s: float, until: str, max_output: int) -> None:
    if not 0 <= wait_s <= LONGEST:
        raise BadArgument(f"wait_s must be between 0 and {LONGEST:,.0f}, not {wait_s:g}")
    if until not in {"output", "end"}:
        raise BadArgument(f"until must be output or end, not {until!r}")
    if max_output < 0:
        raise BadArgument("max_output must be 0 or more")
