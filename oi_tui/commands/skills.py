"""`/skills` and `/trust`: what skills there are and whose they are, one of them in full, on and off; whether the
project's are used."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host

if TYPE_CHECKING:
    from oi_tui.extensions.skills import Skill
    from oi_tui.safety.trust import State
    from oi_tui.session.skills import Skills

_SCOPES = {"user": "yours", "project": "of this project", "built-in": "built in"}
_TRUST = (
    Choice("yes", "yes", "use the skills of this folder, now and whenever you are here"),
    Choice("no", "no", "never use them, and do not say that they are there"),
    Choice("forget", "forget", "not decided: they are not used, and you are told of them at each start"),
)
STATES: dict[str, State] = {"yes": "trusted", "no": "untrusted", "forget": "unknown"}


async def _skills(host: Host, line: str) -> None:
    word, _, name = line.partition(" ")
    if not line:
        host.pick("skills")
    elif word in {"on", "off"} and name.strip():
        await _switch(host, name.strip(), word == "on")
    else:
        host.show(line, await asyncio.to_thread(page, host.session.skills, line))


async def _switch(host: Host, name: str, on: bool) -> None:
    one = await asyncio.to_thread(host.session.skills.switch, name, on)
    if on and not one.usable:
        host.notify(f"the skill {one.name} is switched on, but {one.why}", "warning")
    else:
        host.notify(f"the skill {one.name} is {'on' if on else 'off'}, now and in later sessions")


def listing(skills: Skills) -> str:
    """All skills as a Markdown list: those that are used, then the others with the reason."""
    known = skills.all()
    used = [f"- **{one.name}** ({_SCOPES[one.scope]}): {one.description}" for one in known if one.usable]
    lines = used or ["There are no skills that can be used."]
    others = [f"- **{one.name}** `{one.path}`: {one.why}" for one in known if not one.usable]
    if others:
        lines += ["", "Not used:", "", *others]
    lines += ["", "`$NAME` in a message uses one, `/skills NAME` shows it, `/skills off NAME` switches it off."]
    return "\n".join(lines)


def page(skills: Skills, name: str) -> str:
    """One skill in full, as Markdown. Raises CommandError for one that is not there."""
    one = _named(skills, name)
    told = f"used: `${one.name}` in a message loads it" if one.usable else f"not used: {one.why}"
    head = f"**{one.name}** ({_SCOPES[one.scope]}): {one.description}\n\n`{one.path}`\n\n*{told}*"
    return f"{head}\n\n---\n\n{body(one)}"


def body(one: Skill) -> str:
    """The instructions of a skill, or why they cannot be read."""
    from oi_tui.tools.skill import instructions

    try:
        return instructions(one.name, one.path).text
    except (OSError, ValueError) as error:
        return f"It cannot be read: {error}"


def _named(skills: Skills, name: str) -> Skill:
    from oi_tui.commands.suggest import score

    one = skills.find(name)
    if one is None:
        near = max(skills.all(), key=lambda other: score(name.removeprefix("$"), other.name), default=None)
        good = near is not None and score(name.removeprefix("$"), near.name) > 0
        hint = f"did you mean {near.name}?" if good and near else "/skills lists them"
        raise CommandError(f"there is no skill {name!r}", hint)
    return one


def choices(skills: Skills) -> list[Choice]:
    """The skills as rows of a picker; the value is the name, or the path where that is not the one that it means."""
    rows: list[Choice] = []
    for one in skills.all():
        group = _SCOPES[one.scope] if one.usable else "not used"
        known = skills.find(one.name)
        value = one.name if known is not None and known.path == one.path else one.path
        detail = one.description if one.usable else f"{one.why} · {one.description}".removesuffix(" · ")
        rows.append(Choice(value, one.name, detail, group=group))
    return sorted(rows, key=lambda row: [*_SCOPES.values(), "not used"].index(row.group))


async def _trust(host: Host, word: str) -> None:
    if not word:
        host.pick("trust")
        return
    if word not in STATES:
        raise CommandError(f"/trust takes {', '.join(STATES)}, not {word!r}")
    skills = host.session.skills
    await asyncio.to_thread(skills.decide, STATES[word])
    told = "forgotten" if word == "forget" else "what this folder brings is not used"
    if word == "yes":
        names = [one.name for one in await asyncio.to_thread(skills.usable) if one.scope == "project"]
        used = f"its skills are used: {', '.join(names)}" if names else "it brings no skills that can be used"
        host.notify(f"this folder is trusted; {used}")
    elif skills.trust == "trusted":
        host.notify(told, "warning", "in this session it still is trusted: the settings say so (trust, projects)")
    else:
        host.notify(told)


def trust_choices(skills: Skills) -> list[Choice]:
    """What can be said of the folder, with what holds now."""
    now = skills.trust
    return [Choice(one.value, one.label, one.detail, STATES[one.value] == now) for one in _TRUST]


def trust_page(skills: Skills) -> str:
    """How the folder stands and what that means, as Markdown."""
    names = ", ".join(skills.brought()) or "nothing"
    states = {"trusted": "is trusted", "untrusted": "is not trusted", "unknown": "is not trusted yet"}
    lines = [f"`{skills.root}` {states[skills.trust]}. Skills that it brings: {names}.", ""]
    return "\n".join([*lines, *(f"- `/trust {one.value}` {one.detail}" for one in _TRUST)])


SKILLS = (
    *(
        Command(
            "skills",
            kind,
            "see the skills; with a name: one in full; on NAME, off NAME",
            _skills,
            Argument("NAME", "skills"),
        )
        for kind in ("/", "%")
    ),
    Command("trust", "/", "use the skills that this folder brings, or not", _trust, Argument("yes|no|forget", "trust")),
)
