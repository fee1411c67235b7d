"""What a person types in plain mode: lines of standard input, and messages of several of them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence

MARK = '"""'


class Lines:
    """Lines of standard input, read in a thread that never keeps the program from ending."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._wanted = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                line = sys.stdin.readline()
            except (OSError, ValueError, UnicodeDecodeError):
                line = ""
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, line.rstrip("\r\n") if line else None)
            if not line:  # ctrl+d on a terminal ends one question and not the input for ever
                self._wanted.clear()
                self._wanted.wait()

    async def next(self) -> str | None:
        """The next line, None at the end of the input."""
        if self._waiting.empty():
            self._wanted.set()
        return await self._waiting.get()

    def set_aside(self) -> list[str | None]:
        """Take out what was typed ahead."""
        taken: list[str | None] = []
        while not self._waiting.empty():
            taken.append(self._waiting.get_nowait())
        return taken

    def put_back(self, lines: Sequence[str | None]) -> None:
        for line in lines:
            self._waiting.put_nowait(line)


async def whole(line: str, more: Callable[[], Awaitable[str | None]]) -> str | None:
    """A message that may begin with three quotes and then goes on to the line that has them again; the quotes belong to
    it only where they do not enclose all of it. more: asks for the next line; None at the end of the input."""
    said = [line]
    if line.count(MARK) % 2:
        while (following := await more()) is not None:
            said.append(following)
            if MARK in following:
                break
        else:
            return None
    text = "\n".join(said)
    inside = text.strip()
    enclosed = inside.startswith(MARK) and inside.endswith(MARK) and inside.count(MARK) == 2 and len(inside) > 6
    return inside[3:-3].strip("\n") if enclosed else text
