"""Simple terminals: no colour, few colours, no cursor movement, a pipe."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, call, code, say
from tests.user_reports.driver import work_folder

WIDE = (120, 30)
_TRUE_COLOUR = re.compile(rb"\x1b\[[0-9;:]*[34]8[;:]2[;:]")
_MANY_COLOURS = re.compile(rb"\x1b\[[0-9;:]*[34]8[;:]5[;:]")


def _job(term: Terminal) -> None:
    term.say("go")
    term.answer("y")
    term.wait_for("It is forty-two.")
    term.wait_for("42")


def _script() -> list:  # type: ignore[type-arg]
    return [code("python", "print(6 * 7)"), say("It is **forty-two**.")]


def test_ur_081_no_color_means_none() -> None:
    with MockModel(_script()) as mock, Terminal(mock, size=WIDE, env={"NO_COLOR": "1"}) as term:
        _job(term)
        codes = [code for run in re.findall(rb"\x1b\[([0-9;:]*)m", bytes(term.raw)) for code in re.split(rb"[;:]", run)]
        assert {int(one or 0) for one in codes} <= set(range(30)) | {53, 55}, "attributes only"
        assert term.cell_of("42").fg == "default"


def test_ur_001_plain_mode_types_into_a_program() -> None:
    asks = 'name = input("Name? ")\nimport getpass\nprint("hi", name, len(getpass.getpass("Secret: ")))'
    script = [code("python", asks), code("shell", "cat; echo [$?]"), say("all went well"), say("still here")]
    with MockModel(script) as mock, Terminal(mock, "--plain", "-y", size=WIDE) as term:
        term.wait_for(lambda: term.lines()[term.cursor[1]].startswith(">"), what="the prompt")
        term.send("go\r")
        term.wait_for("python waits for you to type")
        term.send("Ada\r")
        term.wait_for("waits for you to type, hidden")
        term.send("correct-horse\r")
        term.wait_for("hi Ada 13")
        term.wait_for("cat waits for you to type")
        term.send("\x04")
        term.wait_for("all went well")
        assert "correct-horse" not in term.text() and term.text().count("Ada") == 2, term.text()
        term.wait_for(lambda: term.lines()[term.cursor[1]].startswith(">"), what="the prompt")
        term.send("and now\r")
        term.wait_for("still here")
        term.wait_for(lambda: term.lines()[term.cursor[1]].startswith(">"), what="the prompt")
        term.send("/quit\r")
        assert term.ended() == 0


@pytest.mark.parametrize("name", ["xterm", "screen", "xterm-256color"])
def test_ur_081_no_24_bit_colours_unless_the_terminal_says_it_has_them(name: str) -> None:
    with MockModel(_script()) as mock, Terminal(mock, size=WIDE, env={"TERM": name, "COLORTERM": None}) as term:
        _job(term)
        assert not _TRUE_COLOUR.search(bytes(term.raw))
        if name == "xterm":
            assert not _MANY_COLOURS.search(bytes(term.raw))


def test_ur_081_a_dumb_terminal_gets_lines() -> None:
    with MockModel(_script()) as mock, Terminal(mock, env={"TERM": "dumb"}) as term:
        term.wait_for(lambda: term.lines()[term.cursor[1]].startswith(">"), what="the prompt")
        term.send("go\r")
        term.wait_for("print(6 * 7)")
        term.wait_for(lambda: re.search(r"\[y\]|y = |y\b.*run|run.*\by\b|\(y", term.text()), what="the question")
        term.send("y\r")
        term.wait_for("forty-two")
        term.wait_for("42")
        assert b"\x1b" not in term.raw
        term.wait_for(lambda: term.lines()[term.cursor[1]].startswith(">"), what="the prompt")
        term.send("/quit\r")
        assert term.ended() == 0


def test_plain_mode_names_what_can_be_answered() -> None:
    change = call("write_file", {"path": "new.txt", "content": "x"})
    with MockModel([change, say("made")]) as mock, Terminal(mock, env={"TERM": "dumb"}) as term:
        term.wait_for("/keys what you can answer")
        term.send("/keys\r")
        term.wait_for("type other code instead")
        assert "f4" not in term.text()
        term.send("go\r")
        term.wait_for("[s] stop")
        assert "[e] edit" not in term.text(), "a change of a file cannot be edited here"
        term.send("y\r")
        term.wait_for("made")


def test_ur_081_a_pipe_gets_no_escapes() -> None:
    with MockModel([code("shell", r"printf '\033[31mred\033[0m\n'"), say("It is **red**.")]) as mock:
        done = subprocess.run(
            [sys.executable, "-m", "oi_tui", "-y", "-m", "x", "-ab", mock.url, "go"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=work_folder(),
            timeout=30,
        )
    assert done.returncode == 0, done.stderr
    assert b"red" in done.stdout
    assert b"\x1b" not in done.stdout
    assert b"\x1b" not in done.stderr


def test_output_into_a_pipe_while_the_keyboard_is_a_terminal(tmp_path) -> None:  # noqa: ANN001
    line = f'"{sys.executable}" -m oi_tui -y -m x -ab "$URL" go > out.txt'
    with (
        MockModel(_script()) as mock,
        Terminal(mock, model="", env={"URL": mock.url}, program=("/bin/sh", "-c", line)) as term,
    ):
        assert term.ended() == 0
        written = (term.cwd / "out.txt").read_bytes()
    assert b"forty-two" in written
    assert b"\x1b" not in written
