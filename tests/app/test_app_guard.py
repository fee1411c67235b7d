"""The terminal guard, in a real pseudo-terminal: nothing strays onto the screen, the terminal is given back."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

import pytest

PROGRAM = """
import os, subprocess, sys
from textual.app import App
from textual.widgets import Static
from oi_tui.app.guard import TerminalGuard

class Small(App):
    def compose(self):
        yield Static("PAINTED")
    def on_mount(self):
        guard.on_signal(lambda number: self.exit(return_code=128 + number))
        self.call_after_refresh(self.stray)
    def stray(self):
        os.write(1, b"STRAY-ONE")
        os.write(2, b"STRAY-TWO")
        subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('STRAY-CHILD')"])
        self.query_one(Static).update("CAUGHT " + guard.stray().replace("STRAY", "stray"))
        if MODE == "exit":
            self.set_timer(0.1, self.exit)
        elif MODE == "hang":
            self.call_after_refresh(self.hang)
    def hang(self):
        import time
        self.query_one(Static).update("HANGS")
        self.set_timer(0.1, lambda: time.sleep(60))

MODE = sys.argv[1]
guard = TerminalGuard()
with guard:
    app = Small()
    app.run()
os.write(2, b"AFTER")
sys.exit(app.return_code or 0)
"""

LEAVES_ALTERNATE_SCREEN = b"\x1b[?1049l"
SHOWS_CURSOR = b"\x1b[?25h"


class Terminal:
    """A program in a pseudo-terminal of 80 columns."""

    def __init__(self, mode: str, program: str = PROGRAM) -> None:
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, mode],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=environment,
            start_new_session=True,
        )
        self.seen = b""

    def read_until(self, wanted: bytes, seconds: float = 30) -> None:
        """Read until `wanted` was seen, or the program ended, or time is over."""
        deadline = time.monotonic() + seconds
        while wanted not in self.seen and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.05)[0]:
                self.seen += os.read(self.master, 65536)
            elif self.process.poll() is not None:
                break

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal(request: pytest.FixtureRequest):  # noqa: ANN201
    one = Terminal(request.param)
    yield one
    one.close()


@pytest.mark.parametrize("terminal", ["exit"], indirect=True)
def test_stray_bytes_do_not_reach_the_screen(terminal: Terminal) -> None:
    terminal.read_until(b"AFTER")
    terminal.process.wait(30)
    assert b"CAUGHT" in terminal.seen
    assert b"STRAY" not in terminal.seen
    assert b"stray-ONE" in terminal.seen
    assert b"stray-CHILD" in terminal.seen
    assert b"AFTER" in terminal.seen
    assert termios.tcgetattr(terminal.slave) == terminal.before


@pytest.mark.parametrize("terminal", ["wait"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(terminal: Terminal, number: int) -> None:
    terminal.read_until(b"CAUGHT")
    terminal.process.send_signal(number)
    terminal.read_until(b"AFTER")
    assert terminal.process.wait(30) == 128 + number
    assert LEAVES_ALTERNATE_SCREEN in terminal.seen
    assert SHOWS_CURSOR in terminal.seen
    assert termios.tcgetattr(terminal.slave) == terminal.before


@pytest.mark.parametrize("terminal", ["hang"], indirect=True)
def test_a_signal_gives_the_terminal_back_even_if_the_app_hangs(terminal: Terminal) -> None:
    terminal.read_until(b"HANGS")
    time.sleep(0.3)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.process.wait(30) == 128 + signal.SIGTERM
    terminal.read_until(LEAVES_ALTERNATE_SCREEN, 5)
    assert LEAVES_ALTERNATE_SCREEN in terminal.seen
    assert termios.tcgetattr(terminal.slave) == terminal.before
