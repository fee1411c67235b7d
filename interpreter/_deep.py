"""Deep imports of classic programs, `from interpreter.core.core import OpenInterpreter`, lead to our own modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_API = "oi_tui.faces.api"
_DEVICES = (
    "mouse", "keyboard", "display", "clipboard", "mail", "sms", "calendar", "contacts", "browser", "os", "vision",
    "skills", "docs", "ai", "files",
)  # fmt: skip
_MODULES = {
    "core.async_core": f"{_API}.async_instance",
    "core.core": f"{_API}.instance",
    "core.llm.llm": f"{_API}.llm",
    "core.computer.computer": f"{_API}.computer",
    **{f"core.computer.{one}.{one}": f"oi_tui.computer.devices.{one}" for one in _DEVICES},
    "core.computer.terminal.base_language": f"{_API}.languages",
    "core.utils.system_debug_info": f"{_API}.debug_info",
    "terminal_interface.utils.count_tokens": f"{_API}.counting",
    "terminal_interface.utils.get_conversations": f"{_API}.storage",
    "terminal_interface.utils.display_markdown_message": f"{_API}.terminal",
}
_PACKAGES = {name.rsplit(".", depth)[0] for name in _MODULES for depth in range(1, name.count(".") + 1)}


class _Finder:
    """Finds what is in the table; a package on the way to it is an empty module."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        short = name.removeprefix("interpreter.")
        if short == name or short not in _MODULES.keys() | _PACKAGES:
            return None
        return ModuleSpec(name, _Finder, is_package=short in _PACKAGES)  # pyright: ignore[reportArgumentType]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType | None:
        ours = _MODULES.get(spec.name.removeprefix("interpreter."))
        return None if ours is None else importlib.import_module(ours)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """There is nothing to run: ours has been imported already."""


def install() -> None:
    """Have Python ask the table, after everything else."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)  # pyright: ignore[reportArgumentType]
