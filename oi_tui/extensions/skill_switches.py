"""Which skills a person has switched off: kept by path in one JSON file, over what the settings say.

The settings (`[[skills.config]]`) name skills by `name` or `path`, each with `enabled`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oi_tui import paths


def reader(configured: Sequence[Mapping[str, Any]]) -> Callable[[str, str], bool]:
    """Tells of a name and path whether that skill is on, as things stand now. configured: `skills.config`."""
    switched = _read()

    def is_on(name: str, path: str) -> bool:
        if path in switched:
            return switched[path]
        wanted = True
        for one in configured:
            if one.get("name") == name or _same(one.get("path"), path):
                wanted = one.get("enabled", True) is not False
        return wanted

    return is_on


def switch(path: str, on: bool) -> None:
    """Remember it. Raises OSError where that cannot be written."""
    switched = {one: state for one, state in _read().items() if Path(one).exists()} | {path: on}
    file = paths.skill_switches_file()
    paths.private_dir(file.parent)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(json.dumps(switched, indent=1), encoding="utf-8")
    fresh.replace(file)


def _same(given: Any, path: str) -> bool:
    """Whether a path of the settings means this skill: its file, or its folder."""
    if not isinstance(given, str) or not given:
        return False
    wanted, file = Path(given).expanduser(), Path(path)
    return wanted in {file, file.parent} if file.name == "SKILL.md" else wanted == file


def _read() -> dict[str, bool]:
    try:
        read: Any = json.loads(paths.skill_switches_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(path): on for path, on in read.items() if isinstance(on, bool)} if isinstance(read, dict) else {}
