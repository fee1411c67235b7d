"""The import name that programs written for Open Interpreter know. It only passes on what `oi_tui` has.

    from interpreter import interpreter

`interpreter` is a ready instance, `computer` its computer; neither does anything before it is used.
Deep imports such as `interpreter.core.core` lead to the same objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interpreter import _deep

if TYPE_CHECKING:
    from oi_tui.faces.api.async_instance import AsyncInterpreter
    from oi_tui.faces.api.computer import Computer
    from oi_tui.faces.api.instance import InterpreterError, OpenInterpreter
    from oi_tui.faces.api.languages import BaseLanguage

    interpreter: OpenInterpreter
    computer: Computer

__all__ = ["AsyncInterpreter", "BaseLanguage", "InterpreterError", "OpenInterpreter", "computer", "interpreter"]

_made: dict[str, Any] = {}
_deep.install()


def __getattr__(name: str) -> Any:
    """What is asked for, made with the first use."""
    if name in _made:
        return _made[name]
    if name == "__version__":
        from oi_tui import __version__

        return __version__
    if name in {"OpenInterpreter", "InterpreterError", "interpreter", "computer"}:
        from oi_tui.faces.api import instance

        if name in {"interpreter", "computer"}:
            shared = _made.setdefault("interpreter", instance.OpenInterpreter())
            _made["computer"] = shared.computer
        else:
            _made[name] = getattr(instance, name)
    elif name == "AsyncInterpreter":
        from oi_tui.faces.api.async_instance import AsyncInterpreter

        _made[name] = AsyncInterpreter
    elif name == "BaseLanguage":
        from oi_tui.faces.api.languages import BaseLanguage

        _made[name] = BaseLanguage
    else:
        raise AttributeError(f"the package `interpreter` has no {name!r}; it has {', '.join(__all__)}")
    return _made[name]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
