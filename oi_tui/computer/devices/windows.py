"""The window that is in front: its title and its place on the screen."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from oi_tui.computer.devices.screen import x_display


@dataclass(frozen=True, slots=True)
class Window:
    """In pixels of the screen."""

    title: str
    left: int
    top: int
    width: int
    height: int


def active() -> Window | None:
    """The window in front, None where there is none or the system does not tell."""
    try:
        if sys.platform.startswith("linux"):
            return _x11()
        return _mac() if sys.platform == "darwin" else _windows()
    except Exception:  # a window that closes meanwhile, an X server that is gone: then there is none
        return None


def titles() -> list[str]:
    """The titles of all windows, as far as the system tells."""
    try:
        if sys.platform.startswith("linux"):
            return _x11_titles()
        import pyautogui

        return [one for one in pyautogui.getAllTitles() if one.strip()]  # pyright: ignore[reportAttributeAccessIssue]
    except Exception:
        return []


def _x11() -> Window | None:
    from Xlib import X

    screen = x_display()
    try:
        root = screen.screen().root
        named = root.get_full_property(screen.get_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
        if named is not None and named.value and named.value[0]:
            window = screen.create_resource_object("window", named.value[0])
        else:  # no window manager
            window = screen.get_input_focus().focus
        if isinstance(window, int) or window.id == root.id:
            return None
        shape, place = window.get_geometry(), window.translate_coords(root, 0, 0)
        return Window(_title(screen, window), -place.x, -place.y, shape.width, shape.height)
    finally:
        screen.close()


def _title(screen: Any, window: Any) -> str:
    from Xlib import X

    for name in ("_NET_WM_NAME", "WM_NAME"):
        found = window.get_full_property(screen.get_atom(name), X.AnyPropertyType)
        if found is not None and found.value:
            return found.value.decode("utf-8", "replace") if isinstance(found.value, bytes) else str(found.value)
    return ""


def _x11_titles() -> list[str]:
    from Xlib import X

    screen = x_display()
    try:
        root = screen.screen().root
        listed = root.get_full_property(screen.get_atom("_NET_CLIENT_LIST"), X.AnyPropertyType)
        windows = (
            [screen.create_resource_object("window", one) for one in listed.value]
            if listed is not None
            else root.query_tree().children
        )
        return [title for title in (_title(screen, one) for one in windows) if title]
    finally:
        screen.close()


def _mac() -> Window | None:
    from oi_tui.computer.devices.applescript import run

    said = run(
        'tell application "System Events" to tell (first process whose frontmost is true) to tell front window\n'
        'set {x, y} to position\nset {w, h} to size\nreturn name & linefeed & x & " " & y & " " & w & " " & h\nend tell'
    )
    title, _, numbers = said.rpartition("\n")
    return Window(title, *map(int, numbers.split()))


def _windows() -> Window | None:
    import pyautogui

    window = pyautogui.getActiveWindow()  # pyright: ignore[reportAttributeAccessIssue]
    if window is None:
        return None
    return Window(window.title, window.left, window.top, window.width, window.height)
