"""A sandbox of E2B, by its own package `e2b_code_interpreter` (extra `e2b`), as language plug-ins.

The package reads its key from E2B_API_KEY. Its calls wait, so they run in threads. One sandbox is shared by all
languages of a computer and made with the first block.
"""

from __future__ import annotations

import importlib
import queue
import re
import threading
from collections.abc import Iterator
from typing import Any

from oi_tui.computer.kernels.messages import chunks_of
from oi_tui.computer.languages.base import Language, Setting
from oi_tui.computer.languages.catalog import BUILT_IN, PYTHON
from oi_tui.computer.languages.plugin import Failed, PlugInExecutor

PACKAGE = "e2b_code_interpreter"
LIFETIME = 3600  # seconds that a sandbox lives unless it is ended; what every plan of the service allows
SPOKEN = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "typescript",
    "shell": "bash",
    "r": "r",
    "java": "java",
}
FORMS = {
    "png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml", "html": "text/html", "markdown": "text/markdown",
    "latex": "text/latex", "javascript": "application/javascript", "text": "text/plain",
}  # fmt: skip
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def languages(template: str) -> list[Language]:
    """What a sandbox runs. template: which one, "" for E2B's own. ValueError when the package is not installed."""
    try:
        importlib.import_module(PACKAGE)
    except ImportError:
        raise ValueError("--backend e2b needs the package of E2B: pip install 'oi-tui[e2b]'") from None
    shared: dict[int, Sandbox] = {}

    def make(setting: Setting) -> PlugInExecutor:
        sandbox = shared.setdefault(id(setting.table), Sandbox(template, setting.env.get("E2B_API_KEY", "")))
        return PlugInExecutor(setting.name, Tongue(sandbox, SPOKEN[setting.name]))

    known = {one.name: one for one in BUILT_IN}
    return [
        Language(name, PYTHON if name == "python" else known[name].aliases, known[name].file_extension, make)
        for name in SPOKEN
    ]


class Sandbox:
    """One sandbox, made when it is first needed. key: of the service, "" to leave it to the package."""

    def __init__(self, template: str, key: str) -> None:
        self._template, self._key = template, key
        self._made: Any = None
        self._lock = threading.Lock()

    def get(self) -> Any:
        """The sandbox. Raises what the package raises."""
        with self._lock:
            if self._made is None:
                options: dict[str, Any] = {"api_key": self._key} if self._key else {}
                kind = importlib.import_module(PACKAGE).Sandbox
                self._made = kind.create(self._template or None, timeout=LIFETIME, **options)
            return self._made

    def end(self) -> None:
        """End the sandbox; the next block makes another."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            made.kill()


class Tongue:
    """One language of a sandbox, as a plug-in."""

    def __init__(self, sandbox: Sandbox, language: str) -> None:
        self.name, self._sandbox, self._language = language, sandbox, language

    def run(self, code: str) -> Iterator[dict[str, Any]]:
        """Chunks of one block, while they come."""
        came: queue.Queue[tuple[str, Any]] = queue.Queue()
        threading.Thread(target=self._execute, args=(code, came), name="oi-e2b", daemon=True).start()
        while True:
            kind, value = came.get()
            if kind == "end":
                return
            if kind == "raised":
                if type(value).__name__ in ("NotFoundException", "TimeoutException"):
                    self._sandbox.end()
                    raise RuntimeError(f"the sandbox is gone, and its state with it: {value}") from value
                raise value
            if kind == "error":
                yield from chunks_of("stream", {"text": _ANSI.sub("", str(value.traceback)).rstrip() + "\n"})
                raise Failed(f"{value.name}: {value.value}")
            yield from chunks_of(kind, value)

    def _execute(self, code: str, came: queue.Queue[tuple[str, Any]]) -> None:
        def text(message: Any) -> None:
            came.put(("stream", {"text": message.line}))

        def shown(result: Any) -> None:
            data = {mime: getattr(result, form) for form, mime in FORMS.items() if getattr(result, form, None)}
            came.put(("display_data", {"data": data}))

        try:
            done = self._sandbox.get().run_code(
                code, language=self._language, on_stdout=text, on_stderr=text, on_result=shown, timeout=0
            )
            came.put(("error", done.error) if done.error is not None else ("end", None))
        except Exception as error:  # the package has a family of its own, and connections break in many ways
            came.put(("raised", error))

    def stop(self) -> None:
        """A block of a sandbox cannot be stopped alone: it is given up, and the sandbox ended, see `terminate`."""

    def terminate(self) -> None:
        """End the sandbox."""
        self._sandbox.end()
