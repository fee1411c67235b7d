"""Reports on typing, pasting, scrolling and sizes, on the screen of the running app."""

from __future__ import annotations

import contextlib
import os
import random
import re
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.terminal import KEYS, Terminal
from tests.mock_model import MockModel, say
from tests.user_reports.driver import saved_messages, sessions, work_folder

LINES = "\n".join(f"line {n}\tafter a tab" if n % 7 else "" for n in range(1, 41)) + "\n"


def _said(request: dict) -> str:  # type: ignore[type-arg]
    return next(one["content"] for one in reversed(request["messages"]) if one["role"] == "user")


def test_ur_074_a_marked_paste_is_one_message() -> None:
    with MockModel([say("got it")]) as mock, Terminal(mock) as term:
        term.ready()
        term.paste(LINES)
        term.wait_for(lambda: "pasted" in term.draft or "after a tab" in term.draft)
        time.sleep(0.3)
        assert mock.requests == [], "nothing is sent before Enter"
        term.press("enter")
        term.wait_for("got it")
        assert len(mock.requests) == 1
        assert _said(mock.requests[0]).strip() == LINES.strip()


def test_ur_074_an_unmarked_paste_is_one_message() -> None:
    with MockModel([say("got it")]) as mock, Terminal(mock) as term:
        term.ready()
        for sign in LINES.replace("\n", "\r"):
            term.send(sign)
            time.sleep(0.001)
        term.wait_for("line 40")
        time.sleep(0.6)
        assert mock.requests == [], "nothing is sent before Enter"
        term.press("enter")
        term.wait_for("got it")
        assert len(mock.requests) == 1
        assert _said(mock.requests[0]).strip() == LINES.strip()


def test_ur_074_a_paste_of_a_megabyte_is_sent_whole() -> None:
    text = "".join(f"{n:07} some words to paste\n" for n in range(35_000))
    with MockModel([say("got it")]) as mock, Terminal(mock) as term:
        term.ready()
        term.paste(text)
        term.wait_for(lambda: "35,00" in term.draft, what="the mark of the paste")
        term.press("enter")
        term.wait_for("got it")
        assert len(mock.requests) == 1
        assert _said(mock.requests[0]).strip() == text.strip()


def test_ur_075_bytes_that_are_no_text_end_nothing() -> None:
    with MockModel([say("got it"), say("again")]) as mock, Terminal(mock) as term:
        term.ready()
        term.send(b"ok \xff\xfe \xed\xa0\x80 \x00 fin")
        term.wait_for(lambda: "fin" in term.draft)
        time.sleep(0.2)
        term.press("enter")
        term.wait_for("got it")
        said = _said(mock.requests[0])
        assert said.startswith("ok ")
        assert said.endswith("fin")
        said.encode("utf-8")
        assert "\x00" not in said
        term.send("a\u202eb\u200bc")
        term.wait_for(lambda: "abc" in "".join(sign for sign in term.draft if sign.isalpha()))
        time.sleep(0.2)
        term.press("enter")
        term.wait_for("again")
    assert saved_messages(sessions()[-1])[0]["content"].startswith("ok ")


@pytest.mark.parametrize(
    ("start", "keys", "left"),
    [
        ("one two three", ["ctrl+w"], "one two"),
        ("one two three", ["ctrl+u"], ""),
        ("one two", ["ctrl+a", "X"], "Xone two"),
        ("one two", ["home", "X", "end", "Y"], "Xone twoY"),
        ("one two", ["ctrl+a", "ctrl+e", "Y"], "one twoY"),
        ("one two", ["\x1bb", "X"], "one Xtwo"),
        ("one two", ["ctrl+a", "\x1bf", "X"], "oneX two"),
        ("one", ["shift+enter", "X"], "one\nX"),
        ("one", ["ctrl+j", "X"], "one\nX"),
        ("one", ["alt+enter", "X"], "one\nX"),
        ("one two", ["ctrl+w", "\x1f"], "one two"),  # ctrl+_, as in shells; ctrl+z goes back to the shell
        ("ab", ["left", "\x1b[32u", "X"], "a Xb"),
        ("ab", ["left", "\x1b[32;2u", "X"], "a Xb"),
        ("one two", ["ctrl+a", "ctrl+k"], ""),
    ],
)
def test_ur_076_keys_of_the_message_box(start: str, keys: list[str], left: str) -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.type(start)
        time.sleep(1.5)
        term.press(*keys)
        term.wait_for(lambda: term.draft == left, 5, f"{left!r} in the box")


def test_ur_076_a_draft_survives_going_through_history() -> None:
    with MockModel([say("got it")]) as mock, Terminal(mock) as term:
        term.say("earlier words")
        term.wait_for("got it")
        term.idle()
        term.type("first line")
        term.press("ctrl+j")
        term.send("second line")
        term.wait_for("second line")
        term.press("up", "up")
        term.wait_for(lambda: term.draft == "earlier words")
        term.press("down")
        term.wait_for(lambda: term.draft == "first line\nsecond line", what="the draft")


def test_ur_077_wide_signs_and_the_caret() -> None:
    with MockModel() as mock, Terminal(mock, size=(60, 20)) as term:
        term.ready()
        term.wait_for(lambda: term.cursor[1] == term.row_of("❯"), 5, "the cursor in the message box")
        start = term.cursor
        term.send("\u4f60\u597d")
        term.wait_for("\u4f60")
        term.wait_for(lambda: term.cursor == (start[0] + 4, start[1]), 5, "the caret four columns on")
        term.press("left", "backspace")
        term.wait_for(lambda: term.draft.replace(" ", "") == "\u597d", 5, "one sign")
        term.wait_for(lambda: term.cursor == start, 5, "the caret at the beginning")


