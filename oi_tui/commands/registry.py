"""The list of all commands, and the way from a typed line to one of them.

The app's palette and popup, the help text, plain mode and `oi exec` all read this one list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from oi_tui.commands.base import Command, CommandError, Host
from oi_tui.commands.classic import CLASSIC
from oi_tui.commands.context import CONTEXT
from oi_tui.commands.conversation import CONVERSATION
from oi_tui.commands.exporting import EXPORTING
from oi_tui.commands.folder import FOLDER
from oi_tui.commands.hooks import HOOKS
from oi_tui.commands.jobs import JOBS
from oi_tui.commands.permissions import PERMISSIONS
from oi_tui.commands.pictures import PICTURES
from oi_tui.commands.plan import PLAN
from oi_tui.commands.profile import PROFILE
from oi_tui.commands.program import PROGRAM
from oi_tui.commands.sessions import SESSIONS
from oi_tui.commands.settings import SETTINGS
from oi_tui.commands.setup import SETUP
from oi_tui.commands.skills import SKILLS

_NAME = re.compile(r"([/%])([a-z][a-z_-]*)(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A line that goes to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Shell:
    """A line that the person runs in the shell themselves: what stands after `!` or `%%`."""

    line: str


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with its argument."""

    command: Command
    argument: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """It looks like a command but is none; `nearest` is the one that was perhaps meant, "" if none is near."""

    name: str
    nearest: str

    @property
    def text(self) -> str:
        return f"there is no command {self.name}"

    @property
    def hint(self) -> str:
        return f"did you mean {self.nearest}?" if self.nearest else "/help lists them all"


Parsed = Prompt | Shell | Invocation | Unknown


def find(title: str, commands: Sequence[Command] | None = None) -> Command | None:
    """The command of that name or alias, with its sign, in any case."""
    sign, name = title[:1], title[1:].lower()
    return next((one for one in commands or ALL if one.kind == sign and name in (one.name, *one.aliases)), None)


def parse(line: str, commands: Sequence[Command] | None = None) -> Parsed:
    """What a submitted line is. A path (`/home/me/a.csv, what is in it?`) is a prompt, and so is `% of what`."""
    commands, stripped = commands or ALL, line.strip()
    for sign in ("!", "%%"):  # the second is how classic Open Interpreter wrote it
        if stripped.startswith(sign) and stripped.removeprefix(sign).strip():
            return Shell(stripped.removeprefix(sign).strip())
    match = _NAME.fullmatch(stripped)
    if match is None:
        return Prompt(line)
    title = match[1] + match[2]
    command = find(title, commands)
    if command is not None:
        return Invocation(command, (match[3] or "").strip())
    if match[1] == "/" and Path(title).exists():
        return Prompt(line)
    titles = [one.kind + name for one in commands for name in (one.name, *one.aliases)]
    # The sign may be the mistake: /reset for %reset.
    near = get_close_matches(match[2].lower(), [title[1:] for title in titles], n=1, cutoff=0.6)
    titles.sort(key=lambda one: one[0] != match[1])
    nearest = next((one for one in titles if near and one[1:] == near[0]), "")
    return Unknown(title, nearest)


def help_text(host: Host) -> str:
    """All commands as a Markdown list, with why one cannot be used now."""
    lines = ["Say in plain words what you want done. The code is shown before it runs.", ""]
    for one in ALL:
        names = ", ".join(f"`{one.kind}{alias}`" for alias in one.aliases)
        also = f", also {names}" if names else ""
        reason = one.unavailable(host)
        lines.append(f"- `{one.usage}` {one.help}{also}{f' (*{reason}*)' if reason else ''}")
    lines.append("- `!LINE` run a shell line yourself, also `%%LINE`")
    return "\n".join(lines)


async def _help(host: Host, _: str) -> None:
    host.show("help", help_text(host))


HELP = (
    Command("help", "/", "list all commands", _help, aliases=("commands",)),
    Command("help", "%", "list all commands", _help),
)

ALL: tuple[Command, ...] = (
    *SETUP,
    *SETTINGS,
    *PERMISSIONS,
    *PLAN,
    *PROFILE,
    *CONVERSATION,
    *SESSIONS,
    *CONTEXT,
    *EXPORTING,
    *FOLDER,
    *CLASSIC,
    *PICTURES,
    *HOOKS,
    *JOBS,
    *SKILLS,
    *HELP,
    *PROGRAM,
)


async def run(invocation: Invocation, host: Host) -> None:
    """Run a command. What goes wrong in it is told through `host.notify`, never raised."""
    command, argument = invocation.command, invocation.argument
    try:
        reason = command.unavailable(host) or _misuse(command, argument)
        if reason:
            host.notify(f"{command.title} {reason}", "warning", command.usage if command.argument else "")
        else:
            await command.run(host, argument)
    except CommandError as error:
        host.notify(str(error), "error", error.hint)
    except (ValueError, OSError) as error:
        host.notify(f"{command.title}: {error}", "error")


def _misuse(command: Command, argument: str) -> str:
    """What is wrong with the argument, "" if nothing."""
    if argument and command.argument is None:
        return "takes nothing after its name"
    if not argument and command.argument is not None and command.argument.required:
        return f"needs {command.argument.name}"
    return ""
