"""`computer.docs`: what the documentation of Python modules says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from oi_tui.computer.devices.base import Device


class Docs(Device):
    """Docstrings, searched."""

    def search(self, query: str, module: Any = None, paths: list[str] | None = None) -> list[str]:
        """Docstrings that have the words of the query, best first. module: its name or itself; paths: of Python files
        or folders; without either those of the computer's own devices."""
        from oi_tui.computer.devices.passages import of_docstrings, search

        where = list(paths or [])
        if module is not None:
            where.append(_folder(module))
        return search(query, of_docstrings(where or [str(Path(__file__).parent)]))


def _folder(module: Any) -> str:
    """Where a module lies, without importing it. Raises ValueError for one without a source."""
    name = module if isinstance(module, str) else getattr(module, "__name__", "")
    try:
        found = importlib.util.find_spec(name.partition(".")[0]) and importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if not found or not found.origin or not found.origin.endswith(".py"):
        raise ValueError(f"the source of the module {name or module!r} is not known here; give paths=[…] instead")
    return str(Path(found.origin).parent) if found.submodule_search_locations else found.origin
