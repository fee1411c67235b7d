"""The screen and what acts on it, below mouse, keyboard and display: capture with mss, input with pyautogui."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui.computer.devices.base import DeviceError, Stopped, need

if TYPE_CHECKING:
    from PIL.Image import Image

CORNER = "the mouse was put into the top left corner of the screen: the person stopped this"
_NO_SCREEN = (
    "there is no screen here: DISPLAY is not set; run it in a desktop session, or without one under `xvfb-run -a`"
)
_gui: Any = None


def require() -> None:
    """Raises DeviceError, with the next step, where there is no screen to reach."""
    if not sys.platform.startswith("linux"):
        return
    if os.environ.get("DISPLAY"):
        if not os.environ.get("XAUTHORITY") and not Path("~/.Xauthority").expanduser().exists():
            os.environ["XAUTHORITY"] = os.devnull  # or Xlib fails where the server wants no key
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        raise DeviceError(
            "the screen of a Wayland session cannot be read or driven by other programs: log in to an Xorg session, or "
            "turn on XWayland so that DISPLAY is set"
        )
    raise DeviceError(_NO_SCREEN)


def gui() -> Any:
    """pyautogui, ready for use. Raises DeviceError where it cannot work."""
    global _gui
    require()
    if _gui is None:
        for window in ("mouseinfo", "pymsgbox"):  # they want Tk, end the program without it, and are of no use here
            if window not in sys.modules:
                sys.modules[window] = None  # pyright: ignore[reportArgumentType]
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # Xlib prints a warning where there are no keys
                made = need("pyautogui", "driving mouse and keyboard", "os")
        except DeviceError:
            raise
        except BaseException as error:  # of X libraries: no connection, no authority; KeyError without DISPLAY
            if isinstance(error, KeyboardInterrupt):
                raise
            raise DeviceError(_unreachable(error)) from None
        made.PAUSE = 0.02
        made.FAILSAFE = True
        made.FAILSAFE_POINTS = [(0, 0)]
        _gui = made
    return _gui


def x_display() -> Any:
    """A connection of one's own to the X server, for what pyautogui has not. Raises what Xlib raises."""
    from Xlib.display import Display

    with contextlib.redirect_stdout(io.StringIO()):
        return Display()


def _unreachable(error: BaseException) -> str:
    where = f" {os.environ['DISPLAY']}" if os.environ.get("DISPLAY") else ""
    said = " ".join(str(error).split()) or type(error).__name__
    return f"the screen{where} cannot be reached ({said}): check DISPLAY and XAUTHORITY, or start under `xvfb-run -a`"


def acting(function: str, *args: Any, **kwargs: Any) -> Any:
    """Call a function of pyautogui. Raises Stopped when the mouse lies in the corner, DeviceError when it fails."""
    library = gui()
    try:
        return getattr(library, function)(*args, **kwargs)
    except library.FailSafeException:
        raise Stopped(CORNER) from None
    except library.PyAutoGUIException as error:
        raise DeviceError(str(error)) from None
    except Exception as error:
        if type(error).__module__.startswith("Xlib"):
            raise DeviceError(_unreachable(error)) from None
        raise


def pause(seconds: float) -> None:
    """Wait, looking at the corner meanwhile. Raises Stopped."""
    end = time.monotonic() + seconds
    while True:
        acting("failSafeCheck")
        left = end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, 0.05))


def capture(screen: int = 0) -> Image:
    """A picture of one screen, from 0, or of all together (-1), as RGB. Raises DeviceError."""
    require()
    from PIL import Image

    mss = need("mss", "taking screenshots", "os")
    try:
        with mss.mss() as grabber:
            screens = grabber.monitors
            if not -1 <= screen < len(screens) - 1:
                raise DeviceError(f"there is no screen {screen}; there are {len(screens) - 1}, counted from 0")
            shot = grabber.grab(screens[screen + 1])
            return Image.frombytes("RGB", shot.size, shot.bgra, "raw", "BGRX")
    except mss.ScreenShotError as error:
        raise DeviceError(_unreachable(error)) from None


def count() -> int:
    """How many screens there are. Raises DeviceError."""
    require()
    mss = need("mss", "taking screenshots", "os")
    try:
        with mss.mss() as grabber:
            return len(grabber.monitors) - 1
    except mss.ScreenShotError as error:
        raise DeviceError(_unreachable(error)) from None


def size() -> tuple[int, int]:
    """Width and height of the main screen, in the units in which the mouse moves. Raises DeviceError."""
    width, height = acting("size")
    return int(width), int(height)
