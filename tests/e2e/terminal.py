"""Starts `oi` in a pseudo-terminal of its own and drives it like a person: keys in, an emulated screen out.

At the end the standing conditions are checked: no traceback of the program on the screen, no process left, the tty as
it was, the alternate screen left, every saved file parses, and the mock refused no history.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.e2e.emulator import Emulator
from tests.mock_model import MockModel
from tests.user_reports.driver import MARK, check_home, command_lines, marked, until, work_folder

SECONDS = 40.0  # far more than it takes, for a machine that does other things too
_TRACEBACK = re.compile(r'File "[^"]*/(?:oi_tui|harnesses|textual)/|Exception ignored|never awaited')

KEYS = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "shift+enter": "\x1b[13;2u",
    "alt+enter": "\x1b\r",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
}


class Terminal:
    """One `oi` process in a terminal of `size` (columns, rows). Leaving the context quits and checks.

    mock: the model, None for no model flags. stderr: a file that gets the program's standard error instead of the
    terminal. program: what is started instead of `python -m oi_tui`.
    """

    def __init__(
        self,
        mock: MockModel | None,
        *arguments: str,
        size: tuple[int, int] = (100, 30),
        model: str = "x",
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        stderr: Path | None = None,
        program: tuple[str, ...] = (sys.executable, "-m", "oi_tui"),
        strict: bool = True,
    ) -> None:
        self.mock, self.cwd, self._strict = mock, cwd or work_folder(), strict
        self.screen = Emulator(*size)
        self.raw = bytearray()
        self._mark = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._master, self._slave = pty.openpty()
        self._set_size(*size)
        self._attributes = termios.tcgetattr(self._slave)
        where = ("-m", model, "-ab", mock.url) if mock and model else ()
        changed = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", MARK: self._mark, **(env or {})}
        errors = stderr.open("wb") if stderr else None
        self.process = subprocess.Popen(
            [*program, *where, *arguments],
            stdin=self._slave,
            stdout=self._slave,
            stderr=errors or self._slave,
            env={name: value for name, value in changed.items() if value is not None},
            cwd=self.cwd,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        if errors:
            errors.close()
        self._ended = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while not self._ended.is_set():
            if not select.select([self._master], [], [], 0.05)[0]:
                continue
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            with self._lock:
                self.raw += data
                self.screen.feed(data)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # -- the person's hands

    def send(self, text: str | bytes) -> None:
        """Write to the terminal as it stands."""
        data = text if isinstance(text, bytes) else text.encode()
        while data:
            data = data[os.write(self._master, data) :]

    def press(self, *keys: str) -> None:
        """Press keys by name, or single characters; each is read before the next one comes."""
        for key in keys:
            self.send(KEYS.get(key, key))
            time.sleep(0.03)  # a slow hand: keys in one read would look like a paste

    def type(self, text: str) -> None:
        """Write into the message box, and wait until it stands there."""
        self.ready()
        self.send(text)
        self.wait_for(lambda: _squeezed(text)[-30:] in _squeezed(self.text()), what=f"{text!r} in the message box")

    def say(self, text: str) -> None:
        """Type a message and send it."""
        self.type(text)
        time.sleep(0.1)
        self.press("enter")

    def paste(self, text: str) -> None:
        """Paste with the marks of bracketed paste."""
        self.send(f"\x1b[200~{text}\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        with self._lock:
            self.screen.resize(columns, rows)
        self._set_size(columns, rows)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program alone."""
        self.process.send_signal(number)

    # -- the person's eyes

    def lines(self) -> list[str]:
        """The rows on the screen."""
        with self._lock:
            return self.screen.lines()

    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(self.lines())

    def row_of(self, text: str) -> int:
        """The first row with `text`; -1 if there is none."""
        return next((number for number, line in enumerate(self.lines()) if text in line), -1)

    def cell_of(self, text: str, *, last: bool = False) -> Any:
        """The cell where `text` begins, the first or last such on the screen; None if there is none."""
        with self._lock:
            rows = list(enumerate(self.screen.screen.display))
            for number, line in reversed(rows) if last else rows:
                shown = line.replace("\u00a0", " ")
                column = shown.rfind(text) if last else shown.find(text)
                if column >= 0:
                    return self.screen.cell(number, column)
        return None

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor."""
        with self._lock:
            return self.screen.screen.cursor.x, self.screen.screen.cursor.y

    @property
    def bytes_written(self) -> int:
        """Bytes that the program has written so far."""
        return len(self.raw)

    @property
    def alive(self) -> bool:
        """Whether the program runs."""
        return self.process.poll() is None

    @property
    def draft(self) -> str:
        """The rows of the message box, up to the foot line."""
        lines = self.lines()
        start = next((number for number in range(len(lines) - 1, -1, -1) if "❯" in lines[number]), len(lines))
        box = [lines[start].partition("❯")[2], *lines[start + 1 : -1]] if start < len(lines) else []
        return "\n".join(line.strip() for line in box).strip()

    def wait_for(self, fits: str | Callable[[], object], seconds: float = SECONDS, what: str = "") -> None:
        """Until a text is on the screen, or a condition is true."""
        name = what or (repr(fits) if isinstance(fits, str) else "it")
        until(
            lambda: bool(fits in self.text() if isinstance(fits, str) else fits()) or self._gone(name),
            seconds,
            lambda: f"{name} did not come; there is:\n{self.text()}",
        )

    def wait_gone(self, text: str, seconds: float = SECONDS) -> None:
        """Until a text is no longer on the screen."""
        self.wait_for(lambda: text not in self.text(), seconds, f"the end of {text!r}")

    def _gone(self, name: str) -> bool:
        assert self.alive, f"the program ended with {self.process.returncode} before {name} came:\n{self.text()}"
        return False

    def ready(self) -> None:
        """Until the message box takes keys and the session is there."""
        self.wait_for(lambda: "❯" in self.text() and self._foot(), 20, "the message box")

    def _foot(self) -> bool:
        line = next((one for one in reversed(self.lines()) if one.strip()), "")
        return any(mode in line for mode in ("ask", "auto", "read-only"))

    def still(self) -> None:
        """Until nothing was painted for a moment."""
        seen = -1
        while seen != len(self.raw):
            seen = len(self.raw)
            time.sleep(0.25)

    def idle(self) -> None:
        """Until no turn runs."""
        self.wait_for(lambda: "esc stop" not in self.text() and self._foot(), what="the end of the turn")

    # -- approvals

    @property
    def armed(self) -> bool:
        """Whether an approval takes keys now: it says so by a bold y."""
        cell = next((one for one in (self.cell_of("y run"), self.cell_of("y allow")) if one is not None), None)
        return cell is not None and cell.bold

    def asked(self) -> None:
        """Until an approval takes keys."""
        self.wait_for(lambda: self.armed, what="an approval that takes keys")

    def answer(self, key: str = "y") -> None:
        """Wait for an approval, press a key, and wait until it was taken."""
        self.asked()
        self.press(key)
        self.wait_for(lambda: not self.armed, what=f"the effect of {key}")

    # -- the end

    def quit(self) -> int:
        """Leave by the keyboard: ctrl+c until the program is gone. Returns its exit code."""
        deadline = time.monotonic() + SECONDS
        while self.alive and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                self.press("ctrl+c")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.2)
        return self.ended()

    def ended(self, seconds: float = SECONDS) -> int:
        """Wait until the program has ended and everything is read. Returns its exit code."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds:g} s:\n{self.text()}") from None
        self._drain()
        return code

    def _drain(self) -> None:
        seen = -1
        while seen != len(self.raw):
            seen = len(self.raw)
            time.sleep(0.12)

    def hang_up(self) -> None:
        """Close the window: the terminal goes away."""
        self._ended.set()
        self._reader.join()
        os.close(self._slave)
        os.close(self._master)
        self._slave = self._master = -1

    def processes(self) -> list[str]:
        """Command lines of the processes of this run, the program itself among them."""
        return command_lines(marked(self._mark))

    def check(self) -> None:
        """The standing conditions, once the program has ended."""
        until(lambda: not marked(self._mark), 5, lambda: f"processes were left: {self.processes()}")
        if self._slave >= 0:
            assert not _TRACEBACK.search(self.text()), self.text()
            assert termios.tcgetattr(self._slave) == self._attributes, "the terminal's modes were changed"
            # The program has ended; on a busy machine its last words may still be on their way to us.
            until(lambda: not self.screen.alternate, 5, lambda: "the alternate screen was not left")
            self._drain()
            left = self.screen.modes & {1000, 1002, 1003, 1004, 1006, 2004, 2026, 2048}
            assert not left, f"modes were left on: {left}"
            assert not self.screen.screen.cursor.hidden, "the cursor was left hidden"
        check_home()
        if self.mock and self._strict:
            assert self.mock.refused == []

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.quit()
                self.check()
        finally:
            self._close()

    def _close(self) -> None:
        if self.alive:
            self.process.kill()
        self.process.wait()
        for pid in marked(self._mark):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if self._slave >= 0:
            self.hang_up()


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
