"""Executor `job_input`: types into a running job.

What a shell or an interpreter reads is code, so it is judged as code; a lone ctrl+c or ctrl+d is not.
"""

from __future__ import annotations

from oi_tui.protocol.calls import Result
from oi_tui.tools import job_facts
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, failure

_KEYS = {"\x03": "ctrl+c", "\x04": "ctrl+d", "\x1a": "ctrl+z", "\x1c": "ctrl+\\"}


def preview(
    ctx: Context, id: str, input: str = "", close: bool = False, wait_s: float = 0.25, max_output: int = 0
) -> Preview:
    """input: text as it is typed, with its line ends. close: ends its input. wait_s: seconds to wait for an answer."""
    job = _job(ctx, id, wait_s, max_output)
    if not input or input in _KEYS:
        what = f"send {_KEYS[input]} to job {job.id}" if input else f"look at job {job.id}"
        return Preview("tool", "", f"job {job.id}: {job.order.command}", what)
    what = f"type this into job {job.id} ({job.order.command[:60]})"
    return Preview("tool", "shell", input, what, reads=(job.order.cwd,))


async def run(
    ctx: Context, id: str, input: str = "", close: bool = False, wait_s: float = 0.25, max_output: int = 0
) -> Result:
    """Type it; the result is that of `job_output`."""
    job = _job(ctx, id, wait_s, max_output)
    try:
        if input:
            job.write(input)
        if close:
            job.close_input()
    except OSError:
        return failure(f"job {job.id} reads no input", "unavailable", **job_facts.facts(job))
    await job_facts.wait(job, wait_s, until_end=False)
    return job_facts.outcome(ctx, job, job.fresh(), max_output or ctx.max_output)


def _job(ctx: Context, id: str, wait_s: float, max_output: int) -> job_facts.Job:
    if not 0 <= wait_s <= 300 or max_output < 0:
        raise BadArgument("wait_s must be between 0 and 300, max_output 0 or more")
    job = job_facts.find(ctx, id)
    if not job.running:
        raise BadArgument(f"job {job.id} has ended", "unavailable", **job_facts.facts(job))
    return job
