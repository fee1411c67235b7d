from __future__ import annotations

from typing import Any

import pytest

from oi_tui.protocol.events import Event, PlanChanged
from oi_tui.tools import Context, get

STEPS = [
    {"step": "look  at\nit", "status": "completed"},
    {"step": "fix", "status": "in_progress"},
    {"step": "test", "status": "pending"},
]


async def test_a_plan_is_kept_and_published(ctx: Context, events: list[Event]) -> None:
    preview = get("plan").preview(ctx, steps=STEPS)
    assert preview.text == "[x] look at it\n[>] fix\n[ ] test"
    assert events == []
    assert "plan" not in ctx.memory
    result = await get("plan").run(ctx, steps=STEPS)
    assert result.ok
    assert result.meta["plan"] == {"pending": 1, "in_progress": 1, "completed": 1}
    assert result.meta["summary"] == "1 of 3 done"
    assert events == [PlanChanged((("look at it", "completed"), ("fix", "in_progress"), ("test", "pending")))]
    assert ctx.memory["plan"][1] == {"step": "fix", "status": "in_progress", "id": "2"}
    await get("plan").run(ctx, steps=[])
    assert events[-1] == PlanChanged(())


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ("x", "steps must be a list, not str"),
        (["x"], "step 1 must be an object"),
        ([{"status": "pending"}], "step 1 must be an object"),
        ([{"step": " ", "status": "pending"}], "step 1 is empty"),
        ([{"step": "a", "status": "done"}], "status of step 1 must be one of pending, in_progress, completed"),
        ([{"step": "a"}], "not None"),
        ([{"step": "a", "status": "in_progress"}] * 2, "at most one step may be in_progress, not 2"),
        ([{"step": "a", "status": "pending"}] * 201, "at most 200 steps"),
    ],
)
async def test_bad_plans_change_nothing(ctx: Context, events: list[Event], steps: Any, says: str) -> None:
    result = await get("plan").run(ctx, steps=steps)
    assert not result.ok
    assert says in result.text
    assert says in get("plan").preview(ctx, steps=steps).error
    assert events == []


async def test_steps_one_by_one(ctx: Context, events: list[Event]) -> None:
    run = get("plan").run
    added = await run(ctx, action="add", steps=[{"step": "a", "detail": "long"}, {"step": "b", "id": "x"}])
    assert [one["id"] for one in added.meta["items"]] == ["1", "x"]
    await run(ctx, action="update", id="1", fields={"status": "in_progress", "owner": "me"})
    await run(ctx, action="update", id="x", fields={"status": "in_progress"})
    assert events[-1] == PlanChanged((("a", "in_progress"), ("b", "in_progress")))
    gone = await run(ctx, action="update", id="x", fields={"status": "deleted"})
    assert gone.meta["item"]["status"] == "deleted"
    count = len(events)
    read = await run(ctx, action="read", id="1")
    assert read.meta["item"] == {"step": "a", "detail": "long", "status": "in_progress", "owner": "me", "id": "1"}
    assert read.text == "1. [>] a"
    assert len(events) == count
    for arguments in ({"id": "9"}, {"id": "1", "fields": {"status": "?"}}, {"id": "1", "fields": {"step": " "}}):
        assert not (await run(ctx, action="update", **arguments)).ok
    assert (await run(ctx, action="update", id="9")).meta["error"] == "missing"
