"""What blocks leave running, as a person meets it in a terminal: output under a heading, the list, its end."""

from __future__ import annotations

import re

import pytest

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import work_folder

_JOB = "(until [ -e go ]; do sleep 0.05; done; echo 'up at' last; exec sleep 989) & echo begun"


@pytest.mark.parametrize("mode", ["app", "plain"])
def test_later_output_has_its_heading_and_jobs_can_be_stopped(mode: str) -> None:
    flags = ("--plain", "-y") if mode == "plain" else ("-y",)
    with MockModel([code("shell", _JOB), say("It runs.")]) as mock, Terminal(mock, *flags, size=(120, 30)) as term:
        if mode == "plain":
            term.wait_for("ctrl+d leaves")
            term.send("go\r")
        else:
            term.say("go")
        term.wait_for("It runs.")
        (work_folder() / "go").touch()
        if mode == "app":
            term.wait_for("background")
            term.wait_for("up at last")
        said: re.Match[bytes] | None = None
        while said is None:  # plain mode tells it with the next prompt, which may be before the program got so far
            seen = bytes(term.raw).count(b"running for")
            term.send("/jobs\r")
            term.wait_for(lambda seen=seen: bytes(term.raw).count(b"running for") > seen, what="the list")
            said = re.search(rb"(background.*?)?up at last", bytes(term.raw), re.DOTALL)
        assert said[1], "it stands under a heading"
        assert "sleep" in term.text()
        term.send("/jobs all\r" if mode == "plain" else "\r")
        term.wait_for("stopped")
