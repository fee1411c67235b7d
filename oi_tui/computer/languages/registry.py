"""Which languages a computer has: by name or alias, with the person's own, and what each lacks on this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from oi_tui.computer.languages.base import Language
from oi_tui.computer.languages.catalog import BUILT_IN

NOT_CODE = frozenset({"text", "txt", "plain", "plaintext", "output", "markdown", "md", "none", "log"})


def program(language: Language, env: Mapping[str, str]) -> str | None:
    """The path of the program that runs this language, None when there is none in PATH."""
    for candidate in language.programs:
        found = shutil.which(candidate, path=env.get("PATH"))
        if found:
            return found
    return None


def lacks(language: Language, env: Mapping[str, str]) -> str:
    """What this language needs and this machine has not, with how to get it; "" when it can run."""
    if not language.programs:
        return language.lacking("", env) if language.lacking is not None else ""
    found = program(language, env)
    if found is None:
        shown = language.programs if len(language.programs) < 4 else language.programs[:3]
        return f"{' or '.join(shown)} is not installed (looked in PATH); {language.install}".rstrip("; ")
    return language.lacking(found, env) if language.lacking is not None else ""


def _plug_in(entry: Any) -> Language:
    """The description of a class of the person's own. Raises TypeError for what is none."""
    name = getattr(entry, "name", None)
    if not isinstance(name, str) or not name.strip() or not callable(getattr(entry, "run", None)):
        raise TypeError(f"a language is a class with a name and run(code), not {entry!r}; see languages/base.py")
    aliases = tuple(str(one).strip().lower() for one in getattr(entry, "aliases", None) or ())
    from oi_tui.computer.languages.plugin import PlugInExecutor

    return Language(
        name.strip().lower(),
        aliases,
        str(getattr(entry, "file_extension", "") or ""),
        lambda setting: PlugInExecutor(setting.name, entry, setting.computer),
        system_message=str(getattr(entry, "system_message", "") or ""),
    )


class Languages(list[Any]):
    """The languages of one computer: a plain list of `Language` and of the person's classes, changed as one likes.

    Called, it gives the names of those that can run on this machine. Entries of the person's own come before built-in
    ones of the same name. An entry may be the name of a built-in language as well.
    """

    def __init__(self, entries: Iterable[Any], env: Mapping[str, str]) -> None:
        super().__init__(_named(one) if isinstance(one, str) else one for one in entries)
        self.env = env
        self._described: dict[int, tuple[Any, Language]] = {}
        self.all()

    def all(self) -> list[Language]:
        """Descriptions, the person's own first. Raises TypeError for an entry that is no language."""
        own = [self._describe(one) for one in self if not isinstance(one, Language | str)]
        return own + [
            one if isinstance(one, Language) else _named(one) for one in self if isinstance(one, Language | str)
        ]

    def _describe(self, entry: Any) -> Language:
        known = self._described.get(id(entry))
        if known is None or known[0] is not entry:
            known = self._described[id(entry)] = (entry, _plug_in(entry))
        return known[1]

    def find(self, spelled: str) -> Language | None:
        """The language of this name or alias, however it is spelled."""
        wanted = spelled.strip().lower()
        every = self.all()
        exact = next((one for one in every if one.name == wanted), None)
        return exact or next((one for one in every if one.called(wanted)), None)

    def __call__(self) -> tuple[str, ...]:
        """Names of the languages that can be run on this machine."""
        if sys.platform == "win32":
            return ()
        names = [one.name for one in self.all() if not lacks(one, self.env)]
        return tuple(dict.fromkeys(names))

    def why_not(self, spelled: str) -> str:
        """One sentence that says why this language cannot be run here and what can; "" when it can."""
        if sys.platform == "win32":
            return "running code is not supported on Windows yet; use the program inside WSL"
        language = self.find(spelled)
        lacking = lacks(language, self.env) if language is not None else ""
        if language is not None and not lacking:
            return ""
        here = self()
        known = f"what can be run here: {', '.join(here)}" if here else "no language can be run here"
        asked = spelled.strip()
        if language is not None:
            return f"{language.name} cannot be run: {lacking}; {known}"
        if not asked:
            return f"the block names no language; {known}"
        if asked.lower() in NOT_CODE:
            return f"a block marked {asked!r} is shown, not run; {known}"
        if canonical(asked) is not None:
            return f"{canonical(asked)} is not among the languages of this computer; {known}"
        return f"{asked!r} is not a language that can be run; {known}"


def _named(name: str) -> Language:
    """The built-in language of that name. Raises TypeError when there is none."""
    wanted = name.strip().lower()
    for one in BUILT_IN:
        if one.called(wanted):
            return one
    raise TypeError(f"{name!r} is not a built-in language: {', '.join(one.name for one in BUILT_IN)}")


def canonical(language: str) -> str | None:
    """The one name of a built-in language however it is spelled, `" Py "` -> `python`; None for what is not known."""
    wanted = language.strip().lower()
    return next((one.name for one in BUILT_IN if one.called(wanted)), None)
