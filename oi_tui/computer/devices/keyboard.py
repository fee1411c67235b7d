"""`computer.keyboard`: types text and presses keys."""

from __future__ import annotations

import os
import sys
from typing import Any

from oi_tui.computer.devices import screen
from oi_tui.computer.devices.base import Device, DeviceError, is_mac

_PAUSE = 0.15  # seconds before and after keys
_FEW = 5  # lines; a longer text is pasted at once
_MODIFIERS = {"command": "command", "cmd": "command", "option": "option", "alt": "option", "ctrl": "control",
              "control": "control", "shift": "shift"}  # fmt: skip


class Keyboard(Device):
    """The keyboard. Names of keys are those of pyautogui: "enter", "ctrl", "pageup", "f5", "a"."""

    def write(self, text: str, interval: float | None = None, delay: float = 0.30, **kwargs: Any) -> None:
        """Type text where the cursor is. With an interval (seconds) key by key, else through the clipboard, which is
        put back afterwards; on X11, where terminals have another key for that, always key by key."""
        screen.pause(delay / 2)
        if interval is not None or _on_x11() or not self._pastes():
            type_out(text, interval or 0.0)
        else:
            self._paste(text)
        screen.pause(delay / 2)

    def press(self, *args: Any, presses: int = 1, interval: float = 0.1) -> None:
        """Press and release keys, one after another."""
        keys = [key_name(one) for arg in args for one in (arg if isinstance(arg, list | tuple) else (arg,))]
        screen.pause(_PAUSE)
        screen.acting("press", keys, presses=presses, interval=interval)
        screen.pause(_PAUSE)

    def press_and_release(self, *args: Any, presses: int = 1, interval: float = 0.1) -> None:
        """The same as press."""
        self.press(*args, presses=presses, interval=interval)

    def hotkey(self, *args: Any, interval: float = 0.1) -> None:
        """Press keys together: hotkey("ctrl", "c")."""
        keys = [key_name(one) for arg in args for one in (arg if isinstance(arg, list | tuple) else (arg,))]
        screen.pause(_PAUSE)
        if is_mac() and len(keys) == 2 and keys[0] in _MODIFIERS:
            from oi_tui.computer.devices.applescript import run

            screen.acting("failSafeCheck")
            run(hotkey_script(*keys))
        else:
            screen.acting("hotkey", *keys, interval=min(interval, 0.1))
        screen.pause(_PAUSE)

    def down(self, key: str) -> None:
        """Hold a key down."""
        screen.acting("keyDown", key_name(key))

    def up(self, key: str) -> None:
        """Let go of a key."""
        screen.acting("keyUp", key_name(key))

    def _pastes(self) -> bool:
        try:
            self.computer.clipboard.view()
        except DeviceError:
            return False
        return True

    def _paste(self, text: str) -> None:
        before = self.computer.clipboard.view()
        lines = text.split("\n")
        try:
            if len(lines) < _FEW:
                for number, line in enumerate(lines):
                    if number:
                        screen.acting("press", "enter")
                    if line:
                        self._paste_one(line)
            else:
                self._paste_one(text.removesuffix("\n"))
                if text.endswith("\n"):
                    screen.acting("press", "enter")
        finally:
            self.computer.clipboard.copy(before)

    def _paste_one(self, text: str) -> None:
        self.computer.clipboard.copy(text)
        self.computer.clipboard.paste()
        screen.pause(0.1)  # the program reads the clipboard when it gets to it


def type_out(text: str, interval: float) -> None:
    """Type key by key. interval: seconds between two."""
    if _on_x11():
        from oi_tui.computer.devices.typing_x11 import type_text

        library = screen.gui()
        try:
            type_text(text, interval, library.failSafeCheck)
        except library.FailSafeException:
            raise screen.Stopped(screen.CORNER) from None
    else:
        screen.acting("write", text, interval=interval)


def hotkey_script(modifier: str, key: str) -> str:
    """AppleScript that presses a key with a modifier."""
    from oi_tui.computer.devices.applescript import quoted

    if len(key) == 1:
        pressed = f"keystroke {quoted(key)}"
    else:
        codes = {"enter": 36, "return": 36, "tab": 48, "space": 49, "delete": 51, "backspace": 51, "esc": 53,
                 "escape": 53, "left": 123, "right": 124, "down": 125, "up": 126}  # fmt: skip
        if key not in codes:
            raise DeviceError(f"there is no key {key!r} for a hotkey here; there are letters and {', '.join(codes)}")
        pressed = f"key code {codes[key]}"
    return f'tell application "System Events" to {pressed} using {_MODIFIERS[modifier]} down'


def _on_x11() -> bool:
    return sys.platform.startswith("linux") and bool(os.environ.get("DISPLAY"))


def key_name(name: Any) -> str:
    """A key as pyautogui calls it. Raises ValueError for one that it does not have."""
    key = str(name) if len(str(name)) == 1 else str(name).strip().lower().replace(" ", "")
    key = {"control": "ctrl", "return": "enter", "escape": "esc", "cmd": "command", "super": "win"}.get(key, key)
    if key == "command" and not is_mac():
        key = "win"
    library = screen.gui()
    if len(key) > 1 and key not in library.KEYBOARD_KEYS:
        from difflib import get_close_matches

        near = get_close_matches(key, library.KEYBOARD_KEYS, 3)
        raise ValueError(f"there is no key {name!r}{f'; did you mean {near[0]}?' if near else ''}")
    return key
