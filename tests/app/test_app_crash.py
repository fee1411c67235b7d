"""When the app itself fails: words instead of a traceback, the details in a file, the session closed."""

from pathlib import Path

import pytest

from oi_tui.app.screens.crash import crash_words
from tests.app.test_app_guard import LEAVES_ALTERNATE_SCREEN, SHOWS_CURSOR, Terminal

PROGRAM = """
import os, sys
sys.path.insert(0, {root!r})
from oi_tui.app.launch import run_app
from screenshots.scripted import ScriptedSession

session = ScriptedSession()
def fail():
    raise KeyError("a secret local value")
async def prewarm():
    from textual._context import active_app
    active_app.get().call_later(fail)
session.prewarm = prewarm
code = run_app(lambda: session)
os.write(2, b"AFTER closed=%d code=%d" % (session.closed, code))
"""


def test_the_words_say_cause_and_next_step_and_where_the_details_are(isolated: Path) -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        words = crash_words(error, "s_7").plain
    assert "KeyError: 'x'" in words
    assert "oi resume s_7" in words
    assert "Traceback" not in words
    file = Path(words.rpartition(" ")[2])
    assert "Traceback" in file.read_text()


@pytest.mark.parametrize("terminal", ["crash"], indirect=True)
def test_a_fault_of_the_app_leaves_the_terminal_whole_and_shows_no_traceback(terminal: Terminal) -> None:
    terminal.read_until(b"AFTER")
    terminal.read_until(b"code=1")
    assert b"AFTER closed=1 code=1" in terminal.seen
    assert b"oi stopped because of a fault of its own: KeyError" in terminal.seen
    assert b"Traceback" not in terminal.seen
    assert LEAVES_ALTERNATE_SCREEN in terminal.seen
    assert SHOWS_CURSOR in terminal.seen


@pytest.fixture
def terminal(request: pytest.FixtureRequest):  # noqa: ANN201
    root = str(Path(__file__).resolve().parents[2])
    one = Terminal(request.param, PROGRAM.replace("{root!r}", repr(root)))
    yield one
    one.close()
