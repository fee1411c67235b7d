"""Safe mode as a person meets it: in the app and in plain mode, with the real semgrep."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import results

BAD = "import os\nname = 'made'\nopen(os.path.expanduser('~/.ssh/authorized_keys'), 'a')\nopen(name, 'w')"


def test_the_app_shows_line_and_reason_and_a_no_tells_the_model(semgrep: Path) -> None:
    with MockModel([code("python", BAD), say("I will not")]) as mock:
        with Terminal(mock, "-y", "--safe_mode", "auto", size=(110, 32)) as term:
            term.say("go")
            term.asked()
            term.wait_for("line 3: changes what starts by itself or who may log in (error)")
            term.press("n")
            term.wait_for("why not?")
            term.press("enter")
            term.wait_for("I will not")
            assert not (term.cwd / "made").exists()
        assert "line 3: changes what starts by itself" in results(mock.requests[-1])[0]


def test_plain_mode_asks_before_it_looks(semgrep: Path) -> None:
    script = [code("python", BAD), say("I will not")]
    with MockModel(script) as mock, Terminal(mock, "--plain", "--safe_mode", "ask", size=(110, 32)) as term:
        term.wait_for("/help lists commands")
        term.send("go\r")
        term.wait_for("[c] check it first")
        assert "line 3" not in term.text()
        term.send("c\r")
        term.wait_for("! line 3: changes what starts by itself or who may log in (error)")
        term.send("s\r")
        term.wait_for("declined")
        assert not (term.cwd / "made").exists()
        term.send("\x04")
