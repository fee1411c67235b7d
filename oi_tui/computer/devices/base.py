"""What devices have in common: the computer they belong to, and how they say that something cannot be done."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import Any

NAMES = (  # in the order in which models are told of them
    "mouse", "keyboard", "display", "clipboard", "mail", "sms", "calendar", "contacts", "browser", "os", "vision",
    "skills", "docs", "ai", "files",
)  # fmt: skip


class DeviceError(RuntimeError):
    """It cannot be done here: one sentence with the cause and the next step."""


class Stopped(DeviceError):
    """The person stopped what the devices were doing, by the corner of the screen or the key for it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request to the model, without history or tools. picture: a PNG in base64, "" for none."""

    text: str
    picture: str = ""
    system: str = ""


class Device:
    """Base of all devices. computer: the `rack.Devices` that it belongs to; other devices and the model are reached
    through it."""

    def __init__(self, computer: Any) -> None:
        self.computer = computer


def need(package: str, why: str, extra: str) -> Any:
    """Import a package of an extra. Raises DeviceError with what to install where it is missing."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = {"cv2": "opencv-python-headless"}.get(package, package.partition(".")[0])
        if error.name not in (package, package.partition(".")[0]):
            raise DeviceError(f"{why} needs {name}, which does not load: {error}") from None
        raise DeviceError(f"{why} needs the package {name}: pip install 'oi-tui[{extra}]'") from None


def is_mac() -> bool:
    """Whether this is macOS."""
    return sys.platform == "darwin"
