"""Python profiles: a program that sets attributes of `interpreter`, as classic ones do. What it set becomes a layer.

It runs in this process before the session begins. Code that it gives to `interpreter.computer.run` is kept, and runs in
the session's own kernel before the first block; nothing else of a computer or a model is there yet.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from oi_tui.extensions.profile_keys import translated
from oi_tui.extensions.profiles import Source
from oi_tui.faces.api.computer import Computer
from oi_tui.faces.api.instance import OpenInterpreter
from oi_tui.faces.api.llm import Llm
from oi_tui.settings import Layer, Problem, Row

# attribute -> setting, where the names differ
_NAMES = {"os": "os_mode", "debug": "verbose"}
# What a program has and a session has no use for.
_OWN = frozenset({
    "messages", "llm", "computer", "last_messages_count", "last_stop", "trust_placeholders", "in_terminal_interface",
})  # fmt: skip


class NotHere(Exception):
    """Something that a profile cannot do."""


class _Computer(Computer):
    """Keeps code for the session that is to come."""

    def __init__(self, interpreter: Any = None) -> None:
        super().__init__(interpreter)
        self._code: list[dict[str, str]] = []
        self._names: list[str] | None = None

    def run(self, language: str, code: str, stream: bool = False, display: bool = False) -> Any:
        self._code.append({"language": language, "code": code})
        return iter(()) if stream else []

    def stop(self) -> None:
        """There is nothing to stop."""

    def terminate(self) -> None:
        """There is nothing to end."""

    @property
    def languages(self) -> Any:
        from oi_tui.computer.languages import catalog

        return self._names if self._names is not None else [one.name for one in catalog.BUILT_IN]

    @languages.setter
    def languages(self, entries: Any) -> None:
        names = [one if isinstance(one, str) else getattr(one, "name", "") for one in entries]
        known = {one.lower() for one in names if one}
        if any(not isinstance(one, str) and not type(one).__module__.startswith("oi_tui") for one in entries):
            raise NotHere(
                "languages of one's own can be used in programs (interpreter.chat), not in a profile; `backend` "
                "runs code elsewhere"
            )
        self._names = sorted(known)

    def engine(self) -> Any:
        raise NotHere("the computer is not there yet while a profile is read")


class _Llm(Llm):
    def load(self) -> None:
        """The session asks the model when it is needed."""

    def run(self, messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        raise NotHere("the model cannot be asked while a profile is read")


class _Interpreter(OpenInterpreter):
    """What stands for `interpreter` in a profile."""

    def __init__(self) -> None:
        super().__init__(llm=_Llm(), computer=_Computer())
        self.profile_local = False

    def chat(self, *args: Any, **kwargs: Any) -> Any:
        raise NotHere("a profile cannot chat; give the first message on the command line")

    def local_setup(self) -> None:
        """The wizard comes before the session, as with --local."""
        self.offline = True


def run(source: Source) -> Layer:
    """Run the program and read off what it set. What goes wrong in it is a problem, and then it sets nothing."""
    interpreter = _Interpreter()
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(_filtered(source), source.place, "exec"), {"interpreter": interpreter, "__name__": "profile"})
    except SystemExit:
        pass
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Layer(source.place, (), (Problem(_what(source, error), "nothing of the profile is used"),))
    if printed.getvalue():
        sys.stderr.write(printed.getvalue())
    rows, problems = translated(source.place, list(_set(interpreter)))
    return Layer(source.place, rows, problems)


def _filtered(source: Source) -> ast.Module:
    """The program without the lines that would make an interpreter of its own."""
    tree = ast.parse(source.text, source.place)
    tree.body = [one for one in tree.body if not _makes_its_own(one)]
    return tree


def _makes_its_own(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "interpreter" and any(one.name == "interpreter" for one in node.names)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        named = any(isinstance(one, ast.Name) and one.id == "interpreter" for one in node.targets)
        return named and isinstance(node.value.func, ast.Name) and node.value.func.id == "OpenInterpreter"
    return False


def _what(source: Source, error: BaseException) -> str:
    """One line: where in the profile, and what."""
    if isinstance(error, SyntaxError):
        return f"{source.place}: line {error.lineno}: {error.msg}"
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == source.place]
    where = f"line {lines[-1]}: " if lines else ""
    kind = "" if isinstance(error, NotHere) else f"{type(error).__name__}: "
    return f"{source.place}: {where}{kind}{' '.join(str(error).split())}"


def _set(interpreter: _Interpreter) -> Iterator[Row]:
    """What differs from an interpreter that nobody has touched."""
    fresh = _Interpreter()
    yield from _changed("", interpreter, fresh, _OWN | {"system_message", "custom_instructions"})
    yield from _told(interpreter, fresh)
    yield from _changed("llm.", interpreter.llm, fresh.llm, {"interpreter", "chosen"})
    if interpreter.llm.chosen:
        yield Row("model", interpreter.llm.model)
    computer = interpreter.computer
    assert isinstance(computer, _Computer)
    skipped = {"interpreter", "files", "offline", "verbose", "debug", "emit_images", "max_output", "save_skills"}
    skipped |= {"import_computer_api", "import_skills"}
    yield from _changed("computer.", computer, fresh.computer, skipped)
    if computer._names is not None:
        yield Row("languages", computer._names)
    if computer._code:
        yield Row("start_code", computer._code)


def _told(interpreter: _Interpreter, fresh: _Interpreter) -> Iterator[Row]:
    """What the model is told. Text that is added to the system message is added to whatever the harness says."""
    own, added = interpreter.system_message, interpreter.custom_instructions
    if own.startswith(fresh.system_message):
        added = "\n\n".join(filter(None, (own[len(fresh.system_message) :].strip(), added)))
    else:
        yield Row("system_message", own)
    if added:
        yield Row("custom_instructions", added)


def _changed(prefix: str, one: object, fresh: object, skipped: Any) -> Iterator[Row]:
    before = vars(fresh)
    for name, value in vars(one).items():
        if name[0] == "_" or name in skipped or (name in before and before[name] == value):
            continue
        if name == "harness" and value == "classic":
            continue
        if callable(value) or not isinstance(value, str | int | float | bool | list | dict | type(None)):
            continue
        yield Row(f"{prefix}{_NAMES.get(name, name) if not prefix else name}", value)
