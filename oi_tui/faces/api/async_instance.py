"""`AsyncInterpreter`: an interpreter that is fed messages piece by piece, and whose chunks are awaited.

A message is sent as `{"role": "user", "start": True}`, pieces with content, `{"role": "user", "end": True}`; its end
begins a turn. A message of type `command` with the content `go` runs the block that waits, `stop` ends what runs. Where
a block waits for a decision, the confirmation comes as a chunk; every turn ends with a status `complete`, also one that
was stopped.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import traceback
from collections import deque
from typing import Any, cast

from oi_tui.faces.api.instance import OpenInterpreter
from oi_tui.protocol.lmc import InvalidMessage

COMPLETE = {"role": "server", "type": "status", "content": "complete"}


class Outbox:
    """Chunks on their way from a thread to whoever awaits them, in any loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[dict[str, Any]] = deque()
        self._readers: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    def put(self, chunk: dict[str, Any]) -> None:
        """Hand over one chunk; never waits."""
        with self._lock:
            self._waiting.append(chunk)
            readers, self._readers = list(self._readers), deque()
        for loop, woken in readers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(lambda woken=woken: woken.done() or woken.set_result(None))

    async def get(self) -> dict[str, Any]:
        """The next chunk, as soon as there is one. A get that is cancelled takes none."""
        loop = asyncio.get_running_loop()
        while True:
            with self._lock:
                if self._waiting:
                    return self._waiting.popleft()
                woken: asyncio.Future[None] = loop.create_future()
                self._readers.append((loop, woken))
            await woken


class AsyncInterpreter(OpenInterpreter):
    """The attributes of `OpenInterpreter`, and: id (INTERPRETER_ID, else when it was made), require_acknowledge
    (INTERPRETER_REQUIRE_ACKNOWLEDGE), respond_thread, stop_event, print (show chunks on standard output as well)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.respond_thread: threading.Thread | None = None
        self.stop_event = threading.Event()
        self.print = False
        self.id = os.environ.get("INTERPRETER_ID") or str(time.time())
        self.require_acknowledge = os.environ.get("INTERPRETER_REQUIRE_ACKNOWLEDGE", "False").lower() == "true"
        self._outbox = Outbox()

    async def input(self, chunk: dict[str, Any] | str) -> None:
        """Take one piece of a message, or JSON of one. Its end begins a turn; a start ends the one that runs. Raises
        InvalidMessage."""
        piece = _read(chunk)
        if "start" in piece:
            await asyncio.to_thread(self._stop)
        if "start" in piece or "content" in piece:
            self.accumulate(piece)
        if "end" in piece:
            await self._begin()

    async def _begin(self) -> None:
        command = self.messages.pop() if self.messages and self.messages[-1].get("type") == "command" else None
        said = str(command["content"]).strip() if command is not None else ""
        await asyncio.to_thread(self._stop)
        if said == "stop":
            return
        self.stop_event.clear()
        self.respond_thread = threading.Thread(target=self.respond, args=(said == "go",), daemon=True)
        self.respond_thread.start()

    async def output(self) -> dict[str, Any]:
        """The next chunk, as soon as there is one."""
        return await self._outbox.get()

    def accumulate(self, chunk: dict[str, Any] | str) -> None:
        """Add a piece to the message that is being sent, or begin one. Raises InvalidMessage where there is none."""
        piece = _read(chunk)
        if piece.get("format") == "active_line":
            return
        last = self.messages[-1] if self.messages else None
        begins = "start" in piece or (
            last is not None
            and any(key in piece and key in last and piece[key] != last[key] for key in ("role", "type", "format"))
        )
        if begins:
            self.messages.append({"content": "", **{key: value for key, value in piece.items() if key != "start"}})
        elif last is None:
            raise InvalidMessage('send {"role": "user", "start": true} before the content of a message')
        else:
            for key in ("type", "format"):
                if key in piece:
                    last.setdefault(key, piece[key])
            last["content"] = f"{last.get('content', '')}{piece.get('content', '')}"

    def respond(self, run_code: bool | None = None) -> None:
        """One turn on the messages as they are; its chunks go to `output`. run_code: the block that waits may run, that
        one and no other. What goes wrong is a chunk as well."""
        allowed = bool(run_code)
        turn = self._respond_and_store()
        try:
            for chunk in turn:
                if self.stop_event.is_set():
                    break
                if chunk.get("type") == "confirmation":
                    if allowed:
                        allowed = False
                        continue
                    self._send(chunk)
                    break
                self._send(chunk)
        except Exception as error:
            self._send({"role": "server", "type": "error", "content": f"{traceback.format_exc()}\n{error}"})
        finally:
            turn.close()
            self._send(dict(COMPLETE))

    def _send(self, chunk: dict[str, Any]) -> None:
        if self.print:
            print(chunk.get("content", ""), end="", flush=True)
        self._outbox.put(chunk)

    def _stop(self) -> None:
        """End the turn that runs, and wait for its end."""
        thread = self.respond_thread
        if thread is not None and thread.is_alive():
            self.stop_event.set()
            if self._engine_here is not None:
                self._engine_here.interrupt()
            thread.join()


def _read(chunk: Any) -> dict[str, Any]:
    if isinstance(chunk, str):
        try:
            chunk = json.loads(chunk)
        except ValueError as error:
            raise InvalidMessage(f"a piece of a message is JSON: {error}") from None
    if not isinstance(chunk, dict):
        raise InvalidMessage(f"a piece of a message is an object, not {type(chunk).__name__}")
    return cast("dict[str, Any]", chunk)
