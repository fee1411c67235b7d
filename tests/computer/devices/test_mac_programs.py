"""Mail, Messages, Calendar and Contacts: the scripts as text, and a clear answer on other systems."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from oi_tui.computer.devices import applescript, base, calendar, contacts, keyboard, mail, os, sms
from oi_tui.computer.devices.base import DeviceError
from oi_tui.faces.api.computer import Computer

EVIL = 'a" & (do shell script "rm -rf ~") & "\\\nb'
QUOTED = '("a\\" & (do shell script \\"rm -rf ~\\") & \\"\\\\" & linefeed & "b")'


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """This is a Mac whose programs answer with "done"; the scripts that they were sent."""
    seen: list[str] = []

    def run(command: list[str], **options: Any) -> Any:
        assert command == ["/usr/bin/osascript", "-"]
        seen.append(options["input"])
        return subprocess.CompletedProcess(command, 0, "done\n", "")

    for module in (applescript, base, calendar, contacts, keyboard, mail, os, sms):
        monkeypatch.setattr(module, "is_mac", lambda: True, raising=False)
    monkeypatch.setattr(applescript.subprocess, "run", run)
    return seen


@pytest.mark.skipif(sys.platform == "darwin", reason="there they work")
@pytest.mark.parametrize(
    "call",
    [
        "mail.get()", "mail.send('a@b.c', 's', 'b')", "mail.unread_count()", "sms.send('1', 'x')", "sms.get()",
        "sms.prompt_full_disk_access()", "calendar.get_events()", "calendar.get_first_calendar()",
        "calendar.create_event('t', '2030-01-01', '2030-01-02')", "calendar.delete_event('t', '2030-01-01')",
        "contacts.get_phone_number('x')", "contacts.get_email_address('x')",
        "contacts.get_full_names_from_first_name('x')",
    ],
)  # fmt: skip
def test_elsewhere_they_say_so(call: str) -> None:
    assert "is a program of macOS; this system has none" in eval(f"computer.{call}", {"computer": Computer()})


def test_no_text_can_end_the_script() -> None:
    assert applescript.quoted("plain") == '"plain"'
    assert applescript.quoted(EVIL) == QUOTED
    for script in (
        mail.send_script(EVIL, EVIL, EVIL, []),
        sms.send_script(EVIL, EVIL),
        contacts.value_script(EVIL, "phone"),
        contacts.names_script(EVIL),
        calendar.create_script(EVIL, datetime(2030, 1, 31), datetime(2030, 2, 1), EVIL, EVIL, EVIL),
        calendar.delete_script(EVIL, datetime(2030, 1, 31), EVIL),
        os.notice_script(EVIL),
    ):
        rest = script.replace(QUOTED, "")
        assert "rm -rf" not in rest and script.count(QUOTED) >= 1


def test_a_date_says_the_same_in_every_language() -> None:
    assert applescript.date("moment", datetime(2030, 1, 31, 14, 5, 9)) == (
        "set moment to current date\nset day of moment to 1\nset year of moment to 2030\nset month of moment to 1\n"
        "set day of moment to 31\nset time of moment to 50709\n"
    )


def test_mail(scripts: list[str], tmp_path: Path) -> None:
    computer, file = Computer(), tmp_path / 'a "b".txt'
    file.write_bytes(b"x" * 2_000_000)
    assert computer.mail.get(80, unread=True).startswith("(at most 50 are given at once)\ndone")
    assert "set last_one to 50" in scripts[-1] and "whose read status is false" in scripts[-1]
    assert computer.mail.send("a@b.c", "hi", "one\ntwo", [str(file)]) == "The mail to a@b.c was sent."
    assert f'POSIX file "{tmp_path}/a \\"b\\".txt"' in scripts[-1] and "delay 3.0\nsend one" in scripts[-1]
    with pytest.raises(FileNotFoundError, match="there is no file"):
        computer.mail.send("a@b.c", "hi", "x", ["/nowhere/x"])


def test_calendar(scripts: list[str]) -> None:
    computer = Computer()
    assert computer.calendar.get_events(date(2030, 1, 31)) == "done"
    assert "set time of first_moment to 0\n" in scripts[-1] and "set time of last_moment to 86399\n" in scripts[-1]
    computer.calendar.get_events("2030-01-30", "2030-01-31")
    assert "set day of last_moment to 31\nset time of last_moment to 86399\n" in scripts[-1]
    made = computer.calendar.create_event("Tea", "2030-01-31 14:00", datetime(2030, 1, 31, 15), "here", "with milk")
    assert made == "The event Tea was put into the calendar done." and 'location:"here"' in scripts[-1]
    assert "There is no event Tea" in computer.calendar.delete_event("Tea", "2030-01-31 14:00")
    with pytest.raises(ValueError, match="'tomorrow' is no date; write it as 2030-01-31"):
        computer.calendar.get_events("tomorrow")
    with pytest.raises(ValueError, match="would end before it begins"):
        computer.calendar.create_event("Tea", "2030-01-31", "2030-01-30")


def test_contacts(scripts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    computer = Computer()
    assert computer.contacts.get_phone_number("Ada Lovelace") == "done" and 'name is "Ada Lovelace"' in scripts[-1]
    answers = iter(["", "Ada Byron\nAda Lovelace", "<none>"])
    monkeypatch.setattr(contacts, "run", lambda _: next(answers))
    with pytest.raises(LookupError, match="there is nobody called Ada L; there are Ada Byron, Ada Lovelace"):
        computer.contacts.get_email_address("Ada L")
    with pytest.raises(LookupError, match="Ada Byron has no mail address"):
        computer.contacts.get_email_address("Ada Byron")


def test_messages_are_read_from_their_database(tmp_path: Path, scripts: list[str]) -> None:
    path = tmp_path / "chat.db"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(
            "create table handle (id text); create table message (date int, handle_id int, text text, is_from_me int);"
            "insert into handle values ('+1555'), ('b@c.d');"
            "insert into message values (1000000000, 1, 'first 100%', 0), (2000000000, 1, 'second', 1),"
            "(3000000000, 2, 'third', 0);"
        )
    computer = Computer()
    with mock.patch.object(computer.sms, "resolve_database_path", return_value=str(path)):
        assert computer.sms.can_access_database()
        assert [one["text"] for one in computer.sms.get()] == ["third", "second", "first 100%"]  # type: ignore[index]
        assert computer.sms.get("+1555", limit=1) == [{"date": "2001-01-01 00:00:02", "from": "(Me)", "text": "second"}]
        assert [one["from"] for one in computer.sms.get(substring="0%")] == ["+1555"]  # type: ignore[index]
        path.write_text("no database at all, but long enough to be looked at" * 20)
        with pytest.raises(DeviceError, match="cannot be read"):
            computer.sms.get()
        path.unlink()
        with pytest.raises(DeviceError, match="Full Disk Access"):
            computer.sms.get()
        assert "Privacy_AllFiles" in scripts[-1]


def test_what_fails_says_why(scripts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "execution error: Not authorized to send Apple events. (-1743)\n")
    monkeypatch.setattr(applescript.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(DeviceError, match=r"-1743\); allow it in System Settings"):
        Computer().sms.send("1", "x")


def test_hotkeys_are_apple_scripts_there() -> None:
    assert keyboard.hotkey_script("command", "c") == (
        'tell application "System Events" to keystroke "c" using command down'
    )
    assert keyboard.hotkey_script("ctrl", "left").endswith("key code 123 using control down")
    with pytest.raises(DeviceError, match="there is no key 'nokey'"):
        keyboard.hotkey_script("ctrl", "nokey")
