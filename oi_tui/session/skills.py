"""The skills of one session: which there are, what of them the model is told, and those that a message names.

Only names and descriptions are told beforehand, in a small part of the model's window. The list that a model was told
stays as it is, so that prompt caches stay warm; what is looked up by name is always as it is on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from harnesses.data import SkillInfo
from oi_tui.protocol.lmc import Message, message
from oi_tui.safety import trust
from oi_tui.session.git_place import git_root
from oi_tui.settings import Settings

if TYPE_CHECKING:
    from oi_tui.extensions.skills import Skill
    from oi_tui.safety.trust import State

BODY = 8_000  # bytes of the instructions that a `$name` puts into the conversation
_SHARE = 0.08  # characters a token of the window: 2 % of it, at four characters a token
_UNKNOWN = 8_000  # characters where nobody knows the window
_LEAST = 24  # characters of a description that still says something
_ORDER = {"user": 0, "project": 1, "built-in": 2}
_CODE = re.compile(r"(`+)(?:(?!\1).)*?\1|^(?:```|~~~).*?(?:^(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"(?<![\w$\\])\$([^\s$]+)")
_AFTER = ".,;:!?)]}'\"…"  # may stand behind a name in a sentence


class Skills:
    """What there is for a session in `cwd`. changed: called when the person has changed what is used."""

    def __init__(self, settings: Settings, cwd: str, changed: Callable[[], None] = lambda: None) -> None:
        self._settings, self._cwd, self._changed = settings, cwd, changed

    @property
    def root(self) -> str:
        """The folder that is trusted or not: of the repository, else the working directory."""
        return str(git_root(self._cwd) or self._cwd)

    @property
    def trust(self) -> State:
        """Whether the project's skills are used."""
        return trust.state(self.root, self._settings.projects, self._settings.trust)

    def decide(self, decision: State) -> None:
        """Trust what the folder brings from now on, or not; that is remembered. `unknown` forgets what was decided.
        Raises OSError."""
        trust.decide(self.root, decision)
        self._changed()

    def brought(self) -> list[str]:
        """What the project brings, by name, whether it is trusted or not."""
        from oi_tui.extensions.skills import brought

        return brought(self._cwd, self.root)

    def all(self) -> tuple[Skill, ...]:
        """Those that are used by name, then the others with the reason why they are not."""
        from oi_tui.extensions.skill_switches import reader
        from oi_tui.extensions.skills import Rules, found

        wanted = self._settings.skills
        rules = Rules(self.trust == "trusted", wanted.bundled, reader(wanted.config))
        return found(self._cwd, self.root, rules)

    def usable(self) -> tuple[Skill, ...]:
        """Those that are used."""
        return tuple(one for one in self.all() if one.usable)

    def paths(self) -> Mapping[str, str]:
        """Where the file of each lies that is used, by name; looked for only when somebody asks."""
        return _Paths(self)

    def find(self, name: str) -> Skill | None:
        """The skill of that name, one that is used if there is one. name: with or without its sign; or its path."""
        wanted = name.strip()
        named = [one for one in self.all() if wanted == one.path or wanted.removeprefix("$") == one.name]
        return next((one for one in named if one.usable), named[0] if named else None)

    def switch(self, name: str, on: bool) -> Skill:
        """Use it from now on, or no longer; that is remembered. Raises ValueError for one that is not there, and
        OSError."""
        from oi_tui.extensions.skill_switches import switch

        wanted = name.strip()
        named = [one for one in self.all() if wanted == one.path or wanted.removeprefix("$") == one.name]
        # Of several with one name: the one that is used, or the one that would be if it were not switched off.
        fitting = [one for one in named if one.state in ({"off"} if on else {"on", "untrusted"})]
        if not fitting:
            if named:
                raise ValueError(f"the skill {wanted} is {'on' if on else 'not in use'} already")
            raise ValueError(f"there is no skill {wanted!r}; /skills lists them")
        switch(fitting[0].path, on)
        self._changed()
        return next((one for one in self.all() if one.path == fitting[0].path), fitting[0])

    # ---- what a model is told

    def told(self, window: int) -> tuple[tuple[SkillInfo, ...], tuple[str, ...]]:
        """The skills that the model is told of, and the names of those of the person that had no room (that a small
        window has none for all built-in ones is not worth a word). window: tokens, 0 where nobody knows."""
        if not self._settings.skills.include_instructions:
            return (), ()
        known = sorted(self.usable(), key=lambda one: (_ORDER[one.scope], one.name))
        made, left_out = fitted([SkillInfo(one.name, one.description, one.scope, one.path) for one in known], window)
        bundled = {one.name for one in known if one.scope == "built-in"}
        return made, tuple(name for name in left_out if name not in bundled)

    def mentioned(self, text: str) -> list[Skill]:
        """The skills that a message names as `$name`, in its order, each once. Other words with that sign are text, and
        so is what stands in code."""
        if "$" not in text:
            return []
        words = [one[1] for one in _NAMED.finditer(_CODE.sub(" ", text))]
        if not words:
            return []
        known = {one.name: one for one in self.usable()}
        found: dict[str, Skill] = {}
        for word in words:
            while word and word not in known and word[-1] in _AFTER:
                word = word[:-1]
            if word in known:
                found[word] = known[word]
        return list(found.values())


