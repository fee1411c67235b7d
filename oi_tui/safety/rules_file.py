"""Where rules lie: `rules.toml` in the program's own home, which no tool may write; and rules as they are typed."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.safety.rules import DECISIONS, SUBJECTS, Rule

HOW = "command, path, host, tool or language"


def load() -> tuple[list[Rule], list[str]]:
    """The rules of the file, and what is wrong in it, one sentence each. A rule that cannot be read does not count;
    a file that cannot be read at all stands for no rules."""
    file = paths.rules_file()
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return [], []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return [], [f"{file}: no rule in it counts: {error}"]
    rules: list[Rule] = []
    problems = [f"{file}: there is no table {key}; rules are [[rule]]" for key in data if key != "rule"]
    entries = data.get("rule", [])
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries], 1):
        try:
            rules.append(_read(entry))
        except (ValueError, TypeError) as error:
            problems.append(f"{file}: rule {number} does not count: {error}")
    return rules, problems


def _read(entry: Any) -> Rule:
    if not isinstance(entry, dict):
        raise ValueError("it is no table")
    known = {one.name for one in fields(Rule) if one.init}
    for key in entry:
        if key not in known:
            raise ValueError(f"there is no {key} in a rule; there are {', '.join(sorted(known))}")
    made = dict(entry)
    if "decision" not in made:
        raise ValueError("it does not say its decision")
    command = made.get("command")
    if isinstance(command, str):
        made["command"] = tuple(shlex.split(command))
    elif command is not None:
        if not isinstance(command, list) or not all(isinstance(one, str) for one in command):
            raise ValueError("command is a list of words")
        made["command"] = tuple(command)
    for key, value in made.items():
        wanted = tuple if key == "command" else bool if key == "exact" else str
        if key == "added" and not isinstance(value, str):
            made[key] = str(value)
        elif not isinstance(value, wanted):
            raise ValueError(f"{key} is no {'text' if wanted is str else 'true or false'}")
    if made.get("folder"):
        made["folder"] = os.path.realpath(os.path.expanduser(made["folder"]))  # noqa: PTH111
    return Rule(**made)


def save(rules: Sequence[Rule]) -> None:
    """Write all rules. The file is the owner's alone. Raises OSError."""
    import tomlkit

    file = paths.rules_file()
    paths.private_dir(file.parent)
    tables: list[dict[str, Any]] = []
    for rule in rules:
        table = {one.name: getattr(rule, one.name) for one in fields(Rule) if one.init and getattr(rule, one.name)}
        if "command" in table:
            table["command"] = list(rule.command)
        tables.append(table)
    text = "# What oi may do unasked, has to ask about, or must not do: /permissions shows and changes it.\n\n"
    text += tomlkit.dumps({"rule": tables}) if tables else ""
    made = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    made.replace(file)


def add(rules: Sequence[Rule]) -> None:
    """Add rules to the file. Raises OSError, and ValueError when it holds something that would be lost."""
    with _locked():
        there = _all()
        save([*there, *(one for one in rules if not any(_same(one, other) for other in there))])


def remove(rule: Rule) -> bool:
    """Take a rule out of the file. False if it is not there. Raises OSError and ValueError as `add`."""
    with _locked():
        there = _all()
        kept = [one for one in there if not _same(one, rule)]
        if len(kept) == len(there):
            return False
        save(kept)
        return True


def _all() -> list[Rule]:
    there, problems = load()
    if problems:
        raise ValueError(f"{problems[0]}; correct that first, so that nothing in it is lost")
    return there


def _same(one: Rule, other: Rule) -> bool:
    return replace(one, added="", by="") == replace(other, added="", by="")


class _locked:
    """Two sessions do not write the file at once."""

    def __enter__(self) -> None:
        paths.private_dir(paths.home())
        self._file = os.open(paths.rules_file().with_suffix(".lock"), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX)
        except ImportError:  # Windows: the last one to write wins
            pass

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def signed(rule: Rule, how: str) -> Rule:
    """The rule with who writes it and when. how: `in the approval`, `by /permissions`."""
    import getpass

    try:
        who = getpass.getuser()
    except (OSError, KeyError):
        who = "you"
    return replace(rule, added=datetime.now().astimezone().isoformat(timespec="seconds"), by=f"{who} {how}")


def typed(line: str, cwd: str) -> Rule:
    """The rule that a line means: `allow command git push`, `deny path ~/secrets everywhere`,
    `ask read ~/notes`, `allow host *.pypi.org`. It holds in `cwd` unless the line ends with `everywhere`.

    Raises ValueError with what is wrong and how it is written."""
    decision, _, rest = line.strip().partition(" ")
    subject, _, value = rest.strip().partition(" ")
    value = value.strip()
    access = ""
    if subject in {"read", "write"}:
        access, subject = subject, "path"
    if decision not in DECISIONS or subject not in SUBJECTS or subject == "script" or not value:
        raise ValueError(
            "a rule is written as `allow command git push`, `deny path ~/secrets everywhere`, `ask host *.example.org`"
            f": {', '.join(DECISIONS)}; then {HOW}, read or write for a path; then what it is"
        )
    folder = os.path.realpath(cwd)
    if value.endswith(" everywhere"):
        value, folder = value.removesuffix(" everywhere").rstrip(), ""
    exact = subject == "command" and value.endswith(" exactly")
    if exact:
        value = value.removesuffix(" exactly").rstrip()
    given: dict[str, Any] = {"folder": folder, "access": access, "exact": exact}
    if subject == "command":
        try:
            given["command"] = tuple(shlex.split(value))
        except ValueError as error:
            raise ValueError(f"the command cannot be read: {str(error).lower()}") from None
    elif subject == "path" and not folder and not value.startswith(("/", "~", "*")):
        given["path"] = os.path.join(cwd, value)  # noqa: PTH118
    elif subject == "host" and "/" in value:
        raise ValueError("a host is a name alone, such as example.org or *.example.org")
    else:
        given[subject] = value
    return Rule(decision, **given)  # type: ignore[arg-type]


def file_changed(seen: tuple[int, int]) -> bool:
    """Whether the file is another one than when its mark was `seen`."""
    return mark() != seen


def mark() -> tuple[int, int]:
    """What tells one state of the file from another."""
    try:
        state = Path(paths.rules_file()).stat()
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size
