"""Reports on saved conversations, on the screen of the running app."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import home, saved_messages, sessions, start_exec, work_folder


def _said(file: Path) -> list[str]:
    return [one["content"] for one in saved_messages(file) if one["role"] == "user"]


def test_ur_093_reset_and_resume_never_mix_conversations() -> None:
    with (
        MockModel([say("answer A"), say("answer B"), say("answer C")]) as mock,
        Terminal(mock) as term,
    ):
        term.say("message A")
        term.wait_for("answer A")
        term.idle()
        term.say("%reset")
        term.wait_gone("answer A")
        term.say("message B")
        term.wait_for("answer B")
        first, second = sessions()
        assert [_said(first), _said(second)] == [["message A"], ["message B"]]
        assert "message A" not in str(mock.requests[1]["messages"])
        assert mock.requests[0]["model"] == mock.requests[1]["model"]
        with Terminal(mock, "resume", first.stem, model="", program=_resuming(mock)) as term:
            term.wait_for("answer A")
            term.say("message C")
            term.wait_for("answer C")
    assert [_said(one) for one in sessions()] == [["message A", "message C"], ["message B"]]


def _resuming(mock: MockModel) -> tuple[str, ...]:
    import sys

    line = 'exec "$0" -m oi_tui "$@" -m x -ab ' + mock.url
    return ("/bin/sh", "-c", line, sys.executable)


def test_ur_094_nine_at_once_in_one_home() -> None:
    with MockModel(after=say("ok")) as mock, Terminal(mock) as term:
        term.ready()
        runs = [start_exec(mock, f"run {number}") for number in range(8)]
        for number in range(3):
            term.say(f"typed {number}")
            term.wait_for(lambda n=number: len([one for one in term.lines() if "ok" in one]) > n)
            term.idle()
        for one in runs:
            assert one.end(60).code == 0
    said = sorted(text for one in sessions() for text in _said(one))
    assert said == [*(f"run {n}" for n in range(8)), *(f"typed {n}" for n in range(3))]
    assert len(sessions()) == 9
    history = [json.loads(line) for line in (home() / "history.jsonl").read_text().splitlines()]
    assert [text for text in (str(one) for one in history) if "typed" in text] != []
    config = home() / "config.toml"
    if config.exists():
        tomllib.loads(config.read_text())


def test_ur_097_resume_shows_the_end_at_once_and_asks_nothing() -> None:
    from tests.user_reports.test_conversations import _long_session

    saved = _long_session(100)
    with (
        MockModel([say("going on")]) as mock,
        Terminal(mock, "resume", saved.id, model="", program=_resuming(mock), size=(100, 30)) as term,
    ):
        term.wait_for("reply 99")
        assert "variables" in term.text(), "that the variables are gone is said"
        assert mock.requests == []
        assert not [one for one in term.processes() if "python_child" in one]
        term.say("go on")
        term.wait_for("going on")
        assert len(mock.requests) == 1


def test_ur_097_the_newest_of_this_folder_through_a_link() -> None:
    folder = work_folder() / "real"
    folder.mkdir()
    (work_folder() / "link").symlink_to(folder)
    with MockModel([code("python", "x = 5"), say("answer here"), say("answer elsewhere")]) as mock:
        with Terminal(mock, "-y", cwd=folder) as term:
            term.say("message here")
            term.wait_for("answer here")
        with Terminal(mock) as term:
            term.say("message elsewhere")
            term.wait_for("answer elsewhere")
        link = work_folder() / "link"
        with Terminal(mock, "resume", "--last", model="", program=_resuming(mock), cwd=link) as term:
            term.wait_for("answer here")
            assert "elsewhere" not in term.text()
