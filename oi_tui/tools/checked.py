"""Arguments of a call, checked against the executor's own signature before anything is done.

Models send numbers as text, forget arguments and invent others. What is unmistakable is put right ("3" for 3, "true"
for True, None for "left out"); the rest becomes one sentence that says what is allowed.
"""

from __future__ import annotations

import importlib
import inspect
import math
from functools import cache
from types import ModuleType
from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import NAMES, Context, ErrorKind, Preview

_KINDS: dict[str, tuple[type, str]] = {
    "str": (str, "text"),
    "int": (int, "a whole number"),
    "float": (float, "a number"),
    "bool": (bool, "true or false"),
    "list[Any]": (list, "a list"),
    "list[str]": (list, "a list of texts"),
    "list[int]": (list, "a list of whole numbers"),
    "dict[str, Any]": (dict, "an object"),
    "dict[str, str]": (dict, "an object with texts"),
}
_ITEMS = {"list[str]": str, "list[int]": int, "dict[str, str]": str}


_SUMMARY = 60  # characters
_PROGRAMS = {"code", "shell", "job_output", "job_input"}  # what fails there may be the program that they tell of


class BadArgument(ValueError):
    """It cannot be done, and why: the text is for the model. facts: `error` (an ErrorKind) and what belongs to it."""

    def __init__(self, text: str, error: ErrorKind = "argument", **facts: Any) -> None:
        super().__init__(text)
        self.facts: dict[str, Any] = {"error": error, **facts}


def kind_of(error: OSError) -> ErrorKind:
    """The kind of an error of the file system."""
    if isinstance(error, FileNotFoundError):
        return "missing"
    if isinstance(error, PermissionError):
        return "protected"
    return "kind" if isinstance(error, IsADirectoryError | NotADirectoryError) else "failed"


def failure(text: str, error: ErrorKind, **facts: Any) -> Result:
    """A result that says why nothing came of a call."""
    return Result(ok=False, text=text, meta={"error": error, **facts})


def reason(error: OSError) -> str:
    """An error of the file system as a plain phrase: `permission denied: /etc/shadow`."""
    text = (error.strerror or str(error) or type(error).__name__).lower()
    return f"{text}: {error.filename}" if error.filename else text


class CheckedExecutor:
    """The `Executor` that a module with `preview` and `run` functions makes."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self._module = module
        self._parameters = dict(list(inspect.signature(module.preview).parameters.items())[1:])

    def preview(self, ctx: Context, **kwargs: Any) -> Preview:
        """See `base.Executor.preview`; never raises."""
        try:
            return self._module.preview(ctx, **self._bound(kwargs))
        except BadArgument as error:
            return Preview("tool", "", "", self.name, error=str(error), facts=error.facts)
        except OSError as error:
            return Preview("tool", "", "", self.name, error=reason(error), facts={"error": kind_of(error)})

    async def run(self, ctx: Context, **kwargs: Any) -> Result:
        """See `base.Executor.run`; raises nothing but CancelledError. Failures get a `summary` if they have none."""
        try:
            result: Result = await self._module.run(ctx, **self._bound(kwargs))
        except BadArgument as error:
            result = Result(ok=False, text=str(error), meta={**error.facts, "not_run": True})
        except OSError as error:
            result = failure(reason(error), kind_of(error))
        if not result.ok and self.name not in _PROGRAMS:
            result.meta.setdefault("error", "failed")
            result.meta.setdefault("summary", result.text.partition("\n")[0][:_SUMMARY])
        return result

    def _bound(self, given: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(given) - set(self._parameters))
        if unknown:
            raise BadArgument(f"{self.name} has no argument {unknown[0]!r}; it takes {', '.join(self._parameters)}")
        bound: dict[str, Any] = {}
        for key, parameter in self._parameters.items():
            if given.get(key) is not None:
                bound[key] = _fit(key, given[key], parameter.annotation)
            elif parameter.default is inspect.Parameter.empty:
                raise BadArgument(f"{self.name} needs the argument {key!r}")
        return bound


def _fit(key: str, value: Any, annotation: str) -> Any:
    kind, called = _KINDS[annotation]
    if isinstance(value, str) and kind is int and value.strip().lstrip("-").isdecimal():
        value = int(value)
    elif isinstance(value, str) and kind is bool and value.strip().lower() in {"true", "false"}:
        value = value.strip().lower() == "true"
    elif isinstance(value, float) and kind is int and value.is_integer():
        value = int(value)
    elif kind is float and isinstance(value, str | int) and not isinstance(value, bool):
        value = _number(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadArgument(f"{key} must be {called}, not {type(value).__name__}")
    item = _ITEMS.get(annotation)
    if item is not None:
        inside: Any = value.values() if isinstance(value, dict) else value
        if not all(isinstance(one, item) and not isinstance(one, bool) for one in inside):
            raise BadArgument(f"{key} must be {called}")
    if key in {"path", "glob"} and "\0" in str(value):
        raise BadArgument(f"{key} must not contain a NUL character")
    return value


def _number(value: str | int) -> Any:
    """`value` as a finite number, itself if it is none."""
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return value
    return number if math.isfinite(number) else value


@cache
def executor(name: str) -> CheckedExecutor:
    """The checked executor of that name. Raises KeyError for an unknown one."""
    if name not in NAMES:
        raise KeyError(f"no executor {name!r}; there are {', '.join(NAMES)}")
    return CheckedExecutor(name, importlib.import_module(f"oi_tui.tools.{name}"))
