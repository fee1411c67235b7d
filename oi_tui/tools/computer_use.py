"""Executor `computer_use`: one action on the screen of this machine, then a picture of it."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Image, Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

LOOKS = ("screenshot", "cursor_position", "zoom", "wait")  # actions that change nothing
ACTIONS = (
    *LOOKS, "mouse_move", "left_click", "right_click", "middle_click", "double_click", "triple_click",
    "left_click_drag", "left_mouse_down", "left_mouse_up", "scroll", "key", "hold_key", "type",
)  # fmt: skip
_SHOWN = 60  # characters of a text in one line


def preview(
    ctx: Context, action: str, coordinate: list[Any] = [], text: str = "", start_coordinate: list[Any] = [],  # noqa: B006
    scroll_direction: str = "", scroll_amount: int = -1, duration: float = -1.0, region: list[Any] = [],  # noqa: B006
) -> Preview:  # fmt: skip
    """action: one of ACTIONS. coordinate, start_coordinate: [x, y] in the picture. text: what to type, keys to press,
    or to hold meanwhile. scroll_amount: clicks of the wheel. duration: seconds. region: [left, top, right, bottom]."""
    if action not in ACTIONS:
        raise BadArgument(f"there is no action {action!r}; there are {', '.join(ACTIONS)}")
    if not ctx.computer.is_local:
        raise BadArgument("code runs elsewhere, so there is no screen to act on", "unavailable")
    parts = [action.replace("_", " ")]
    if start_coordinate:
        parts.append(f"from {_place(start_coordinate)} to")
    if coordinate:
        parts.append(_place(coordinate) if start_coordinate else f"at {_place(coordinate)}")
    if scroll_direction:
        parts.append(scroll_direction)
    if text:
        parts.append(repr(text))
    what = " ".join(parts)
    short = what if len(what) <= _SHOWN + 20 else f"{what[: _SHOWN + 19]}…"
    return Preview("tool", "", what, short, facts={"action": action})


def _place(coordinate: list[Any]) -> str:
    return ", ".join(f"{one}" for one in coordinate)


async def run(
    ctx: Context, action: str, coordinate: list[Any] = [], text: str = "", start_coordinate: list[Any] = [],  # noqa: B006
    scroll_direction: str = "", scroll_amount: int = -1, duration: float = -1.0, region: list[Any] = [],  # noqa: B006
) -> Result:  # fmt: skip
    """Do it. The result has a picture of the screen, but for cursor_position. meta: action, width, height."""
    from oi_tui.computer.devices.process import CallFailed
    from oi_tui.computer.devices.wire import PICTURE

    preview(ctx, action)
    given = {
        "coordinate": coordinate or None, "text": text, "start_coordinate": start_coordinate or None,
        "scroll_direction": scroll_direction, "scroll_amount": scroll_amount if scroll_amount >= 0 else None,
        "duration": duration if duration >= 0 else None, "region": region or None,
    }  # fmt: skip
    devices = ctx.computer.devices()
    devices.watch(True)
    try:
        found = await devices.call(ctx.cwd, "hands", "act", [action], given, lambda kind, what: None)
    except CallFailed as error:
        if error.kind == "Stopped":
            if ctx.computer.on_stopped is not None:
                ctx.computer.on_stopped(str(error))
            return Result(False, f"The person stopped this: {error}", interrupted=True, meta={"action": action})
        kind = "argument" if error.kind == "ValueError" else "failed"
        return Result(False, str(error), meta={"action": action, "error": kind})
    picture = found.get("picture")
    meta = {"action": action, "summary": action.replace("_", " ")}
    if picture is None:
        return Result(True, found["text"], meta=meta)
    data, size = picture[PICTURE], (int(found["width"]), int(found["height"]))
    image = Image(data, "png", None, *size)
    return Result(True, found["text"], images=(image,), meta={**meta, "width": size[0], "height": size[1]})
