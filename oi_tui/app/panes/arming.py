"""When an approval may be shown and when it may take a key: the guard against approving by typing on.

Pure: times come in as seconds of any clock that only goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TYPING_PAUSE = 1.0  # seconds without a key before an approval rises while a person types
GRACE = 0.5  # seconds after it rose in which it takes no key

Stage = Literal["held", "shown", "armed"]


@dataclass(slots=True)
class Arming:
    """The three stages of one approval: held back while a person types, shown, armed (takes keys).

    A key that is typed while it is shown but not armed goes to the message box and holds the arming back until the next
    pause. Once armed it stays armed until `disarm`: the person chose to type on, and says so to arm it again.
    """

    pause: float = TYPING_PAUSE
    grace: float = GRACE
    typed_at: float = float("-inf")
    shown_at: float | None = None
    armed: bool = False
    waived: bool = False

    def typed(self, now: float) -> None:
        """A key went to the message box."""
        self.typed_at = now

    def reset(self) -> None:
        """Another approval begins."""
        self.shown_at, self.armed, self.waived = None, False, False

    def disarm(self) -> None:
        """The person turned to the message box: no more keys until `arm`."""
        self.armed, self.waived = False, True

    def arm(self) -> None:
        """The person turned to the approval, by a key or a click that cannot be type-ahead."""
        self.armed, self.waived = True, False

    def stage(self, now: float) -> Stage:
        """Where the approval stands at `now`; asking moves it on."""
        if self.armed:
            return "armed"
        paused = now - self.typed_at >= self.pause
        if self.shown_at is None:
            if not paused:
                return "held"
            self.shown_at = now
        if not self.waived and paused and now - self.shown_at >= self.grace:
            self.armed = True
            return "armed"
        return "shown"

    def wait(self, now: float) -> float | None:
        """Seconds until it is worth asking again; None when only the person can move it on."""
        if self.armed or self.waived:
            return None
        due = self.typed_at + self.pause
        if self.shown_at is not None:
            due = max(due, self.shown_at + self.grace)
        return max(0.0, due - now)
