"""The command for plan mode: the model looks and plans, and changes nothing before the person agrees to its plan."""

from __future__ import annotations

from oi_tui.commands.base import Argument, Choice, Command, Host

ON = "plan mode is on: nothing is changed before you agree to a plan"
OFF = "plan mode is off"


async def _plan(host: Host, words: str) -> None:
    session = host.session
    if words.lower() == "off":
        host.notify(OFF if session.plan(False) else "plan mode was not on")
        return
    new = session.plan(True)
    if words:
        session.submit(words)
    else:
        host.notify(ON if new else "plan mode is on; /plan off ends it")


PLAN = (
    Command(
        "plan",
        "/",
        "let the model plan first, changing nothing; off: as before",
        _plan,
        Argument("MESSAGE", options=(Choice("off", detail="end plan mode"),)),
        keys="shift+tab",
    ),
)
