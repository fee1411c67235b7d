"""Commands in front of a task: lines that begin with / or % are carried out before the rest is sent.

Lines for the shell (`!`, `%%`) are not: a task may be piped in from anywhere, and they would run unapproved.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from oi_tui.commands import listing, registry
from oi_tui.commands.base import Choice, CommandError, Level
from oi_tui.protocol.events import ApprovalRequested, TurnEnded

if TYPE_CHECKING:
    from collections.abc import Callable

    from oi_tui.protocol.bus import Subscription
    from oi_tui.protocol.events import Event
    from oi_tui.session.session import Session

_Line = registry.Invocation | registry.Unknown


def split(prompt: str) -> tuple[list[_Line], str]:
    """The commands that a prompt begins with, one a line, and what is left of it. A line that merely looks like a
    command stands where commands do, so it is told and not sent."""
    lines = prompt.split("\n")
    found: list[_Line] = []
    for at, line in enumerate(lines):
        parsed = registry.parse(line)
        if isinstance(parsed, _Line):
            found.append(parsed)
        elif line.strip():
            return found, "\n".join(lines[at:]).strip()
    return found, ""


class Host:
    """The face of a run without a screen: words on standard error, texts that were asked for on `out`."""

    def __init__(self, session: Session, out: TextIO) -> None:
        self._session, self._out = session, out
        self.attached = ""
        self.failed = False

    @property
    def session(self) -> Session:
        return self._session

    def notify(self, text: str, level: Level = "info", hint: str = "") -> None:
        self.failed = self.failed or level == "error"
        sys.stderr.write(f"oi: {text}" + (f" ({hint})" if hint else "") + "\n")

    def show(self, title: str, text: str) -> None:
        self._out.write(text.rstrip("\n") + "\n")

    def pick(self, kind: str) -> None:
        page = listing.page(kind, self._session)
        if page:
            self.show(kind, page)
            return
        names = ", ".join(choice.value for choice in self.choices(kind))
        raise CommandError(f"say which {kind}", f"there are: {names}" if names else f"write it after /{kind}")

    def choices(self, kind: str) -> Sequence[Choice]:
        from oi_tui.commands.choices import known

        return known(kind, self._session)

    def set_theme(self, name: str) -> None:
        raise CommandError("a run without a screen has no themes", "oi in a terminal has them")

    def keys(self) -> str:
        return "- `ctrl+c` stop the run"

    async def copy(self, text: str) -> str:
        raise CommandError("a run without a screen does not reach the clipboard", "its answer is on standard output")

    def attach(self, mark: str) -> None:
        self.attached += f"\n{mark}"

    def draft(self, text: str) -> None:
        self.notify(f"it said: {text}")

    def toggle_vim(self) -> bool:
        raise CommandError("a run without a screen has no message box", "oi in a terminal has one")

    def quit(self) -> None:
        raise CommandError("there is nothing to leave", "the run ends by itself")


async def carry_out(lines: Sequence[_Line], host: Host, events: Subscription, show: Callable[[Event], None]) -> None:
    """Run them one after another, each to its end, and show what happens."""
    for line in lines:
        if isinstance(line, registry.Unknown):
            host.notify(line.text, "error", line.hint)
            continue
        await registry.run(line, host)
        await _settle(host, events, show)


async def _settle(host: Host, events: Subscription, show: Callable[[Event], None]) -> None:
    """Show what has happened, to the end of the turn that a command began, if it did."""
    from oi_tui.protocol.calls import Decision

    while True:
        for event in events.drain():
            if isinstance(event, ApprovalRequested):
                host.notify("nobody is here to approve this", "error", "run with -y, or with --approval")
                host.session.answer(event.approval_id, Decision("stop"))
            elif not isinstance(event, TurnEnded):
                show(event)
        if not host.session.busy:
            return
        await events.wait()
