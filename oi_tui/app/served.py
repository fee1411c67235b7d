"""The app as a child of `oi --web`: its screen is a stream of packets on standard output instead of a terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oi_tui.app.app import OiApp

_WATCH = 2.0  # seconds between two looks for the parent


def spare_stdout() -> None:
    """Keep standard output for packets: what anything else prints goes nowhere."""
    own = os.dup(1)
    sys.__stdout__ = os.fdopen(own, "w", encoding="utf-8")  # type: ignore[misc]  # the driver writes to this one
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def end_with_parent(app: OiApp) -> None:
    """Leave in order when the server is gone, however it went."""
    parent = os.getppid()

    def look() -> None:
        if os.getppid() != parent:
            app.leave(1)

    app.set_interval(_WATCH, look)
