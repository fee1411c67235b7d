"""`Devices`: the computer's devices under their names, each made with its first use."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oi_tui.computer.devices.base import NAMES, DeviceError, Question

if TYPE_CHECKING:
    from oi_tui.computer.devices.ai import Ai
    from oi_tui.computer.devices.browser import Browser
    from oi_tui.computer.devices.calendar import Calendar
    from oi_tui.computer.devices.clipboard import Clipboard
    from oi_tui.computer.devices.contacts import Contacts
    from oi_tui.computer.devices.display import Display
    from oi_tui.computer.devices.docs import Docs
    from oi_tui.computer.devices.files import Files
    from oi_tui.computer.devices.keyboard import Keyboard
    from oi_tui.computer.devices.mail import Mail
    from oi_tui.computer.devices.mouse import Mouse
    from oi_tui.computer.devices.os import Os
    from oi_tui.computer.devices.skills import Skills
    from oi_tui.computer.devices.sms import Sms
    from oi_tui.computer.devices.vision import Vision


class Devices:
    """A computer with all its devices. Subclasses say how a model is asked, and where pictures and words go."""

    if TYPE_CHECKING:
        mouse: Mouse
        keyboard: Keyboard
        display: Display
        clipboard: Clipboard
        mail: Mail
        sms: Sms
        calendar: Calendar
        contacts: Contacts
        browser: Browser
        os: Os
        vision: Vision
        skills: Skills
        docs: Docs
        ai: Ai
        files: Files
        system_message: str

    offline = verbose = debug = False
    emit_images = True

    def __getattr__(self, name: str) -> Any:
        """A device, made now; `system_message`, put together now."""
        if name == "system_message":
            from oi_tui.computer.devices.describing import system_message

            made: Any = system_message(self)
        elif name in NAMES:
            module = importlib.import_module(f"oi_tui.computer.devices.{name}")
            made = getattr(module, name.capitalize())(self)
        else:
            raise AttributeError(f"the computer has no {name!r}")
        self.__dict__[name] = made
        return made

    # ---- what devices ask for

    def ask(self, questions: Sequence[Question]) -> list[str]:
        """The model's answer to each. Raises DeviceError where there is no model to ask."""
        raise DeviceError("there is no model to ask here")

    def show(self, picture: Any) -> None:
        """Show a PIL picture to whoever looks at the output."""

    def tell(self, text: str) -> None:
        """A word for the model that wrote the code."""

    # ---- shortcuts

    def screenshot(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `display.screenshot`."""
        return self.display.screenshot(*args, **kwargs)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `display.screenshot`."""
        return self.display.screenshot(*args, **kwargs)

    def _get_all_computer_tools_list(self) -> list[Any]:
        """The devices, in the order of `NAMES`."""
        return [getattr(self, name) for name in NAMES]

    def _get_all_computer_tools_signature_and_description(self) -> list[str]:
        """A line for each method: `computer.mouse.click(...) # what it does`."""
        from oi_tui.computer.devices.describing import lines

        return lines(self)
