"""A child on a real pseudo-terminal that answers as a terminal does, and a count of what it paints."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN_FRAME = b"\x1b[?2026h"
ASK_FRAMES = b"\x1b[?2026$p"
FRAMES_KNOWN = b"\x1b[?2026;2$y"


class Screen:
    """A pty of 120 × 40 cells, truecolor, with synchronised output (DEC mode 2026) to count frames by.

    Args:
        command: what to run.
        pass_fds: open files it inherits.
        size: columns and rows.
    """

    def __init__(
        self,
        command: Sequence[str],
        pass_fds: Sequence[int] = (),
        size: tuple[int, int] = (120, 40),
    ) -> None:
        self._main, child = pty.openpty()
        self.resize(*size)
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, pass_fds=pass_fds, env=env, cwd=ROOT
        )
        os.close(child)
        self.frames: list[tuple[float, int]] = []
        self.bytes = 0
        self.last = b""
        self._wanted: bytes = b""
        self._found = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def resize(self, columns: int, rows: int) -> None:
        """Another size of the terminal."""
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        tail = b""
        while True:
            try:
                select.select([self._main], [], [])
                data = os.read(self._main, 65536)
            except OSError:
                return
            if not data:
                return
            now = time.monotonic()
            if ASK_FRAMES in tail + data:
                os.write(self._main, FRAMES_KNOWN)
            self.bytes += len(data)
            self.last = (self.last + data)[-4000:]
            joined = tail + data
            self.frames.extend([(now, self.bytes)] * joined.count(BEGIN_FRAME))
            if self._wanted and self._wanted in data:
                self._wanted = b""
                self._found.set()
            tail = data[-len(BEGIN_FRAME) + 1 :]

    def press(self, key: str, deadline: float = 5.0) -> float:
        """Type a character and wait until it is painted; returns seconds."""
        self._found.clear()
        self._wanted = key.encode()
        begin = time.monotonic()
        os.write(self._main, key.encode())
        if not self._found.wait(deadline):
            raise TimeoutError(f"{key!r} was not painted within {deadline:.0f} s")
        return time.monotonic() - begin

    def close(self, timeout: float = 20.0) -> int:
        """Wait for the child to end; returns its exit status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self._reader.join(2)
            os.close(self._main)
