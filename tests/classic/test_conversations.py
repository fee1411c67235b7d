"""Earlier conversations: listed, searched, renamed, exported, gone on with, also JSON files of classic versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oi_tui.cli import main
from oi_tui.faces import conversations
from oi_tui.session import store
from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import run_exec, sessions

CLASSIC = [
    {"role": "user", "type": "message", "content": "how many lines has sales.csv?"},
    {"role": "assistant", "type": "message", "content": "Let me count."},
    {"role": "assistant", "type": "code", "format": "python", "content": "print(41 + 1)"},
    {"role": "computer", "type": "console", "format": "output", "content": "42"},
    {"role": "assistant", "type": "message", "content": "It has 42."},
]


@pytest.fixture
def classic_file(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A conversation as 0.4 saved it, in the folder where it did."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(isolated / "config"))
    folder = isolated / "config" / "open-interpreter" / "conversations"
    folder.mkdir(parents=True)
    file = folder / "how_many_lines__November_29_2026_15-47-25.json"
    file.write_text(json.dumps(CLASSIC))
    return file


def test_sessions_are_searched_renamed_and_exported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with MockModel([code("python", "print('needle ' * 2)"), say("done"), say("hi")]) as mock:
        run_exec(mock, "find it")
        run_exec(mock, "greet me")
    first = sessions()[0].stem
    assert main(["sessions", "search", "needle", "--all"]) == 0
    found = capsys.readouterr().out
    assert first in found and "needle" in found and "greet me" not in found
    assert main(["sessions", "search", "haystack"]) == 0 and "no session holds" in capsys.readouterr().err
    assert main(["sessions", "rename", first, "the", "needle"]) == 0
    assert store.find("the needle").id == first
    capsys.readouterr()
    target = tmp_path / "out.md"
    assert main(["sessions", "export", "the needle", str(target)]) == 0
    assert "print('needle ' * 2)" in target.read_text()
    assert main(["sessions", "export", first, str(target)]) == 1
    assert capsys.readouterr().err == f"oi: {target} exists already\n"
    assert main(["sessions", "rename", "nothing", "x"]) == 1
    with pytest.raises(SystemExit):
        main(["sessions", "search"])


def test_a_classic_file_is_opened_as_a_session_and_stays_as_it_is(classic_file: Path) -> None:
    before = classic_file.read_bytes()
    assert conversations.classic("how_many") == classic_file == conversations.classic(str(classic_file))
    saved = conversations.opened(classic_file)
    kept = [{key: one[key] for key in ("role", "type", "format", "content") if key in one} for one in saved.messages]
    assert kept == CLASSIC
    assert saved.title == "how many lines (November 29 2026 15-47-25)"
    assert store.find(saved.id).messages == saved.messages
    assert classic_file.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not JSON"),
        ("{}", "holds no list of messages"),
        ("[]", "is empty"),
        ('[{"role": "x"}]', "is no conversation"),
    ],
)
def test_a_file_that_is_no_conversation_is_told(classic_file: Path, content: str, words: str) -> None:
    classic_file.write_text(content)
    with pytest.raises(ValueError, match=words):
        conversations.opened(classic_file)
    assert not sessions()


def test_resume_takes_a_classic_file(classic_file: Path) -> None:
    with MockModel([say("Yes, 42.")]) as mock, Terminal(mock, "resume", str(classic_file)) as term:
        term.wait_for("It has 42.")
        term.say("are you sure?")
        term.wait_for("Yes, 42.")
        sent = json.dumps(mock.requests[0]["messages"])
    assert "how many lines has sales.csv?" in sent and "41 + 1" in sent


def test_conversations_are_chosen_from_a_list(classic_file: Path) -> None:
    with MockModel([say("hello"), say("again")]) as mock:
        run_exec(mock, "greet me")
        with Terminal(mock, "--conversations", "--plain") as term:
            term.wait_for("number (1 to 2, q leaves)")
            assert "greet me" in term.text() and "how many lines (November 29 2026 15-47-25)" in term.text()
            term.send("7\n")
            term.wait_for("7 is none of them")
            term.send("1\n")
            term.wait_for("ctrl+d leaves")
            term.send("and now?\n")
            term.wait_for("again")
        assert "greet me" in json.dumps(mock.requests[-1]["messages"])
