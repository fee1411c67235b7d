"""Copying to the clipboard, by the way that fits the place, and saying truly how it was done.

On the person's own desktop a clipboard program is used and read back. Inside tmux its buffer is set, which passes the
text on to the terminal. Anything else, SSH above all, goes through the terminal with OSC 52 (xterm control sequences,
"Manipulate Selection Data"), which no program can verify: then the words say so.
"""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from sys import platform

# Terminals cut longer sequences or drop them: xterm and others take about 100,000 bytes of base64.
OSC52_BYTES = 100_000
TMUX_SECONDS = 2


class CopyFailed(Exception):
    """Nothing worked; str() says why, `hint` what to do instead."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Copied:
    """way: how, as words that go on from "copied". sure: it was read back."""

    way: str
    sure: bool


def copy(text: str, osc52: Callable[[str], None] | None, environ: Mapping[str, str] | None = None) -> Copied:
    """Copy `text`. May wait for a clipboard program: call it outside the event loop.

    Args:
        text: what to copy.
        osc52: sends its argument to the terminal as OSC 52; None where there is no terminal.
        environ: environment variables, by default the program's own.

    Raises:
        CopyFailed: no way is open.
    """
    env = os.environ if environ is None else environ
    remote = bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
    if not remote and _desktop(env) and _native(text):
        return Copied("to the clipboard", sure=True)
    if env.get("TMUX") and _tmux(text, env):
        return Copied("to the tmux buffer and, if tmux may, the clipboard", sure=True)
    if osc52 is None:
        raise CopyFailed("there is no clipboard here", "install xclip or wl-clipboard, or save it to a file")
    size = len(base64.b64encode(text.encode("utf-8", "replace")))
    if size > OSC52_BYTES:
        raise CopyFailed(
            f"the terminal takes {OSC52_BYTES:,} bytes at once, this is {size:,}", "save it to a file with !cat > FILE"
        )
    osc52(text)
    return Copied("through the terminal (OSC 52), if it allows that", sure=False)


def _desktop(env: Mapping[str, str]) -> bool:
    """True where a clipboard program can have a clipboard to write to."""
    return platform in {"darwin", "win32"} or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))


def _native(text: str) -> bool:
    """Copy with the clipboard program that pyperclip finds and read it back. False if that did not work."""
    import pyperclip

    try:
        pyperclip.copy(text)
        return pyperclip.paste().replace("\r\n", "\n") == text.replace("\r\n", "\n")
    except (pyperclip.PyperclipException, OSError, subprocess.SubprocessError):
        return False


def _tmux(text: str, env: Mapping[str, str]) -> bool:
    """Set tmux's newest buffer (`-w` also passes it to the terminal's clipboard) and read it back."""
    data = text.encode("utf-8", "replace")
    try:
        for command in (["tmux", "load-buffer", "-w", "-"], ["tmux", "load-buffer", "-"]):
            done = subprocess.run(command, input=data, capture_output=True, timeout=TMUX_SECONDS, env=dict(env))
            if done.returncode == 0:
                break
        shown = subprocess.run(["tmux", "show-buffer"], capture_output=True, timeout=TMUX_SECONDS, env=dict(env))
    except (OSError, subprocess.SubprocessError):
        return False
    return shown.returncode == 0 and shown.stdout == data
