"""What a transcript is made of: small records, one for each thing a person looks at.

`transcript.Transcript` makes and changes them; everybody else only reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from oi_tui.protocol.events import NoticeLevel

TAIL_CHARS = 16_384  # of a call's output that an item keeps; the console pane keeps more of it

BACKGROUND = "background"  # name of the tool line for what a program printed that a block left running

CallState = Literal["writing", "written", "waiting", "running", "ok", "failed", "declined", "cancelled"]
UNSETTLED: frozenset[CallState] = frozenset({"writing", "written", "waiting", "running"})


class Growing:
    """Text that arrives in pieces; joined only when it is looked at."""

    __slots__ = ("_pieces",)

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def __repr__(self) -> str:
        return f"Growing({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Growing) and str(self) == str(other)


@dataclass(slots=True)
class Output:
    """The end of what a call printed, at most TAIL_CHARS characters; `chars` and `lines` (newlines) count all of it."""

    tail: str = ""
    chars: int = 0
    lines: int = 0
    errors: bool = False  # some of it came on standard error

    @property
    def cut(self) -> int:
        """How many characters before `tail` are not kept."""
        return self.chars - len(self.tail)

    def add(self, text: str, error: bool) -> None:
        self.tail = (self.tail + text)[-TAIL_CHARS:]
        self.chars += len(text)
        self.lines += text.count("\n")
        self.errors = self.errors or (error and bool(text))


@dataclass(slots=True)
class Picture:
    """An image: its format (`png`), base64 text, and the file it was saved in ("" if none)."""

    format: str
    data: str
    path: str = ""


@dataclass(slots=True)
class Rich:
    """HTML, JavaScript, Markdown or LaTeX that a block displayed."""

    format: str
    content: str


@dataclass(slots=True)
class Diff:
    """A changed file and its unified diff; kind is add, update or delete."""

    path: str
    kind: str
    diff: str


@dataclass(slots=True)
class UserItem:
    """What the person said. `steered`: it went into a running turn."""

    id: str
    text: str
    steered: bool = False


@dataclass(slots=True)
class MessageItem:
    """Answer text, Markdown. `open` while more may come."""

    id: str
    body: Growing = field(default_factory=Growing)
    open: bool = True

    @property
    def text(self) -> str:
        return str(self.body)


@dataclass(slots=True)
class ThoughtItem:
    """Reasoning text. `open` while more may come."""

    id: str
    body: Growing = field(default_factory=Growing)
    open: bool = True

    @property
    def text(self) -> str:
        return str(self.body)


@dataclass(slots=True)
class CallItem:
    """What code cells and tool lines have in common: where the call stands and what came of it.

    summary: one short phrase. note: one sentence that the output does not show. reason: why it was declined.
    """

    id: str
    call_id: str
    state: CallState = "writing"
    summary: str = ""
    seconds: float = 0.0
    exit_code: int | None = None
    note: str = ""
    reason: str = ""
    output: Output = field(default_factory=Output)
    pictures: list[Picture] = field(default_factory=list[Picture])
    rich: list[Rich] = field(default_factory=list[Rich])
    diffs: list[Diff] = field(default_factory=list[Diff])

    @property
    def settled(self) -> bool:
        """True when nothing more will happen to it."""
        return self.state not in UNSETTLED


@dataclass(slots=True)
class CodeItem(CallItem):
    """A code cell; `number` counts cells from 1, `active_line` is the 1-based line that runs now."""

    language: str = ""
    number: int = 0
    body: Growing = field(default_factory=Growing)
    active_line: int | None = None

    @property
    def code(self) -> str:
        return str(self.body)


@dataclass(slots=True)
class ToolItem(CallItem):
    """A call of another tool: `title` is one line for a person, `arguments` the JSON as the model sent it; `progress`
    is how far the agent has come that it started."""

    name: str = ""
    title: str = ""
    arguments: str = ""
    progress: str = ""


@dataclass(slots=True)
class PlanItem:
    """The plan of a turn: steps as (text, status)."""

    id: str
    steps: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class DiffItem:
    """A changed file that belongs to no call on the screen."""

    id: str
    change: Diff


@dataclass(slots=True)
class NoticeItem:
    """Something the person is told; `hint` is the next step. `retry`: a waiting time that the next one replaces."""

    id: str
    level: NoticeLevel
    text: str
    hint: str = ""
    retry: bool = False


Item = UserItem | MessageItem | ThoughtItem | CodeItem | ToolItem | PlanItem | DiffItem | NoticeItem
