"""Reads what a block prints from a pipe or pty, in large pieces, and hands it on as text while it comes.

The reader keeps out of the way of programs that print much: it takes what has gathered, hands it on every few dozen
milliseconds, pauses briefly when lines come in drops, and stays with a program that fills the pipe again at once. What
arrives while no block runs is kept apart, so that one block's leftovers never become part of another's output.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import select
from collections.abc import Callable

PIECE = 1 << 16  # bytes of one read
TURN = 1 << 20  # bytes read before the loop gets to do something else
WHOLE = 1 << 18  # characters that are handed on at once, whatever the clock says
BATCH = 0.03  # seconds between two pieces of text
PAUSE = 0.001  # seconds that a slow stream may gather
SMALL = 1 << 14  # bytes in one turn that count as slow
FULL = 1 << 10  # bytes of one read after which more is on its way; a pty gives 4 kB at most
STAY = 1  # milliseconds that this is waited for, on the loop: 6 MB would take 100 ms with a pause for each 64 kB
F_SETPIPE_SZ = 1031  # Linux, fcntl(2)
ROOM = 1 << 20  # bytes that a program can be ahead of us
LATE = 4000  # characters kept of what came between blocks

# An escape sequence at the end of a piece that may go on in the next one.
_CUT_ESCAPE = re.compile(r"\x1b(?:\[[0-9:;<=>?]*[ -/]*|\][^\x07\x1b]{0,256}\x1b?|[PX^_][^\x1b]{0,256}|[ -/]*)?\Z")


def roomy_pipe() -> tuple[int, int]:
    """A pipe for output, (reading end, writing end): programs can be a megabyte ahead of us where the system lets
    them. Raises OSError."""
    capture, printed = os.pipe()
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.fcntl(printed, F_SETPIPE_SZ, ROOM)
    return capture, printed


class Tap:
    """The reading end of one output stream. It owns `fd` and closes it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._emit: Callable[[str], None] | None = None
        self._pending: list[str] = []
        self._size = 0
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._late, self._drop = "", False
        self.late: Callable[[str], None] | None = None  # gets what comes between blocks, instead of its being kept
        self.printed = False  # whether the block has printed anything
        os.set_blocking(fd, False)
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self._loop.add_reader(fd, self._readable)

    @property
    def is_open(self) -> bool:
        """Whether more may come."""
        return self._fd >= 0

    def open(self, emit: Callable[[str], None]) -> str:
        """A block begins: its text goes to `emit`. Returns what came since the last block, at most LATE characters, ""
        where `late` has got it."""
        self.drain()
        self._flush(whole=True)
        late, self._late = ("" if self._drop else self._late), ""
        self._drop, self.printed = False, False
        self._decode.reset()
        self._emit = emit
        return late

    def finish(self, *, drop_late: bool = False) -> None:
        """The block has ended: hand on all it has printed. drop_late: what still comes is nobody's."""
        self.drain()
        self._add(self._decode.decode(b"", True))
        self._flush(whole=True)
        self._decode.reset()
        self._emit, self._drop = None, drop_late

    def drain(self) -> None:
        """Take all that has been written up to now, and hand it on in order."""
        self._resume()
        self._read(4 * TURN)
        self._flush()

    def _readable(self) -> None:
        if self._read(TURN, stay=True) < SMALL and self._pause is None and self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._pause = self._loop.call_later(PAUSE, self._resume)

    def _resume(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
            if self._fd >= 0:
                self._loop.add_reader(self._fd, self._readable)

    def _read(self, most: int, stay: bool = False) -> int:
        taken = last = 0
        pieces: list[bytes] = []
        while taken < most and self._fd >= 0:
            try:
                data = os.read(self._fd, PIECE)
            except BlockingIOError:
                break
            except OSError:  # a pty without a writer
                data = b""
            if not data:
                self.close()
                break
            last = len(data)
            taken += last
            pieces.append(data)
            if stay and last >= FULL and not self._poll.poll(STAY):
                break
        self._add(self._decode.decode(b"".join(pieces)))
        return taken

    def _add(self, text: str) -> None:
        if not text:
            return
        if self._emit is None and (self._drop or self.late is None):
            self._late = "" if self._drop else (self._late + text)[-LATE:]
            return
        self._pending.append(text)
        self._size += len(text)
        now = self._loop.time()
        if self._size >= WHOLE or now - self._last >= BATCH:
            self._flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(BATCH - (now - self._last), self._flush)

    def _flush(self, whole: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        emit = self._emit or (None if self._drop else self.late)
        if not self._pending or emit is None:
            return
        text = "".join(self._pending)
        cut = None if whole else _CUT_ESCAPE.search(text, max(0, len(text) - 300))
        self._pending = [] if cut is None else [cut.group()]
        text = text if cut is None else text[: cut.start()]
        self._size, self._last = sum(map(len, self._pending)), self._loop.time()
        if text:
            self.printed = True
            emit(text)

    def close(self) -> None:
        """Stop reading and close the descriptor; what was read stays to be handed on."""
        if self._fd < 0:
            return
        fd, self._fd = self._fd, -1
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        else:
            self._loop.remove_reader(fd)
        with contextlib.suppress(OSError):
            os.close(fd)
