"""What a model is told of the devices: one line a method, `computer.DEVICE.METHOD(PARAMETERS) # what it does`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from oi_tui.computer.devices.base import NAMES

_HEAD = "# The computer object\n\nIn Python, `computer` is there already (do not import it):\n\n```python\n"
_FOOT = "\n```\n"


def system_message(computer: Any = None) -> str:
    """All methods, for a system message."""
    return f"{_HEAD}{chr(10).join(lines(computer))}{_FOOT}"


def lines(computer: Any = None) -> list[str]:
    """One line a method, devices in their order. Nothing is opened or started."""
    return [line for name in NAMES for line in _of(name)]


def methods(name: str) -> list[tuple[str, inspect.Signature, str]]:
    """Public methods of a device: name, signature without `self`, first sentence of the docstring."""
    found: list[tuple[str, inspect.Signature, str]] = []
    kind = _class(name)
    names = [one for base in reversed(kind.__mro__) for one in vars(base)]
    for one in dict.fromkeys(names):
        attribute = inspect.getattr_static(kind, one)
        if one.startswith("_") or not (inspect.isfunction(attribute) or isinstance(attribute, staticmethod)):
            continue
        function = getattr(kind, one)
        signature = inspect.signature(function)
        if not isinstance(attribute, staticmethod):
            signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        found.append((one, signature, _sentence(inspect.getdoc(function) or "")))
    return found


def properties(name: str) -> list[str]:
    """Public properties of a device."""
    kind = _class(name)
    return [one for one in dir(kind) if one[0] != "_" and isinstance(inspect.getattr_static(kind, one), property)]


def _class(name: str) -> type[Any]:
    return getattr(importlib.import_module(f"oi_tui.computer.devices.{name}"), name.capitalize())


def _of(name: str) -> Iterator[str]:
    for method, signature, said in methods(name):
        yield f"computer.{name}.{method}({_parameters(signature)}) # {said}"


def _parameters(signature: inspect.Signature) -> str:
    """Names and defaults, without the types, which cost tokens and say little more."""
    shown = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    return str(inspect.Signature(shown))[1:-1]


def _sentence(doc: str) -> str:
    text = " ".join(doc.partition("\n\n")[0].split())
    end = text.find(". ")
    return text[: end + 1] if end >= 0 else text
