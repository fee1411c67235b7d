"""What one request has used: as the provider counted it, else estimated. One that failed or was interrupted after its
answer had begun, or while it was being answered, was paid for as well."""

from __future__ import annotations

from oi_tui.models import tokens
from oi_tui.protocol.stream import CallDelta, Delta, Retry, Stop, TextDelta, ThoughtDelta, Usage


class Tally:
    """Follows the deltas of one request. size: tokens of the request, estimated."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._texts: list[str] = []
        self._usage: Usage | None = None
        self._pending = True  # a server works on it, as far as is known
        self._whole = False

    def take(self, delta: Delta) -> None:
        """One more delta."""
        if isinstance(delta, Usage):
            if delta.input_tokens or delta.output_tokens:
                self._usage = delta
        elif isinstance(delta, TextDelta | ThoughtDelta):
            self._texts.append(delta.text)
        elif isinstance(delta, CallDelta):
            self._texts.append(delta.name + delta.arguments)
        elif isinstance(delta, Stop):
            self._whole = True
        self._pending = not isinstance(delta, Retry)

    @property
    def measured(self) -> bool:
        """Whether the provider counted it."""
        return self._usage is not None

    def usage(self, *, stopped: bool = False) -> Usage | None:
        """What was used, None for nothing: it was refused, or nobody answered. stopped: it was given up midway."""
        if self._usage is not None:
            return self._usage
        if not (self._texts or self._whole or (stopped and self._pending)):
            return None
        return Usage(self._size, tokens.count("".join(self._texts)), estimated=True)
