"""`/profile`: lay another set of settings over those of the session, from the next request on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host, Kind

if TYPE_CHECKING:
    from oi_tui.session.session import Session


async def _profile(host: Host, name: str) -> None:
    from oi_tui.extensions import profiles

    if not name:
        host.pick("profile")
        return
    if profiles.is_address(name):
        raise CommandError("a profile from the web is shown before it is used", f"start with it: oi -p {name}")
    try:
        source = profiles.find(name)
    except profiles.ProfileError as error:
        raise CommandError(str(error), error.hint) from error
    if source.python:
        raise CommandError(f"{source.name} is a program, which runs at the start", f"leave, then oi -p {source.name}")
    from oi_tui.session.profile_switch import use

    changed, problems = use(host.session, source.name, profiles.layer(source))
    for problem in problems:
        host.notify(problem.text, "warning", problem.hint)
    if changed:
        host.notify(f"profile {source.name}: {', '.join(changed)}")
    elif not problems:
        host.notify(f"profile {source.name} changes nothing")


def rows(session: Session) -> list[Choice]:
    """The profiles that can be chosen: one's own first. Programs are used at the start and stand last."""
    from oi_tui.extensions import profiles

    now = session.settings.profile
    made = [
        Choice(
            one.name,
            one.name,
            one.about,
            one.name == now,
            "programs, for oi -p NAME" if one.path.suffix == ".py" else "yours" if one.own else "built in",
        )
        for one in profiles.listed()
    ]
    return sorted(made, key=lambda one: (one.group.startswith("programs"), one.group == "built in"))


def about(name: str) -> str:
    """What a profile would set, line by line, for the person whose choice hovers over it."""
    from oi_tui.commands.setting_rows import as_text
    from oi_tui.extensions import profiles

    try:
        source = profiles.find(name)
    except profiles.ProfileError as error:
        return str(error)
    if source.python:
        return f"{name}: a program, which runs at the start: oi -p {name}"
    layer = profiles.layer(source)
    sets = [f"{row.key} = {' '.join(as_text(row.value).split())[:80]}" for row in layer.rows]
    return "\n".join([f"{name}: {source.place}", *sets[:8], *(["…"] if len(sets) > 8 else [])]) + "".join(
        f"\n{problem.text}" for problem in layer.problems
    )


def _command(kind: Kind) -> Command:
    return Command(
        "profile", kind, "use another set of settings from now on", _profile, Argument("NAME", "profile"), busy_ok=False
    )


PROFILE = (_command("/"), _command("%"))
