"""Executor `agent`: a sub-agent does a task with a context of its own and gives back its last words.

What it does is judged call by call, as the session's own calls are; an explorer may change nothing at all.
"""

from __future__ import annotations

from typing import Literal, cast

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import AgentTask, Context, Preview
from oi_tui.tools.checked import BadArgument, failure

KINDS = ("worker", "explorer")
LONGEST = 86_400.0  # seconds


def preview(
    ctx: Context,
    prompt: str,
    title: str = "",
    kind: str = "worker",
    model: str = "",
    resume: str = "",
    background: bool = False,
    timeout_s: float = 0.0,
) -> Preview:
    """prompt: all that it is told. title: a few words for the person. kind: one of KINDS. resume: id of an agent of
    this session to go on with. background: do not wait for it. timeout_s: seconds after which it is stopped, 0 for
    never."""
    task = _task(prompt, title, kind, model, resume, background, timeout_s)
    return Preview("tool", "", prompt, f"let an agent do this: {task.title}")


async def run(
    ctx: Context,
    prompt: str,
    title: str = "",
    kind: str = "worker",
    model: str = "",
    resume: str = "",
    background: bool = False,
    timeout_s: float = 0.0,
) -> Result:
    """Let it work. meta: agent (id), steps, seconds, reason; in the background job (the same id) and status."""
    task = _task(prompt, title, kind, model, resume, background, timeout_s)
    if ctx.host is None:
        return failure("there is nobody to start an agent here", "unavailable")
    return await ctx.host.agent(ctx.call_id, task)


def _task(prompt: str, title: str, kind: str, model: str, resume: str, background: bool, timeout_s: float) -> AgentTask:
    if not prompt.strip():
        raise BadArgument("the prompt is empty")
    if kind not in KINDS:
        raise BadArgument(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if not 0 <= timeout_s <= LONGEST:
        raise BadArgument(f"timeout_s must be between 0 (none) and {LONGEST:,.0f}, not {timeout_s:g}")
    words = title.strip() or " ".join(prompt.split())[:60]
    known = cast("Literal['worker', 'explorer']", kind)
    return AgentTask(prompt, words, known, model.strip(), resume.strip(), background, timeout_s)
