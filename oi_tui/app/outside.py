"""What lies outside the app: the person's own editor, the shell after Ctrl+Z, the browser, files that are saved."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oi_tui.commands.base import CommandError

_USUAL = ("sensible-editor", "nano", "vim", "vi")  # looked for where no variable names one


def editor_of(environ: Mapping[str, str] | None = None) -> list[str]:
    """The command of the person's editor: $VISUAL, else $EDITOR, else a usual one. Raises CommandError for none."""
    env = os.environ if environ is None else environ
    named = env.get("VISUAL") or env.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise CommandError(
            f"$EDITOR cannot be read: {error}", "set it to the name of a program, such as nano"
        ) from error
    if words:
        if shutil.which(words[0], path=env.get("PATH")) is None:
            raise CommandError(
                f"there is no program {words[0]!r}, which $EDITOR names", "export EDITOR=nano, then again"
            )
        return words
    found = next((one for one in _USUAL if shutil.which(one, path=env.get("PATH"))), None)
    if found is None:
        raise CommandError("there is no editor here", "export EDITOR=PROGRAM, then again")
    return [found]


async def edit(app: Any, text: str, suffix: str = ".md") -> str:
    """Let the person edit `text` in their own editor while the app stands back; returns what they left.

    The loop goes on meanwhile, so a running turn is not held up; nothing is painted. Raises CommandError where there is
    no editor, no terminal to give away, or the editor fails; then the text is as it was.
    """
    from textual.app import SuspendNotSupported

    command = editor_of()
    folder = tempfile.mkdtemp(prefix="oi-edit-")
    file = Path(folder) / f"message{suffix}"
    try:
        file.write_text(text, encoding="utf-8", newline="")
        with app.batch_update(), app.away():
            done = await asyncio.to_thread(subprocess.run, [*command, str(file)], check=False)
        if done.returncode:
            raise CommandError(f"{command[0]} ended with {done.returncode}, the text is as it was")
        edited = file.read_text(encoding="utf-8", errors="replace")
    except SuspendNotSupported as error:
        raise CommandError(
            "an editor cannot be opened from here", "write in the box; alt+enter is a new line"
        ) from error
    except OSError as error:
        raise CommandError(f"the editor could not be used: {error.strerror or error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    # Editors end a file with a line end that nobody wrote.
    return edited if text.endswith("\n") else edited.removesuffix("\n")


def save_new(folder: str, name: str, ending: str, text: str) -> Path:
    """Write `text` to the first of `name-1.ending`, `name-2.ending`, … in `folder` that is not there yet. Raises
    OSError."""
    number = 1
    while True:
        file = Path(folder, f"{name}-{number}.{ending}")
        try:
            with file.open("x", encoding="utf-8", newline="") as opened:
                opened.write(text if text.endswith("\n") else f"{text}\n")
        except FileExistsError:
            number += 1
        else:
            return file


def browse(address: str, environ: Mapping[str, str] | None = None) -> bool:
    """Open a web address in the person's browser. False for any other address, and where there is no desktop: a
    model must not have a file or a program opened by the look of a link. Blocks: call it in a thread."""
    env = os.environ if environ is None else environ
    desktop = sys.platform in {"darwin", "win32"} or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
    if not desktop or env.get("SSH_CONNECTION") or not address.lower().startswith(("https://", "http://")):
        return False
    import webbrowser

    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


def shell_waits() -> bool:
    """Is there a shell with job control that would get the terminal if this program stopped?

    Without one the program would stand still for ever. A process group is such a job when the parent of one of its
    members is in the same session but another group (POSIX, General Terminal Interface, "orphaned process group").
    """
    if not hasattr(os, "getpgid"):
        return False
    group, session, process = os.getpgid(0), os.getsid(0), os.getppid()
    for _ in range(8):
        try:
            if process <= 1 or os.getsid(process) != session:
                return False
            if os.getpgid(process) != group:
                return True
        except OSError:
            return False
        process = _parent(process)
    return False


def _parent(process: int) -> int:
    """Its parent's id, 0 if that cannot be told."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        done = subprocess.run(["ps", "-o", "ppid=", "-p", str(process)], capture_output=True, text=True, timeout=2)
        return int(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0
