"""What happened in the calls of a session; a part of `events`, where faces import it from."""

from __future__ import annotations

from typing import Literal

from oi_tui.protocol.calls import Question
from oi_tui.protocol.dataclass import dataclass

Subject = Literal["code", "file", "tool"]
InputEnd = Literal["typed", "end", "gone"]
FindingLevel = Literal["error", "warning", "info"]
ScanState = Literal["", "offered", "running", "clean", "found", "not"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something doubtful that was found in code. line: 1-based. rule: the name of what found it."""

    line: int
    level: FindingLevel
    text: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Scanned:
    """What safe mode knows of a text. state: "" where safe mode is off or has nothing to look at; `offered` until the
    person wants it looked at; `running`; `clean`; `found` with findings; `not` could not be looked at, or not all of
    it, and text says why."""

    state: ScanState = ""
    findings: tuple[Finding, ...] = ()
    text: str = ""

    @property
    def worst(self) -> bool:
        """Something was found that never runs unasked."""
        return any(one.level == "error" for one in self.findings)

    def sentences(self, most: int = 0) -> list[str]:
        """One line for each thing that is to be told, at most so many findings (0: all)."""
        shown = self.findings[:most] if most else self.findings
        told = [f"line {one.line}: {one.text}" + (f" ({one.level})" if one.level != "info" else "") for one in shown]
        if len(shown) < len(self.findings):
            told.append(f"and {len(self.findings) - len(shown)} more findings")
        head = {"running": "semgrep looks at it", "clean": "semgrep found nothing", "offered": "not checked yet"}
        if self.state in head:
            told.insert(0, head[self.state])
        elif self.text:
            told.insert(0, f"not checked: {self.text}" if self.state == "not" else self.text)
        return told


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
    carry data, whole. scan: what safe mode found in it so far; `ScanChanged` tells the rest.
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
    scan: Scanned = Scanned()


@dataclass(frozen=True, slots=True)
class ScanChanged:
    """Safe mode knows more of what is asked about."""

    approval_id: str
    call_id: str
    scan: Scanned


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
