"""What happened in the terminal before `wtf`: the text on it where that can be had, else the shell's history."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

LONGEST = 9_000  # characters of the terminal that are told
COMMANDS = 10
_TAIL = 256_000  # bytes of a history file that are read
_OWN = re.compile(r"^\s*(?:\S*/)?(?:wtf|(?:oi|interpreter|i)\s+(?:.*\s)?wtf)\b")
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)')
_ZSH = re.compile(r"^: \d+:\d+;")


def on_screen(environ: Mapping[str, str] | None = None) -> str:
    """The text on this terminal, above the command that asks for it; "" where it cannot be had."""
    environ = os.environ if environ is None else environ
    for wanted, command in _READERS:
        if environ.get(wanted) or (wanted == environ.get("TERM_PROGRAM")):
            text = _run([part.format_map(_Blank(environ)) for part in command])
            if text.strip():
                return _above(text)
    return ""


_READERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("TMUX", ("tmux", "capture-pane", "-p", "-J", "-S", "-200", "-t", "{TMUX_PANE}")),
    ("KITTY_WINDOW_ID", ("kitty", "@", "get-text", "--match", "id:{KITTY_WINDOW_ID}", "--extent", "all")),
    ("WEZTERM_PANE", ("wezterm", "cli", "get-text", "--pane-id", "{WEZTERM_PANE}", "--start-line", "-200")),
    (
        "Apple_Terminal",
        ("osascript", "-e", 'tell application "Terminal" to get history of selected tab of front window'),
    ),
    (
        "iTerm.app",
        ("osascript", "-e", 'tell application "iTerm2" to get contents of current session of current window'),
    ),
)


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _above(text: str) -> str:
    """Without the empty end and the line that asked."""
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    while lines and re.search(r"(?:^|[\s$#%>❯])(?:wtf|(?:oi|interpreter|i) wtf)\b", lines[-1]):
        lines.pop()
    return "\n".join(lines)[-LONGEST:]


def shell(environ: Mapping[str, str] | None = None) -> str:
    """The name of the person's shell: bash, zsh, fish, or what else it is."""
    environ = os.environ if environ is None else environ
    try:
        parent = Path(f"/proc/{os.getppid()}/comm").read_text().strip()
    except OSError:
        parent = ""
    known = {"bash", "zsh", "fish"}
    return parent if parent in known else Path(environ.get("SHELL", "bash")).name


def commands(name: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """The last commands of that shell, the newest last, without those that call this program for help."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("HOME") or Path.home())
    if name == "fish":
        data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        found = _fish(_tail(data / "fish" / "fish_history"))
    elif name == "zsh":
        file = environ.get("HISTFILE") or str(Path(environ.get("ZDOTDIR") or home) / ".zsh_history")
        found = _zsh(_tail(Path(file)))
    else:
        file = environ.get("HISTFILE") or str(home / ".bash_history")
        found = [line for line in _tail(Path(file)).splitlines() if not re.fullmatch(r"#\d+", line)]
    return [one.strip() for one in found if one.strip() and not _OWN.match(one)][-COMMANDS:]


def _tail(file: Path) -> str:
    try:
        with file.open("rb") as data:
            data.seek(max(0, file.stat().st_size - _TAIL))
            return data.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _zsh(text: str) -> list[str]:
    """Lines of zsh, whole commands of several lines joined: all but the last of those end in a backslash."""
    joined = re.sub(r"\\\n", "\n\x00", text)
    return [_ZSH.sub("", one).replace("\x00", "") for one in re.split(r"\n(?!\x00)", joined)]


def _fish(text: str) -> list[str]:
    found = re.findall(r"^- cmd: (.*)$", text, re.MULTILINE)
    return [one.replace("\\n", "\n").replace("\\\\", "\\") for one in found]


def around(text: str) -> str:
    """Three lines on each side of the place that the last Python traceback names, "" without one."""
    frames = [(Path(file), int(line)) for file, line in _FRAME.findall(text)]
    for file, line in reversed(frames):
        try:
            if not file.is_file() or file.stat().st_size > 2_000_000:
                continue
            lines = file.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            continue
        first = max(0, line - 4)
        shown = "\n".join(f"{number}: {one}" for number, one in enumerate(lines[first : line + 3], first + 1))
        return f"{file}:\n{shown}"
    return ""


def terminal_again() -> bool:
    """After a pipe was read to its end, let standard input be the person's terminal. False where there is none."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - a descriptor, for as long as the program runs
    return True
