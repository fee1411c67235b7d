"""The built-in model behind the same door as every other: one client, one process that is started when first needed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from oi_tui.models.embedded import catalog, chunks, memory
from oi_tui.models.embedded.choice import Choice, available, choose
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.models.embedded.process import ModelProcess
from oi_tui.protocol.stream import Delta

CONTEXT = 4096  # tokens of window that are set up, whatever the model could do: memory and waiting grow with it
_LEAST = 0.6  # of the memory that weights want: with less the system would end them, or other programs
_LONG = 200  # tokens to read from which on it takes long enough to be told

Progress = Callable[[int, int, str], None]  # done, in all (0: not known), what is being done ("" when it is over)


class EmbeddedClient:
    """Implements ModelClient for weights on this machine. Loads on the first request or prewarm, stays loaded.

    model: `embedded`, `embedded/1.5b`, `embedded/0.5b` or the path of a GGUF file. Raises EmbeddedError for others.
    on_progress: told about loading and about reading a long prompt (in tokens), on the loop's thread.
    """

    wire = "chat"

    def __init__(
        self, model: str = "embedded", *, choice: Choice | None = None, on_progress: Progress | None = None,
        context: int = CONTEXT,
    ) -> None:  # fmt: skip
        self.choice = choice or choose(model)
        self.model = self.choice.name
        self.on_progress = on_progress
        self._context = context
        self._process: ModelProcess | None = None
        self._starting: asyncio.Task[ModelProcess] | None = None
        self._warming = asyncio.Lock()
        self._warmed: tuple[int, Any] | None = None  # process that has read a beginning, and that beginning

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """Answer a Chat Completions body. Yields deltas, then Usage, then Stop. Closing the iterator stops the model.

        Raises EmbeddedError (runtime or weights missing, cannot load, crashed), ContextTooLong, BadRequest.
        """
        process = await self._running()
        async with contextlib.aclosing(self._read(process, chunks.request(body), "reading the request")) as answer:
            async for chunk in answer:
                for delta in chunks.deltas(chunk):
                    yield delta

    async def prewarm(self, body: dict[str, Any] | None = None) -> None:
        """Load the model and read the part of `body` that every request begins with, or take it from disk where an
        earlier start left it. Does nothing where that was done. Never raises ModelError.

        What stands in the way is said by the first request, when somebody waits for an answer.
        """
        with contextlib.suppress(EmbeddedError):
            async with self._warming:
                process = await self._running()
                wanted = chunks.prefix(body) if body is not None else None
                if wanted is None or self._warmed == (process.pid, wanted["messages"]):
                    return
                async with contextlib.aclosing(self._read(process, wanted, "reading its instructions")) as answer:
                    async for _ in answer:
                        pass
                self._warmed = (process.pid, wanted["messages"])

    async def _read(
        self, process: ModelProcess, body: dict[str, Any], what: str
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of an answer; the reading that comes before them is told if there is much to read."""
        told = False
        async with contextlib.aclosing(process.chat(body)) as answer:
            try:
                async for chunk in answer:
                    if (read := chunks.progress(chunk)) is not None:
                        if read[1] >= _LONG:
                            told = True
                            self._tell(*read, what)
                        continue
                    if told:
                        told = False
                        self._tell(0, 0, "")
                    yield chunk
            finally:
                if told:
                    self._tell(0, 0, "")

    async def close(self) -> None:
        """End the model process, loading or loaded."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
            self._starting = None
        if self._process is not None:
            await self._process.close()
            self._process = None

    async def _running(self) -> ModelProcess:
        if self._process is not None and self._process.alive:
            return self._process
        if self._starting is None or self._starting.done():
            self._starting = asyncio.ensure_future(self._start())
        # A request that is given up while the model loads leaves the loading alone: the next one will want it.
        return await asyncio.shield(self._starting)

    async def _start(self) -> ModelProcess:
        self._check()
        if self._process is not None:
            await self._process.close()
        why = f" ({self.choice.why})" if self.choice.why else ""
        self._tell(0, 0, f"loading {self.choice.title}{why}")
        try:
            self._process = await ModelProcess.start(self.choice.path, self.choice.title, self._context)
        except EmbeddedError:
            if not await self._damaged():
                raise
            raise EmbeddedError(
                f"the weights of {self.model} are damaged: {self.choice.path} is not what was fetched",
                hint=f"run: oi models pull {self.model}   which fetches them anew",
            ) from None
        finally:
            self._tell(0, 0, "")
        return self._process

    async def _damaged(self) -> bool:
        """True when weights of ours cannot be loaded because the file has changed since it was fetched."""
        from oi_tui.models.embedded.fetch import damaged

        if self.choice.weights is None:
            return False
        with contextlib.suppress(OSError):
            return await damaged(self.choice.path, self.choice.weights)
        return False

    def _check(self) -> None:
        if not available():
            raise EmbeddedError(
                "the runtime of the built-in model is not installed",
                hint="run: pip install 'oi-tui[embedded]', or choose another model",
            )
        if not self.choice.present:
            weights = self.choice.weights
            size = f" ({weights.size / 1e9:.1f} GB)" if weights else ""
            raise EmbeddedError(
                f"the weights of {self.model} are not here yet{size}",
                hint=f"run: oi models pull {self.model}" if weights else f"check the path {self.choice.path}",
            )

        weights = self.choice.weights
        if weights is not None and (free := memory.free()) < _LEAST * weights.memory:
            smaller = catalog.SMALL if weights is catalog.LARGE else None
            other = f"choose embedded/{smaller.name} with /model" if smaller else "choose a model elsewhere with /model"
            raise EmbeddedError(
                f"not enough memory for {self.model}: {free / 1e9:.1f} GB free, {weights.memory / 1e9:.1f} GB needed",
                hint=f"close other programs, or {other}",
            )

    def _tell(self, done: int, total: int, text: str) -> None:
        if self.on_progress is not None:
            self.on_progress(done, total, text)
