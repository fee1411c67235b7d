"""`computer.sms`: the Messages program of macOS. Messages are sent through it and read from its database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from oi_tui.computer.devices.applescript import quoted, run
from oi_tui.computer.devices.base import Device, DeviceError, is_mac

MAC_ONLY = "Messages is a program of macOS; this system has none that could be asked."
_EPOCH = datetime(2001, 1, 1)  # from which its dates count, in nanoseconds
_SETTINGS = "x-apple.systempreferences:com.apple.preference.security?Privacy_AllFiles"
_QUERY = """select message.date, handle.id, message.text, message.is_from_me from message
left join handle on message.handle_id = handle.rowid
where message.text is not null and (:contact is null or handle.id = :contact)
and (:part is null or message.text like :part escape '\\') order by message.date desc limit :most"""


class Sms(Device):
    """Text messages. On other systems each method answers that there are none."""

    def send(self, to: str, message: str) -> str:
        """Send a message to a phone number or mail address, at once."""
        if not is_mac():
            return MAC_ONLY
        run(send_script(to, message))
        return f"The message to {to} was sent."

    def get(
        self, contact: str | None = None, limit: int = 10, substring: str | None = None
    ) -> list[dict[str, str]] | str:
        """The newest messages, as objects with `date`, `from` and `text`; your own are from `(Me)`. contact: its name,
        number or address."""
        if not is_mac():
            return MAC_ONLY
        if not self.can_access_database():
            self.prompt_full_disk_access()
            raise DeviceError(
                "the messages may not be read: give the terminal Full Disk Access in System Settings > Privacy & "
                "Security, then start it again"
            )
        if contact and any(one.isalpha() for one in contact) and "@" not in contact:
            contact = self.computer.contacts.get_phone_number(contact)
        return read(self.resolve_database_path(), contact, limit, substring)

    def can_access_database(self) -> bool:
        """Whether the messages may be read."""
        try:
            with open(self.resolve_database_path(), "rb"):  # noqa: PTH123
                return True
        except OSError:
            return False

    def prompt_full_disk_access(self) -> str:
        """Open the page of the system's settings where reading messages can be allowed."""
        if not is_mac():
            return MAC_ONLY
        run(f"open location {quoted(_SETTINGS)}")
        return "Give the terminal Full Disk Access there, then start it again."

    def resolve_database_path(self) -> str:
        """Where the messages are kept."""
        return str(Path.home() / "Library/Messages/chat.db")


def send_script(to: str, message: str) -> str:
    """AppleScript that sends a message."""
    return (
        'tell application "Messages"\nset service_found to 1st account whose service type = iMessage\n'
        f"set receiver to participant {quoted(to)} of service_found\nsend {quoted(message)} to receiver\nend tell"
    )


def read(path: str, contact: str | None, limit: int, substring: str | None) -> list[dict[str, str]]:
    """Messages of a database of that program, newest first. Raises DeviceError."""
    part = None
    if substring:
        escaped = substring.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        part = f"%{escaped}%"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            rows = base.execute(_QUERY, {"contact": contact, "part": part, "most": max(1, int(limit))}).fetchall()
    except sqlite3.Error as error:
        raise DeviceError(f"the messages in {path} cannot be read: {error}") from None
    return [
        {
            "date": (_EPOCH + timedelta(microseconds=when // 1000)).isoformat(sep=" ", timespec="seconds"),
            "from": "(Me)" if mine else str(who or "unknown"),
            "text": text,
        }
        for when, who, text, mine in rows
    ]