class _Paths(Mapping[str, str]):
    """Most calls of a turn have nothing to do with skills."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills

    @cached_property
    def _known(self) -> dict[str, str]:
        return {one.name: one.path for one in self._skills.usable()}

    def __getitem__(self, name: str) -> str:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def fitted(known: Sequence[SkillInfo], window: int) -> tuple[tuple[SkillInfo, ...], tuple[str, ...]]:
    """Those that a model with such a window is told of, their descriptions shortened as far as they must be, and the
    names of the last ones, for which there is no room even so."""
    room = int(window * _SHARE) if window else _UNKNOWN
    kept = list(known)
    while kept:
        fixed = sum(len(one.name) + 5 for one in kept)  # "- NAME: " and the end of the line
        each = _longest([len(one.description) for one in kept], room - fixed)
        if each >= _LEAST or each >= max(len(one.description) for one in kept):
            break
        kept.pop()
    else:
        each = 0
    made = tuple(replace(one, description=_short(one.description, each)) for one in kept)
    return made, tuple(one.name for one in known[len(kept) :])


def _longest(lengths: Sequence[int], room: int) -> int:
    """The length to which texts of these lengths must be cut so that they fit into `room` together."""
    left = len(lengths)
    for length in sorted(lengths):
        if length * left > room:
            return room // left
        room -= length
        left -= 1
    return max(lengths, default=0)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(0, most - 1)].rstrip() + "…"


def loaded(skill: Skill, said: str, window: int) -> Message:
    """The instructions of a skill, as the model is told them because the person named it. said: the message that names
    it; its other words are what is given with the skill. window: tokens, 0 where nobody knows.

    Raises OSError, and ValueError with the reason why it cannot be used."""
    from xml.sax.saxutils import quoteattr

    from oi_tui.tools.skill import ARGUMENTS, instructions

    text = instructions(skill.name, skill.path).text
    if ARGUMENTS in text:
        text = text.replace(ARGUMENTS, " ".join(said.replace(f"${skill.name}", " ").split()))
    data, most = text.encode(), min(BODY, window or BODY)  # a byte a token is a quarter of the window, about
    if len(data) > most:
        text = data[:most].decode("utf-8", "ignore") + f"\n[cut here: the rest stands in {skill.path}]"
    head = f"<skill name={quoteattr(skill.name)} path={quoteattr(skill.path)}>"
    told = f"{head}\nThe person named this skill: follow it.\n\n{text}\n</skill>"
    return message("user", "message", told, recipient="assistant", skill=skill.name)
