"""Keeps the terminal whole: stray bytes never reach the screen, and it is given back as it was, however the app ends.

Textual paints through `sys.__stderr__`. A library or a child process that writes to file descriptor 1 or 2 would paint
over it. So while the app runs, painting goes through a duplicate of the terminal, and those of the descriptors 1 and 2
that are the terminal lead into an unnamed file. Standard error that leads elsewhere (`oi 2>err.log`) is left alone.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from types import TracebackType
from typing import IO, Any

KEPT = 4_000  # bytes of stray output that `stray` gives
PATIENCE = 3.0  # seconds a signal waits for the orderly way out

# Undo, in order: synchronised output, mouse (1000, 1003, 1015, 1006), focus reports, bracketed paste, in-band resize,
# kitty keys, hidden cursor, no-wrap, colours, alternate screen (xterm control sequences; kitty keyboard protocol).
RESTORE = (
    "\x1b[?2026l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2048l\x1b[<u"
    "\x1b[?25h\x1b[?7h\x1b[0m\x1b[?1049l"
)


def restore_on(terminal: int, attributes: list[Any] | None) -> None:
    """Write RESTORE to a terminal and set its attributes back; a terminal that is gone is left alone."""
    try:
        os.write(terminal, RESTORE.encode())
        if attributes is not None:
            import termios

            termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    except OSError:
        return
    except Exception as error:
        if type(error).__name__ != "error":  # termios.error is no OSError
            raise


def _attributes(terminal: int) -> list[Any] | None:
    try:
        import termios

        return termios.tcgetattr(terminal)
    except Exception:  # no termios (Windows), or no terminal
        return None


def _terminals() -> tuple[int, ...]:
    """Those of the descriptors 1 and 2 that are a terminal."""
    return tuple(number for number in (1, 2) if os.isatty(number))


class TerminalGuard:
    """Use as a context manager around `App.run`. It does nothing where neither output is a terminal.

    leave is called, in the main thread, when the process is asked to end (SIGTERM, SIGHUP) with the signal's number; it
    starts the orderly way out. If that takes longer than PATIENCE seconds, the terminal is put back and the process
    ends.
    """

    def __init__(self) -> None:
        self.active = False
        self._terminal = -1
        self._saved: dict[int, int] | None = None
        self._stray: IO[bytes] | None = None
        self._attributes: list[Any] | None = None
        self._streams: tuple[Any, Any] | None = None

    def __enter__(self) -> TerminalGuard:
        terminals = _terminals()
        if not terminals or not os.isatty(0):
            return self
        self._attributes = _attributes(0)
        self._terminal = os.dup(terminals[-1])
        os.set_inheritable(self._terminal, False)
        self._stray = tempfile.TemporaryFile()
        self._streams = (sys.__stdout__, sys.__stderr__)
        sys.__stderr__ = open(self._terminal, "w", encoding="utf-8", errors="replace", closefd=False)  # type: ignore[misc]
        sys.__stdout__ = sys.__stderr__  # type: ignore[misc]  # Textual asks this one how large the terminal is
        self.active = True
        atexit.register(self._last_resort)
        self.divert()
        return self

    def divert(self) -> None:
        """Lead the descriptors away from the screen."""
        if self.active and self._saved is None and self._stray is not None:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:  # it was closed before the start
                    stream.flush()
            self._saved = {number: os.dup(number) for number in _terminals()}
            for number in self._saved:
                os.dup2(self._stray.fileno(), number)

    def release(self) -> None:
        """Give the descriptors back, for an editor or a shell that takes the terminal for a while."""
        if self._saved is not None:
            for number, saved in self._saved.items():
                os.dup2(saved, number)
                os.close(saved)
            self._saved = None

    def stray(self) -> str:
        """The end of what was written past the app, control signs taken out."""
        if self._stray is None:
            return ""
        self._stray.seek(max(0, self._stray.seek(0, os.SEEK_END) - KEPT))
        text = self._stray.read().decode("utf-8", errors="replace")
        return "".join(sign for sign in text if sign.isprintable() or sign in "\n\t").strip()

    def on_signal(self, leave: Callable[[int], object]) -> None:
        """Install the signal handlers. Call it once the app's loop runs (Textual installs its own at start)."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None:
                signal.signal(number, lambda got, _frame: self._ask_to_leave(got, leave))

    def leaving(self) -> None:
        """The app is on its way out. Once the terminal is given back, ctrl+c is a signal again: one more of it must not
        break that way off with a traceback."""
        if self.active:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _ask_to_leave(self, number: int, leave: Callable[[int], object]) -> None:
        watch = threading.Timer(PATIENCE, self._force, (number,))
        watch.daemon = True
        watch.start()
        leave(number)

    def _force(self, number: int) -> None:
        self._last_resort()
        os._exit(128 + number)

    def _last_resort(self) -> None:
        if self.active:
            restore_on(self._terminal, self._attributes)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.active:
            return
        if kind is not None:
            self._last_resort()
        self.release()
        self.active = False
        atexit.unregister(self._last_resort)
        sys.__stderr__.flush()  # type: ignore[union-attr]
        if self._streams is not None:
            sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]
        os.close(self._terminal)
        if self._stray is not None:
            self._stray.close()
            self._stray = None
