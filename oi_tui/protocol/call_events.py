"""What happened in the calls of a session; a part of `events`, where faces import it from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from oi_tui.protocol.calls import Question

Subject = Literal["code", "file", "tool"]
InputEnd = Literal["typed", "end", "gone"]


@dataclass(frozen=True, slots=True)
class CodeStarted:
    call_id: str
    language: str


@dataclass(frozen=True, slots=True)
class CodeDelta:
    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CodeEnded:
    """The block is whole: `code` is what will be asked about and run."""

    call_id: str
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A call of another tool than running code. `title` is one line for a person: `read data/sales.csv`."""

    call_id: str
    name: str
    title: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """Something waits for a person.

    code is the exact text a decision is bound to (for a file change, its unified diff). `what` says what would happen,
    `why` why it is asked, `where` the folder and the cage it would run in. rules: what would be allowed from then on if
    it were allowed for the session or always, a rule each; empty if it will be asked again. urls: addresses in it that
    carry data, whole.
    """

    approval_id: str
    call_id: str
    subject: Subject
    language: str
    code: str
    what: str
    why: str
    where: str
    rules: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApprovalResolved:
    """decision: a DecisionKind, or `cancelled` when nobody will answer any more."""

    approval_id: str
    call_id: str
    decision: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The model asks the person something. What the person says next answers it; `Session.reply` does as well.

    number, total: its place among the questions of one call.
    """

    question_id: str
    call_id: str
    question: Question
    number: int = 1
    total: int = 1


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """answer: the texts that were chosen or written; empty when nobody will answer any more."""

    question_id: str
    call_id: str
    answer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallStarted:
    call_id: str


@dataclass(frozen=True, slots=True)
class ConsoleOutput:
    call_id: str
    text: str
    error: bool = False


@dataclass(frozen=True, slots=True)
class InputRequested:
    """A program of that call waits for a person to type; `Session.type_in` answers.

    prompt: the line it wrote last, maybe "". secret: what is typed must not be seen. program: its name, "" if unknown.
    """

    input_id: str
    call_id: str
    prompt: str
    secret: bool
    program: str = ""


@dataclass(frozen=True, slots=True)
class InputGiven:
    """It waits no longer: a line was typed, the input was ended, or it went on by itself (`gone`). text: the line, ""
    where it is secret."""

    input_id: str
    call_id: str
    how: InputEnd
    secret: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class ActiveLine:
    """1-based line that runs now, None when the block ended."""

    call_id: str
    line: int | None


@dataclass(frozen=True, slots=True)
class ImageOutput:
    """base64 text in `data`; `path` is where the picture was saved."""

    call_id: str
    format: str
    data: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class RichOutput:
    """HTML, JavaScript, Markdown or LaTeX that a block displayed, for faces that can show it."""

    call_id: str
    format: str
    content: str


@dataclass(frozen=True, slots=True)
class JobOutput:
    """A program that a block left running printed something while no block of its language ran.

    source: its command line, or whose it may be where several print to the same place. path: the file with all that
    was printed since the model was last told, "" while that is little."""

    source: str
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A program that a block left running has ended by itself. job_id: its process id, as text."""

    job_id: str
    command: str


@dataclass(frozen=True, slots=True)
class FileChanged:
    call_id: str
    path: str
    kind: Literal["add", "update", "delete"]
    diff: str


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """Steps as (text, status), status one of pending, in_progress, completed."""

    steps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PlanProposed:
    """The plan that plan mode has led to, Markdown, put before the person. call_id: "" where it stood in the answer,
    which has been shown."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentAdvanced:
    """How far the agent has come that a call started: its calls and tokens in this task, and what it does now ("" once
    that is done). What it says, its calls and what they print are the output of the call."""

    call_id: str
    agent: str
    calls: int
    tokens: int
    doing: str = ""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """summary: one short phrase for the chat line (`ok`, `exit 3`, `12,450 lines`, `declined`)."""

    call_id: str
    ok: bool
    summary: str
    seconds: float
    exit_code: int | None = None
    note: str = ""
