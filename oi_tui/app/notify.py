"""Tells a person who looks elsewhere that the app waits for them: window title, bell, desktop notice.

Sequences: OSC 2 (xterm, window title), XTWINOPS 22/23 (xterm, push and pop the title), OSC 9 (iTerm2, ConEmu, kitty,
Ghostty, WezTerm: a desktop notice). Inside tmux OSC 9 is wrapped for pass-through.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

PUSH_TITLE = "\x1b[22;2t"
POP_TITLE = "\x1b[23;2t"
BELL = "\x07"
LONGEST = 120


def plain(text: str) -> str:
    """Text that is safe inside a control string: one line, printable signs only, at most LONGEST characters."""
    one_line = " ".join(text.split())
    return "".join(sign for sign in one_line if sign.isprintable())[:LONGEST]


def title(text: str) -> str:
    """The sequence that sets the window title."""
    return f"\x1b]2;{plain(text)}\x07"


def desktop_notice(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The sequence that asks the terminal for a desktop notice."""
    notice = f"\x1b]9;{plain(text)}\x07"
    if environment.get("TMUX"):
        return "\x1bPtmux;" + notice.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return notice


class Attention:
    """Calls for a person, once for each reason, only while the window has no focus. Says nothing while `quiet`: then
    another program has the terminal.

    write sends bytes to the terminal; focused says whether the window has the focus.
    """

    def __init__(self, write: Callable[[str], None], focused: Callable[[], bool]) -> None:
        self._write, self._focused = write, focused
        self._title = ""
        self._quiet = False

    @property
    def quiet(self) -> bool:
        """Has another program the terminal?"""
        return self._quiet

    @quiet.setter
    def quiet(self, is_so: bool) -> None:
        if self._quiet and not is_so and self._title:
            self._write(title(self._title))  # the other program may have set its own
        self._quiet = is_so

    def begin(self) -> None:
        """Remember the title that the window has now."""
        self._write(PUSH_TITLE)

    def show(self, text: str) -> None:
        """Set the window title, if it changes."""
        if text != self._title:
            self._title = text
            if not self.quiet:
                self._write(title(text))

    def call(self, text: str) -> None:
        """Ring and ask for a desktop notice, unless the person is looking."""
        if not self.quiet and not self._focused():
            self._write(BELL + desktop_notice(text))

    def end(self) -> None:
        """Give the window its old title back."""
        self._write(POP_TITLE)
