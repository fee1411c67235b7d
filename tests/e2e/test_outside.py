"""Programs that get the terminal for a while, and the keys of the message box that reach beyond it."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say

_EDITOR = """#!{python}
import sys
from pathlib import Path
file = Path(sys.argv[-1])
print("the editor has the terminal, enter ends it", flush=True)
input()
file.write_text(file.read_text() + " and {added}\\n")
"""


def _editor(folder: Path, added: str) -> str:
    program = folder / "my editor"
    program.write_text(_EDITOR.format(python=sys.executable, added=added))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return f"'{program}' --wait"


def test_ctrl_g_goes_on_in_the_persons_editor(tmp_path: Path) -> None:
    with MockModel([say("received")]) as mock, Terminal(mock, env={"EDITOR": _editor(tmp_path, "more [b]")}) as term:
        term.type("this")
        term.press("ctrl+g")
        term.wait_for("the editor has the terminal")
        assert not term.screen.alternate
        term.press("enter")
        term.wait_for("this and more [b]")
        assert term.screen.alternate
        term.press("enter")
        term.wait_for("received")
        assert "this and more [b]" in str(mock.requests[-1])


def test_a_turn_goes_on_while_the_editor_is_open_and_what_is_typed_there_approves_nothing(tmp_path: Path) -> None:
    with (
        MockModel([code("python", "open('made.txt', 'w')")]) as mock,
        Terminal(mock, env={"VISUAL": _editor(tmp_path, "x")}) as term,
    ):
        term.say("go")
        term.press("ctrl+g")
        term.wait_for("the editor has the terminal")
        term.send("yyy\r")
        term.wait_for("Run this Python?")
        term.asked()
        assert not (term.cwd / "made.txt").exists()
        term.press("esc")


def test_an_editor_that_is_not_there_is_named() -> None:
    with MockModel() as mock, Terminal(mock, env={"EDITOR": "no-such-editor"}) as term:
        term.type("keep me")
        term.press("ctrl+g")
        term.wait_for("no-such-editor")
        assert term.draft == "keep me"
        term.press("ctrl+c")


def test_ctrl_r_finds_what_was_written_before() -> None:
    with MockModel([say("one"), say("two")]) as mock, Terminal(mock) as term:
        term.say("count the apples")
        term.wait_for("one")
        term.idle()
        term.say("name the pears")
        term.wait_for("two")
        term.idle()
        term.press("ctrl+r")
        term.wait_for("put it into the box")
        term.press(*"apples")
        term.wait_for(lambda: term.row_of("name the pears") < term.row_of("history"), what="only the apples")
        term.press("enter")
        term.wait_for(lambda: term.draft == "count the apples", what="the old message in the box")
        term.press("ctrl+c")


def test_ctrl_z_goes_back_to_the_shell_and_fg_returns() -> None:
    shell = ("bash", "--norc", "-i", "-c", 'set -m; "$0" -m oi_tui "$@"; echo "stopped with $?"; fg', sys.executable)
    with MockModel([say("hello there")]) as mock, Terminal(mock, program=shell) as term:
        term.say("hi")
        term.wait_for("hello there")
        term.press("ctrl+z")
        # The shell takes it into the foreground again at once.
        term.wait_for(lambda: b"stopped with" in bytes(term.raw), what="the shell")
        term.wait_for(lambda: term.screen.alternate, what="the app again")
        term.type("still here")
        term.press("ctrl+c")


def test_ctrl_z_without_a_shell_says_so() -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.ready()
        term.press("ctrl+z")
        term.wait_for("no shell waits")
        term.type("alive")
        term.press("ctrl+c")


def test_at_names_a_file_of_the_folder() -> None:
    with MockModel([say("seen")]) as mock, Terminal(mock) as term:
        (term.cwd / "quarterly report.csv").write_text("a,b\n")
        (term.cwd / "deep" / "er").mkdir(parents=True)
        (term.cwd / "deep" / "er" / "module.py").write_text("\n")
        term.ready()
        term.press(*"read @quart")
        term.wait_for("quarterly report.csv")
        term.press("tab")
        term.wait_for(lambda: term.draft == 'read "quarterly report.csv"', what="the quoted path")
        term.press(*"and @mod")
        term.wait_for("deep/er/module.py")
        term.press("enter")
        term.wait_for(lambda: term.draft.endswith("and deep/er/module.py"), what="the second path")
        term.press("enter")
        term.wait_for("seen")
        assert "deep/er/module.py" in str(mock.requests[-1])
