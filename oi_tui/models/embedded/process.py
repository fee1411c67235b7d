"""The process that the built-in model lives in, seen from the app: loads it, asks it, says why it died."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from oi_tui.models import frames
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.models.framed_child import Died, FramedChild


def threads() -> int:
    """Threads to compute with: one core stays free, because a disturbed thread holds up all the others."""
    with contextlib.suppress(AttributeError):
        return max(1, len(os.sched_getaffinity(0)) - 1)
    return max(1, (os.cpu_count() or 1) - 1)


class ModelProcess(FramedChild):
    """One running model process. Made by `start`, used until `alive` is False or `close` was awaited."""

    def __init__(self, child: asyncio.subprocess.Process, name: str) -> None:
        super().__init__(child)
        self._name = name
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls, path: Path, name: str, context: int) -> ModelProcess:
        """Start a process and load the absolute `path` in it; `name` is for messages, `context` in tokens.

        Raises EmbeddedError when it cannot start or the file cannot be loaded. A cancelled start ends the process.
        """
        try:
            child = await cls.spawn("oi_tui.models.embedded.worker")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise EmbeddedError(f"cannot start the built-in model: {reason}", hint="close other programs") from error
        made = cls(child, name)
        setup = {"path": str(path), "threads": threads(), "context": context, "parent": os.getpid()}
        try:
            made.send(setup)
            await made._ready
        except BaseException:
            await made.close()
            raise
        return made

    async def chat(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """Send a chat body, yield the runtime's chunks. Closing the iterator cancels. EmbeddedError after a crash."""
        try:
            async with contextlib.aclosing(self.ask({"op": "chat", "body": body})) as answer:
                async for frame in answer:
                    if frame.get("event") == "chunk":
                        yield frame["chunk"]
        except Died as death:
            raise self._error(death) from None

    def told(self, frame: frames.Frame) -> None:
        event = frame.get("event")
        if self._ready.done() or event not in {"ready", "failed"}:
            return
        if event == "ready":
            self._ready.set_result(None)
        else:
            self._ready.set_exception(
                EmbeddedError(
                    f"{self._name} cannot be loaded ({str(frame.get('text')).rstrip('.').lower()})",
                    hint="the file may be damaged or of an unknown kind, or memory short: try another model",
                )
            )

    async def died(self) -> None:
        if not self._ready.done():
            self._ready.set_exception(self._error(await self.last_words()))

    def _error(self, death: Died) -> EmbeddedError:
        again, code = "the next request starts it again", death.code
        if -code == signal.SIGKILL:
            return EmbeddedError(
                f"{self._name} was ended by the system, most likely because memory ran out",
                hint=f"{again}; with little memory choose embedded/0.5b",
            )
        if code < 0:
            name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
            return EmbeddedError(f"{self._name} crashed ({name})", hint=again)
        return EmbeddedError(
            f"{self._name} ended with exit code {code}{': ' + death.said if death.said else ''}", hint=again
        )

    async def close(self) -> None:
        """End the process and wait until it is gone."""
        await super().close()
        if self._ready.done() and not self._ready.cancelled():
            self._ready.exception()  # seen: a start that nobody waits for any more is no warning
