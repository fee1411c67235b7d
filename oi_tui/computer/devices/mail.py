"""`computer.mail`: the Mail program of macOS."""

from __future__ import annotations

import os
from pathlib import Path

from oi_tui.computer.devices.applescript import quoted, run
from oi_tui.computer.devices.base import Device, is_mac

MAC_ONLY = "Mail is a program of macOS; this system has none that could be asked."
_MOST = 50
_PER_SECOND = 1_000_000  # bytes of an attachment that are taken up in a second


class Mail(Device):
    """Mail in the inbox, and sending. On other systems each method answers that there is no Mail."""

    def get(self, number: int = 5, unread: bool = False) -> str:
        """The newest mails of the inbox with sender, subject, date and text; at most 50. unread: of these alone."""
        if not is_mac():
            return MAC_ONLY
        wanted = max(1, min(int(number), _MOST))
        note = f"(at most {_MOST} are given at once)\n" if number > _MOST else ""
        return note + (run(get_script(wanted, unread)) or "There is no such mail.")

    def send(self, to: str, subject: str, body: str, attachments: list[str] | None = None) -> str:
        """Send a mail, at once. attachments: paths of files. Raises FileNotFoundError for one that is not there."""
        files = [str(Path(one).expanduser().resolve()) for one in attachments or []]
        for one in files:
            if not Path(one).is_file():
                raise FileNotFoundError(f"there is no file {one} to attach")
        if not is_mac():
            return MAC_ONLY
        run(send_script(to, subject, body, files))
        return f"The mail to {to} was sent."

    def unread_count(self) -> int | str:
        """How many mails of the inbox are unread."""
        if not is_mac():
            return MAC_ONLY
        count = int(run('tell application "Mail" to return unread count of inbox') or 0)
        return f"{_MOST} or more" if count >= _MOST else count

    @staticmethod
    def calculate_upload_delay(attachments: list[str]) -> float:
        """Seconds that Mail gets to take these files up before it sends."""
        return round(1 + sum(os.path.getsize(one) for one in attachments) / _PER_SECOND, 1)  # noqa: PTH202

    @staticmethod
    def format_path_for_applescript(file_path: str) -> str:
        """A path as an AppleScript expression."""
        return f"POSIX file {quoted(str(Path(file_path).expanduser()))}"


def get_script(number: int, unread: bool) -> str:
    """AppleScript that lists mails."""
    which = "(messages of inbox whose read status is false)" if unread else "messages of inbox"
    return f"""tell application "Mail"
set found to {which}
set last_one to {number}
if (count of found) < last_one then set last_one to count of found
set told to ""
repeat with position from 1 to last_one
set one to item position of found
set told to told & "From: " & (sender of one) & linefeed & "Subject: " & (subject of one) & linefeed
set told to told & "Date: " & ((date received of one) as text) & linefeed & (content of one) & linefeed
set told to told & "---" & linefeed
end repeat
return told
end tell"""


def send_script(to: str, subject: str, body: str, files: list[str]) -> str:
    """AppleScript that sends a mail."""
    made = [
        'tell application "Mail"',
        f"set one to make new outgoing message with properties {{subject:{quoted(subject)}, "
        f"content:{quoted(body)}, visible:false}}",
        "tell one",
        f"make new to recipient at end of to recipients with properties {{address:{quoted(to)}}}",
        *(
            f"make new attachment with properties {{file name:{Mail.format_path_for_applescript(one)}}} "
            "at after the last paragraph of content"
            for one in files
        ),
        "end tell",
        *([f"delay {Mail.calculate_upload_delay(files)}"] if files else []),
        "send one",
        "end tell",
    ]
    return "\n".join(made)
