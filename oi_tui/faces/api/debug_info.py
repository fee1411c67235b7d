"""What a bug report should say about the machine; nothing secret is in it."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

from oi_tui import __version__

if TYPE_CHECKING:
    from oi_tui.faces.api.program import Program


def get_python_version() -> str:
    """Of the Python that this runs in."""
    return platform.python_version()


def get_oi_version() -> tuple[str, str]:
    """(version that runs, version that is installed)."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return __version__, version("oi-tui")
    except PackageNotFoundError:
        return __version__, __version__


def get_os_version() -> str:
    return platform.platform()


def get_cpu_info() -> str:
    return platform.processor() or platform.machine()


def interpreter_info(interpreter: Program) -> str:
    """How this instance is set up, without its key."""
    llm = interpreter.llm
    facts = {
        "model": llm.model,
        "api_base": llm.api_base,
        "key": "set" if llm.api_key else "not set",
        "functions": llm.supports_functions,
        "vision": llm.supports_vision,
        "window": llm.context_window,
        "max tokens": llm.max_tokens,
        "auto run": interpreter.auto_run,
        "safe mode": interpreter.safe_mode,
        "messages": len(interpreter.messages),
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def system_info(interpreter: Program) -> None:
    """Print all of it."""
    lines = (
        f"version: {get_oi_version()[0]}",
        f"Python: {get_python_version()} ({sys.executable})",
        f"system: {get_os_version()}, {get_cpu_info()}",
        interpreter_info(interpreter),
    )
    sys.stdout.write("\n".join(lines) + "\n")
