"""AppleScript: texts and dates put into a script so that they cannot end it, and how one is run."""

from __future__ import annotations

import subprocess
from datetime import datetime

from oi_tui.computer.devices.base import DeviceError, is_mac

_LONGEST = 120.0  # seconds that a script may take


def quoted(text: str) -> str:
    """A text as an AppleScript expression. Whatever it holds, it stays a text: `"a" & linefeed & "b"`."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").split("\n")
    parts = ('"' + one.replace("\\", "\\\\").replace('"', '\\"') + '"' for one in lines)
    joined = " & linefeed & ".join(parts)
    return joined if len(lines) == 1 else f"({joined})"


def date(name: str, when: datetime) -> str:
    """Lines that put a moment into a variable, whatever language the system speaks. The day goes to 1 first: there is
    no 31st in the month that the variable may hold before."""
    return (
        f"set {name} to current date\nset day of {name} to 1\nset year of {name} to {when.year}\n"
        f"set month of {name} to {when.month}\nset day of {name} to {when.day}\n"
        f"set time of {name} to {when.hour * 3600 + when.minute * 60 + when.second}\n"
    )


def run(script: str) -> str:
    """What a script returns. Raises DeviceError with what went wrong, also where there is no AppleScript."""
    if not is_mac():
        raise DeviceError("this works on macOS only")
    try:
        done = subprocess.run(
            ["/usr/bin/osascript", "-"], input=script, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        raise DeviceError(f"the program did not answer within {_LONGEST:.0f} seconds; is a dialog open?") from None
    except OSError as error:
        raise DeviceError(f"AppleScript cannot be run: {error.strerror or error}") from None
    if done.returncode:
        said = " ".join(done.stderr.split())
        hint = ""
        if "-1743" in said or "-1719" in said or "not allowed" in said.lower():
            hint = "; allow it in System Settings > Privacy & Security > Automation (or Accessibility)"
        raise DeviceError(f"{said or 'AppleScript failed'}{hint}")
    return done.stdout.rstrip("\n")
