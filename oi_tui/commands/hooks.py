"""`/hooks`: programs of the person's own that run at points of a session: which there are, trusted, on or off."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Command, CommandError, Host

if TYPE_CHECKING:
    from oi_tui.extensions.hooks import Hook

WORDS = ("trust", "on", "off")


async def _hooks(host: Host, line: str) -> None:
    hooks = host.session.hooks
    every = await asyncio.to_thread(hooks.all)
    if not line:
        host.show("hooks", listing(every))
        return
    from oi_tui.session.hooks import by_a_person

    try:
        by_a_person(host.session.attended)
        host.notify(decide(every, line))
    except (ValueError, OSError) as error:
        raise CommandError(str(error), "/hooks lists them") from None


def listing(every: Sequence[Hook]) -> str:
    """All hooks as a Markdown list with their numbers."""
    if not every:
        return (
            "There are no hooks. They stand in `~/.openinterpreter/hooks.json`, in `hooks` of `config.toml`, or in "
            "`.openinterpreter/hooks.json` of a folder that you trust."
        )
    lines: list[str] = []
    for number, one in enumerate(every, 1):
        what = f"`{one.command}`" if one.command else f"`{one.id}`"
        on = f" on `{one.matcher}`" if one.matcher else ""
        state = "runs" if one.state == "on" else f"**does not run: {one.why}**"
        lines.append(f"{number}. {one.event or 'hooks'}{on}: {what} ({one.source}); {state}")
    return "\n".join(
        [*lines, "", "`/hooks trust N` (or `all`) lets one run as it is now; `/hooks off N`, `/hooks on N`."]
    )


def decide(every: Sequence[Hook], line: str) -> str:
    """Trust or switch hooks as a line says (`trust 2`, `trust all`, `off 1`); what was done, in words.

    Raises ValueError with a sentence, and OSError."""
    from oi_tui.extensions import hooks

    word, _, which = line.strip().partition(" ")
    which = which.strip()
    if word not in WORDS or not which:
        raise ValueError(f"say one of {', '.join(WORDS)} with a number: trust 1")
    if which == "all":
        chosen = [one for one in every if one.state not in {"broken", "folder"}]
    elif which.isdecimal() and 1 <= int(which) <= len(every):
        chosen = [every[int(which) - 1]]
    else:
        raise ValueError(f"there is no hook {which}")
    held = next((one for one in chosen if one.state in {"broken", "folder"}), None)
    if held is not None:
        raise ValueError(f"it cannot be used: {held.why}")
    if not chosen:
        raise ValueError("there is no hook that could be used")
    for one in chosen:
        if word == "trust":
            hooks.trust(one)
        else:
            hooks.switch(one, word == "on")
    done = {"trust": "trusted as it is now, and runs", "on": "on", "off": "off"}[word]
    return f"{len(chosen)} hooks: each is {done}" if len(chosen) > 1 else f"the hook is {done}"


HOOKS = (Command("hooks", "/", "see your hooks; trust N, on N, off N", _hooks, Argument("trust|on|off N")),)
