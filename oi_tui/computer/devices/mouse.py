"""`computer.mouse`: moves to what is seen on the screen, and clicks."""

from __future__ import annotations

from typing import Any

from oi_tui.computer.devices import screen
from oi_tui.computer.devices.base import Device, DeviceError, Stopped

_MOVING = 0.4  # seconds that a movement takes, so that a person can see it and stop it
_ADVICE = "Coordinates are easily wrong: where the target has a text on it, give that text instead."


class Mouse(Device):
    """The mouse. A target is a text on the screen, an icon (a picture of it, its file, or words for it), or x and y."""

    def move(
        self, *args: Any, x: float | None = None, y: float | None = None, icon: Any = None, text: str | None = None,
        screenshot: Any = None,
    ) -> None:  # fmt: skip
        """Move to a text on the screen, an icon, or coordinates x and y in pixels. Raises ValueError when it is not
        there, or more than once."""
        if len(args) > 1:
            raise ValueError(
                "give one text to move to, such as computer.mouse.move('Save'), or x=… and y=… for coordinates"
            )
        text = args[0] if args else text
        if x is not None and y is not None:
            self.computer.tell(_ADVICE)
            place = (float(x), float(y))
        elif text is not None:
            place = self._found(str(text), self._by_text(str(text), screenshot), screenshot)
        elif icon is not None:
            place = self._found(str(icon), self.computer.display.find_icon(icon, screenshot), screenshot)
        else:
            raise ValueError("say where to: a text, icon=…, or both x=… and y=…")
        screen.acting("moveTo", *place, duration=_MOVING, tween=screen.gui().easeInOutQuad)

    def _by_text(self, text: str, screenshot: Any) -> list[dict[str, Any]]:
        found = self.computer.display.find_text(text, screenshot)
        if found:
            return [one for one in found if one["similarity"] >= 1] or found
        try:
            return self.computer.display.find_icon(text, screenshot)
        except Stopped:
            raise
        except DeviceError:  # no model that could look for it
            return []

    def _found(self, what: str, found: list[dict[str, Any]], screenshot: Any) -> tuple[float, float]:
        """The one place, in the units of the mouse."""
        width, height = screen.size()
        places = [(one["coordinates"][0] * width, one["coordinates"][1] * height) for one in found]
        if not places:
            self._show(screenshot, [])
            raise ValueError(f"{what!r} is not on the screen; look at a screenshot, or give another text")
        if len(places) > 1:
            self._show(screenshot, found)
            listed = "; ".join(
                f"x={x:.0f}, y={y:.0f} ({one.get('text', what)})" for (x, y), one in zip(places, found, strict=True)
            )
            raise ValueError(f"{what!r} is there {len(places)} times: give x and y of one of them: {listed}")
        return places[0]

    def _show(self, screenshot: Any, found: list[dict[str, Any]]) -> None:
        """A picture of the screen with the places that were found, where pictures are wanted."""
        if self.computer.emit_images:
            picture = screenshot if screenshot is not None else screen.capture()
            self.computer.show(marked(picture, found) if found else picture)

    def click(self, *args: Any, button: str = "left", clicks: int = 1, interval: float = 0.1, **kwargs: Any) -> None:
        """Click, after moving to what is named as for `move`; without a target where the mouse is."""
        if args or kwargs:
            self.move(*args, **kwargs)
        screen.acting("click", button=button, clicks=clicks, interval=interval)

    def double_click(self, *args: Any, button: str = "left", interval: float = 0.1, **kwargs: Any) -> None:
        """Click twice."""
        self.click(*args, button=button, clicks=2, interval=interval, **kwargs)

    def triple_click(self, *args: Any, button: str = "left", interval: float = 0.1, **kwargs: Any) -> None:
        """Click three times."""
        self.click(*args, button=button, clicks=3, interval=interval, **kwargs)

    def right_click(self, *args: Any, **kwargs: Any) -> None:
        """Click with the right button."""
        self.click(*args, **{**kwargs, "button": "right"})

    def scroll(self, clicks: int) -> None:
        """Turn the wheel: up for a positive number, down for a negative one."""
        screen.acting("scroll", clicks)

    def position(self) -> tuple[int, int]:
        """Where the mouse is, as (x, y)."""
        x, y = screen.acting("position")
        return int(x), int(y)

    def down(self) -> None:
        """Hold the left button down."""
        screen.acting("mouseDown")

    def up(self) -> None:
        """Let go of the left button."""
        screen.acting("mouseUp")


def marked(picture: Any, found: list[dict[str, Any]]) -> Any:
    """A copy of the picture with a numbered cross at each place."""
    from PIL import ImageDraw

    made = picture.convert("RGB")
    draw = ImageDraw.Draw(made)
    for number, one in enumerate(found, 1):
        x, y = one["coordinates"][0] * made.width, one["coordinates"][1] * made.height
        draw.line([(x - 12, y), (x + 12, y)], fill="red", width=3)
        draw.line([(x, y - 12), (x, y + 12)], fill="red", width=3)
        draw.text((x + 14, y - 14), str(number), fill="red")
    return made
