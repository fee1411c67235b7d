"""The event loop that the engine runs in, in a thread of its own, for callers that are not async."""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")
_CLOSING = 10.0  # seconds that all instances of a program get to close when it ends

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_closers: dict[int, Callable[[], Coroutine[Any, Any, None]]] = {}


def get() -> asyncio.AbstractEventLoop:
    """The loop, started with the first call."""
    import asyncio

    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="oi-engine", daemon=True).start()
            atexit.register(_close_all)
        return _loop


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that runs in the loop. Raises what it raises. Not for the loop itself."""
    return begin(coroutine).result()


def begin(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Have a coroutine run in the loop, without waiting."""
    import asyncio

    return asyncio.run_coroutine_threadsafe(coroutine, get())


def call(function: Callable[[], T]) -> T:
    """The result of a plain function that has to run in the loop's thread."""

    async def run() -> T:
        return function()

    return wait_for(run())


def close_at_exit(owner: object, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Have `close` awaited when the program ends; a later one of the same owner takes its place."""
    _closers[id(owner)] = close


def forget(owner: object) -> None:
    """It has been closed."""
    _closers.pop(id(owner), None)


def _close_all() -> None:
    global _loop
    if _loop is None or _loop.is_closed():
        return

    import asyncio

    async def close() -> None:
        await asyncio.gather(*(one() for one in _closers.values()), return_exceptions=True)

    with contextlib.suppress(Exception):
        begin(close()).result(_CLOSING)
    _closers.clear()
    _loop.call_soon_threadsafe(_loop.stop)
