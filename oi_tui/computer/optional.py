"""Packages that only some ways of running code need, imported when such a way is taken."""

from __future__ import annotations

import importlib
from typing import Any


def need(package: str, why: str) -> Any:
    """Import an optional package. ValueError with what to install when it is not there."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ValueError(wanting(package, why)) from None


def wanting(package: str, why: str) -> str:
    """The sentence that says what to install."""
    name = package.partition(".")[0].replace("_", "-")
    return f"{why} needs the package {name}: pip install 'oi-tui[jupyter]'"
