"""The head line, the foot line, and the line above the message box that says what is awaited."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from oi_tui.app.panes.fitting import Part, Span, part, row
from oi_tui.app.widgets.printable import printable

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.1
SAID_SECONDS = 6.0
QUEUED_CHARS = 40  # of a waiting message that are shown


def content_of(spans: Sequence[Span]) -> Content:
    """Spans as Textual content; their text is never read as markup."""
    return Content.assemble(*((text, css(style)) for text, style in spans))


def css(style: str) -> str:
    """A palette style name, maybe with `bold`, as a Textual style; "" is plain text."""
    return " ".join(
        word if word in {"bold", "italic", "underline"} else _CSS.get(word, f"${word}") for word in style.split()
    )


# Two are dim instead of grey in a theme of the terminal's own colours.
_CSS = {"text": "$ink", "panel": "$sheet", "muted": "$muted-style $muted", "faint": "$faint-style $faint"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What head and foot show of a session. cwd: its folder; context: tokens of the last request, window: how many fit
    (0 while unknown); cost in US dollars, None where no price is known; estimated: the numbers are guesses."""

    cwd: str = ""
    branch: str = ""
    model: str = ""
    harness: str = ""
    harness_auto: bool = True
    approval: str = ""
    planning: bool = False
    sandbox: str = ""
    context: int = 0
    window: int = 0
    window_known: bool = True
    cost: float | None = None
    estimated: bool = False


def money(cost: float) -> str:
    """US dollars, in cents unless it is less than one."""
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"


def head_parts(facts: Facts) -> tuple[list[Part], list[Part]]:
    """The groups of the head line. What is further left goes first, but the folder outlives its branch."""
    left = [part(3, ("oi", "accent bold"))]
    if facts.cwd:
        left.append(part(2, (Path(facts.cwd).name or facts.cwd, "text"), before="   "))
    if facts.branch:
        left.append(part(1, (facts.branch, "muted")))
    right: list[Part] = []
    if facts.model:
        right.append(part(4, (facts.model, "text")))
    if facts.harness:
        auto: tuple[Span, ...] = (("auto: ", "muted"),) if facts.harness_auto else ()
        right.append(part(5, *auto, (facts.harness, "code")))
    if facts.window and facts.context:
        share = 100 * facts.context / facts.window
        tone = "bad" if share >= 90 else "warn" if share >= 75 else "muted"
        full = "full" if facts.window_known else f"of ~{facts.window / 1000:.0f}k"  # assumed
        right.append(part(6, (f"{'~' if facts.estimated else ''}{share:.0f}% {full}", tone)))
    if facts.cost:
        right.append(part(7, (money(facts.cost), "muted")))
    return left, right


APPROVAL_TONES = {"ask": "ok", "read-only": "ok", "auto": "warn", "auto-edit": "warn", "full": "bad"}


Hint = tuple[str, str]  # a key, and what it does now


def foot_parts(hints: Sequence[Hint], facts: Facts) -> tuple[list[Part], list[Part]]:
    """The groups of the foot line: keys that work now, the first to go leftmost; then plan mode, approval mode and
    sandbox."""
    left = [part(number, (key, "muted"), (f" {does}", "faint")) for number, (key, does) in enumerate(hints)]
    right: list[Part] = []
    if facts.planning:
        right.append(part(102, ("plan mode", "accent")))
    if facts.approval:
        right.append(part(101, (facts.approval, APPROVAL_TONES.get(facts.approval, "muted"))))
    if facts.sandbox:
        right.append(part(100, (facts.sandbox, "muted")))
    return left, right


class Row(Widget):
    """One line of parts; paints only when what it shows changes."""

    DEFAULT_CSS = "Row { height: 1; width: 1fr; }"

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._groups: tuple[list[Part], list[Part]] = ([], [])

    def show(self, left: Sequence[Part], right: Sequence[Part]) -> None:
        """Show these groups from now on."""
        groups = (list(left), list(right))
        if groups != self._groups:
            self._groups = groups
            self.refresh()

    def render(self) -> Content:
        return content_of(row(*self._groups, self.size.width))


