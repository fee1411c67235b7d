"""Suggestions for a command that is being typed: names first, then what its argument can be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oi_tui.commands.base import Choice, Command, Host

if TYPE_CHECKING:
    from oi_tui.session.skills import Skills

_INSIDE = 1_900  # points of a name that has the query in one piece


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One way to go on. text: the whole draft if it is taken; complete: nothing more has to be typed.

    unavailable: why the command cannot be used now, "" if it can. by_tab: enter sends the draft as it is all the same,
    until the person goes to a row.
    """

    text: str
    label: str
    help: str = ""
    arguments: str = ""
    unavailable: str = ""
    complete: bool = True
    by_tab: bool = False


def score(query: str, name: str) -> int:
    """How well `query` fits `name`: 0 not at all, more is better. Letters have to appear in order.

    A whole match beats a beginning, that beats a beginning of a word inside, that beats letters spread out.
    """
    query, name = query.lower(), name.lower()
    if query == name:
        return 10_000
    if name.startswith(query):
        return 5_000 - len(name)
    at = name.find(query)
    if at >= 0:
        return (3_000 if not name[at - 1].isalnum() else 2_000) - len(name)
    place = -1
    spread = 0
    for letter in query:
        found = name.find(letter, place + 1)
        if found < 0:
            return 0
        spread += found - place - 1
        place = found
    return max(1, 1_000 - 10 * spread - len(name))


def ranked(query: str, choices: Iterable[Choice]) -> list[Choice]:
    """The choices that fit `query`, best first, else in their order; all of them if it is empty.

    Names count before what is said about them.
    """
    if not query:
        return list(choices)
    found: list[tuple[int, Choice]] = []
    for one in choices:
        points = max(score(query, one.value) * 2, score(query, one.label) * 2)
        if not points and query.lower() in one.detail.lower():
            points = 1
        if points:
            found.append((points, one))
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


def suggest(draft: str, host: Host, commands: Sequence[Command]) -> list[Suggestion]:
    """What `draft` may become; empty if it is not the beginning of a command, or a whole one that takes nothing."""
    name, space, rest = draft.partition(" ")
    if not space:
        return _names(name, host, commands)
    command = next((one for one in commands if name in {one.title, *(one.kind + alias for alias in one.aliases)}), None)
    if command is None or command.argument is None:
        return []
    query = rest.strip()
    found = ranked(query, command.argument.offered(host))
    if len(found) == 1 and found[0].value == query:
        return []
    return [
        Suggestion(
            text=f"{name} {one.value}",
            label=one.label or one.value,
            help=one.detail + (" · in use" if one.current else ""),
            by_tab=not query,  # nothing was said of what it is to be
        )
        for one in found
    ]


def suggest_picture(draft: str, cwd: str) -> list[Suggestion]:
    """The offer to attach the picture whose path a draft ends with; it is only sent if the person takes it."""
    from oi_tui.session.attached import offered

    found = offered(draft, cwd)
    if found is None:
        return []
    text, path = found
    return [Suggestion(text, f"attach {path.rpartition('/')[2]}", "tab: the model looks at the picture", by_tab=True)]


_SKILL = re.compile(r"(?:^|(?<=[\s(]))\$([\w.:+-]*)$")


def suggest_skill(draft: str, skills: Skills) -> list[Suggestion]:
    """The skills that the word may mean which a draft ends with, `$` and the beginning of a name.

    A lone sign may just as well be money, or a prompt that was pasted: then the draft is sent as it is, unless the
    person has chosen a row.
    """
    found = _SKILL.search(draft)
    if found is None:
        return []
    query, before = found[1], draft[: found.start()]
    if query != query.lower():  # $HOME and its like are variables
        return []
    rated = [(score(query, one.name) if query else _INSIDE, one) for one in skills.usable()]
    fitting = sorted((pair for pair in rated if pair[0] >= _INSIDE), key=lambda pair: -pair[0])
    return [
        Suggestion(f"{before}${one.name} ", f"${one.name}", one.description, complete=False, by_tab=not query)
        for _, one in fitting
    ]


def _names(typed: str, host: Host, commands: Sequence[Command]) -> list[Suggestion]:
    sign, query = typed[:1], typed[1:]
    found: list[tuple[int, Command]] = []
    for one in commands:
        if one.kind != sign:
            continue
        points = max(score(query, name) for name in (one.name, *one.aliases)) if query else 1
        if points:
            found.append((points, one))
    found.sort(key=lambda pair: -pair[0])
    return [
        Suggestion(
            text=one.title + (" " if one.argument else ""),
            label=one.title,
            help=one.help,
            arguments=str(one.argument or ""),
            unavailable=one.unavailable(host),
            complete=not (one.argument and one.argument.required),
        )
        for _, one in found
    ]
