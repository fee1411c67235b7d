"""JSON Schemas of tool arguments, in as few words as they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Schema = dict[str, Any]


def arguments(required: Sequence[str] = (), /, **properties: Schema) -> Schema:
    """The arguments of a tool: an object with these properties and no others."""
    return fields(properties, required)


def fields(properties: dict[str, Schema], required: Sequence[str] = ()) -> Schema:
    """An object with these properties and no others; for names that are no Python words, such as `-A`."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def text(description: str = "", **more: Any) -> Schema:
    return _typed("string", description, more)


def number(description: str = "", **more: Any) -> Schema:
    return _typed("number", description, more)


def whole(description: str = "", **more: Any) -> Schema:
    return _typed("integer", description, more)


def flag(description: str = "", **more: Any) -> Schema:
    return _typed("boolean", description, more)


def one_of(*values: str, description: str = "", **more: Any) -> Schema:
    return _typed("string", description, {"enum": list(values), **more})


def several(items: Schema, description: str = "", **more: Any) -> Schema:
    """An array."""
    return _typed("array", description, {"items": items, **more})


def _typed(kind: str, description: str, more: dict[str, Any]) -> Schema:
    made: Schema = {"type": kind}
    if description:
        made["description"] = description
    return made | more
