"""The command palette: every command that can be used now, and, when searched for, every choice of each."""

from __future__ import annotations

from oi_tui.app.widgets.picker import Picker
from oi_tui.commands.base import Choice, Host
from oi_tui.commands.registry import ALL


def rows(host: Host) -> list[Choice]:
    """The commands that can be used now; the value of a row is the line that runs it."""
    usable = [one for one in ALL if not one.unavailable(host)]
    return [
        Choice(one.title, one.usage, one.help + (f"   {one.keys}" if one.keys else ""))
        for one in sorted(usable, key=lambda one: (one.kind != "/", one.name))
    ]


def deep_rows(host: Host) -> list[Choice]:
    """Each choice of each command as a line of its own: `/theme oi-light`."""
    found: list[Choice] = []
    for one in ALL:
        if one.argument is None or one.unavailable(host):
            continue
        found += [
            Choice(f"{one.title} {choice.value}", f"{one.title} {choice.label or choice.value}", choice.detail)
            for choice in one.argument.offered(host)
        ]
    return found


def palette(host: Host) -> Picker:
    """The palette as a screen; it is dismissed with a line for `registry.parse`, or None."""
    return Picker("commands", rows(host), deep=deep_rows(host))


def wants_more(line: str) -> bool:
    """True if the command of `line` needs an argument that is missing: put it into the message box instead."""
    command = next((one for one in ALL if one.title == line.strip()), None)
    return command is not None and command.argument is not None and command.argument.required
