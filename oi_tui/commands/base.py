"""What a command is: a name, what it takes, when it can be used, and what it does.

A command knows the session and a `Host`, the face it was typed into. So the same command works in the app, in plain
mode and in front of a one-shot task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from oi_tui.session.session import Session

Kind = Literal["/", "%"]
Level = Literal["info", "warning", "error"]


class CommandError(Exception):
    """A command that could not be done. str() is one sentence with the cause; `hint` is the next step."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of a picker. value: what a command takes as its argument. label and detail: what a person reads.

    current: it is in use now. group: rows of one group stand together under that word.
    """

    value: str
    label: str = ""
    detail: str = ""
    current: bool = False
    group: str = ""


class Host(Protocol):
    """The face that a command was typed into."""

    @property
    def session(self) -> Session: ...

    def notify(self, text: str, level: Level = "info", hint: str = "") -> None:
        """Tell the person one short thing."""
        ...

    def show(self, title: str, text: str) -> None:
        """Show a longer text, Markdown, until the person is done with it."""
        ...

    def pick(self, kind: str) -> None:
        """Let the person choose, then run the command of that name with it.

        kind: `model`, `harness`, `effort`, `theme`, `trust`, a mode or rule of the `permissions`, one of the `jobs`, a
        message to `rewind` to; `sessions` (to go on with one), `settings` (to change some), `skills` (to name one in
        the message that is being written).

        Raises CommandError where nobody can choose.
        """
        ...

    def choices(self, kind: str) -> Sequence[Choice]:
        """What is known, at once, of what can be chosen for `kind`."""
        ...

    def toggle_vim(self) -> bool:
        """Switch vim keys in the message box on, or off; returns how it is now. Raises CommandError where there is no
        such box."""
        ...

    def set_theme(self, name: str) -> None:
        """Raises CommandError for an unknown name, or where there are no themes."""
        ...

    def keys(self) -> str:
        """What can be pressed or answered in this face, as Markdown."""
        ...

    async def copy(self, text: str) -> str:
        """Copy to the clipboard; returns how it was done, in words. Does not block the loop.

        Raises CommandError if it cannot be."""
        ...

    def attach(self, mark: str) -> None:
        """Put the mark of a picture (`session.attached.mark`) or skill into the message that is being written."""
        ...

    def draft(self, text: str) -> None:
        """Give the person a text to edit and send: it becomes the message that is being written."""
        ...

    def quit(self) -> None:
        """Leave the program."""
        ...


@dataclass(frozen=True, slots=True)
class Argument:
    """What a command takes: `name` as it is shown, in capitals. choices: the `Host.choices` kind it is one of.

    options: what it is one of, where that never changes.
    """

    name: str
    choices: str = ""
    options: tuple[Choice, ...] = ()
    required: bool = False

    def offered(self, host: Host) -> Sequence[Choice]:
        """What it can be, as far as that is known at once."""
        return self.options or (host.choices(self.choices) if self.choices else ())

    def __str__(self) -> str:
        return self.name if self.required else f"[{self.name}]"


def always(host: Host) -> str:
    """For commands that can be used at any time."""
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of the registry.

    kind: the sign it begins with. when: "" if it can be used now, else the reason why not, as
    words that go on from the command's name. run: takes the host and the
    rest of the line, stripped; raises CommandError. busy_ok: may be used while a turn runs.
    """

    name: str
    kind: Kind
    help: str
    run: Callable[[Host, str], Awaitable[None]]
    argument: Argument | None = None
    aliases: tuple[str, ...] = ()
    when: Callable[[Host], str] = always
    keys: str = ""
    busy_ok: bool = True

    @property
    def title(self) -> str:
        """As it is typed: `/model`."""
        return self.kind + self.name

    @property
    def usage(self) -> str:
        """As it is typed, with its argument: `/model [NAME]`."""
        return f"{self.title} {self.argument}" if self.argument else self.title

    def unavailable(self, host: Host) -> str:
        """Why it cannot be used now, "" if it can."""
        if not self.busy_ok and host.session.busy:
            return "has to wait until the turn is over; esc stops it"
        return self.when(host)
