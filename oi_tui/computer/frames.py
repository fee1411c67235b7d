"""Length-framed JSON over two pipes: how the program talks with its kernel processes.

A frame is 4 bytes of length, big-endian, then that many bytes of JSON (one object).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

PIECE = 1 << 16
LONGEST = 1 << 29  # bytes; a longer frame can only be rubbish


class Frames:
    """Both ends of a conversation. It owns the two descriptors and closes them.

    on_message is called with each whole message. A stream that breaks the framing is closed, and its process will be
    found silent.
    """

    def __init__(self, read_fd: int, write_fd: int, on_message: Callable[[dict[str, Any]], None]) -> None:
        self._in, self._out = read_fd, write_fd
        self._on_message = on_message
        self._loop = asyncio.get_running_loop()
        self._got = bytearray()
        self._unsent = bytearray()
        for fd in (read_fd, write_fd):
            os.set_blocking(fd, False)
        self._loop.add_reader(read_fd, self.drain)

    def send(self, message: dict[str, Any]) -> None:
        """Send one message, as soon as the other side takes it. After the other side is gone nothing happens."""
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes) -> None:
        """Send one frame whose body is not JSON, to a kernel in a language that cannot read it."""
        self.send_raw(len(body).to_bytes(4, "big") + body)

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are, before the other side speaks frames."""
        waiting = bool(self._unsent)
        self._unsent += data
        if not waiting:
            self._push()

    def _push(self) -> None:
        if self._out < 0:
            return
        try:
            while self._unsent:
                del self._unsent[: os.write(self._out, self._unsent)]
        except BlockingIOError:
            self._loop.add_writer(self._out, self._push)
            return
        except OSError:
            self._unsent.clear()
        self._loop.remove_writer(self._out)

    def drain(self) -> None:
        """Take all that has been sent up to now and hand on the whole messages."""
        while self._in >= 0:
            try:
                data = os.read(self._in, PIECE)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self._close_in()
                break
            self._got += data
            if len(data) < PIECE:
                break
        self._hand_on()

    def _hand_on(self) -> None:
        while len(self._got) >= 4:
            size = int.from_bytes(self._got[:4], "big")
            if size > LONGEST:
                self._close_in()
                self._got.clear()
                return
            if len(self._got) < 4 + size:
                return
            body = bytes(self._got[4 : 4 + size])
            del self._got[: 4 + size]
            try:
                message = json.loads(body)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._on_message(message)

    def _close_in(self) -> None:
        if self._in >= 0:
            fd, self._in = self._in, -1
            self._loop.remove_reader(fd)
            os.close(fd)

    def close(self) -> None:
        self._close_in()
        if self._out >= 0:
            fd, self._out = self._out, -1
            self._loop.remove_writer(fd)
            os.close(fd)
