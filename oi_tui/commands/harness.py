"""`/harness`: how the model is prompted; what there is to choose from, and what a choice would change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import harnesses
from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host, Kind

if TYPE_CHECKING:
    from oi_tui.session.session import Session


async def _harness(host: Host, harness_id: str) -> None:
    if not harness_id:
        host.pick("harness")
        return
    session = host.session
    try:
        session.use_harness(harness_id)
    except harnesses.UnknownHarness as error:
        raise CommandError(str(error)) from error
    chosen, model = session.harness_id, session.model
    told = f"harness is {chosen}, which auto takes" if session.harness_auto else f"harness is {chosen}"
    if not session.attended or not model:
        host.notify(told)
        return
    from oi_tui import config_file

    # Where the file names a harness for all models, auto has to stand there for this one.
    general = session.settings.harness not in {"", "auto"}
    try:
        config_file.put(("model_harnesses", model), None if session.harness_auto and not general else harness_id)
    except config_file.ConfigUnwritable as error:
        host.notify(told, "warning", f"it is not kept: {error}")
    else:
        host.notify(f"{told}, now and later, for {model}")


def harness_command(kind: Kind) -> Command:
    """`/harness` or `%harness`."""
    return Command("harness", kind, "switch how the model is prompted, or auto", _harness, Argument("ID", "harness"))


def rows(session: Session) -> list[Choice]:
    """`auto` and the recommended one first, then those that can ask the model, then the others."""
    best, wire, model = session.recommended, session.wire, session.model or "the model"
    now = "" if session.harness_auto else session.harness_id
    made = [Choice("auto", "auto", f"the model decides; now {best}", session.harness_auto, f"for {model}")]
    others: list[Choice] = []
    unfit: list[Choice] = []
    for one in harnesses.ids():
        wires = harnesses.wires_of(one)
        detail = " · ".join(part for part in (", ".join(wires), harnesses.describe(one)) if part)
        if one == best:
            made.append(Choice(one, one, f"recommended · {detail}", one == now, made[0].group))
        elif wire and wires and wire not in wires:
            unfit.append(Choice(one, one, detail, one == now, f"not over {wire}, the wire of {model}"))
        else:
            others.append(Choice(one, one, detail, one == now, "others" if wires else "your own"))
    return [*made, *others, *unfit]


def about(session: Session, harness_id: str) -> str:
    """What a harness is, and what it would change, for the person whose choice hovers over it."""
    from harnesses import comparing

    wanted = session.recommended if harness_id in {"", "auto"} else harness_id
    try:
        one, now = harnesses.load(wanted), harnesses.load(session.harness_id)
    except harnesses.UnknownHarness as error:  # one that was added may be broken
        return str(error)
    env = session.request_env
    lines = [f"{wanted}: {', '.join(comparing.facts(one, env)[:2])}"]
    if session.wire and session.wire not in one.wires:
        lines.append(harnesses.wrong_wire(wanted, one.wires, session.model, session.wire))
    if one.id == now.id:
        return "\n".join([*lines, "in use now", *comparing.facts(one, env)[2:]])
    return "\n".join([*lines, f"instead of {now.id}:", *comparing.differences(now, one, env)])
