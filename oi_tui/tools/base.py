"""What an executor is given and what it gives back: the contract between the session and the tools.

An executor first says what a call would do (`preview`: reads files, changes nothing), then does it (`run`). Neither
raises for anything that a model or a disk can cause: the reason stands in `Preview.error` or in the text of a `Result`
with `ok=False`. Relative paths always count from `Context.cwd`, wherever the shell has gone since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from oi_tui.computer.interpreters import Interpreter
from oi_tui.computer.limits import Limits
from oi_tui.protocol.calls import Option, Question, Result
from oi_tui.protocol.dataclass import dataclass
from oi_tui.protocol.events import Event
from oi_tui.protocol.lmc import Chunk
from oi_tui.settings import WebSettings

if TYPE_CHECKING:
    from oi_tui.computer.devices.process import DeviceProcess
    from oi_tui.computer.jobs import Jobs

NAMES = (  # of the executors, one module each
    "code", "shell", "job_output", "job_input", "job_stop", "job_list", "install", "read", "view", "list", "glob",
    "grep", "write", "edit", "insert", "undo_edit", "patch", "notebook", "plan", "ask", "agent", "fetch", "web_search",
    "skill", "note", "lookup", "recall", "plan_mode", "computer_use",
)  # fmt: skip
MAX_OUTPUT = 2800

ErrorKind = Literal[
    "argument", "missing", "kind", "size", "outside", "protected", "exists", "not_read", "changed", "no_match",
    "ambiguous", "unchanged", "end", "patch", "timeout", "network", "refused", "unavailable", "failed",
]  # fmt: skip
"""Why an executor did not do it, in `Result.meta["error"]`; README.md says what each means."""


class Computer(Protocol):
    """The part of `computer.Computer` that executors use."""

    @property
    def cwd(self) -> str:
        """Where the next block of code would run, absolute."""
        ...

    @property
    def jobs(self) -> Jobs | None:
        """Commands beside the kernels; None where code runs elsewhere."""
        ...

    @property
    def languages(self) -> Callable[[], tuple[str, ...]]:
        """Called, it gives the names of the languages that can be run here."""
        ...

    @property
    def limits(self) -> Limits:
        """What code may take of the machine, and its outputs of the disk."""
        ...

    on_stopped: Callable[[str], None] | None
    """Told why, when the person stops the devices."""

    @property
    def is_local(self) -> bool:
        """Whether code runs on this machine."""
        ...

    def devices(self) -> DeviceProcess:
        """What drives the screen and the mouse of this machine."""
        ...

    def reading(self, path: str) -> str:
        """Words for a model on how to read on in an output that was cut. path: of the file with all of it."""
        ...

    def canonical(self, language: str) -> str | None:
        """The one name of a language however it is spelled; None for what is not known."""
        ...

    def why_not(self, language: str) -> str:
        """One sentence for the model on why `language` cannot be run here and what can; "" when it can."""
        ...

    def interpreter(self) -> Interpreter:
        """The Python that runs Python blocks."""
        ...

    async def install(self, distribution: str, emit: Callable[[Chunk], None]) -> Result:
        """Install a package into the environment of that Python; what is printed goes to `emit`."""
        ...

    async def run(
        self,
        language: str,
        code: str,
        emit: Callable[[Chunk], None],
        *,
        timeout_s: float | None = None,
        outside: bool = False,
    ) -> Result:
        """Run one block. What it prints and shows goes to `emit` as LMC chunks; the result's text is empty.

        timeout_s: seconds after which it is stopped, None for no limit. outside: in no sandbox."""
        ...


class Host(Protocol):
    """What the session does for executors that need a person or a model. Floors below know no session."""

    async def ask(self, call_id: str, questions: Sequence[Question]) -> Sequence[Sequence[str]] | None:
        """The person's answers, a list of texts for each question; None when nobody is there or they were declined."""
        ...

    async def agent(self, call_id: str, task: AgentTask) -> Result:
        """Let a sub-agent do it. Its last words are the text; meta as README.md says."""
        ...

    def has_agent(self, id: str) -> bool:
        """Whether there is an agent of that id, in the background or not."""
        ...

    def agents(self) -> Sequence[Mapping[str, str | float]]:
        """Agents that were put into the background, oldest first: `job`, `agent`, `status`, `command`, `seconds`."""
        ...

    async def agent_output(self, id: str, wait_s: float) -> Result:
        """What an agent said last, after waiting at most so long for its end; meta as for a job."""
        ...

    async def agent_stop(self, id: str) -> bool:
        """End an agent in the background. False if it did not work."""
        ...

    def enter_plan(self) -> bool:
        """Begin plan mode. False if it was on."""
        ...

    async def put_plan(self, call_id: str, plan: str, options: Sequence[Option]) -> PlanAnswer | None:
        """Show a plan and ask whether to carry it out, in one of the ways that `options` name if there are any; None
        when nobody is there. An agreement ends plan mode."""
        ...

    async def complete(self, request: str) -> str:
        """The model's answer to one request without tools or history. Raises OSError with a sentence."""
        ...


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """The person's answer to a plan. said: in their words. reason: what is to be different. way: the option they took,
    "" where there were none. approval: the approval mode from now on."""

    agreed: bool
    said: str = ""
    reason: str = ""
    way: str = ""
    approval: str = ""


