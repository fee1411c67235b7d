"""What the `computer` tool does: one action of Anthropic's computer tool, then a look at the screen.

Names and parameters of the actions are those of that tool in its three versions; coordinates are of the pictures that
the model was shown. Source: Anthropic's documentation, "Computer use tool".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oi_tui.computer.devices import keyboard, screen
from oi_tui.computer.devices.base import Device
from oi_tui.computer.devices.scaling import Scale

_SETTLE = 0.8  # seconds that the screen gets to change before it is looked at
_KEYSTROKE = 0.012  # seconds between two
_LONGEST = 100.0  # seconds that a model may wait or hold a key
_TURN = 3  # clicks of the wheel, where the model does not say
_KEYS = {"return": "enter", "page_up": "pageup", "pgup": "pageup", "prior": "pageup", "page_down": "pagedown",
         "pgdn": "pagedown", "next": "pagedown", "control_l": "ctrl", "control_r": "ctrl", "alt_l": "alt",
         "shift_l": "shift", "super": "win", "super_l": "win", "meta": "win", "cmd": "win", "escape": "esc",
         "caps_lock": "capslock", "back_space": "backspace", "print": "printscreen", "minus": "-", "plus": "+",
         "equal": "=", "comma": ",", "period": ".", "slash": "/"}  # fmt: skip


class Hands(Device):
    """Acts on the screen for a model that looks at it."""

    def look(self) -> dict[str, Any]:
        """The screen as the model sees it: `picture`, `width` and `height` of it."""
        scale = self._scale()
        picture = screen.capture()
        if picture.size != scale.shown:
            from PIL import Image

            picture = picture.resize(scale.shown, Image.Resampling.LANCZOS)
        return {"picture": picture, "width": scale.shown[0], "height": scale.shown[1]}

    def size(self) -> tuple[int, int]:
        """Width and height of the pictures that `look` gives."""
        return self._scale().shown

    def act(
        self, action: str, coordinate: Any = None, text: str = "", start_coordinate: Any = None,
        scroll_direction: str = "", scroll_amount: int | None = None, duration: float | None = None, region: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Do it, then look. Returns `text` and what `look` returns; `cursor_position` has no picture. Raises ValueError
        for what fits no action, Stopped when the person stopped it."""
        screen.acting("failSafeCheck")
        if action == "screenshot":
            return {"text": "", **self.look()}
        if action == "cursor_position":
            x, y = self._scale().to_shown(*screen.acting("position"))
            return {"text": f"X={x},Y={y}"}
        if action == "zoom":
            return {"text": "", **self._zoom(region)}
        if action == "scroll":
            self._scroll(coordinate, scroll_direction, scroll_amount, text)
        elif action == "left_click_drag":
            self._drag(start_coordinate, coordinate)
        elif action in ("wait", "hold_key"):
            self._last(action, text, duration)
        else:
            self._simple(action, coordinate, text)
        screen.pause(_SETTLE)
        return {"text": "", **self.look()}

    def _simple(self, action: str, coordinate: Any, text: str) -> None:
        clicks: dict[str, tuple[str, int]] = {
            "left_click": ("left", 1), "right_click": ("right", 1), "middle_click": ("middle", 1),
            "double_click": ("left", 2), "triple_click": ("left", 3),
        }  # fmt: skip
        if action in clicks:
            button, count = clicks[action]
            self._to(coordinate)
            self._holding(text, lambda: screen.acting("click", button=button, clicks=count, interval=0.1))
        elif action == "mouse_move":
            if coordinate is None:
                raise ValueError("mouse_move needs a coordinate")
            self._to(coordinate)
        elif action in ("left_mouse_down", "left_mouse_up"):
            self._to(coordinate)
            screen.acting("mouseDown" if action == "left_mouse_down" else "mouseUp")
        elif action == "key":
            keys = _keys(text)
            screen.acting("hotkey", *keys, interval=0.02)
        elif action == "type":
            if not text:
                raise ValueError("type needs a text")
            keyboard.type_out(text, _KEYSTROKE)
        else:
            raise ValueError(f"there is no action {action!r}")

    def _to(self, coordinate: Any, duration: float = 0.3) -> None:
        """Move there; None stays. The corner is not for models: it is where the person stops them."""
        if coordinate is None:
            return
        x, y = self._place(coordinate)
        screen.acting("moveTo", x, y, duration=duration, tween=screen.gui().easeInOutQuad)

    def _place(self, coordinate: Any) -> tuple[int, int]:
        try:
            x, y = (float(one) for one in coordinate)
        except (TypeError, ValueError):
            raise ValueError(f"a coordinate is [x, y], not {coordinate!r}") from None
        place = self._scale().to_screen(x, y)
        if place == (0, 0):
            raise ValueError("the top left corner is where the person stops you; choose another place")
        return place

    def _drag(self, start: Any, end: Any) -> None:
        if end is None:
            raise ValueError("left_click_drag needs a coordinate to drag to")
        self._to(start)
        target = self._place(end)
        try:
            screen.acting("mouseDown")
            screen.acting("moveTo", *target, duration=0.5)
        finally:
            screen.gui().mouseUp(_pause=False)

    def _scroll(self, coordinate: Any, direction: str, amount: int | None, text: str) -> None:
        turns = abs(int(amount)) if amount is not None else _TURN
        if direction not in ("up", "down", "left", "right"):
            raise ValueError("scroll_direction is up, down, left or right")
        self._to(coordinate)
        function = "scroll" if direction in ("up", "down") else "hscroll"
        sign = 1 if direction in ("up", "right") else -1
        self._holding(text, lambda: screen.acting(function, sign * turns))

    def _last(self, action: str, text: str, duration: float | None) -> None:
        seconds = float(duration) if duration is not None else 1.0
        if not 0 <= seconds <= _LONGEST:
            raise ValueError(f"duration is 0 to {_LONGEST:g} seconds")
        if action == "wait":
            screen.pause(seconds)
        else:
            self._holding(text or "", lambda: screen.pause(seconds), needed=True)

    def _holding(self, text: str, do: Callable[[], object], needed: bool = False) -> None:
        """Do something while keys are held down; whatever happens, they are let go."""
        keys = _keys(text) if text or needed else []
        held: list[str] = []
        try:
            for one in keys:
                screen.acting("keyDown", one)
                held.append(one)
            do()
        finally:
            for one in reversed(held):
                screen.gui().platformModule._keyUp(one)

    def _zoom(self, region: Any) -> dict[str, Any]:
        """A part of the screen in its full sharpness; region: [left, top, right, bottom]."""
        try:
            left, top, right, bottom = (float(one) for one in region)
        except (TypeError, ValueError):
            raise ValueError("zoom needs region: [left, top, right, bottom]") from None
        scale, whole = self._scale(), screen.capture()
        if not (0 <= left < right <= scale.shown[0] and 0 <= top < bottom <= scale.shown[1]):
            raise ValueError(f"region lies within {scale.shown[0]} x {scale.shown[1]}, left before right, top first")
        x, y = whole.width / scale.shown[0], whole.height / scale.shown[1]
        part = whole.crop((round(left * x), round(top * y), round(right * x), round(bottom * y)))
        larger = min(scale.shown[0] / part.width, scale.shown[1] / part.height)
        part = part.resize((max(1, round(part.width * larger)), max(1, round(part.height * larger))))
        return {"picture": part, "width": part.width, "height": part.height}

    @staticmethod
    def _scale() -> Scale:
        return Scale.of(*screen.size())


def _keys(text: str) -> list[str]:
    """The keys of a combination such as `ctrl+shift+t`. Raises ValueError for one that there is not."""
    parts = text.strip().split("+") if text.strip() != "+" else ["+"]
    named = [one.strip() if len(one.strip()) == 1 else one.strip().lower() for one in parts if one.strip()]
    if not named:
        raise ValueError("say which key: text is empty")
    return [keyboard.key_name(_KEYS.get(one, one.replace("_", ""))) for one in named]
