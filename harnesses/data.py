"""The data that harnesses, renderers and readers pass each other; no behaviour."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, Protocol

from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.dataclass import dataclass
from oi_tui.protocol.stream import Delta

Wire = Literal["chat", "messages", "responses"]


@dataclass(frozen=True, slots=True)
class GitInfo:
    """State of the repository that the working directory lies in, taken once a session.

    status and recent (`git status --short`, `git log --oneline -5`), main (the main branch's name) and user are there
    only for a harness that wants `git`: they cost processes.
    """

    root: str
    branch: str
    status: str = ""
    recent: str = ""
    main: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a folder. entries: what lies in it, None for a file, and for a folder that was not looked into.

    more: how many further names a folder has that are not listed here. readable: False for a folder that cannot be
    looked into.
    """

    name: str
    folder: bool = False
    entries: tuple[Entry, ...] | None = None
    more: int = 0
    readable: bool = True


@dataclass(frozen=True, slots=True)
class SkillInfo:
    """A skill as the prompt names it: what it is for, whose it is (project, user, extra, built-in), where it lies."""

    name: str
    description: str
    scope: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Env:
    """Everything outside the history that a request may depend on. Frozen for a session, so prompt caches stay warm.

    now: ISO 8601 with zone. listing: the working directory's entries, one a line. languages: what can be run. python:
    its version and what is installed, `3.11.4 with numpy, pandas`.
    user_files: the form of files that the newest request names, a line each (the embedded harness uses it).
    missing: names of executors that cannot do anything in this session; `Harness.tools` leaves their bindings out.
    window: tokens that the model's window has, 0 where nobody knows yet.
    tree: the working directory, two levels deep, for a harness that wants `tree`. memory: what earlier sessions noted.
    planning: plan mode is on. screen: OS mode is on, and this is the size of the pictures that show the screen; (0, 0)
    where it is not.
    sandbox: what code is shut in: `seatbelt`, `container`, "" for nothing. guidance: whether extra advice on how to
    work is wanted, where a harness has some.
    """

    cwd: str
    platform: str = ""
    os_version: str = ""
    shell: str = ""
    user: str = ""
    now: str = ""
    model: str = ""
    git: GitInfo | None = None
    listing: str = ""
    languages: tuple[str, ...] = ("python", "shell")
    python: str = ""
    project_docs: tuple[tuple[str, str], ...] = ()
    custom_instructions: str = ""
    system_message: str = ""
    user_files: str = ""
    missing: frozenset[str] = frozenset()
    window: int = 0
    tree: Entry | None = None
    skills: tuple[SkillInfo, ...] = ()
    memory: str = ""
    sandbox: str = ""
    guidance: bool = True
    planning: bool = False
    screen: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class PlanNote:
    """What a model is to be told of plan mode: that it is on (full: for the first time, so all that this means), or
    that it is over (agreed: since the person agreed to the plan). file: of the plan. inner: an agent is told, which
    cannot end it."""

    on: bool
    full: bool = False
    file: str = ""
    agreed: bool = False
    inner: bool = False

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> PlanNote:
        """Out of the key `plan` of a message."""
        on, full, agreed, inner = (facts.get(name) is True for name in ("on", "full", "agreed", "inner"))
        return cls(on, full, str(facts.get("file") or ""), agreed, inner)


@dataclass(frozen=True, slots=True)
class Options:
    """Knobs of one request. None leaves the field out of the body. wire: what the body is for.

    effort: how hard to think, `none` to `max`; summary: how much of it is told (Responses wire). "" leaves them out;
    the client fits them to what the model takes. computer_tool: the type under which the model knows the computer tool,
    "" where it needs a description of it.
    """

    model: str
    max_tokens: int | None = None
    temperature: float | None = None
    vision: bool = True
    session_id: str = ""
    wire: Wire = "chat"
    effort: str = ""
    summary: str = ""
    computer_tool: str = ""


@dataclass(frozen=True, slots=True)
class Binding:
    """One tool as a model sees it, tied by name to an executor that does the work.

    schema: JSON Schema of the arguments. map_args: model's arguments -> the executor's keyword arguments; it may raise
    ValueError with a sentence for the model. code_field and language_field name the arguments that hold code, so that
    it can be shown while it streams. language: used when there is no language_field. title: one line for a person.
    render: words a result for the model, given the call's arguments; the harness's own wording if left out.
    """

    name: str
    description: str
    schema: dict[str, Any]
    executor: str
    map_args: Callable[[dict[str, Any]], dict[str, Any]] = dict
    code_field: str = ""
    language_field: str = ""
    language: str = ""
    title: Callable[[dict[str, Any]], str] | None = None
    render: Callable[[Result, dict[str, Any]], str] | None = None


@dataclass(frozen=True, slots=True)
class WirePolicy:
    """How histories become bodies, where models differ; most of it concerns the Chat Completions wire.

    max_tokens: of an answer, where the person set no limit. reasoning: what becomes of earlier thoughts; `always` sends
    the key with every answer, `placeholder` where there was none, `calls` only with answers that call. tool_content: a
    result as a text, as an array of one text part, or (`system_parts`) of two, a leading `<system>` note and the rest.
    orphan: what a call without a result gets; "" drops the call. plain_ids: ids of calls have letters, digits, `_` and
    `-` only; those that become the same are numbered. compact_arguments: they are written anew, without spaces.
    explicit_ok: tools whose success is marked on the Messages wire (`is_error: false`). sampling: fields that a model
    was trained with, unless the person set them. cache: what the Messages wire marks as an end of what the provider
    keeps in its cache: the tools, every block of the system prompt, the newest message to the model and that before it;
    four marks in all. plain_text: a message to the model that is one unmarked text is written as a string there; false:
    what was sent once stays the same to the byte.
    """

    stream: bool = True
    include_usage: bool = True
    token_key: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    max_tokens: int | None = None
    parallel: bool | None = None
    tool_choice: str | None = None
    empty_assistant: Literal["omit", "empty"] = "omit"
    reasoning: Literal["drop", "keep", "calls", "always"] = "keep"
    placeholder: str = ""
    tool_content: Literal["text", "parts", "system_parts"] = "text"
    orphan: str = "aborted"
    plain_ids: bool = False
    compact_arguments: bool = False
    explicit_ok: frozenset[str] = frozenset()
    sampling: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    cache: tuple[Literal["tools", "system", "previous", "last"], ...] = ("system", "last")
    plain_text: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a turn stops by itself. steps: answers with calls in one turn, None for no limit.

    format_errors: answers in a row that break the harness's format. timeouts: calls in a row that ran out of time.
    cost: US dollars of a session. stored: characters of a worded result (of any tool but `read`, whose files are there
    anyway) beyond which the whole of it is kept in a file; `meta["stored"]` then says where. None for no limit.
    """

    steps: int | None = None
    empty_answers: int = 3
    format_errors: int | None = None
    timeouts: int | None = None
    cost: float | None = None
    stored: int | None = None


@dataclass(frozen=True, slots=True)
class Compacting:
    """When notes by the model take the place of old messages, and in which words.

    share: of the window, from which on room is made. reserve: tokens of it that stay free, a quarter of it at most.
    most: tokens from which on it is made in any window. prompt: file in prompts/ that asks for the notes. tag: the part
    of the answer that counts. numbered: the messages are shown with number and role. opening: the notes as they enter
    the conversation, with {count}, {where} and {notes}. reply: what the model is shown as its answer to them.
    max_tokens, temperature: of the request for the notes.
    """

    share: float = 0.9
    reserve: int = 0
    most: int | None = None
    prompt: str = "compact"
    tag: str = ""
    numbered: bool = False
    opening: str = (
        "[The window was full: {count} earlier messages were replaced by these notes of yours. Variables, files and "
        "running programs are as they were. Go on from here without repeating what is done.{where}]\n\n{notes}"
    )
    reply: str = ""
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """What a harness says to a call that repeats earlier ones.

    kind: `note` runs it and adds `text` to what the model is told of it; `block` tells the model `text` instead of
    running it; `stop` ends the turn as one that went wrong and `end` as one that is done, with `text` for the person.
    """

    kind: Literal["note", "block", "stop", "end"]
    text: str


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made in this turn, as guards compare them. arguments: compact JSON, or as they came."""

    name: str
    arguments: str
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Exit:
    """A harness's own end of a turn. status: its word for it (`submitted`). text: for the person."""

    status: str
    text: str = ""


# Pieces of an answer, for the screen.
@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class CodeOpen:
    index: int
    language: str


@dataclass(frozen=True, slots=True)
class CodeText:
    index: int
    text: str


Piece = Say | Think | CodeOpen | CodeText


@dataclass(frozen=True, slots=True)
class Parsed:
    """A whole answer. texts and calls are in order of appearance.

    error: the answer breaks the harness's format, and the correction that is sent to the model; its calls do not run.
    """

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    calls: tuple[Call, ...] = ()
    error: str | None = None
    stop: str = "stop"
    unclosed: bool = False  # the last code block had no end: it may be cut
    indexes: tuple[int, ...] = ()  # of the calls, as pieces name them; empty: their positions


class Reader(Protocol):
    """Takes one answer's deltas, gives pieces for the screen as they become clear, and the whole at the end."""

    def feed(self, delta: Delta) -> Sequence[Piece]: ...

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        """What was still held back, and the whole answer."""
        ...


class Watch(Protocol):
    """Looks at the text of one answer while it comes."""

    def feed(self, text: str) -> bool:
        """Whether the answer should be stopped: it says the same again and again."""
        ...


class Surface(Protocol):
    """What a renderer asks of a harness; `base.Harness` is one."""

    @property
    def policy(self) -> WirePolicy: ...
    @property
    def uses_tools(self) -> bool: ...
    @property
    def rendered(self) -> Any: ...
    def system(self, env: Env) -> str: ...
    def system_blocks(self, env: Env) -> Sequence[str]: ...
    def tools(self, env: Env) -> Sequence[Binding]: ...
    def binding(self, name: str, env: Env) -> Binding | None: ...
    def word(self, name: str, result: Result, arguments: dict[str, Any], env: Env) -> str: ...
    def echo(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]: ...
    def as_text(self, name: str, arguments: str) -> str: ...
    def as_block(self, code: str, language: str) -> str: ...
    def extra(self, env: Env, options: Options) -> dict[str, Any]: ...