@dataclass(frozen=True, slots=True)
class AgentTask:
    """prompt: all that it is told. kind: `explorer` changes nothing. resume: id of an agent to go on with. timeout_s:
    seconds after which it is stopped, 0 for never."""

    prompt: str
    title: str = ""
    kind: Literal["worker", "explorer"] = "worker"
    model: str = ""
    resume: str = ""
    background: bool = False
    timeout_s: float = 0.0


@dataclass(slots=True)
class Context:
    """What an executor may use; one per call.

    cwd: root of the workspace, absolute. outputs: folder for full texts and pictures of this session, created on use,
    readable by the owner alone. memory: kept for the whole session and shared by all executors.
    max_output: characters of output that the model is shown. timeout_s: seconds that a block of code may run, None for
    any.

    Keys of `memory`: `read` (absolute path -> (mtime in ns, size) when it was last read or written), `plan` (the
    steps), `undo` (the `UndoStack`), `undo_folder` (where that is kept on disk, if it is), `previews` (call id -> the
    text that a decision is bound to), `outside_ok` (true when writing outside the workspace was allowed by a person),
    `shell_folder` (where the next command with `keep_folder` starts), `planning` (true in plan mode) and `plan_file`
    (where the plan is written then, which is allowed although it lies outside the workspace), `cut` (gives what of the
    conversation the model is not sent any more, as (place, text) pairs; see `recall`).
    outside: code runs in no sandbox. host: the session, None where there is none. skills: name -> where its SKILL.md
    lies.
    """

    cwd: str
    call_id: str
    publish: Callable[[Event], None]
    computer: Computer
    outputs: Path
    memory: dict[str, Any] = field(default_factory=dict)
    max_output: int = MAX_OUTPUT
    timeout_s: float | None = None
    host: Host | None = None
    web: WebSettings = field(default_factory=WebSettings)
    skills: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do, before it does it.

    language: of the code for subject `code`, "diff" for `file`, else "". text: exactly what a decision is bound to: the
    code, the unified diff, or the arguments as text. what: one line for a person, such as `change a.py (+3 -1)`.
    writes, reads: absolute paths with symbolic links resolved; for code, `reads` is the folder that it would run in.
    error: the call cannot work, and why: goes to the model without asking anybody. facts: what else is to be known of
    that, `error` (an ErrorKind) above all; becomes `Result.meta`. editable: the argument that holds `text`, where a
    person may change it. host: a machine on the network that would be asked, "" for none.
    """

    subject: Literal["code", "file", "tool"]
    language: str
    text: str
    what: str
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    error: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    editable: str = "code"
    host: str = ""


class Executor(Protocol):
    """One thing that can be done. Which keyword arguments it takes stands in the module of that name."""

    def preview(self, ctx: Context, **kwargs: Any) -> Preview:
        """Say what the call would do. May read files; changes nothing, publishes nothing."""
        ...

    async def run(self, ctx: Context, **kwargs: Any) -> Result:
        """Do it. Cancelling the task stops it. meta["summary"] is a short phrase for the chat line (`12 lines`)."""
        ...
