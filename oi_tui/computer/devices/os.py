"""`computer.os`: what is selected on the screen, and notices to the person."""

from __future__ import annotations

import shutil
import subprocess
import sys

from oi_tui.computer.devices import screen
from oi_tui.computer.devices.base import Device, DeviceError, is_mac

_TITLE = "Open Interpreter"
_LONGEST = 200  # characters


class Os(Device):
    """The desktop."""

    def get_selected_text(self) -> str:
        """The text that is selected on the screen. The clipboard stays as it was."""
        clipboard = self.computer.clipboard
        before = clipboard.view()
        clipboard.copy("")
        try:
            clipboard.copy()
            screen.pause(0.2)
            return clipboard.view()
        finally:
            clipboard.copy(before)

    def notify(self, text: str) -> None:
        """Show the person a notice of the desktop. Never raises: says so where there are none."""
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        try:
            _notify(shown)
        except (DeviceError, OSError, subprocess.SubprocessError) as error:
            self.computer.tell(f"The notice could not be shown: {error}")

    def get_active_window(self) -> str:
        """The title of the window in front, "" for none."""
        from oi_tui.computer.devices import windows

        screen.require()
        window = windows.active()
        return window.title if window is not None else ""

    def list_windows(self) -> list[str]:
        """The titles of all windows."""
        from oi_tui.computer.devices import windows

        screen.require()
        return windows.titles()


def notice_script(text: str) -> str:
    """AppleScript that shows a notice."""
    from oi_tui.computer.devices.applescript import quoted

    return f"display notification {quoted(text)} with title {quoted(_TITLE)}"


def _notify(text: str) -> None:
    if is_mac():
        from oi_tui.computer.devices.applescript import run

        run(notice_script(text))
    elif sys.platform == "win32":
        from oi_tui.computer.devices.base import need

        need("plyer", "notices on Windows", "os").notification.notify(title=_TITLE, message=text)
    elif shutil.which("notify-send"):
        subprocess.run(["notify-send", "--", _TITLE, text], check=True, timeout=10, capture_output=True)
    else:
        raise DeviceError("it needs the program notify-send: apt install libnotify-bin")
