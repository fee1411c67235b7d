"""The approval pane: says what would run, takes the answer by one key. Docked, so nothing moves under a finger."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from oi_tui.app.panes.approval_text import (
    ANSWERS,
    Asked,
    Mode,
    facts,
    flow,
    keys,
    refused,
    rule_facts,
    rule_keys,
)
from oi_tui.app.panes.arming import Arming
from oi_tui.app.panes.fitting import Span
from oi_tui.app.panes.status import content_of
from oi_tui.protocol.call_events import Scanned
from oi_tui.protocol.calls import Decision, DecisionKind
from oi_tui.protocol.events import ApprovalRequested

SCROLLING = {"up", "down", "pageup", "pagedown", "home", "end", "left", "right"}


class ApprovalPane(Vertical, can_focus=True):
    """Shows the first of the open requests. It rises and takes keys only as `Arming` allows.

    typed_at gives the time of the last key in the message box, by the same clock as `clock`: seconds that only go
    forward.
    """

    HELP = (
        "answer what is asked: y runs it once, a allows this kind for the session, p by a rule, e edits, n says why not"
    )

    class Raised(Message):
        """A request is now on the screen: show its code."""

        def __init__(self, asked: Asked) -> None:
            super().__init__()
            self.asked = asked

    class Armed(Message):
        """The pane takes keys from now on: give it the focus."""

    class Answered(Message):
        """The person decided."""

        def __init__(self, approval_id: str, decision: Decision) -> None:
            super().__init__()
            self.approval_id, self.decision = approval_id, decision

    class EditWanted(Message):
        """The person wants to change the code before deciding."""

        def __init__(self, asked: Asked) -> None:
            super().__init__()
            self.asked = asked

    class ViewWanted(Message):
        """The person wants to see the whole code."""

    class ScrollWanted(Message):
        """A scrolling key for the code."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class TypedOn(Message):
        """A key or a paste that is no answer: the person types a message."""

        def __init__(self, event: events.Key | events.Paste) -> None:
            super().__init__()
            self.event = event

    class Refused(Message):
        """A key that is no answer to this request, and why."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    class Emptied(Message):
        """Nothing is asked any more."""

    def __init__(
        self,
        id: str,
        typed_at: Callable[[], float],
        arming: Arming | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(id=id)
        self._arming = arming or Arming()
        self._typed_at, self._clock = typed_at, clock
        self._queue: list[ApprovalRequested] = []
        self._edited: str | None = None
        self._below = 0
        self._zoomable = True
        self._mode: Mode = "asking"
        self._timer: Timer | None = None
        self._told: Asked | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        yield Static(id="asked", markup=False)
        yield Static(id="answers", markup=False)
        yield Input(id="reason", placeholder="why not? the model is told · enter sends · esc goes back", compact=True)

    def on_mount(self) -> None:
        box = self.query_one("#reason", Input)
        box.cursor_blink = False
        box.display = False

    # -- the queue

    @property
    def asked(self) -> Asked | None:
        """What is on the screen, None while nothing is."""
        if not self._queue or self._arming.shown_at is None:
            return None
        return Asked(
            self._queue[0],
            self._edited,
            len(self._queue),
            self._arming.armed,
            self._arming.waived,
            self._below,
            self._zoomable,
        )

    @property
    def pending(self) -> bool:
        """True while a request is open, on the screen or held back."""
        return bool(self._queue)

    def ask(self, request: ApprovalRequested) -> None:
        """Put a request in line."""
        self._queue.append(request)
        if len(self._queue) == 1:
            self._begin()
        else:
            self._paint()

    def scanned(self, approval_id: str, scan: Scanned) -> None:
        """Safe mode knows more of a request."""
        self._queue = [replace(one, scan=scan) if one.approval_id == approval_id else one for one in self._queue]
        self._paint()

    def drop(self, approval_id: str) -> None:
        """A request was answered or withdrawn."""
        first = bool(self._queue) and self._queue[0].approval_id == approval_id
        self._queue = [one for one in self._queue if one.approval_id != approval_id]
        if first:
            self._begin()
        else:
            self._paint()

    def clear(self) -> None:
        """Nothing is asked any more."""
        if self._queue:
            self._queue = []
            self._begin()

    def _begin(self) -> None:
        self._edited, self._below, self._told = None, 0, None
        self._arming.reset()
        self._leave_reason()
        self.hide_rule()
        if not self._queue:
            self.display = False
            self.post_message(self.Emptied())
        self._move_on()

    # -- rising and arming

    def take_over(self) -> None:
        """The person turns to the pane by a key that cannot be type-ahead."""
        if self._queue and self._arming.shown_at is not None:
            self._arming.arm()
            self._move_on()

    def on_focus(self) -> None:
        if self._arming.waived:
            self.take_over()

    def ask_again(self) -> None:
        """Rise and arm anew: the person could not see it for a while."""
        if self._queue:
            self._arming.reset()
            self._told = None
            self._move_on()

    def step_back(self) -> None:
        """The person turns to the message box."""
        if self._queue and self._arming.armed:
            self._arming.disarm()
            self._move_on()

    def _move_on(self) -> None:
        """Go to the stage that is due, and come back when the next one is."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self._queue:
            return
        was_armed = self._told is not None and self._told.armed
        self._arming.typed(max(self._arming.typed_at, self._typed_at()))
        stage = self._arming.stage(self._clock())
        if stage != "held":
            raised = not self.display or self._told is None
            self.display = True
            self.set_class(stage == "armed", "-armed")
            self._paint()
            if raised and (asked := self.asked) is not None:
                self.post_message(self.Raised(asked))
        else:
            self.display = False
        if stage == "armed" and not was_armed:
            self.post_message(self.Armed())
        if (wait := self._arming.wait(self._clock())) is not None:
            self._timer = self.set_timer(max(wait, 0.01), self._move_on)

    # -- painting

    def code_reaches(self, below: int) -> None:
        """Say how many rows of the code are out of sight."""
        if below != self._below:
            self._below = below
            self._paint()

    def may_zoom(self, is_so: bool) -> None:
        """Say whether the code can be given more room."""
        self._zoomable = is_so
        self._paint()

    def on_resize(self) -> None:
        self._told = None
        self._paint()

    def _paint(self) -> None:
        asked = self.asked
        if asked is None or asked == self._told or not self.is_mounted:
            return
        self._told = asked
        width = max(20, self.content_size.width or self.screen.size.width - 8)
        shows_rule = self._mode == "rule"
        self.query_one("#asked", Static).update(_rows(flow(rule_facts(asked) if shows_rule else facts(asked), width)))
        answers = self.query_one("#answers", Static)
        answers.display = self._mode != "reason"
        answers.update(_rows(flow(rule_keys(width) if shows_rule else keys(asked, width), width)))

    # -- answering

    def on_key(self, event: events.Key) -> None:
        asked = self.asked
        if asked is None or self._mode == "reason" or not self.has_focus:
            return
        if event.key in SCROLLING:
            self.post_message(self.ScrollWanted(event.key))
        elif self._mode == "rule" and event.key in {"y", "w"}:
            self._answer("approve_always", everywhere=event.key == "w")
        elif self._mode == "rule":
            self.hide_rule()
        elif asked.armed and event.key in ANSWERS:
            if why := refused(asked, event.key):
                self.post_message(self.Refused(why))
            else:
                self._choose(event.key, asked)
        elif event.is_printable and event.character:
            if asked.armed:
                self._arming.disarm()
            self._arming.typed(self._clock())
            self._move_on()
            self.post_message(self.TypedOn(event))
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        if self._mode == "asking":
            event.stop()
            self.step_back()
            self.post_message(self.TypedOn(event))

    def decide(self, key: str) -> None:
        """The person answered elsewhere, looking at exactly what is asked."""
        asked = self.asked
        if asked is not None and not refused(asked, key):
            self.take_over()
            self.focus()
            self._choose(key, asked)

    def _choose(self, key: str, asked: Asked) -> None:
        if key == "y":
            self._answer("approve" if asked.edited is None else "edit")
        elif key == "a":
            self._answer("approve_session")
        elif key == "p":
            self._mode, self._told = "rule", None
            self._paint()
        elif key == "e":
            self.post_message(self.EditWanted(asked))
        elif key == "c":
            self._check(asked.code)
        elif key == "v":
            self.post_message(self.ViewWanted())
        else:
            self._ask_reason()

    @property
    def shows_rule(self) -> bool:
        """True while the person looks at the rule that `p` would write."""
        return self._mode == "rule"

    def hide_rule(self) -> None:
        """Ask again; no rule is written."""
        if self._mode == "rule":
            self._mode, self._told = "asking", None
            self._paint()

    def _answer(self, kind: DecisionKind, reason: str = "", everywhere: bool = False) -> None:
        asked = self.asked
        if asked is not None:
            self._queue.pop(0)
            self.post_message(self.Answered(asked.request.approval_id, Decision(kind, asked.code, reason, everywhere)))
            self._begin()

    def stop(self) -> None:
        """No, and stop the turn."""
        if self._queue:
            approval_id, code = self._queue[0].approval_id, self._queue[0].code
            self._queue.pop(0)
            self.post_message(self.Answered(approval_id, Decision("stop", code)))
            self._begin()

    def _check(self, code: str) -> None:
        """Let safe mode look at the code; nothing is decided by that."""
        self.post_message(self.Answered(self._queue[0].approval_id, Decision("scan", code)))

    def edit_done(self, code: str) -> None:
        """The person changed the code; it is asked again with the new text."""
        if self._queue:
            if self._queue[0].scan.state not in {"", "offered"}:
                self._check(code)
            self._edited = None if code == self._queue[0].code else code
            self.take_over()
            self._paint()

    # -- the reason for a no

    @property
    def asks_reason(self) -> bool:
        """True while the person writes why not."""
        return self._mode == "reason"

    def _ask_reason(self) -> None:
        self._mode, self._told = "reason", None
        box = self.query_one("#reason", Input)
        box.display = True
        box.value = ""
        box.focus()
        self._paint()

    def _leave_reason(self) -> None:
        if self._mode == "reason":
            self._mode, self._told = "asking", None
            self.query_one("#reason", Input).display = False
            self.focus()

    def back_from_reason(self) -> None:
        """Ask again without a reason."""
        self._leave_reason()
        self._paint()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._answer("reject", event.value.strip())


def _rows(rows: list[list[Span]]) -> Content:
    return Content("\n").join(content_of(one) for one in rows)
