"""How hard a model is to think: the levels there are, and which of them a model takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")  # from least to most
_USUAL = ("low", "medium", "high")  # what every model takes that takes any


def of_entry(entry: Mapping[str, object]) -> tuple[str, ...]:
    """The levels that a model of litellm's catalog takes; none if it does not reason, or cannot be told how hard."""
    listed = entry.get("reasoning_effort_levels")
    if isinstance(listed, list):
        return tuple(one for one in LEVELS if one in listed)
    if entry.get("supports_reasoning") is not True:
        return ()
    return tuple(
        one for one in LEVELS if entry.get(f"supports_{one}_reasoning_effort", one in _USUAL) is True
    )  # fmt: skip


def nearest(level: str, taken: Sequence[str]) -> str:
    """`level` if it is among those taken, else the next lower one, else the lowest; "" where none is taken."""
    if level in taken or not taken:
        return level if taken else ""
    order = LEVELS.index(level)
    lower = [one for one in taken if LEVELS.index(one) < order and one != "none"]
    return lower[-1] if lower else taken[0]
