"""The terminal is given back as it was, whichever way the program ends."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import home

_CRASH = """
import sys
from oi_tui.app.widgets import composer

def broken(self, event):
    raise RuntimeError("a fault for the test")

composer.Composer._act = broken
from oi_tui.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("way", ["/quit", "ctrl+d", "ctrl+c"])
def test_ur_066_leaving_by_keys(way: str) -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.ready()
        if way == "/quit":
            term.say("/quit")
        elif way == "ctrl+d":
            term.press("ctrl+d")
        else:
            term.press("ctrl+c")
            term.wait_for("ctrl+c again quits")
            assert term.alive
            term.press("ctrl+c")
        assert term.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ur_012_a_signal_ends_it_in_order(number: signal.Signals) -> None:
    with (
        MockModel([code("shell", "bash -c 'bash -c \"exec sleep 987\" & wait'")]) as mock,
        Terminal(mock, "-y") as term,
    ):
        term.say("go")
        term.wait_for(lambda: any("sleep 987" in one for one in term.processes()), what="the sleep")
        term.signal(number)
        assert term.ended() == 128 + number


def test_closing_the_window_declines_and_leaves_nothing(tmp_path: Path) -> None:
    with MockModel([code("python", "open('made.txt', 'w')")]) as mock, Terminal(mock) as term:
        term.say("go")
        term.asked()
        term.hang_up()
        term.process.wait(15)
        assert not (term.cwd / "made.txt").exists()


def test_a_fault_of_ours_is_told_in_words_and_the_terminal_restored() -> None:
    with MockModel() as mock, Terminal(mock, program=(sys.executable, "-c", _CRASH)) as term:
        term.ready()
        term.press("x")
        assert term.ended() == 1
        assert "oi stopped because of a fault of its own: RuntimeError: a fault for the test" in term.text()
        assert "oi resume" in term.text()
        logs = list((home() / "logs").glob("crash-*.log"))
        assert len(logs) == 1
        assert "broken" in logs[0].read_text()


def test_stop_and_continue_brings_the_screen_back() -> None:
    with MockModel([say("hello there")]) as mock, Terminal(mock) as term:
        term.say("hi")
        term.wait_for("hello there")
        term.signal(signal.SIGTSTP)
        term.wait_for(lambda: not term.screen.alternate, what="the main screen")
        term.signal(signal.SIGCONT)
        term.wait_for(lambda: term.screen.alternate, what="the alternate screen")
        term.wait_for("hello there")
        term.type("still here")


def test_standard_error_in_a_file_does_not_blank_the_screen(tmp_path: Path) -> None:
    log = tmp_path / "err.log"
    with MockModel([code("python", "print(6 * 7)"), say("finished")]) as mock, Terminal(mock, stderr=log) as term:
        term.say("go")
        term.answer("y")
        term.wait_for("finished")
    assert log.read_bytes() == b""


def test_what_libraries_and_children_print_never_reaches_the_screen(tmp_path: Path) -> None:
    begin, done = tmp_path / "begin", tmp_path / "done"
    program = (
        "import os, pathlib, sys, threading, time\n"
        "def stray():\n"
        f"    while not os.path.exists({str(begin)!r}): time.sleep(0.02)\n"
        "    os.write(1, b'STRAY ONE')\n"
        "    os.write(2, b'STRAY TWO')\n"
        f"    pathlib.Path({str(done)!r}).touch()\n"
        "threading.Thread(target=stray, daemon=True).start()\n"
        "from oi_tui.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    with MockModel([say("hello there")]) as mock, Terminal(mock, program=(sys.executable, "-c", program)) as term:
        term.wait_for("enter send")
        begin.touch()
        term.wait_for(done.exists, what="the stray words")
        term.say("hi")
        term.wait_for("hello there")
        assert "STRAY" not in term.text()
        assert b"STRAY" not in term.raw


def test_a_process_that_ignores_the_end_is_ended() -> None:
    stubborn = "import signal, time\nfor one in (1, 2, 15):\n    signal.signal(one, signal.SIG_IGN)\ntime.sleep(600)"
    with MockModel([code("shell", f"exec {sys.executable} -c '{stubborn}'")]) as mock, Terminal(mock, "-y") as term:
        term.say("go")
        term.wait_for(lambda: any("time.sleep(600)" in one for one in term.processes()), what="the process")
        assert term.quit() == 0
