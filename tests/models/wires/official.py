"""Request bodies checked against the types of the providers' own Python packages, where these are installed.

The packages describe bodies as typed dictionaries, which pydantic can validate. Parts that they declare as iterables
are validated only while they are walked through, so everything is.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_TYPES = {
    "chat": ("openai", "openai.types.chat.completion_create_params", "CompletionCreateParamsStreaming"),
    "messages": ("anthropic", "anthropic.types.message_create_params", "MessageCreateParamsStreaming"),
    "responses": ("openai", "openai.types.responses.response_create_params", "ResponseCreateParamsStreaming"),
}


def package(wire: str) -> str:
    """The package that describes bodies of this wire."""
    return _TYPES[wire][0]


def installed(wire: str) -> bool:
    """Whether that package is there."""
    return find_spec(package(wire)) is not None


@cache
def _adapter(wire: str) -> tuple[Any, frozenset[str]]:
    from pydantic import TypeAdapter

    _, module, name = _TYPES[wire]
    described = getattr(import_module(module), name)
    return TypeAdapter(described), described.__required_keys__ | described.__optional_keys__


def check_body(wire: str, body: dict[str, Any]) -> None:
    """Raise AssertionError or pydantic.ValidationError for a body that the types do not describe."""
    adapter, keys = _adapter(wire)
    assert set(body) <= keys, f"fields that the {wire} wire has not: {sorted(set(body) - keys)}"
    _walk(adapter.validate_python(body))


def _walk(value: Any) -> None:
    if isinstance(value, dict):
        for one in value.values():
            _walk(one)
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for one in value:
            _walk(one)
