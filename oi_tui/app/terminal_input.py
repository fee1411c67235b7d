"""What terminals send that Textual 8.2 reads wrongly. Importing this module mends it, before any driver is started.

- Bytes that are not UTF-8 end its input thread, and with it the program: they become U+FFFD instead.
- Terminals without the kitty protocol send Alt+Enter as ESC CR. The ESC is dropped, so the message would be sent.
"""

from __future__ import annotations

import codecs
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

# The keys that begin a new line in a box where Enter sends, in all the ways terminals report them. `shift+\r` is how
# Textual names xterm's modifyOtherKeys reports (CSI 27;mod;13~).
NEWLINE_KEYS = frozenset({"shift+enter", "alt+enter", "ctrl+enter", "ctrl+j", "shift+\r", "alt+\r", "ctrl+\r"})


class _Reported(Enum):
    ALT_ENTER = "alt+enter"


def _lenient(encoding: str) -> Any:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


def _mend() -> None:
    for sequence in ("\x1b\r", "\x1b\n"):
        ANSI_SEQUENCES_KEYS.setdefault(sequence, (_Reported.ALT_ENTER,))  # type: ignore[attr-defined]
    with suppress(ImportError):  # there is no such driver on Windows, where characters come decoded
        from textual.drivers import linux_driver

        linux_driver.getincrementaldecoder = _lenient  # type: ignore[assignment]


_mend()
