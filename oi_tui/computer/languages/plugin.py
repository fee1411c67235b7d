"""Runs a language class of the person's own: its generator goes through in a thread, so that it never blocks the loop.

The contract is in base.py. A thread cannot be killed: a block that does not stop when asked is given up, its object is
told to terminate and forgotten, and the next block gets a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable
from typing import Any, cast

from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk, InvalidMessage, check

OBEY = 0.35  # seconds that a block gets to stop when asked
WAITING = 64  # chunks that a generator may be ahead


def construct(entry: Any, computer: Any) -> Any:
    """An object of the class: its constructor takes nothing or the computer. What is no class is taken as it is."""
    if not inspect.isclass(entry):
        return entry
    make = cast("Callable[..., Any]", entry)
    try:
        inspect.signature(make).bind()
    except TypeError:
        return make(computer)
    return make()


class Failed(Exception):
    """The block failed, and what there is to say of it was shown already; the text is the error in one line."""


class _Block:
    """One run of the generator, and the thread that draws from it."""

    def __init__(self, plug_in: Any, code: str, emit: Callable[[Chunk], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._plug_in, self._code, self._emit = plug_in, code, emit
        self._room = threading.Semaphore(WAITING)
        self.stopped = self.shown = False
        self.interrupts = 0
        self.ended: asyncio.Future[Result] = self._loop.create_future()
        self._thread = threading.Thread(target=self._draw, name="oi-language", daemon=True)
        self._thread.start()

    def _draw(self) -> None:
        failure = ""
        try:
            chunks = self._plug_in.run(self._code)
            try:
                for chunk in chunks if chunks is not None else ():
                    if self.stopped:
                        break
                    self._room.acquire()
                    self._tell(self._take, chunk)
            finally:
                close = getattr(chunks, "close", None)
                if close is not None:
                    close()
        except Failed as error:
            self.shown, failure = True, str(error)
        except BaseException as error:  # whatever the class raises is the block's result
            failure = f"{type(error).__name__}: {error}"
        self._tell(self._finish, failure)

    def _tell(self, action: Callable[[Any], None], value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(action, value)

    def _take(self, chunk: Any) -> None:
        self._room.release()
        if self.ended.done() or self.stopped:
            return
        try:
            self._emit(check({"role": "computer", **chunk}))
        except (InvalidMessage, TypeError) as error:
            self._emit(_error(f"the language gave something that is no chunk: {error}"))
            self.give_up(Result(ok=False))

    def _finish(self, failure: str) -> None:
        if self.ended.done():
            return
        if failure and not self.stopped and not self.shown:
            self._emit(_error(failure + "\n"))
        meta = {"error": failure} if failure else {}
        self.ended.set_result(Result(ok=not failure and not self.stopped, interrupted=self.stopped, meta=meta))

    def give_up(self, result: Result) -> None:
        """End the block here; what the thread still brings is dropped."""
        self.stopped = True
        self._room.release()
        if not self.ended.done():
            self.ended.set_result(result)


def _error(text: str) -> Chunk:
    return {"role": "computer", "type": "console", "format": "output", "content": text}


class PlugInExecutor:
    """An `Executor` around a plug-in class or object. computer: what a constructor with an argument is given."""

    def __init__(self, name: str, entry: Any, computer: Any = None) -> None:
        self.name, self.cwd = name, ""
        self._entry, self.computer = entry, computer
        self._object: Any = None
        self._block: _Block | None = None
        self._lost = ""

    def start(self, cwd: str) -> None:
        """Make the object. What the class raises becomes an OSError, as of a program that does not start."""
        if self._object is None:
            try:
                self._object = construct(self._entry, self.computer)
            except Exception as error:
                raise OSError(f"{type(error).__name__}: {error}") from error

    async def run(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Result:
        """Run one block; see `Executor`."""
        began = time.monotonic()
        try:
            self.start(cwd)
        except OSError as error:
            return Result(ok=False, note=f"{self.name} could not start: {error}")
        lost, self._lost = self._lost, ""
        block = self._block = _Block(self._object, code, emit)
        try:
            result = await asyncio.shield(block.ended)
        except asyncio.CancelledError:
            self.interrupt()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(block.ended)
            raise
        finally:
            self._block = None
        notes = "; ".join(one for one in (lost, result.note) if one)
        return Result(
            result.ok, interrupted=result.interrupted, note=notes or None, meta=result.meta,
            seconds=time.monotonic() - began,
        )  # fmt: skip

    def interrupt(self) -> None:
        """Ask the object to stop; give the block up if it does not, or when asked again."""
        block = self._block
        if block is None:
            return
        block.interrupts += 1
        if block.interrupts > 1:
            self.kill()
            return
        block.stopped = True
        self._call("stop")
        asyncio.get_running_loop().call_later(OBEY, self._insist, block)

    def _insist(self, block: _Block) -> None:
        if block is self._block and not block.ended.done():
            self.kill()

    def kill(self) -> None:
        """Give up the block and the object with it."""
        block = self._block
        if block is None or block.ended.done():
            return
        note = f"{self.name} did not stop and was given up: its state is lost, the next block starts afresh"
        self._terminate()
        block.give_up(Result(ok=False, interrupted=True, note=note))

    def _terminate(self) -> None:
        self._call("terminate")
        self._object = None

    def _call(self, method: str) -> None:
        """Call `stop` or `terminate` of the object, in a thread, as it may wait."""
        action = getattr(self._object, method, None)
        if callable(action):
            threading.Thread(target=_quietly, args=(action,), name=f"oi-language-{method}", daemon=True).start()

    async def close(self) -> None:
        """End the running block and the object; waits a moment for `terminate`."""
        self.kill()
        action, self._object = getattr(self._object, "terminate", None), None
        if callable(action):
            done = asyncio.Event()
            loop = asyncio.get_running_loop()

            def end() -> None:
                _quietly(action)
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(done.set)

            threading.Thread(target=end, name="oi-language-terminate", daemon=True).start()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), 2.0)


def _quietly(action: Callable[[], object]) -> None:
    # A class that fails while it ends has nobody left to tell: its block is over.
    with contextlib.suppress(Exception):
        action()
