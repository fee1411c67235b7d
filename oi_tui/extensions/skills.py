"""Skills: instructions for a kind of task, found as folders with a SKILL.md or as single YAML files.

Only name and description are read here; the body is read when a skill is used (executor `skill`). The form of SKILL.md
is that of https://agentskills.io: YAML between two lines `---`, then Markdown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from oi_tui import paths
from oi_tui.extensions.skill_files import MAIN, default_name, described

Scope = Literal["user", "project", "built-in"]
State = Literal["on", "off", "hidden", "untrusted", "broken"]

_PLACES = (".agents/skills", ".codex/skills", ".claude/skills")  # in a project and in the home folder alike
_DEPTH = 6  # folders below a place that are looked into
_FOLDERS, _ENTRIES = 2_000, 20_000  # of one place
_PASSED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill. scope: whose it is. path: its SKILL.md or YAML file.

    state: `on`, or why it is not used: switched `off`, `hidden` by another one of its name, `untrusted` as its folder
    is, or `broken`. why: that in words for a person, "" for `on`.
    """

    name: str
    description: str
    scope: Scope
    path: str
    state: State = "on"
    why: str = ""

    @property
    def usable(self) -> bool:
        return self.state == "on"


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides whether a skill that is there is used. trusted: the project's folder is. bundled: the built-in ones
    are wanted. is_on: whether the person left this name and path switched on."""

    trusted: bool = True
    bundled: bool = True
    is_on: Callable[[str, str], bool] = lambda name, path: True


def roots(cwd: str, root: str) -> tuple[tuple[Scope, Path], ...]:
    """(scope, folder) of all places, those that win first. root: of the repository, or `cwd` where there is none."""
    home = Path.home()
    own = [paths.home() / "skills", *(home / one for one in _PLACES)]
    return (
        *(("user", folder) for folder in own),
        *(("project", folder) for folder in project_places(cwd, root)),
        ("built-in", paths.shipped("skills")),
    )


def project_places(cwd: str, root: str) -> list[Path]:
    """Where the project keeps its skills, the nearest first. What lies in the home folder is the person's own."""
    places: list[Path] = []
    here, home = Path(cwd), Path.home()
    for folder in (here, *here.parents):
        if folder == home or not folder.is_relative_to(root):
            break
        places += [folder / one for one in (".openinterpreter/skills", *_PLACES)]
    return places


def brought(cwd: str, root: str) -> list[str]:
    """Names of the folders and files that the project brings as skills, without reading one."""
    found = (default_name(file) for place in project_places(cwd, root) for file in _files(place))
    return list(dict.fromkeys(found))


def found(cwd: str, root: str, rules: Rules | None = None) -> tuple[Skill, ...]:
    """All skills that are there: those that are used by name, then the others, each with its reason.

    Of two with one name the person's own wins over the project's, and that over the built-in one; within a scope the
    first place of `roots` does.
    """
    rules = rules or Rules()
    used: dict[str, Skill] = {}
    others: dict[str, Skill] = {}
    seen: set[str] = set()
    for scope, folder in roots(cwd, root):
        for file in _files(folder):
            if str(file) in seen:  # a place may be named twice, as both home and project
                continue
            seen.add(str(file))
            one = _judged(_read(scope, file), used, rules)
            if one.usable:
                used[one.name] = one
            else:
                others[one.path] = one
    return (*(used[name] for name in sorted(used)), *others.values())


def _judged(one: Skill, used: dict[str, Skill], rules: Rules) -> Skill:
    if one.state == "broken":
        return one
    if one.scope == "project" and not rules.trusted:
        return replace(one, state="untrusted", why="its folder is not trusted: /trust shows what that means")
    if one.scope == "built-in" and not rules.bundled:
        return replace(one, state="off", why="the settings leave out the built-in skills (skills.bundled)")
    if not rules.is_on(one.name, one.path):
        return replace(one, state="off", why=f"it is switched off; /skills on {one.name} takes it back")
    if one.name in used:
        return replace(one, state="hidden", why=f"{used[one.name].path} has the same name and goes first")
    return one


def _files(folder: Path) -> Iterator[Path]:
    """The files that each are a skill, those of nested folders too; links are followed, but never in a circle.

    A folder with a SKILL.md is one skill, and what lies below it is its own."""
    waiting, seen = [(str(folder), 0)], set[tuple[int, int]]()
    entries = 0
    while waiting and len(seen) < _FOLDERS:
        here, depth = waiting.pop(0)
        try:
            facts = os.stat(here)  # noqa: PTH116 - text paths, since most of this is done for nothing
            with os.scandir(here) as found:
                inside = sorted(found, key=lambda one: one.name)
        except OSError:
            continue
        if (facts.st_dev, facts.st_ino) in seen:
            continue
        seen.add((facts.st_dev, facts.st_ino))
        for entry in inside[: max(0, _ENTRIES - entries)]:
            entries += 1
            if os.path.isfile(f"{entry.path}/{MAIN}"):  # noqa: PTH113
                yield Path(entry.path, MAIN)
            elif not depth and entry.name.endswith((".yaml", ".yml")) and os.path.isfile(entry.path):  # noqa: PTH113
                yield Path(entry.path)
            elif depth < _DEPTH and not entry.name.startswith(".") and entry.name not in _PASSED:
                waiting.append((entry.path, depth + 1))


def _read(scope: Scope, file: Path) -> Skill:
    try:
        changed = file.stat()
        name, description = described(file, changed.st_mtime_ns, changed.st_size)
    except OSError as error:
        return Skill(default_name(file), "", scope, str(file), "broken", (error.strerror or str(error)).lower())
    except ValueError as error:
        return Skill(default_name(file), "", scope, str(file), "broken", str(error))
    return Skill(name, description, scope, str(file))
