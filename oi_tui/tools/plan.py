"""Executor `plan`: the steps a model has set itself, shown to the person; set at once, or one by one."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import PlanChanged
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

STATUSES = ("pending", "in_progress", "completed")
ACTIONS = ("set", "read", "add", "update")
_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
_MOST_STEPS = 200
_LONGEST = 1000  # characters of one step

Item = dict[str, Any]


def preview(
    ctx: Context,
    action: str = "set",
    steps: list[Any] = [],  # noqa: B006 - read only
    id: str = "",
    fields: dict[str, Any] = {},  # noqa: B006 - read only
) -> Preview:
    """action: one of ACTIONS. steps: objects with `step` (text) and `status` (one of STATUSES), at most one in
    progress. id, fields: of the step that is updated."""
    items, _ = _after(ctx, action, steps, id, fields)
    text = "\n".join(f"{_MARKS[one['status']]} {one['step']}" for one in items)
    what = "look at the plan" if action == "read" else f"set a plan of {len(items)} step{'s' * (len(items) != 1)}"
    return Preview("tool", "", text, what)


async def run(
    ctx: Context,
    action: str = "set",
    steps: list[Any] = [],  # noqa: B006 - read only
    id: str = "",
    fields: dict[str, Any] = {},  # noqa: B006 - read only
) -> Result:
    """Keep the plan in `memory["plan"]` and publish it. meta: plan (number of steps by status), items, item;
    for `set` also before: the items that were replaced."""
    items, item = _after(ctx, action, steps, id, fields)
    before: list[Item] = [dict(one) for one in ctx.memory.get("plan", ())]
    if action != "read":
        ctx.memory["plan"] = items
        ctx.publish(PlanChanged(tuple((one["step"], one["status"]) for one in items)))
    counts = {status: sum(1 for one in items if one["status"] == status) for status in STATUSES}
    text = "plan updated"
    if action == "read":
        rows = (f"{one['id']}. {_MARKS[one['status']]} {one['step']}" for one in items)
        text = "\n".join(rows) or "there is no plan"
    meta: dict[str, Any] = {"plan": counts, "items": items, "summary": f"{counts['completed']} of {len(items)} done"}
    if action == "set":
        meta["before"] = before
    if item is not None:
        meta["item"] = item
    return Result(ok=True, text=text, meta=meta)


def _after(
    ctx: Context, action: str, steps: list[Any], id: str, fields: dict[str, Any]
) -> tuple[list[Item], Item | None]:
    """The plan as it will be, and the step that was added or changed last."""
    if action not in ACTIONS:
        raise BadArgument(f"action must be one of {', '.join(ACTIONS)}, not {action!r}")
    items: list[Item] = [dict(one) for one in ctx.memory.get("plan", ())] if action != "set" else []
    item: Item | None = None
    if action in {"set", "add"}:
        for number, one in enumerate(steps, 1):
            item = _step(number, one, items, None if action == "set" else "pending")
            items.append(item)
    elif action == "update":
        item = _updated(items, id, fields)
    elif id:
        item = _found(items, id)
    if len(items) > _MOST_STEPS:
        raise BadArgument(f"a plan has at most {_MOST_STEPS} steps, not {len(items)}")
    running = sum(1 for one in items if one["status"] == "in_progress")
    if action == "set" and running > 1:
        raise BadArgument(f"at most one step may be in_progress, not {running}")
    return items, item


def _step(number: int, given: object, before: list[Item], unsaid: str | None) -> Item:
    if not isinstance(given, dict) or not isinstance(given.get("step"), str):
        raise BadArgument(f"step {number} must be an object with step (text) and status")
    text, status = " ".join(given["step"].split()), given.get("status", unsaid)
    if not text:
        raise BadArgument(f"step {number} is empty")
    if status not in STATUSES:
        raise BadArgument(f"status of step {number} must be one of {', '.join(STATUSES)}, not {status!r}")
    taken = {one["id"] for one in before}
    id = str(given.get("id") or "")
    if id in taken:
        raise BadArgument(f"step {number} has the id {id!r} of another step")
    return {**given, "step": text[:_LONGEST], "status": status, "id": id or _free(taken)}


def _free(taken: set[str]) -> str:
    numbers = [int(one) for one in taken if one.isdecimal()]
    return str(max(numbers, default=0) + 1)


def _updated(items: list[Item], id: str, fields: dict[str, Any]) -> Item:
    item = _found(items, id)
    status = fields.get("status", item["status"])
    if status == "deleted":
        items.remove(item)
        return {**item, "status": "deleted"}
    if status not in STATUSES:
        raise BadArgument(f"status must be one of {', '.join(STATUSES)}, not {status!r}")
    text = fields.get("step", item["step"])
    if not isinstance(text, str) or not text.strip():
        raise BadArgument("step must be text and not empty")
    item.update({**fields, "step": " ".join(text.split())[:_LONGEST], "status": status, "id": item["id"]})
    return item


def _found(items: list[Item], id: str) -> Item:
    for one in items:
        if one["id"] == id.strip():
            return one
    known = ", ".join(one["id"] for one in items) or "none"
    raise BadArgument(f"there is no step {id!r}; there are {known}", "missing")
