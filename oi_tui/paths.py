"""Every folder and file that the program keeps for a person, in one place.

All of it lies below one home folder, `~/.openinterpreter` unless INTERPRETER_HOME says otherwise, so that it can be
moved, backed up or deleted as one thing. Asking for a path never creates it.
"""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The program's own folder: $INTERPRETER_HOME, else ~/.openinterpreter."""
    moved = os.environ.get("INTERPRETER_HOME", "").strip()
    return Path(moved).expanduser() if moved else Path.home() / ".openinterpreter"


def config_file() -> Path:
    """The person's settings, TOML."""
    return home() / "config.toml"


def rules_file() -> Path:
    """What the person allows and forbids, TOML."""
    return home() / "rules.toml"


def audit_file() -> Path:
    """What ran and who allowed it, one JSON object a line; older parts lie beside it with a number."""
    return home() / "audit" / "audit.jsonl"


def keys_file() -> Path:
    """Which providers have a key in the keyring, and the keys that had to be kept here, JSON."""
    return home() / "auth.json"


def sessions() -> Path:
    """Saved sessions, one JSONL file each, in YYYY/MM/DD folders."""
    return home() / "sessions"


def history_file() -> Path:
    """What was typed into the message box, one JSON object a line."""
    return home() / "history.jsonl"


def learned_file() -> Path:
    """What earlier sessions learned of models, JSON."""
    return home() / "learned.json"


def trust_file() -> Path:
    """Which folders the person trusts, JSON."""
    return home() / "trust.json"


def hook_trust_file() -> Path:
    """Which hooks the person trusts, as they stood then, and which are switched off, JSON."""
    return home() / "trusted_hooks.json"


def skill_switches_file() -> Path:
    """Which skills the person has switched off, or on again, JSON."""
    return home() / "skills.json"


def models() -> Path:
    """Weights of the embedded model."""
    return home() / "models"


def outputs(session_id: str) -> Path:
    """Full texts of outputs that were too long to show the model, and images, of one session."""
    return home() / "outputs" / session_id


def undo(session_id: str) -> Path:
    """The changes of files that one session can take back."""
    return home() / "undo" / session_id


def cache() -> Path:
    """What can be made again: compiled parts of the program."""
    return home() / "cache"


def sandbox_file() -> Path:
    """What the person has agreed to where no sandbox starts, JSON."""
    return home() / "sandbox.json"


def sandbox_cache() -> Path:
    """What sandboxed code may keep for later sessions, read by nothing else."""
    return home() / "cache" / "sandbox"


def themes() -> Path:
    """The person's own themes."""
    return home() / "themes"


def shipped(room: str) -> Path:
    """The folder of content that comes with the program, such as `themes`.

    In a wheel it lies inside the package, in a checkout beside it.
    """
    package = Path(__file__).resolve().parent
    inside = package / room
    return inside if inside.is_dir() else package.parent / room


def private_dir(path: Path) -> Path:
    """Create `path` with its parents, each readable by the owner alone, and return it.

    Folders that are there already keep their mode. Raises OSError when one cannot be made.
    """
    if not path.is_dir():
        private_dir(path.parent)
        path.mkdir(exist_ok=True, mode=0o700)
    return path