class HeadLine(Row):
    """Product, folder, branch; model, harness, context, cost."""

    def tell(self, facts: Facts) -> None:
        """Show the facts."""
        self.show(*head_parts(facts))


class FootLine(Row):
    """Keys that work now; plan mode, approval mode and sandbox."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._facts = Facts()
        self._hints: tuple[Hint, ...] = ()

    def tell(self, facts: Facts | None = None, hints: Sequence[Hint] | None = None) -> None:
        """Show other facts or hints, whichever is given."""
        self._facts = facts or self._facts
        self._hints = tuple(hints) if hints is not None else self._hints
        self.show(*foot_parts(self._hints, self._facts))


class Activity(Row):
    """What is awaited, since how many seconds; how many messages wait; a short word that passes. It ticks only while
    something is awaited; without motion only the seconds until something is tried again count down."""

    def __init__(self, id: str, motion: bool = True) -> None:
        super().__init__(id)
        self.motion = motion
        self._awaited = ""
        self._since = 0.0
        self._until: float | None = None  # when something is tried again
        self._waiting, self._last = 0, ""
        self._frame = 0
        self._said: Span | None = None
        self._timer: Timer | None = None
        self._hush: Timer | None = None

    @property
    def awaited(self) -> str:
        """What is awaited, "" for nothing."""
        return self._awaited

    def wait_for(self, what: str, restart: bool = True) -> None:
        """Say what is awaited, "" for nothing. The seconds start over unless `restart` is False."""
        if what == self._awaited and self._until is None:
            return
        self._until = None
        if restart or not self._awaited:
            self._since, self._frame = time.monotonic(), 0
        self._awaited = what
        self._tick_while(bool(what) and self.motion)
        self._show()

    def count_down(self, seconds: float, then: str) -> None:
        """Count the seconds down after which something is tried again; `then` is awaited from there on."""
        self.wait_for(then)
        self._until = time.monotonic() + seconds
        self._tick_while(True)
        self._show()

    def _tick_while(self, wanted: bool) -> None:
        if wanted and self._timer is None:
            self._timer = self.set_interval(FRAME_SECONDS if self.motion else 1.0, self._tick)
        elif not wanted and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def say(self, text: str, tone: str = "muted", seconds: float = SAID_SECONDS) -> bool:
        """Show a short word for some seconds. False if there is no room for it."""
        if part(0, (text, tone)).width > self.size.width - 2:
            return False
        self._said = (text, tone)
        if self._hush is not None:
            self._hush.stop()
        self._hush = self.set_timer(seconds, self._forget)
        self._show()
        return True

    def _forget(self) -> None:
        self._said = None
        self._show()

    def queued(self, count: int, last: str = "") -> None:
        """Say how many messages wait, and how the last of them begins."""
        words = " ".join(last.split())
        self._last = words if len(words) <= QUEUED_CHARS else words[: QUEUED_CHARS - 1] + "…"
        self._waiting = count
        self._show()

    def _tick(self) -> None:
        self._frame += 1
        if self._until is not None and time.monotonic() >= self._until:
            self._until, self._since = None, time.monotonic()
            self._tick_while(self.motion)
        self._show()

    def _show(self) -> None:
        left: list[Part] = []
        if self._awaited:
            sign = FRAMES[self._frame % len(FRAMES)] if self.motion else "…"
            now = time.monotonic()
            again = None if self._until is None else max(1, math.ceil(self._until - now))
            what = self._awaited if again is None else f"trying again in {again} s"
            left.append(part(2, (sign, "accent"), (f" {what}", "muted")))
            seconds = int(now - self._since)
            if seconds and self.motion and again is None:
                left.append(part(1, (f"{seconds} s", "faint"), before="  "))
        right: list[Part] = []
        if self._waiting:
            right.append(part(0, (f"{self._waiting} waiting · ↑ takes it back", "muted")))
            if self._last:
                right.append(part(-1, (f"“{printable(self._last)}”", "faint"), before="   "))
        if self._said:
            right.append(part(3, self._said, before="   "))
        self.show(left, right)
