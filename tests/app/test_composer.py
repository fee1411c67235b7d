"""The message box: sending, new lines, pastes with and without marks, history, odd bytes."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from oi_tui.app.history import PromptHistory
from oi_tui.app.typed import clean
from oi_tui.app.widgets.burst import HOLD, Burst
from oi_tui.app.widgets.composer import Composer
from oi_tui.app.widgets.pasted import Pasted
from tests.app.composing import BoxApp, box

FORTY = "".join(f"\tline {number}\n" if number != 7 else "\n" for number in range(40))


async def until(pilot: Pilot[None], condition: object) -> None:
    """Wait for `condition()`; fails the test after five seconds."""
    for _ in range(100):
        await pilot.pause(0.05)
        if condition():  # type: ignore[operator]
            return
    raise AssertionError("did not happen in time")


def paste(app: BoxApp, text: str) -> None:
    app.post_message(events.Paste(text))


async def test_enter_sends_and_empties_the_box(tmp_path: Path) -> None:
    app = box(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: app.sent)
        assert app.sent == [("hi", "send")]
        assert app.box.draft == ""


async def test_a_blank_message_is_not_sent(tmp_path: Path) -> None:
    app = box(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("enter", "space", "enter")
        assert app.sent == []
        assert app.box.draft == " "


@pytest.mark.parametrize("key", ["shift+enter", "alt+enter", "ctrl+j", "ctrl+enter"])
async def test_keys_for_a_new_line(key: str) -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press("a", key, "b", "enter")
        await until(pilot, lambda: app.sent)
        assert app.sent == [("a\nb", "send")]


async def test_a_backslash_before_enter_is_a_new_line() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press("a", "backslash", "enter", "b", "enter")
        await until(pilot, lambda: app.sent)
        assert app.sent == [("a\nb", "send")]


@pytest.mark.parametrize(
    ("sequence", "key"),
    [("\x1b\r", "alt+enter"), ("\x1b[13;2u", "shift+enter"), ("\x1b[27;2;13~", "shift+\r"), ("\n", "ctrl+j")],
)
def test_what_terminals_send_for_a_new_line_is_known(sequence: str, key: str) -> None:
    from textual._xterm_parser import XTermParser

    from oi_tui.app.terminal_input import NEWLINE_KEYS

    (event,) = [one for one in XTermParser(False).feed(sequence) if isinstance(one, events.Key)]
    assert event.key == key
    assert key in NEWLINE_KEYS


async def test_tab_queues_while_a_turn_runs_and_moves_on_when_idle() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press(*"later", "tab")
        await until(pilot, lambda: app.other.has_focus)
        assert app.sent == []
        app.box.focus_box()
        app.box.busy = True
        await pilot.press("tab")
        await until(pilot, lambda: app.sent)
        assert app.sent == [("later", "queue")]


async def test_up_on_an_empty_box_asks_for_the_queued_message(tmp_path: Path) -> None:
    app = box(tmp_path)
    async with app.run_test() as pilot:
        app.box.queued = 1
        await pilot.press("up")
        await until(pilot, lambda: app.posted)
        assert isinstance(app.posted[0], Composer.Unqueue)
        app.box.load("taken back")
        assert app.box.text == "taken back"


async def test_question_mark_and_end_of_input_on_an_empty_box_only() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press("question_mark", "ctrl+d")
        await until(pilot, lambda: len(app.posted) == 2)
        assert [type(one) for one in app.posted] == [Composer.KeysWanted, Composer.EndOfInput]
        await pilot.press("a", "question_mark")
        assert app.box.draft == "a?"


# -- pastes (UR-074)


async def test_a_marked_paste_is_one_message_and_waits_for_enter(tmp_path: Path) -> None:
    app = box(tmp_path)
    async with app.run_test() as pilot:
        paste(app, FORTY)
        await until(pilot, lambda: app.box.draft)
        assert app.sent == []
        assert app.box.draft == "[pasted #1: 41 lines]"
        await pilot.press("enter")
        await until(pilot, lambda: app.sent)
        assert app.sent == [(FORTY, "send")]
        assert PromptHistory(tmp_path / "history.jsonl", "/work").entries == [FORTY]


@pytest.mark.parametrize("line_end", ["\n", "\r"])
async def test_an_unmarked_paste_is_one_message_and_waits_for_enter(line_end: str) -> None:
    app = box()
    async with app.run_test() as pilot:
        app.burst(FORTY.replace("\n", line_end))
        await until(pilot, lambda: app.box.text == FORTY)
        await pilot.pause(2 * HOLD)
        assert app.sent == []
        await pilot.pause(0.4)
        await pilot.press("enter")
        await until(pilot, lambda: app.sent)
        assert app.sent == [(FORTY, "send")]


async def test_one_fast_line_with_enter_is_sent() -> None:
    app = box()
    async with app.run_test() as pilot:
        app.burst("what is 2+2\r")
        await until(pilot, lambda: app.sent)
        assert app.sent == [("what is 2+2", "send")]


async def test_a_megabyte_is_kept_whole(tmp_path: Path) -> None:
    big = "0123456789abcde\n" * 65_536
    app = box(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("a")
        paste(app, big)
        await until(pilot, lambda: "pasted" in app.box.draft)
        await pilot.press("z", "enter")
        await until(pilot, lambda: app.sent)
        assert app.sent == [(f"a{big}z", "send")]


async def test_backspace_takes_a_folded_paste_away_as_one() -> None:
    app = box()
    async with app.run_test() as pilot:
        await pilot.press("a")
        paste(app, "x" * 5_000)
        await until(pilot, lambda: "pasted" in app.box.draft)
        assert app.box.draft == "a[pasted #1: 5,000 characters]"
        await pilot.press("backspace")
        assert app.box.draft == "a"


def test_a_typed_mark_stands_for_itself() -> None:
    pasted = Pasted()
    pasted.fold("x" * 5_000)
    assert pasted.unfold("[pasted #9: 3 lines]") == "[pasted #9: 3 lines]"


def test_nobody_types_as_fast_as_a_paste() -> None:
    burst = Burst()
    for now in (0.0, 0.15, 0.26):
        assert not burst.key(now)
        burst.note(now)
    assert burst.sign("\n", 0.33) == "now"


def test_a_hiccup_in_a_paste_does_not_send_its_first_half() -> None:
    burst = Burst()
    for now in (0.0, 0.001, 0.002):
        burst.key(now)
        burst.note(now)
    burst.key(0.003)
    assert burst.sign("\n", 0.003) == "hold"
    burst.note(0.003)
    assert burst.key(0.004) == "\n"
    burst.note(0.004)
    burst.key(0.15)
    assert burst.sign("\n", 0.15) == "text"


def test_a_held_key_that_nothing_follows_at_once_was_meant() -> None:
    burst = Burst()
    burst.key(1.0)
    assert burst.sign("\t", 1.0) == "hold"
    burst.note(1.0)
    assert not burst.meant(1.01)
    assert burst.meant(1.06)


async def test_tab_queues_at_once_and_is_no_text_of_what_is_typed_next() -> None:
    app = box()
    async with app.run_test() as pilot:
        app.box.busy = True
        app.box.load("later")
        await pilot.press("tab", "x")
        await until(pilot, lambda: app.sent)
        assert app.sent == [("later", "queue")]
        assert app.box.draft == "x"


# -- odd characters (UR-075)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("ok \ud83d fin", "ok \ufffd fin"),
        ("\ud83d\ude00", "\U0001f600"),
        ("a\x00b", "a\ufffdb"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("tab\tstays", "tab\tstays"),
        ("right\u202eleft", "right\u202eleft"),
    ],
)
def test_cleaning(given: str, kept: str) -> None:
    assert clean(given) == kept
    clean(given).encode("utf-8")


async def test_odd_characters_end_neither_the_program_nor_the_history(tmp_path: Path) -> None:
    app = box(tmp_path)
    async with app.run_test() as pilot:
        app.burst("ok \ud83d")
        paste(app, " \x00\udfff fin")
        await until(pilot, lambda: app.box.draft.endswith("fin"))
        await pilot.press("enter")
        await until(pilot, lambda: app.sent)
    assert app.sent == [("ok \ufffd \ufffd\ufffd fin", "send")]
    assert json.loads((tmp_path / "history.jsonl").read_bytes())["text"] == "ok \ufffd \ufffd\ufffd fin"


# -- history


async def test_up_and_down_at_the_edges_keep_every_draft(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history.jsonl", "/work")
    history.add("first")
    history.add("second\nline")
    app = BoxApp(history)
    async with app.run_test() as pilot:
        await pilot.press(*"new", "up")
        assert app.box.draft == "second\nline"
        await pilot.press("x", "up", "up")
        assert app.box.draft == "first"
        await pilot.press("down")
        assert app.box.draft == "second\nlinex"
        await pilot.press("down")
        assert app.box.draft == "new"


async def test_a_cleared_or_abandoned_draft_is_in_the_history(tmp_path: Path) -> None:
    app = box(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"one")
        assert app.box.clear()
        assert not app.box.clear()
        await pilot.press(*"two")
    assert PromptHistory(tmp_path / "history.jsonl", "/work").entries == ["one", "two"]


def test_history_is_private_and_per_folder(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "history.jsonl"
    PromptHistory(file, "/a").add("in a")
    PromptHistory(file, "/b").add("in b")
    assert PromptHistory(file, "/a").entries == ["in a"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'[1]\n{"cwd": "/a", "text": "kept"}\n\xff\xfe\n{"cwd": "/a", "te')
    history = PromptHistory(file, "/a")
    assert history.entries == ["kept"]
    history.add("new")
    assert PromptHistory(file, "/a").entries == ["kept", "new"]


WRITER = """
import sys
from pathlib import Path
from oi_tui.app.history import PromptHistory
history = PromptHistory(Path(sys.argv[1]), "/a")
for number in range(50):
    history.add(f"{sys.argv[2]}-{number} " + "x" * 3_000)
"""


def test_eight_writers_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(number)]) for number in range(8)]
    assert [one.wait(60) for one in writers] == [0] * 8
    names = {json.loads(line)["text"].split()[0] for line in file.read_text().splitlines() if line}
    assert names == {f"{writer}-{number}" for writer in range(8) for number in range(50)}


async def test_a_history_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").mkdir()
    app = box(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("a", "enter", "b", "enter")
        await until(pilot, lambda: len(app.sent) == 2)
        assert len(app.posted) == 1
        assert isinstance(app.posted[0], Composer.Trouble)
        assert "history" in app.posted[0].text
