"""What happened in a session: the only thing that faces ever learn from the engine.

Plain frozen data with ids, never live objects, so that a session can be recorded, replayed and tested.
"""

from __future__ import annotations

from typing import Literal

from oi_tui.protocol.call_events import (
    ActiveLine,
    AgentAdvanced,
    ApprovalRequested,
    ApprovalResolved,
    CallEnded,
    CallStarted,
    CodeDelta,
    CodeEnded,
    CodeStarted,
    ConsoleOutput,
    FileChanged,
    ImageOutput,
    InputGiven,
    InputRequested,
    JobEnded,
    JobOutput,
    PlanChanged,
    PlanProposed,
    QuestionAnswered,
    QuestionAsked,
    RichOutput,
    ScanChanged,
    ToolCalled,
)
from oi_tui.protocol.dataclass import dataclass

EndReason = Literal["done", "interrupted", "failed", "limit", "refused"]
NoticeLevel = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class SessionStarted:
    session_id: str
    cwd: str
    model: str
    harness: str
    harness_auto: bool = True
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """Model, harness, approval mode or plan mode is now another one."""

    model: str
    harness: str
    harness_auto: bool
    approval: str
    planning: bool = False


@dataclass(frozen=True, slots=True)
class TurnStarted:
    turn: int


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A person's message entered the history. `steered`: it was put into a running turn."""

    text: str
    steered: bool = False


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """Messages that wait: `steering` go in at the next step, `queued` after the turn."""

    steering: tuple[str, ...] = ()
    queued: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """The model is being asked; nothing has come yet. `note` says what is being waited for, if not the answer."""

    model: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    seconds: float
    attempt: int
    limit: int
    cause: str


@dataclass(frozen=True, slots=True)
class MessageDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class MessageEnded:
    """The answer text so far is one whole message; later deltas begin another."""


@dataclass(frozen=True, slots=True)
class UsageChanged:
    """Totals of the session; cost in US dollars, None where no price is known. context: tokens of the last request;
    turn_cost: what of `cost` the running turn has caused; window_known: `context_window` is not only assumed."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost: float | None
    context: int
    context_window: int
    estimated: bool
    turn_cost: float | None = None
    window_known: bool = True


@dataclass(frozen=True, slots=True)
class Progress:
    """Something long that is not a turn: a download, a model being loaded. done and total in the same unit, total 0
    while unknown; done == total, or an empty text, ends it. An empty name: the text says all."""

    name: str
    done: int
    total: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell the person; `hint` is the next step."""

    level: NoticeLevel
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """The model is sent less of the history from here on; the history itself is whole.

    how: old outputs `shortened`, old messages `summarised`, or `trimmed` where no summary could be had. before, after:
    tokens of a request, estimated; window: of the model. messages: how many are not sent as they were. text and hint:
    the same for a person.
    """

    how: Literal["shortened", "summarised", "trimmed"]
    before: int
    after: int
    window: int
    messages: int
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class HistoryChanged:
    """The history was cut or replaced (%undo, %reset, resume): views start over from `Session.messages`."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    reason: EndReason
    text: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SessionEnded:
    pass


Event = (
    SessionStarted
    | SessionChanged
    | TurnStarted
    | UserMessage
    | QueueChanged
    | RequestStarted
    | RetryScheduled
    | MessageDelta
    | ReasoningDelta
    | MessageEnded
    | CodeStarted
    | CodeDelta
    | CodeEnded
    | ToolCalled
    | ApprovalRequested
    | ScanChanged
    | ApprovalResolved
    | QuestionAsked
    | QuestionAnswered
    | CallStarted
    | ConsoleOutput
    | InputRequested
    | InputGiven
    | ActiveLine
    | ImageOutput
    | RichOutput
    | JobOutput
    | JobEnded
    | FileChanged
    | PlanChanged
    | PlanProposed
    | AgentAdvanced
    | CallEnded
    | UsageChanged
    | Progress
    | Notice
    | ContextCompacted
    | HistoryChanged
    | TurnEnded
    | SessionEnded
)
