"""The tool by which a model works screen, mouse and keyboard: Anthropic's, and the same for any model that sees.

Claude knows the tool by its type and needs no description of it; every other model is told what the actions are.
Source: Anthropic's documentation, "Computer use tool".
"""

from __future__ import annotations

from functools import cache
from typing import Any

from harnesses import schemas as s
from harnesses.data import Binding
from oi_tui.protocol.calls import Result

NAME = "computer"
_ACTIONS = (
    "screenshot", "left_click", "right_click", "middle_click", "double_click", "triple_click", "mouse_move",
    "left_click_drag", "left_mouse_down", "left_mouse_up", "scroll", "type", "key", "hold_key", "wait",
    "cursor_position", "zoom",
)  # fmt: skip
_POINT = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


@cache
def binding(screen: tuple[int, int]) -> Binding:
    """The tool for a screen whose pictures have that size."""
    width, height = screen
    return Binding(
        NAME,
        f"Work the screen, mouse and keyboard of the person's computer. The screen has {width} x {height} pixels, 0,0 "
        "at its top left, a corner that is not for you. Every action answers with a screenshot; begin with "
        "`screenshot`, look before you click, and click the middle of things. The person sees each action and may stop "
        "you. type writes `text`; key presses keys such as ctrl+s, Return, Page_Down; hold_key holds them for "
        "`duration` seconds. Clicks and scroll hold the keys in `text` meanwhile. left_click_drag goes from "
        "`start_coordinate` to `coordinate`. zoom shows `region` larger.",
        s.arguments(
            ("action",),
            action=s.one_of(*_ACTIONS),
            coordinate={**_POINT, "description": "Where, [x, y]."},
            start_coordinate={**_POINT, "description": "Where a drag begins, [x, y]."},
            text=s.text("What to type, or keys."),
            scroll_direction=s.one_of("up", "down", "left", "right"),
            scroll_amount=s.whole("Clicks of the wheel."),
            duration=s.number("Seconds, for wait and hold_key."),
            region={**_POINT, "minItems": 4, "maxItems": 4, "description": "[left, top, right, bottom]."},
        ),
        "computer_use",
        title=title,
        render=_word,
    )


def title(arguments: dict[str, Any]) -> str:
    """One line for the person."""
    parts = [str(arguments.get("action", "")).replace("_", " ")]
    place = arguments.get("coordinate")
    if isinstance(place, list):
        parts.append(", ".join(map(str, place)))  # pyright: ignore[reportUnknownArgumentType]
    if arguments.get("text"):
        parts.append(repr(arguments["text"]))
    return " ".join(parts)


def typed(version: str, screen: tuple[int, int]) -> dict[str, Any]:
    """The tool as the Messages wire names it. version: its type, such as computer_20250124."""
    made: dict[str, Any] = {
        "type": version,
        "name": NAME,
        "display_width_px": screen[0],
        "display_height_px": screen[1],
    }
    return made | ({"enable_zoom": True} if version >= "computer_20251124" else {})


def _word(result: Result, _: dict[str, Any]) -> str:
    if result.rejected or not result.ok:
        return result.text or "It was not done."
    return result.text or ("Done." if result.images else "")
