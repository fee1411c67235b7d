"""A model that is a function of the program's own: `interpreter.llm.completions = mine`.

It is called as litellm's `completion` is (`model`, `messages`, `stream=True`, and where there are any `tools`,
`temperature`, `max_tokens`, `api_key`, `api_base`, `api_version`) and gives chunks of Chat Completions:
`{"choices": [{"delta": {"content": "…"}}]}`, as dicts or as objects of a library.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any, cast

from oi_tui.models.client import ModelError, ServerFailed
from oi_tui.models.wires.chat_stream import ChatStream
from oi_tui.protocol.stream import Delta

Completions = Callable[..., Iterable[Any]]


class FunctionClient:
    """A ModelClient that asks a function, in a thread of its own."""

    wire = "chat"

    def __init__(self, model: str, function: Completions, extra: dict[str, Any]) -> None:
        self.model, self._function, self._extra = model, function, extra

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """Deltas of one answer. Raises ModelError with what the function raised as its cause."""
        params = {key: value for key, value in body.items() if key not in {"stream_options"}}
        params |= {"stream": True, **self._extra}
        running = asyncio.get_running_loop()
        found: asyncio.Queue[Any] = asyncio.Queue()
        stopped = threading.Event()

        def ask() -> None:
            try:
                for chunk in self._function(**params):
                    if stopped.is_set():
                        return
                    running.call_soon_threadsafe(found.put_nowait, _plain(chunk))
                last: Any = None
            except BaseException as error:  # told to whoever waits for the answer
                last = error
            if not running.is_closed():
                running.call_soon_threadsafe(found.put_nowait, last)

        threading.Thread(target=ask, name="oi-completions", daemon=True).start()
        answer = ChatStream(self.model)
        try:
            while (chunk := await found.get()) is not None:
                if isinstance(chunk, ModelError):
                    raise chunk
                if isinstance(chunk, BaseException):
                    text = f"llm.completions failed: {type(chunk).__name__}: {chunk}"
                    raise ServerFailed(text, hint="see the exception that caused this") from chunk
                for delta in answer.feed(chunk):
                    yield delta
            for delta in answer.finish():
                yield delta
        finally:
            stopped.set()

    async def prewarm(self, body: dict[str, Any] | None = None) -> None:
        """There is nothing to warm."""

    async def close(self) -> None:
        """There is nothing to release."""


def _plain(chunk: Any) -> dict[str, Any]:
    """A chunk as a dict; objects of litellm and openai know how to become one."""
    if isinstance(chunk, dict):
        return cast("dict[str, Any]", chunk)
    for name in ("model_dump", "to_dict", "dict"):
        convert = getattr(chunk, name, None)
        if convert is not None:
            return cast("dict[str, Any]", convert())
    raise TypeError(f"a chunk is a dict such as {{'choices': [...]}}, not {type(chunk).__name__}")
