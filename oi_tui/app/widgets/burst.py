"""Tells a paste without marks from typing: terminals that lack bracketed paste send it as very fast keys.

Pure: times are seconds of any clock that only goes forward.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

KEY_GAP = 0.02  # mean seconds between keys below which nobody types
PASTE_GAP = 0.3  # seconds of silence that end a paste
HOLD = 0.08  # seconds an Enter waits after fast keys, in case more of the paste follows

Verdict = Literal["now", "text", "hold"]


@dataclass(slots=True)
class Burst:
    """Follows the keys of a message box. Enter and Tab are held where they may belong to a paste: if a key follows at
    once they were text."""

    held: str = ""  # "\n" or "\t" while it is not known what it means
    _times: deque[float] = field(default_factory=lambda: deque[float](maxlen=3))
    _pasting_at: float = float("-inf")

    def meant(self, now: float) -> bool:
        """True if a held sign was a key of its own, since the next key comes too late for a paste: act on it first."""
        return bool(self.held and self._times and now - self._times[-1] > 2 * KEY_GAP)

    def key(self, now: float) -> str:
        """Any key came. Returns the sign that was held and is now known to be text, "" if none was."""
        text, self.held = self.held, ""
        if text or (self.pasting(now) and self.fast(now)):
            self._pasting_at = now
        return text

    def sign(self, sign: str, now: float) -> Verdict:
        """What an Enter ("\n") or Tab ("\t") means; call after `key`.

        `now`: what the key always means; `text`: it belongs to a paste; `hold`: do what it means HOLD seconds later if
        `held` is still set.
        """
        if self.pasting(now):
            self._pasting_at = now
            return "text"
        # A paste may begin with a tab. A leading Enter is not waited for: sending should not lag.
        if self.fast(now) or sign == "\t":
            self.held = sign
            return "hold"
        return "now"

    def note(self, now: float) -> None:
        """Remember the key; call after `key` and `sign`."""
        self._times.append(now)

    def pasting(self, now: float) -> bool:
        """True while a paste without marks comes in."""
        return now - self._pasting_at < PASTE_GAP

    def fast(self, now: float) -> bool:
        """True if the keys before `now` came faster than anybody types."""
        before = [one for one in self._times if now - one < PASTE_GAP]
        if not before:
            return False
        # The mean carries over a hiccup between two reads; the last gap alone tells where typing turns into a paste.
        return min(now - before[-1], (now - before[0]) / len(before)) < KEY_GAP
