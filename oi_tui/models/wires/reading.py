"""What a reader of one answer is, whatever the wire: objects in, deltas out, no network."""

from __future__ import annotations

from typing import Any, Protocol

from oi_tui.protocol.stream import Delta


class ErrorInStream(Exception):
    """The server reported a failure inside a response that began well; `error` is what it sent."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.error = error


class AnswerReader(Protocol):
    """Reads one response. done: what must come has come, so that a lost connection does not matter any more.

    ended: nothing more will come, the rest of the response need not be waited for.
    """

    done: bool
    ended: bool

    def feed(self, event: dict[str, Any]) -> list[Delta]:
        """Deltas of one event, or of a whole answer. Raises ErrorInStream."""
        ...

    def finish(self) -> list[Delta]:
        """What was held back, the usage, and Stop."""
        ...
