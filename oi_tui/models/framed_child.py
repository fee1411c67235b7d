"""The app's end of a child process that a model lives in: starts it, sends requests, hands out frames, ends it.

Base of the processes of litellm and of the built-in model. Frames (see `frames.py`) go over its standard input and
output; what it writes to standard error is kept as its last words. A request is `{"op", "id", ...}`; its answer is any
number of frames with that id, the last of which is an `end` or an `error`; `{"op": "cancel", "id"}` gives it up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import ClassVar

from oi_tui.models import frames

_ROOT = Path(__file__).parents[2]  # where `-m` finds this package, also in a checkout that is not installed
_LAST_WORDS = 2000
_LAST = frozenset({"end", "error"})
_MOST_WAITING = 256  # frames of one answer that nobody has taken; the process is read no further until some are


class Died(Exception):
    """The process ended. code: its exit code, below 0 for a signal; said: the last line of its standard error."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(f"exit code {code}{': ' + said if said else ''}")
        self.code, self.said = code, said


def end(child: asyncio.subprocess.Process) -> None:
    """Kill a child with all that it started; a child that is gone already is no error."""
    if child.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)


class _Answers:
    """The frames of one request that have come and were not taken yet, None for the end of the process."""

    def __init__(self) -> None:
        self._frames: asyncio.Queue[frames.Frame | None] = asyncio.Queue()
        self.bounded = True
        self.room = asyncio.Event()
        self.room.set()

    def put(self, frame: frames.Frame | None) -> None:
        """Add one; `room` is cleared while so many wait that no more should be read."""
        self._frames.put_nowait(frame)
        if self.bounded and self._frames.qsize() >= _MOST_WAITING:
            self.room.clear()

    async def get(self) -> frames.Frame | None:
        """The next one, once it is there."""
        frame = await self._frames.get()
        if self._frames.qsize() < _MOST_WAITING // 2:
            self.room.set()
        return frame


class FramedChild:
    """One running process, used until `alive` is False or `close` was awaited.

    patience: seconds in which a cancelled request must have ended, or the whole process is; None for any time.
    """

    patience: ClassVar[float | None] = None

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        assert child.stdin is not None
        self._child, self._stdin = child, child.stdin
        self._answers: dict[int, _Answers] = {}
        self._numbers = 0
        self._said = b""
        self._listening = asyncio.ensure_future(self._listen())
        self._overhearing = asyncio.ensure_future(self._overhear())
        self._watches: set[asyncio.Task[None]] = set()
        self._closing = False

    @staticmethod
    async def spawn(
        module: str, environ: Mapping[str, str] | None = None, *arguments: str
    ) -> asyncio.subprocess.Process:
        """A process that runs `module`, in a group of its own. Raises OSError."""
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *arguments, cwd=_ROOT, env=environ, start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    @property
    def alive(self) -> bool:
        """False once the process has ended or is being closed."""
        return self._child.returncode is None and not self._closing and not self._listening.done()

    @property
    def pid(self) -> int:
        return self._child.pid

    def told(self, frame: frames.Frame) -> None:
        """A frame that belongs to no request. For subclasses that expect some."""

    async def died(self) -> None:
        """The process has ended. For subclasses that wait for more than answers."""

    async def ask(self, request: frames.Frame, idle: float | None = None) -> AsyncGenerator[frames.Frame, None]:
        """Send a request (without its id), yield its frames up to the last. Closing the iterator cancels the request.

        idle: seconds without a frame before TimeoutError. Raises Died when the process ends.
        """
        self._numbers += 1
        number = self._numbers
        answers = self._answers[number] = _Answers()
        finished = False
        try:
            self.send({**request, "id": number})
            while not finished:
                async with asyncio.timeout(idle):
                    frame = await answers.get()
                if frame is None:
                    finished = True
                    raise await self.last_words()
                finished = frame.get("event") in _LAST
                yield frame
        finally:
            if finished or not self.alive:
                self._forget(number)
            else:
                self._cancel(number, answers)

    def send(self, frame: frames.Frame) -> None:
        """Write one frame. A dead process is not reported here: its end is, to those who wait for an answer."""
        with contextlib.suppress(OSError, RuntimeError):
            self._stdin.write(frames.pack(frame))

    def _forget(self, number: int) -> None:
        answers = self._answers.pop(number, None)
        if answers is not None:
            answers.room.set()

    def _cancel(self, number: int, answers: _Answers) -> None:
        self.send({"op": "cancel", "id": number})
        watch = asyncio.ensure_future(self._see_it_end(number, answers))
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)

    async def _see_it_end(self, number: int, answers: _Answers) -> None:
        try:
            async with asyncio.timeout(self.patience):
                while (frame := await answers.get()) is not None and frame.get("event") not in _LAST:
                    pass
        except TimeoutError:  # it does not let go: the next request starts another process
            end(self._child)
        finally:
            self._forget(number)

    async def _listen(self) -> None:
        assert self._child.stdout is not None
        with contextlib.suppress(frames.BadFrame):
            while (frame := await frames.receive(self._child.stdout)) is not None:
                answers = self._answers.get(frame.get("id", 0))
                if answers is not None:
                    answers.put(frame)
                    await answers.room.wait()
                else:
                    self.told(frame)
        end(self._child)
        await self._child.wait()
        for answers in list(self._answers.values()):
            answers.put(None)
        await self.died()

    async def _overhear(self) -> None:
        assert self._child.stderr is not None
        while piece := await self._child.stderr.read(4096):
            self._said = (self._said + piece)[-_LAST_WORDS:]

    async def last_words(self) -> Died:
        """Why the process ended, once it has."""
        await asyncio.wait([self._overhearing], timeout=1)
        code = await self._child.wait()
        said = self._said.decode("utf-8", "replace").strip().splitlines()
        return Died(code, said[-1] if said else "")

    async def close(self) -> None:
        """End the process and wait until it is gone."""
        self._closing = True
        for answers in self._answers.values():
            answers.bounded = False
            answers.room.set()
        with contextlib.suppress(OSError, RuntimeError):
            self._stdin.close()
        end(self._child)
        await self._child.wait()
        await asyncio.wait([self._listening, self._overhearing, *self._watches])
