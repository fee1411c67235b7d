"""Typing on X11, whatever the layout of the keyboard: keys that have a character are pressed, and one that no key has
is put on a free key for that moment. pyautogui takes every keyboard for an American one and leaves out all else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from oi_tui.computer.devices.screen import x_display

_SETTLE = 0.05  # seconds that programs get to learn of a new key
_NAMES = {"\n": 0xFF0D, "\r": 0xFF0D, "\t": 0xFF09, "\b": 0xFF08, "\x1b": 0xFF1B}


def type_text(text: str, interval: float, check: Callable[[], object]) -> None:
    """Type it. interval: seconds between characters. check: called before each; it raises to stop."""

    screen = x_display()
    spare = _spare(screen)
    try:
        for character in text.replace("\r\n", "\n"):
            check()
            keysym = _keysym(character)
            code, shift = _key(screen, keysym)
            if not code:
                _put(screen, spare, keysym)
                code = spare
            _press(screen, code, shift)
            if code == spare:
                time.sleep(_SETTLE)
            if interval:
                time.sleep(interval)
    finally:
        _put(screen, spare, 0)
        screen.close()


def _keysym(character: str) -> int:
    """Source: X Window System Protocol, appendix A: Latin-1 as it is, the rest of Unicode above 0x01000000."""
    number = ord(character)
    if character in _NAMES:
        return _NAMES[character]
    return number if 0x20 <= number <= 0x7E or 0xA0 <= number <= 0xFF else 0x01000000 + number


def _key(screen: Any, keysym: int) -> tuple[int, bool]:
    """The key that has it, by itself or with shift; (0, False) for none."""
    for code, level in screen.keysym_to_keycodes(keysym):
        if level in (0, 1):
            return code, level == 1
    return 0, False


def _spare(screen: Any) -> int:
    """A key without a meaning; the last one where all have some."""
    first, last = screen.display.info.min_keycode, screen.display.info.max_keycode
    rows = screen.get_keyboard_mapping(first, last - first + 1)
    return next((first + at for at in range(len(rows) - 1, -1, -1) if not any(rows[at])), last)


def _put(screen: Any, code: int, keysym: int) -> None:
    screen.change_keyboard_mapping(code, [(keysym, keysym)])
    screen.sync()
    if keysym:
        time.sleep(_SETTLE)


def _press(screen: Any, code: int, shift: bool) -> None:
    from Xlib import XK, X
    from Xlib.ext.xtest import fake_input

    held = screen.keysym_to_keycode(XK.XK_Shift_L) if shift else 0
    if held:
        fake_input(screen, X.KeyPress, held)
    fake_input(screen, X.KeyPress, code)
    fake_input(screen, X.KeyRelease, code)
    if held:
        fake_input(screen, X.KeyRelease, held)
    screen.sync()
