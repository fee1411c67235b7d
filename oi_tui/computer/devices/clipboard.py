"""`computer.clipboard`: what was copied last."""

from __future__ import annotations

from typing import Any

from oi_tui.computer.devices import screen
from oi_tui.computer.devices.base import Device, DeviceError, is_mac, need


class Clipboard(Device):
    """The clipboard of the desktop, as text."""

    def view(self) -> str:
        """The text that is on the clipboard."""
        return str(self._call("paste"))

    def copy(self, text: str | None = None) -> None:
        """Put a text on the clipboard; without one, copy what is selected on the screen."""
        if text is None:
            self.computer.keyboard.hotkey(_modifier(), "c")
        else:
            self._call("copy", text)

    def paste(self) -> None:
        """Paste it where the cursor is."""
        screen.acting("hotkey", _modifier(), "v")

    def _call(self, name: str, *args: Any) -> Any:
        library = need("pyperclip", "the clipboard", "os")
        try:
            return getattr(library, name)(*args)
        except library.PyperclipException as error:
            if "could not find a copy/paste" in str(error).lower():
                raise DeviceError(
                    "the clipboard needs one of the programs xclip, xsel or wl-clipboard: apt install xclip"
                ) from None
            raise DeviceError(f"the clipboard cannot be used: {' '.join(str(error).split())}") from None


def _modifier() -> str:
    return "command" if is_mac() else "ctrl"
