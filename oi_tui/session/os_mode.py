"""OS mode: the model works screen, mouse and keyboard with the tool `computer`, and how many screenshots it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oi_tui.protocol.lmc import Message

if TYPE_CHECKING:
    from oi_tui.computer.computer import Computer


async def screen_of(computer: Computer, cwd: str) -> tuple[int, int]:
    """The size of the pictures that the model is shown. Raises ModelError, with the next step, where there is no
    screen."""
    from oi_tui.computer.devices.process import CallFailed
    from oi_tui.models.client import ModelError

    if not computer.is_local:
        raise ModelError("OS mode works this machine, and code runs elsewhere", hint="leave out --backend or --os")
    try:
        found = await computer.devices().call(cwd, "hands", "size", [], {}, lambda kind, what: None)
    except CallFailed as error:
        raise ModelError(f"OS mode cannot begin: {error}", hint="or leave out --os") from None
    width, height = found["$tuple"]
    return int(width), int(height)


def budget(history: Sequence[Message], most: int) -> int:
    """How many of the newest pictures are sent, at most `most`.

    Old ones go several at a time: each that goes changes the beginning of the request, and so empties the provider's
    cache.
    """
    count = sum(one["type"] == "image" for one in history)
    if count <= most:
        return most
    step = max(1, most // 2)
    return count - -(-(count - most) // step) * step
