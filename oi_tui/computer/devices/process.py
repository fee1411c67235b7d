"""The device process as the program sees it: started with the first call, one call at a time, ended with the computer.

It is one process for all that drives devices in a session, so that code and tools share a browser; the app itself loads
no library that draws or drives, and a lost screen cannot take it down. It belongs to the computer's process table: what
limits and cages code holds for it too.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from oi_tui.computer.child import Child, ending
from oi_tui.computer.devices.base import Question
from oi_tui.computer.frames import Frames
from oi_tui.computer.processes import ProcessTable

_OBEYS = 2.0  # seconds that a call gets to stop
Ask = Callable[[Sequence[Question]], Awaitable[list[str]]]


class CallFailed(Exception):
    """What a device raised. kind: the name of its class."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.kind = kind


class Owner(Protocol):
    """Whose devices they are. drives_screen: they run in no sandbox, since none reaches screen, mouse and keyboard.
    ask: answers questions to the model, None where there is none. on_stopped: told why when the person stopped the
    devices while they were watched."""

    ask: Ask | None
    drives_screen: bool
    on_stopped: Callable[[str], None] | None


class DeviceProcess:
    """All methods belong on the loop's thread."""

    def __init__(self, table: ProcessTable, env: Mapping[str, str], owner: Owner) -> None:
        self._table, self._env, self._owner = table, env, owner
        self._child: Child | None = None
        self._frames: Frames | None = None
        self._turn = asyncio.Lock()
        self._number = 0
        self._waiting: asyncio.Future[Any] | None = None
        self._said: Callable[[str, Any], None] | None = None
        self._asking: set[asyncio.Task[None]] = set()
        self._watching = False

    async def call(
        self, cwd: str, device: str, method: str, args: Sequence[Any], kwargs: Mapping[str, Any],
        said: Callable[[str, Any], None],
    ) -> Any:  # fmt: skip
        """Carry out one call; values as `wire.pack` makes them. said: gets ("show", picture) and ("tell", text) on the
        way. Raises CallFailed; cancelled, it stops the call."""
        async with self._turn:
            try:
                self._start(cwd)
            except OSError as error:
                raise CallFailed(f"the devices could not start: {error.strerror or error}", "DeviceError") from None
            assert self._frames is not None
            self._number += 1
            self._waiting = waiting = asyncio.get_running_loop().create_future()
            self._said = said
            request = {"op": "call", "id": self._number, "device": device, "method": method}
            self._frames.send({**request, "args": list(args), "kwargs": dict(kwargs)})
            try:
                return await asyncio.shield(waiting)
            except asyncio.CancelledError:
                await self._stop(waiting)
                raise
            finally:
                self._waiting = self._said = None
                for one in self._asking:
                    one.cancel()

    def watch(self, on: bool) -> None:
        """Let the person stop the devices by the corner or the key, from now on."""
        self._watching = on
        if self._frames is not None:
            self._frames.send({"op": "watch", "on": on})

    async def _stop(self, waiting: asyncio.Future[Any]) -> None:
        if self._frames is not None and not waiting.done():
            self._frames.send({"op": "stop"})
            with contextlib.suppress(TimeoutError, CallFailed, asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(waiting), _OBEYS)
        if not waiting.done():
            waiting.cancel()
            self.kill()

    def _start(self, cwd: str) -> None:
        if self._child is not None:
            self._child.look()
        if self._child is not None:
            return
        requests, to_child = os.pipe()
        from_child, events = os.pipe()
        command = [sys.executable, "-P", "-m", "oi_tui.computer.devices", str(requests), str(events)]
        try:
            self._child = Child(
                command, env={**self._env, "PYTHONUNBUFFERED": "1"}, cwd=cwd, on_exit=self._exited,
                pass_fds=(requests, events), cell=None if self._owner.drives_screen else self._table.cell(),
            )  # fmt: skip
        except OSError:
            for fd in (to_child, from_child):
                os.close(fd)
            raise
        finally:
            os.close(requests)
            os.close(events)
        self._frames = Frames(from_child, to_child, self._heard)
        self._table.add(self._child)
        self._table.jobs.add(self._child.pid)  # what it starts is no block's to end
        if self._watching:
            self.watch(True)

    def _heard(self, message: dict[str, Any]) -> None:
        event = message.get("event")
        if event == "stopped":
            if self._owner.on_stopped is not None:
                self._owner.on_stopped(str(message.get("why")))
        elif event == "ask":
            task = asyncio.ensure_future(self._answer(message.get("questions") or []))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
        elif event in {"show", "tell"} and self._said is not None:
            self._said(event, message.get("picture") if event == "show" else message.get("text"))
        elif event == "done" and message.get("id") == self._number:
            self._done(message)

    def _done(self, message: dict[str, Any]) -> None:
        if self._waiting is None or self._waiting.done():
            return
        if "error" in message:
            self._waiting.set_exception(CallFailed(str(message["error"]), str(message.get("kind"))))
        else:
            self._waiting.set_result(message.get("value"))

    async def _answer(self, questions: Sequence[Mapping[str, Any]]) -> None:
        reply: dict[str, Any] = {"op": "answers"}
        try:
            if self._owner.ask is None:
                raise CallFailed("there is no model to ask here", "DeviceError")
            reply["answers"] = await self._owner.ask(
                [Question(str(one["text"]), str(one["picture"]), str(one["system"])) for one in questions]
            )
        except Exception as error:
            reply["error"] = str(error) or type(error).__name__
        if self._frames is not None:
            self._frames.send(reply)

    def _exited(self, returncode: int) -> None:
        child, self._child = self._child, None
        if self._frames is not None:
            self._frames.drain()
            self._frames.close()
            self._frames = None
        if child is not None:
            self._table.discard(child)
        if self._waiting is not None and not self._waiting.done():
            text = f"the devices ended with {ending(returncode)}; the next call starts them afresh"
            self._waiting.set_exception(CallFailed(text, "DeviceError"))

    def kill(self) -> None:
        """End it at once; the next call starts another."""
        if self._child is not None:
            import signal

            self._child.signal(signal.SIGKILL)

    async def close(self) -> None:
        """End it, a browser of it first."""
        child = self._child
        if child is None:
            return
        if self._frames is not None:
            self._frames.close()
        if not await child.ended(3.0):
            self.kill()
            await child.ended(2.0)
