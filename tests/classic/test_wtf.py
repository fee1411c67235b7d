"""`oi wtf`: where it finds what went wrong, what it tells the model, and that nothing runs unapproved."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from oi_tui.faces import shell_history
from oi_tui.faces.wtf import prompt
from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, answer, code, say
from tests.user_reports.driver import Running

WTF = (sys.executable, "-m", "oi_tui", "wtf")


def test_history_of_each_shell(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    (tmp_path / ".bash_history").write_text(
        "#1700000000\nmake test\n\nwtf\noi -m x wtf\n/usr/bin/oi wtf why\necho wtf\n"
    )
    assert shell_history.commands("bash", env) == ["make test", "echo wtf"]
    (tmp_path / ".zsh_history").write_text(
        ": 1700000000:0;git psuh\n: 1700000001:0;for a in 1; do\\\necho $a\\\ndone\nwtf\n"
    )
    assert shell_history.commands("zsh", env) == ["git psuh", "for a in 1; do\necho $a\ndone"]
    folder = tmp_path / ".local" / "share" / "fish"
    folder.mkdir(parents=True)
    (folder / "fish_history").write_text("- cmd: cd x\\ny\n  when: 1\n- cmd: wtf\n  when: 2\n")
    assert shell_history.commands("fish", env) == ["cd x\ny"]
    many = tmp_path / "many"
    many.write_text("".join(f"echo {n}\n" for n in range(50)))
    assert shell_history.commands("bash", {**env, "HISTFILE": str(many)})[0] == "echo 40"
    assert shell_history.commands("bash", {**env, "HISTFILE": "/nowhere"}) == []


def test_the_code_around_a_traceback_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("".join(f"line{n}\n" for n in range(1, 20)))
    said = f'Traceback:\n  File "{file}", line 9, in f\nKeyError: 1'
    text = prompt("", said, "bash", ["python a.py"])
    assert "6: line6" in text and "12: line12" in text and "line13" not in text
    assert said in text and "python a.py" in text and "not known" not in text
    assert "What it printed is not known" in prompt("", "", "bash", ["python a.py"])
    assert prompt("why?", "", "bash", []) == "why?"


def test_piped_text_is_explained() -> None:
    with MockModel([say("You meant git push.\n```\ngit push\n```")]) as mock:
        run = Running(mock, "-m", "x", "-ab", mock.url, stdin=b"git: 'psuh' is not a git command\n", program=WTF)
        done = run.end()
    assert done.code == 0 and "git push" in done.out
    assert "'psuh' is not a git command" in done.requests[0]["messages"][-1]["content"]


def test_with_nothing_to_explain_it_says_what_to_do() -> None:
    run = Running(None, "-m", "x", stdin=b"", program=WTF, env={"SHELL": "/bin/bash"})
    done = run.end()
    assert done.code == 1 and "nothing to explain" in done.err and "2>&1 | oi wtf" in done.err


def test_what_mends_it_is_asked_about_and_then_done(isolated: Path) -> None:
    (isolated / ".bash_history").write_text("cat missing.txt\n")
    steps = [answer(say("There is no such file. "), code("shell", "touch missing.txt")), say("It is there now.")]
    with MockModel(steps) as mock, Terminal(mock, program=WTF, env={"SHELL": "/bin/bash"}) as term:
        term.wait_for("[y] once")
        assert not (term.cwd / "missing.txt").exists()
        term.send("y\n")
        term.wait_for("It is there now.")
        assert (term.cwd / "missing.txt").exists()
        assert "cat missing.txt" in mock.requests[0]["messages"][-1]["content"]
        term.process.wait(20)


def test_the_model_of_its_own() -> None:
    with MockModel([say("ok")]) as mock:
        flags = ("-m", "x", "-c", "wtf.model=helper", "-ab", mock.url)
        Running(mock, *flags, "what is inode 2?", stdin=b"", program=WTF).end()
    assert mock.requests[0]["model"] == "helper"


@pytest.mark.skipif(not Path("/usr/bin/tmux").exists(), reason="tmux is not here")
def test_the_text_of_a_tmux_pane_is_read(tmp_path: Path) -> None:
    socket = str(tmp_path / "s")
    tmux = ["tmux", "-S", socket, "-f", "/dev/null"]
    shown = tmp_path / "shown"
    reading = (
        f"{sys.executable} -c 'from oi_tui.faces import shell_history as s; "
        f'open("{shown}.new", "w").write(s.on_screen())' + f"'; mv {shown}.new {shown}; sleep 100"
    )
    subprocess.run([*tmux, "new-session", "-d", "-x", "80", "-y", "24", f"echo boom 42; {reading}"], check=True)
    try:
        from tests.user_reports.driver import until

        until(shown.exists, 30)
        assert "boom 42" in shown.read_text()
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
