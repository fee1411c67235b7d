"""Values of settings: what stands in a file, a variable or a flag, as the type that the setting has."""

from __future__ import annotations

from typing import Any

# Names that other programs' config files use for the same thing.
_APPROVAL_ALIASES = {
    "untrusted": "ask", "on-request": "ask", "never": "auto", "default": "ask", "acceptEdits": "auto-edit",
    "dontAsk": "auto", "bypassPermissions": "full", "plan": "read-only", "yolo": "full",
}  # fmt: skip
_SANDBOX_ALIASES = {"danger-full-access": "off", "none": "off", "false": "off", "true": "on"}


def convert(one: Any, value: Any) -> Any:
    """`value` (typed, or text from a flag) as the type of dataclass field `one`. Raises ValueError with the reason."""
    if one.name == "network" and isinstance(value, bool):
        value = "on" if value else "off"
    kinds = str(one.type).replace(" ", "").split("|")
    if "None" in kinds and isinstance(value, str) and value.lower() in {"", "none", "null"}:
        return None
    converted = _as_kind(kinds[0], value)
    choices = one.metadata.get("choices")
    if one.name == "approval_policy":
        converted = _APPROVAL_ALIASES.get(converted, converted)
    if one.name == "mode" and choices and "workspace-write" in choices:
        converted = _SANDBOX_ALIASES.get(str(converted), converted)
    if choices and converted not in choices:
        raise ValueError(f"{value!r} is not one of {', '.join(choice for choice in choices if choice)}")
    least = one.metadata.get("least")
    if least is not None and converted < least:
        raise ValueError(f"{value!r} is below {least}")
    return converted


def _as_kind(kind: str, value: Any) -> Any:
    if kind == "bool":
        if isinstance(value, bool):
            return value
        words = {
            "true": True,
            "yes": True,
            "1": True,
            "on": True,
            "false": False,
            "no": False,
            "0": False,
            "off": False,
        }
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise ValueError(f"{value!r} is neither true nor false")
    if kind in {"int", "float"}:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError(f"{value!r} is not a number")
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise ValueError(f"{value!r} is not a number") from None
        if not -1e300 < number < 1e300:  # infinite, or nan, which no limit would ever stop
            raise ValueError(f"{value!r} is not a number that can be used here")
        if kind == "float":
            return number
        if number != int(number):
            raise ValueError(f"{value!r} is not a whole number")
        return int(number)
    if kind.startswith("dict"):
        if not isinstance(value, dict):
            raise ValueError(f"{value!r} is not a table")
        return value
    if kind.startswith("list[dict"):
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise ValueError(f"{value!r} is not a list of tables")
        return value
    if kind.startswith("list"):
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise ValueError(f"{value!r} is not a list of names")
        return [one.strip() for one in names if one.strip()]
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return value.strip()
