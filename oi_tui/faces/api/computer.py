"""`interpreter.computer`: runs code in any language, for programs that are not async."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from oi_tui.computer.devices.rack import Devices
from oi_tui.faces.api import loop

if TYPE_CHECKING:
    from oi_tui.computer.computer import Computer as Engine
    from oi_tui.computer.devices.base import Question
    from oi_tui.faces.api.program import Program
    from oi_tui.protocol.calls import Result
    from oi_tui.protocol.lmc import Chunk

_PATIENCE = 2.0  # seconds that a block gets to obey


class Computer(Devices):
    """The computer of one interpreter, or of nobody. Kernels, shells and devices start when they are first needed.

    emit_images, verbose, debug, offline, save_skills, import_computer_api and max_output are as programs set them.
    """

    def __init__(self, interpreter: Program | None = None) -> None:
        self.interpreter = interpreter
        self.offline = self.verbose = self.debug = False
        self.emit_images = True
        self.max_output = 2800
        self.import_computer_api = self.import_skills = False
        self.save_skills = True
        self._engine: Engine | None = None

    # ---- code

    @overload
    def run(
        self, language: str, code: str, stream: Literal[False] = False, display: bool = False
    ) -> list[dict[str, Any]]: ...
    @overload
    def run(
        self, language: str, code: str, stream: Literal[True], display: bool = False
    ) -> Generator[dict[str, Any], None, None]: ...
    def run(self, language: str, code: str, stream: bool = False, display: bool = False) -> Any:
        """Run one block. Returns its LMC chunks without role: a generator as they come, with active lines (`stream`;
        closing it stops the block), else a list of whole messages. display: print what it prints as well.

        Never raises for what the code does, nor for a language that is not there: the output says so.
        """
        chunks = self._stream(language, code, display)
        return chunks if stream else _merged(chunks)

    def exec(self, code: str) -> list[dict[str, Any]]:
        """Run code in the shell."""
        return self.run("shell", code)

    def _stream(self, language: str, code: str, display: bool) -> Generator[dict[str, Any], None, None]:
        import queue
        from concurrent.futures import wait

        from oi_tui.protocol.calls import Result

        engine = self.engine()
        found: queue.SimpleQueue[Chunk | Result | BaseException] = queue.SimpleQueue()

        async def running() -> None:
            try:
                found.put(await engine.run(language, code, found.put))
            except BaseException as error:
                found.put(error)
                raise

        task = loop.begin(running())
        try:
            while True:
                one = found.get()
                if isinstance(one, BaseException):
                    raise one
                if isinstance(one, Result):
                    if one.note:
                        yield _shown({"type": "console", "format": "output", "content": f"{one.note}\n"}, display)
                    return
                if one.get("format") == "active_line" and one.get("content") is None:
                    continue
                yield _shown({key: value for key, value in one.items() if key != "role"}, display)
        finally:
            for _ in range(3):  # the second time kills it
                if not task.done():
                    self.stop()
                    wait([task], timeout=_PATIENCE)
            task.cancel()

    def stop(self) -> None:
        """Stop the block that runs; what the languages keep stays."""
        if self._engine is not None:
            loop.wait_for(self._engine.interrupt())

    def terminate(self) -> None:
        """End all kernels and shells with what they keep; the next block starts afresh."""
        if self._engine is not None:
            loop.call(self._engine.terminate)

    @property
    def languages(self) -> Any:
        """The languages, a list that may be changed or assigned: classes of one's own, or names of built-in ones."""
        return self.engine().languages

    @languages.setter
    def languages(self, entries: Iterable[Any]) -> None:
        engine = self.engine()

        def assign() -> None:
            engine.languages = entries

        loop.call(assign)

    # ---- what devices ask for

    def ask(self, questions: Sequence[Question]) -> list[str]:
        """The interpreter's model answers each. Raises DeviceError where there is none, else what `llm.run` raises."""
        if self.interpreter is None:
            return super().ask(questions)
        from oi_tui.faces.api.asking import answers

        return answers(self.interpreter, questions)

    def show(self, picture: Any) -> None:
        """Show a picture in a notebook; elsewhere it is for the program that took it."""
        display = getattr(sys.modules.get("IPython.display"), "display", None)
        if display is not None:
            display(picture)

    # ---- state

    def to_dict(self) -> dict[str, Any]:
        """What of this object can be written as JSON."""
        plain = (str, int, float, bool, list, dict, type(None))
        return {key: value for key, value in vars(self).items() if key[0] != "_" and isinstance(value, plain)}

    def load_dict(self, data: dict[str, Any]) -> None:
        """Set what is in `data` and known here."""
        for key, value in data.items():
            if key in vars(self) and key[0] != "_":
                setattr(self, key, value)

    # ---- the engine's own

    def engine(self) -> Engine:
        """What does the work, made in the current folder with the first call."""
        if self._engine is None:
            import asyncio

            from oi_tui import paths
            from oi_tui.computer.computer import Computer as Engine
            from oi_tui.session.store import new_id

            settings = self.interpreter.settings() if self.interpreter is not None else None
            cwd, outputs = os.getcwd(), paths.outputs(new_id())  # noqa: PTH109
            python, backend = (settings.python, settings.backend) if settings else ("", "local")
            self._engine = loop.call(lambda: Engine(cwd, python=python, backend=backend or "local", outputs=outputs))
            self._engine.ask = lambda questions: asyncio.to_thread(self.ask, questions)
            loop.close_at_exit(self, self._close)
        self._engine.opening = self._opening()
        return self._engine

    def _opening(self) -> dict[str, str]:
        """Code that a Python kernel begins with: where kept functions lie, and their definitions."""
        folder = getattr(self.interpreter, "skills_path", None)
        lines = [f"computer.skills.path = {os.path.expanduser(folder)!r}"] if folder else []  # noqa: PTH111
        lines += ["computer.skills.import_skills()"] if self.import_skills else []
        return {"python": "\n".join(lines)} if lines else {}

    async def _close(self) -> None:
        from oi_tui.session.store import remove_outputs

        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.close()
            if engine.outputs is not None:
                remove_outputs(engine.outputs.name)

    def close(self) -> None:
        """End all that it started and remove its files. The next call begins anew."""
        if self._engine is not None:
            loop.wait_for(self._close())
            loop.forget(self)


def _shown(chunk: dict[str, Any], display: bool) -> dict[str, Any]:
    if display and chunk["type"] == "console" and chunk.get("format") == "output":
        sys.stdout.write(str(chunk["content"]))
        sys.stdout.flush()
    return chunk


def _merged(chunks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Whole messages: neighbours of one kind joined, the running line left out."""
    made: list[dict[str, Any]] = []
    for one in chunks:
        if one.get("format") == "active_line":
            continue
        last = made[-1] if made else {}
        if one["type"] == "console" and all(last.get(key) == one.get(key) for key in ("type", "format", "recipient")):
            last["content"] += one["content"]
        else:
            made.append(dict(one))
    return made
