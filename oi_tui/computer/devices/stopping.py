"""How a person stops what devices do, at once and whatever has the focus: the mouse in the top left corner, or a key
combination. Both are watched in a thread of the device process while a model has its hands on the machine.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from typing import Any

from oi_tui.computer.devices import screen
from oi_tui.computer.devices.base import need

KEYS = "ctrl+alt+q"
_BEAT = 0.04  # seconds between two looks; a key press lasts about twice as long
_CORNER = 5  # pixels
_BY_KEY = f"the person stopped this with {KEYS}"


class Watch:
    """Tells `stop` why, once for each time that the person stops it. Raises nothing: without a screen it ends."""

    def __init__(self, stop: Callable[[str], object]) -> None:
        self._stop = stop
        self._over = threading.Event()
        threading.Thread(target=self._run, name="oi-stop-watch", daemon=True).start()

    def end(self) -> None:
        """Watch no longer."""
        self._over.set()

    def _run(self) -> None:
        with contextlib.suppress(Exception):  # a screen that is gone needs no watching
            look = _looker()
            before = ""
            while not self._over.wait(_BEAT):
                found = look()
                if found and found != before:
                    self._stop(found)
                before = found


def _looker() -> Callable[[], str]:
    """Gives why to stop now, "" for no reason."""
    if sys.platform.startswith("linux"):
        return _x11()
    library = screen.gui()
    pressed = _pressed_windows if sys.platform == "win32" else _pressed_mac

    def look() -> str:
        x, y = library.position()
        if x <= _CORNER and y <= _CORNER:
            return screen.CORNER
        return _BY_KEY if pressed() else ""

    return look


def _x11() -> Callable[[], str]:
    """On a connection of its own, since Xlib's are not for two threads."""
    from Xlib import XK

    display = screen.x_display()
    root = display.screen().root
    needed = [
        [code for code, _ in display.keysym_to_keycodes(keysym)] for keysym in (XK.XK_Control_L, XK.XK_Alt_L, XK.XK_q)
    ]

    def look() -> str:
        at: Any = root.query_pointer()
        if at.root_x <= _CORNER and at.root_y <= _CORNER:
            return screen.CORNER
        keys = display.query_keymap()
        down = all(any(keys[code // 8] >> code % 8 & 1 for code in codes) for codes in needed)
        return _BY_KEY if down else ""

    return look


def _pressed_windows() -> bool:
    import ctypes

    state = ctypes.windll.user32.GetAsyncKeyState  # pyright: ignore[reportAttributeAccessIssue]
    return all(state(key) & 0x8000 for key in (0x11, 0x12, 0x51))  # control, alt, q


def _pressed_mac() -> bool:
    quartz = need("Quartz", "watching the keyboard", "os")  # it comes with pyautogui there
    return all(quartz.CGEventSourceKeyState(1, key) for key in (59, 58, 12))  # control, option, q
