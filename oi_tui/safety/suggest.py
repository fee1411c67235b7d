"""The rules that a person is offered when they allow a thing for longer than once."""

from __future__ import annotations

import os

from oi_tui.safety.effects import Part
from oi_tui.safety.rules import Act, Rule
from oi_tui.safety.shell_text import names

# Programs whose arguments do no more than their name says: they are allowed by name.
_BY_NAME = names(
    "mkdir touch pytest ruff mypy pyright tsc eslint prettier black isort jest vitest ctest ls cat head tail "
    "wc grep rg find sort diff tree file stat cp ln gzip unzip"
)
# By name and first word, or by two more where that word only starts another one.
_BY_WORD = names(
    "git pip pip3 npm yarn pnpm bun cargo go docker podman make just rake gradle mvn dotnet kubectl helm gh "
    "terraform apt apt-get brew dnf pacman systemctl uv poetry pdm conda gem bundle composer flutter swift "
    "mix rails django-admin tox nox"
)
_GOES_ON = names("run exec compose tool pip repo pr issue image container volume network")


def suggestions(act: Act, cwd: str) -> tuple[Rule, ...]:
    """Rules that would allow just this kind of thing in the workspace `cwd`, () if it should be asked each time.

    A well-known command is allowed by its first words, anything else to the letter; code by its language; changes of
    files in the workspace as a whole; what is read and reached by name.
    """
    folder = os.path.realpath(cwd)
    if act.executor == "job_input":  # what it means depends on what reads it
        return ()
    if act.shell is not None:
        return _of_command(act, folder)
    if act.language:
        return (Rule("allow", language=act.language.strip().lower(), folder=folder),)
    if act.hosts:
        return tuple(Rule("allow", host=one, folder=folder) for one in act.hosts)
    if act.writes:
        return (Rule("allow", path=folder, access="write", folder=folder),)
    if act.reads:
        return tuple(Rule("allow", path=one, access="read", folder=folder) for one in act.reads)
    if act.executor in {"note", "install", "computer_use"} or act.tool.startswith("mcp__"):
        return (Rule("allow", tool=act.tool if act.tool.startswith("mcp__") else act.executor, folder=folder),)
    return ()


def _of_command(act: Act, folder: str) -> tuple[Rule, ...]:
    shell = act.shell
    assert shell is not None
    exactly = (Rule("allow", script=act.text.strip(), folder=folder),)
    if not shell.parts or shell.beyond != "read" or shell.keys or shell.harm:
        return exactly
    made: dict[Rule, None] = {}
    for part in shell.parts:
        if part.effect == "read":
            continue
        words = prefix(part)
        if words:
            made[Rule("allow", command=words, folder=folder)] = None
        elif part.whole and not part.outer:
            made[Rule("allow", command=part.words, exact=True, folder=folder)] = None
        else:
            return exactly
    return tuple(made) if made and len(made) <= 4 else exactly


def prefix(part: Part) -> tuple[str, ...]:
    """The words by which a well-known program is allowed, () if it is to be allowed to the letter."""
    words = part.words
    if not words or part.outer:
        return ()
    name = words[0]
    if name in _BY_NAME:
        return (name,)
    if name in _BY_WORD and len(words) > 1 and not words[1].startswith("-"):
        if words[1] not in _GOES_ON:
            return words[:2]
        return words[:3] if len(words) > 2 and not words[2].startswith("-") else ()
    return ()
