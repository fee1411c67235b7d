"""Brings profiles of old versions of Open Interpreter up to date: keys get today's names, the old file stays beside it.

Old profiles are found in the folders where classic versions kept theirs; they are copied from there, never changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from oi_tui import paths
from oi_tui.extensions.profile_files import Malformed, rows
from oi_tui.extensions.profile_keys import OLD

# The newest first; the oldest kept one `config.yaml` and no profiles.
CLASSIC_NAMES = ("open-interpreter", "Open Interpreter Terminal", "Open Interpreter")


@dataclass(frozen=True, slots=True)
class Migrated:
    """A file that was brought up to date. renamed: old keys with their new names."""

    path: Path
    backup: Path
    renamed: tuple[tuple[str, str], ...]


def updated(text: str, ending: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A YAML or JSON profile with today's keys, its comments kept, and what was renamed. Raises Malformed."""
    lines = text.split("\n")
    renamed: list[tuple[str, str]] = []
    for row in rows(text, ending):
        new = OLD.get(row.key)
        if new is None or not row.line:
            continue
        at, key = row.line - 1, re.escape(row.key)
        lines[at], times = re.subn(rf"(?<![\w.])([\"']?){key}\1(?=\s*:)", rf"\g<1>{new}\g<1>", lines[at], count=1)
        if times:
            renamed.append((row.key, new))
    return "\n".join(lines), tuple(renamed)


def migrate(path: Path) -> Migrated | None:
    """Bring one of the person's own profiles up to date, None where there is nothing to do. Raises OSError."""
    ending = path.suffix.lower()
    if ending not in {".yaml", ".yml", ".json"}:
        return None
    before = path.read_bytes()
    try:
        text, renamed = updated(before.decode("utf-8-sig"), ending)
    except (Malformed, UnicodeDecodeError):  # what is wrong is told when it is read
        return None
    if not renamed:
        return None
    backup = backup_of(path)
    backup.write_bytes(before)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8", newline="")
    beside.replace(path)
    return Migrated(path, backup, renamed)


def classic_folders() -> list[Path]:
    """The folders of classic versions that are there, the newest version first."""
    import platformdirs

    found = [Path(platformdirs.user_config_dir(name)) for name in CLASSIC_NAMES]
    return [one for one in dict.fromkeys(found) if one.is_dir()]


def classic_profiles() -> dict[str, Path]:
    """File name -> file, of the profiles that classic versions left."""
    found: dict[str, Path] = {}
    for place in classic_folders():
        for path in sorted((place / "profiles").glob("*")):
            if path.suffix.lower() in {".yaml", ".yml", ".json", ".py"}:
                found.setdefault(path.name, path)
        if (place / "config.yaml").is_file():
            found.setdefault("default.yaml", place / "config.yaml")
    return found


def copy_classic() -> tuple[list[Path], list[str]]:
    """Copy them into the person's folder, those that are not there yet: what was written, and names left out. Raises
    OSError."""
    folder = paths.private_dir(paths.home() / "profiles")
    made: list[Path] = []
    kept: list[str] = []
    for name, path in classic_profiles().items():
        copy = folder / name
        if copy.exists():
            kept.append(name)
            continue
        copy.write_bytes(path.read_bytes())
        migrate(copy)
        made.append(copy)
    return made, kept


def backup_of(path: Path) -> Path:
    """Where a file goes before another takes its place: beside it, under a name that is free."""
    made, number = path.with_name(f"{path.name}.bak"), 1
    while made.exists():
        number += 1
        made = path.with_name(f"{path.name}.bak{number}")
    return made
