"""The policy that a session begins with: its mode from the settings, its rules from the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from oi_tui.safety import rules_file
from oi_tui.safety.policy import Policy
from oi_tui.safety.rules import Rules
from oi_tui.settings import Settings


def policy_of(settings: Settings, kept: Callable[[], Path]) -> Policy:
    """The policy that a session begins with. kept: gives the folder with full texts of its outputs."""
    seen = rules_file.mark()
    stored, problems = rules_file.load()
    return Policy(settings.approval, Rules(stored, problems=problems, seen=seen), kept)
