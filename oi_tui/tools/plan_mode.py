"""Executor `plan_mode`: begins plan mode, and ends it by putting the plan before the person."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools.ask import option
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, failure
from oi_tui.tools.places import read_regular

ACTIONS = ("enter", "exit")
MOST_OPTIONS = 3
LONGEST = 100_000  # bytes of a plan


def preview(
    ctx: Context,
    action: str,
    plan: str = "",
    options: list[Any] = [],  # noqa: B006 - read only
) -> Preview:
    """action: one of ACTIONS. plan: Markdown; left out, it is what stands in the plan's file. options: ways of doing it
    that are left to the person, at most MOST_OPTIONS objects with `label` and `description`."""
    if action not in ACTIONS:
        raise BadArgument(f"action must be one of {', '.join(ACTIONS)}, not {action!r}")
    if action == "enter":
        return Preview("tool", "", "", "begin plan mode")
    if not isinstance(options, list) or len(options) > MOST_OPTIONS:
        raise BadArgument(f"options must be a list of at most {MOST_OPTIONS} objects")
    for one in options:
        option(1, one)
    return Preview("tool", "", _plan(ctx, plan), "show the plan and ask whether to carry it out")


async def run(
    ctx: Context,
    action: str,
    plan: str = "",
    options: list[Any] = [],  # noqa: B006 - read only
) -> Result:
    """Do it. meta of `exit`: proposed (the plan), said (the person's answer), agreed, way (label of the option that was
    chosen), approval (mode from now on); ends (true: nobody is here, the plan is the end of the turn)."""
    if ctx.host is None:
        return failure("there is nobody to plan for here", "unavailable")
    if action == "enter":
        new = ctx.host.enter_plan()
        text = "Plan mode is on." if new else "Plan mode is on already."
        return Result(True, text, meta={"summary": "plan mode is on", "new": new})
    text = _plan(ctx, plan)
    answer = await ctx.host.put_plan(ctx.call_id, text, [option(1, one) for one in options])
    meta: dict[str, Any] = {"proposed": text}
    if answer is None:
        told = "The plan was given to the person; it is the end of this turn."
        return Result(True, told, meta={**meta, "ends": True, "summary": "planned"})
    meta |= {"said": answer.said, "agreed": answer.agreed, "way": answer.way, "approval": answer.approval}
    if answer.agreed:
        way = f" They chose: {answer.way}." if answer.way else ""
        return Result(
            True, f"The person agreed to the plan.{way} Carry it out now.", meta={**meta, "summary": "agreed"}
        )
    said = f"They say: {answer.reason}" if answer.reason else "They have not said why; ask if it is not clear."
    return Result(
        False,
        f"The person does not agree to the plan yet; plan mode stays on. {said}",
        rejected=True,
        meta=meta,
    )


def _plan(ctx: Context, plan: str) -> str:
    if not ctx.memory.get("planning"):
        raise BadArgument("plan mode is not on, so there is no plan to agree to; go on with the work", "unavailable")
    if plan.strip():
        return plan.strip()[:LONGEST]
    try:
        text = read_regular(str(ctx.memory.get("plan_file")), LONGEST).decode("utf-8", "replace").strip()
    except FileNotFoundError:
        text = ""
    if not text:
        raise BadArgument(
            f"there is no plan yet: write it to {ctx.memory.get('plan_file')}, then call this again", "missing"
        )
    return text
