"""The process that litellm lives in: its import takes seconds and much memory, which the app is never to feel.

Started by `litellm_process.py` as `python -m oi_tui.models.litellm_worker PARENT`, the id of the app's process. Frames
(see `frames.py`) come in on standard input: `{"op": "ask", "id", "params"}` and `{"op": "cancel", "id"}`. Out go
`{"id", "event"}` with `chunk` (an object of the Chat Completions wire), `error` (kind, status, text, code, headers;
told: the provider said so itself), `end`, and once `{"event": "ready"}`. Keys arrive inside `params` or in the
environment. The process ends with its input, and soon after the app where it is too busy to read that.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from typing import Any, BinaryIO

from oi_tui.models import frames

LOOK = 1.0  # seconds between looks at whether the app is still there
_HEADERS = ("retry-after", "retry-after-ms")


class Worker:
    """Carries out requests side by side, each as a task that a cancel ends."""

    def __init__(self, litellm: Any, sink: BinaryIO) -> None:
        self._litellm, self._sink = litellm, sink
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def run(self, source: asyncio.StreamReader) -> None:
        """Serve until `source` ends."""
        self._send({"event": "ready"})
        while (frame := await frames.receive(source)) is not None:
            number = int(frame["id"])
            if frame["op"] == "ask":
                self._tasks[number] = asyncio.ensure_future(self._ask(number, frame["params"]))
            elif number in self._tasks:
                self._tasks[number].cancel()

    def _send(self, frame: frames.Frame) -> None:
        try:
            self._sink.write(frames.pack(frame))
            self._sink.flush()
        except OSError:  # the app is gone
            os._exit(0)

    async def _ask(self, number: int, params: dict[str, Any]) -> None:
        try:
            self._check(params)
            answer = await self._litellm.acompletion(**params)
            if hasattr(answer, "__aiter__"):
                await self._pass_on(number, answer)
            else:
                self._send({"id": number, "event": "chunk", "chunk": answer.model_dump(exclude_none=True)})
            self._send({"id": number, "event": "end"})
        except Exception as error:
            self._send({"id": number, "event": "error", **_described(error)})
        finally:
            del self._tasks[number]

    async def _pass_on(self, number: int, answer: Any) -> None:
        try:
            async for chunk in answer:
                self._send({"id": number, "event": "chunk", "chunk": chunk.model_dump(exclude_none=True)})
        finally:
            source = getattr(answer, "completion_stream", None)  # the response that holds the connection
            close = getattr(source, "aclose", None) or getattr(source, "close", None)
            if close is not None:
                with contextlib.suppress(Exception):
                    closing = close()
                    if closing is not None:
                        await closing

    def _check(self, params: dict[str, Any]) -> None:
        """Raise if the model takes no tools: litellm would leave them out without a word."""
        if params.get("tools"):
            known = self._litellm.get_supported_openai_params(model=params["model"])
            if known is not None and "tools" not in known:
                raise ToolsRefused(f"{params['model']} does not support tools")


class ToolsRefused(Exception):
    """The provider behind litellm has no tools."""


def _described(error: Exception) -> dict[str, Any]:
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    status = getattr(error, "status_code", None)
    said = _said(error)
    return {
        "kind": type(error).__name__,
        "status": status if isinstance(status, int) else 0,
        "text": str(said.get("message") or error),
        "told": bool(said),
        "code": str(said.get("code") or said.get("type") or ""),
        "headers": {name: str(headers[name]) for name in _HEADERS if name in headers},
    }


def _said(error: BaseException | None) -> dict[str, Any]:
    """The provider's own error object, which litellm's exceptions have in what they came from."""
    while error is not None:
        body = getattr(error, "body", None)
        if isinstance(body, dict) and body:
            inner = body.get("error")
            return inner if isinstance(inner, dict) else body
        error = error.__cause__ or error.__context__
    return {}


def _leave_with(parent: int) -> None:
    """End this process when its parent is another one: while litellm is imported nobody reads the input's end."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(0)


def _import() -> Any:
    import litellm

    litellm.suppress_debug_info = True
    litellm.drop_params = True
    return litellm


async def _serve(sink: BinaryIO) -> None:
    source = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(source), sys.stdin)
    await Worker(_import(), sink).run(source)


def main() -> None:
    """Speak frames on what was standard output; whatever litellm prints goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    threading.Thread(target=_leave_with, args=(int(sys.argv[1]),), daemon=True).start()
    asyncio.run(_serve(sink))
    sink.close()
    os._exit(0)  # threads of a provider's SDK must not keep the process


if __name__ == "__main__":
    main()
