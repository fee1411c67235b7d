"""Reads the data of a profile: YAML, JSON or TOML as rows of dotted keys, each with its line."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from oi_tui.config_lines import line_of
from oi_tui.settings import Row, flatten


class Malformed(ValueError):
    """It is not what its ending says; the text has line and reason."""


def rows(text: str, ending: str) -> list[Row]:
    """All values. Raises Malformed."""
    if ending == ".toml":
        return _toml(text)
    if ending == ".json":
        try:
            json.loads(text or "{}")
        except ValueError as error:
            line = getattr(error, "lineno", 0)
            raise Malformed(f"line {line}: {getattr(error, 'msg', error)}".lower()) from error
    return _yaml(text)


def _toml(text: str) -> list[Row]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Malformed(str(error).lower()) from error
    return [Row(key, value, line_of(text, tuple(key.split(".")))) for key, value in flatten(data)]


def _yaml(text: str) -> list[Row]:
    if all(not line.strip() or line.lstrip(" ").startswith("#") for line in text.split("\n")):
        return []  # like the default one as it comes: nothing has to be loaded for it

    import yaml

    try:
        node = yaml.compose(text, yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Malformed(f"line {mark.line + 1 if mark else 1}: {error.problem or error.context}".lower()) from error
    except (yaml.YAMLError, ValueError) as error:  # a date or number that no calendar has, a control character
        raise Malformed(" ".join(str(error).split())) from error
    if data is None:
        return []
    if not isinstance(data, dict) or not isinstance(node, yaml.MappingNode):
        raise Malformed("line 1: a profile is a table of settings, key: value")
    lines: dict[str, int] = {}
    _note(node, "", lines)
    return [Row(key, value, lines.get(key, 0)) for key, value in flatten(_texts(data))]


def _texts(data: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): _texts(value) if isinstance(value, dict) else value for key, value in data.items()}


def _note(node: Any, prefix: str, lines: dict[str, int]) -> None:
    """Write down the line of every key below a mapping."""
    for key, value in node.value:
        dotted = f"{prefix}{key.value}"
        lines[dotted] = key.start_mark.line + 1
        if value.id == "mapping":
            _note(value, f"{dotted}.", lines)