@pytest.mark.parametrize("sign", ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "e\u0301"])
def test_ur_077_one_backspace_removes_a_whole_sign(sign: str) -> None:
    with MockModel([say("got it")]) as mock, Terminal(mock, size=(60, 20)) as term:
        term.ready()
        term.send("a" + sign)
        term.wait_for(lambda: term.draft.startswith("a") and len(term.draft) > 1)
        time.sleep(0.3)
        term.press("backspace")
        term.send("z")
        term.wait_for(lambda: term.draft.endswith("z"))
        time.sleep(0.3)
        term.press("enter")
        term.wait_for("got it")
        assert _said(mock.requests[0]) == "az"


def test_ur_077_borders_of_a_table_with_wide_signs_line_up() -> None:
    table = "| name | value |\n| --- | --- |\n| \u4f60\u597d | 1 |\n| plain | \u6f22\u5b57\u6f22 |\n"
    with MockModel([say(table)]) as mock, Terminal(mock, size=(60, 20)) as term:
        term.say("table")
        term.wait_for("plain")
        term.idle()
        columns = []
        for word in ("\u4f60\u597d", "plain", "name"):
            row = term.row_of(word)
            cells = [term.screen.cell(row, column).data for column in range(60)]
            columns.append([column for column, data in enumerate(cells) if data in {"│", "|", "┃"}])
        assert columns[0] == columns[1] == columns[2]
        assert columns[0] or _starts(term, "1") == _starts(term, "\u6f22") == _starts(term, "value")


def _starts(term: Terminal, text: str) -> int:
    """The screen column where the second column's text begins."""
    for row in range(20):
        cells = [term.screen.cell(row, column).data for column in range(60)]
        if text[0] in cells and any(word in "".join(cells) for word in ("\u4f60", "plain", "name")):
            return cells.index(text[0], 8)
    return -1


def test_ur_079_the_view_stays_where_the_person_put_it() -> None:
    history, stream = ("\n\n".join(f"{word} {n}" for n in range(count)) for word, count in (("old", 100), ("new", 150)))
    with MockModel([say(history), say(stream)], delay=0.005, chunk=8) as mock, Terminal(mock, size=(80, 24)) as term:
        term.say("one")
        term.wait_for("old 99", 40)
        term.idle()
        term.say("two")
        term.wait_for("new 9")
        term.press("f2", "pageup")
        term.wait_for(lambda: re.search(r"↓ \d+ new", term.text()), what="a mark that text came below")
        top, before, began = _upper(term), term.bytes_written, time.monotonic()
        while time.monotonic() - began < 2:
            time.sleep(0.1)
            assert _upper(term) == top
        assert (term.bytes_written - before) / (time.monotonic() - began) < 20_000
        term.press("end")
        term.wait_for("new 149", 40)


def _upper(term: Terminal) -> list[str]:
    """The upper rows of the view, without its scrollbar."""
    return [line[:70].rstrip() for line in term.lines()[3:12]]


def test_a_storm_of_sizes_loses_nothing() -> None:
    words = "\n\n".join(f"paragraph {n} of the answer" for n in range(60))
    chance = random.Random(7)
    with MockModel([say(words)], delay=0.005) as mock, Terminal(mock, size=(100, 30)) as term:
        term.say("go")
        term.wait_for("paragraph 1 ")
        for _ in range(30):
            term.resize(chance.randint(20, 160), chance.randint(5, 50))
            time.sleep(0.05)
        term.resize(100, 40)
        term.wait_for("paragraph 59", 40)
        term.idle()
        term.press("f2", "home")
        term.wait_for("paragraph 0 ")
        term.still()
        seen = set(_numbers(term))
        for _ in range(8):
            term.press("pagedown")
            term.still()
            seen |= set(_numbers(term))
        assert seen == set(range(60))


def _numbers(term: Terminal) -> list[int]:
    return [int(one) for one in re.findall(r"paragraph (\d+) of the answer", term.text())]


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A folder with many files and everything odd that a folder can hold."""
    folder = tmp_path / "crowd"
    for number in range(100):
        part = folder / f"dir{number:03}"
        part.mkdir(parents=True)
        for name in range(50):
            (part / f"file{name}.txt").touch()
    (folder / "loop").symlink_to(folder)
    (folder / "broken").symlink_to(folder / "nothing")
    os.mkfifo(folder / "pipe")
    (folder / "new\nline").touch()
    with contextlib.suppress(OSError):
        os.close(os.open(os.fsencode(folder) + b"/bad\xff", os.O_CREAT))
    (folder / "closed").mkdir(mode=0)
    return folder


def test_ur_084_odd_folders(crowded: Path) -> None:
    for folder in (crowded, Path("/")):
        with MockModel([say("hello there")]) as mock, Terminal(mock, cwd=folder) as term:
            term.wait_for("❯", 10)
            term.say("hi")
            term.wait_for("hello there")


def test_ur_084_a_folder_that_was_deleted() -> None:
    gone = work_folder() / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD"; exec "$0" -m oi_tui -m x'
    with Terminal(None, cwd=gone, program=("/bin/sh", "-c", line, sys.executable)) as term:
        assert term.ended() == 2
        assert "the current folder no longer exists; cd to another one" in term.text()


def test_every_named_key_is_known() -> None:
    assert len(set(KEYS.values())) >= len(KEYS) - 3  # tab, enter and backspace have a letter with ctrl each
