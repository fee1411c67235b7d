"""Which folders a person trusts: what a project brings along (skills) does nothing before that.

A decision holds for exactly one folder: the root of the repository, or the folder itself where there is none. A
repository inside a trusted one is a matter of its own. Decisions are kept in `trust.json`; `[projects."PATH"]` with
`trust_level` in the settings counts where there is none, and `--trust` trusts the folder for one run.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from typing import Any, Literal, cast

from oi_tui import paths

State = Literal["trusted", "untrusted", "unknown"]
_DECIDED: tuple[State, ...] = ("trusted", "untrusted")


def state(root: str, projects: Mapping[str, Any], always: bool = False) -> State:
    """Whether `root` is trusted. projects: of the settings. always: as for `--trust`."""
    if always:
        return "trusted"
    root = os.path.realpath(root)
    decided = decisions().get(root)
    if decided is not None:
        return decided
    for path, facts in projects.items():
        named = os.path.realpath(os.path.expanduser(path))  # noqa: PTH111
        if named == root and isinstance(facts, Mapping):
            level = cast("Mapping[str, Any]", facts).get("trust_level")
            return _level(level) or "unknown"
    return "unknown"


def problems(projects: Mapping[str, Any]) -> list[str]:
    """What is wrong in the table `projects` of the settings, one sentence each."""
    wrong: list[str] = []
    for folder, facts in projects.items():
        level = cast("Mapping[str, Any]", facts).get("trust_level") if isinstance(facts, Mapping) else ""
        if level is not None and _level(level) is None:
            wrong.append(folder)
    return [f'[projects."{folder}"]: trust_level is one of {" and ".join(_DECIDED)}' for folder in wrong]


def _level(word: object) -> State | None:
    return next((one for one in _DECIDED if one == word), None)


def decide(root: str, decision: State) -> None:
    """Remember it; `unknown` forgets what was decided. Raises OSError where that cannot be written."""
    known = decisions()
    known.pop(os.path.realpath(root), None)
    if decision != "unknown":
        known[os.path.realpath(root)] = decision
    file = paths.trust_file()
    paths.private_dir(file.parent)
    if not known and not file.exists():
        return
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as writing:
        writing.write(json.dumps(known, indent=1, ensure_ascii=False))
    fresh.replace(file)


def decisions() -> dict[str, State]:
    """Everything that was decided, by real path. A file that cannot be read trusts nothing."""
    try:
        read: Any = json.loads(paths.trust_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(read, dict):
        return {}
    kept = cast("dict[str, Any]", read)
    return {path: level for path, word in kept.items() if (level := _level(word)) is not None}
