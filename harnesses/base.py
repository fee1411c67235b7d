"""What a harness is: the prompting strategy that a model was trained for, as pure functions over plain data.

A harness turns the history into a request body and the model's deltas into pieces for the screen and calls for the
loop; it words results for the model. It does no I/O, reads no clock and makes no ids of its own: what it needs to know
comes in through `Env` and `Options`. So its whole behaviour can be tested with a golden request.

Most of a harness is data: the sections of its system prompt, its bindings, its `WirePolicy` and its `Limits`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from harnesses.data import (
    Binding,
    Compacting,
    Env,
    Exit,
    Guard,
    Limits,
    Made,
    Options,
    PlanNote,
    Reader,
    Watch,
    Wire,
    WirePolicy,
)
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.plans import plan_in

if TYPE_CHECKING:
    from harnesses.rendering_turns import Rendered

Section = Callable[[Env], str]
Want = Literal["git", "tree"]
AGENTS_FILES = ("AGENTS.override.md", "AGENTS.md")
PROJECT_FILES = ((*AGENTS_FILES, "CLAUDE.md"),)

RUN = Binding(  # code that a model wrote into its text, for the harnesses that take it from there
    name="run",
    description="Run code.",
    schema={
        "type": "object",
        "properties": {"language": {"type": "string"}, "code": {"type": "string"}},
        "required": ["language", "code"],
    },
    executor="code",
    code_field="code",
    language_field="language",
    language="python",
    title=lambda arguments: f"run {arguments.get('language', 'code')}",
)


@cache
def prompt(name: str) -> str:
    """The text of harnesses/prompts/NAME.md."""
    return Path(__file__).with_name("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


class Harness:
    """Base of all harnesses. Subclasses set the class attributes and override a method only for a real difference."""

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""  # one line for the picker: made for which models
    wires: ClassVar[tuple[Wire, ...]] = ("chat",)
    wants: ClassVar[frozenset[Want]] = frozenset()  # parts of Env that cost time to collect
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = (
        PROJECT_FILES  # with instructions; of each group the first counts
    )
    sections: ClassVar[Sequence[Section]] = ()  # of the system prompt, in order; empty ones are left out
    policy: WirePolicy = WirePolicy()
    limits: ClassVar[Limits] = Limits()
    compacting: ClassVar[Compacting] = Compacting()
    uses_tools: bool = True  # tools stand in the body; else the model writes its calls as text
    single_step: ClassVar[bool] = False  # the turn ends with the first block that ran well; its output is the answer
    shares_repeats: ClassVar[bool] = False  # the same call twice in one answer runs once, both get its result
    ends_when_declined: ClassVar[bool] = False  # a call that the person declines without a reason ends the turn
    trims: ClassVar[bool] = False  # `build` keeps within a small window by itself, whatever the length of the history
    keeps_bad_answers: ClassVar[bool] = (
        True  # an answer that broke the format is shown to the model with the correction
    )

    _named: tuple[Env, dict[str, Binding]] | None = None  # the tools of the last Env by name

    # ---- the request

    @cached_property
    def rendered(self) -> Rendered:
        """What of the history was rendered already; a harness serves one conversation."""
        from harnesses.rendering_turns import Rendered

        return Rendered()

    def in_text(self) -> Harness | None:
        """The same for a model without tool calls; None where there is no such form."""
        return None

    def system(self, env: Env) -> str:
        """The system prompt, "" for none: the sections, then what the person told all models."""
        if not self.sections:
            raise TypeError(f"{type(self).__name__} has no system prompt")
        parts = [env.system_message] if env.system_message else [section(env) for section in self.sections]
        return "\n\n".join(part for part in (*parts, env.custom_instructions) if part)

    def system_blocks(self, env: Env) -> Sequence[str]:
        """The system prompt cut where a provider's cache may end; at most three blocks."""
        return (self.system(env),)

    def preamble(self, env: Env) -> Sequence[Message]:
        """Messages that stand before the conversation in every request."""
        return ()

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        """The conversation with what this harness adds to it (reminders, templates around the request)."""
        return history

    def bindings(self, env: Env) -> Sequence[Binding]:
        """All tools that this harness knows, in order. oi_tui/tools/README.md lists the executors they end in."""
        return ()

    def tools(self, env: Env) -> Sequence[Binding]:
        """What the model can call in this session, in order. Every tool and parameter here works."""
        known = self.bindings(env)
        if env.screen != (0, 0) and self.uses_tools:
            from harnesses.computer_tool import binding

            known = [*known, binding(env.screen)]
        return [one for one in known if one.executor not in env.missing] if env.missing else known

    def binding(self, name: str, env: Env) -> Binding | None:
        """The tool of that name; `run` is code out of the text, for a harness that advertises nothing."""
        if self._named is None or self._named[0] is not env:  # a request asks this for each of its calls
            self._named = (env, {one.name: one for one in reversed(self.tools(env))})
        found = self._named[1].get(name)
        return RUN if found is None and name == RUN.name and not self.uses_tools else found

    def extra(self, env: Env, options: Options) -> dict[str, Any]:
        """Fields of the body beside those that every harness sends."""
        return {}

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        """The request body for `options.model`, on the wire that `options` names."""
        from harnesses import rendering

        shown = self.decorate(with_plan_notes(self, without_corrected(history), env), env)
        return rendering.body(self, [*self.preamble(env), *shown], env, options)

    def left_out(self, history: Sequence[Message]) -> int:
        """Characters of the newest request that do not fit this harness's window and are not sent."""
        return 0

    def plan_note(self, note: PlanNote, env: Env) -> str:
        """What the model is told of plan mode."""
        from harnesses.planning import plain

        return plain(note)

    # ---- the answer

    def plan_of(self, text: str) -> str:
        """The plan that an answer in plan mode ends with, "" where it is none."""
        return plan_in(text)

    def reader(self, env: Env) -> Reader:
        """A fresh reader for one answer."""
        from harnesses import parsing

        return parsing.NativeReader(self.tools(env))

    def watch(self) -> Watch | None:
        """What looks at the text of one answer while it comes, to stop one that goes round in circles."""
        return None

    def echo(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of an earlier call as the model is shown them again."""
        return arguments

    def as_text(self, name: str, arguments: str) -> str:
        """An earlier call of a tool other than code, for a model that reads its calls as text."""
        return f"[{name} {arguments}]"

    def as_block(self, code: str, language: str) -> str:
        """Earlier code, for a model that writes its code into the text."""
        from harnesses.rendering_turns import fenced

        return fenced(code, language)

    def guard(self, made: Sequence[Made], call: Call) -> Guard | None:
        """What is to be done about a call, given those already made in this turn. None: just run it."""
        return None

    # ---- the result

    def word(self, name: str, result: Result, arguments: dict[str, Any], env: Env) -> str:
        """A result for the model, in the words of its tool or else of the harness, with a guard's reminder."""
        binding = self.binding(name, env)
        if binding is not None and binding.render is not None:
            text = binding.render(result, arguments)
        else:
            text = self.observe(name, result)
        reminder = result.meta.get("reminder")
        return f"{text}\n\n{reminder}" if reminder else text

    def observe(self, name: str, result: Result) -> str:
        """Words the result of a call of tool `name`, where its binding does not."""
        raise TypeError(f"{type(self).__name__} cannot word results")

    def final(self, call: Call, result: Result) -> Exit | None:
        """The end of the turn, if this result is one (a sentinel that the model was told of)."""
        return None


def with_plan_notes(harness: Harness, history: Sequence[Message], env: Env) -> Sequence[Message]:
    """The history with the notes on plan mode in the harness's words."""
    if not any("plan" in one for one in history):
        return history
    made: list[Message] = []
    for one in history:
        facts = one.get("plan")
        if facts is not None:
            one = {**one, "content": harness.plan_note(PlanNote.of(facts), env)}
        made.append(one)
    return made


def without_corrected(history: Sequence[Message]) -> Sequence[Message]:
    """The history without answers that broke the format and their corrections, once anything else came after them; of
    several bad ones in a row only the last pair is left."""
    if not any("broken" in one for one in history):
        return history
    kept: list[Message] = []
    pair: list[Message] = []  # the last bad answer and its correction, as long as nothing else came after
    for one in history:
        if "broken" not in one:
            pair.clear()
            kept.append(one)
        elif one["broken"] == "answer" or (pair and pair[-1]["broken"] == "correction"):
            pair[:] = [one]
        else:
            pair.append(one)
    return [*kept, *pair]


def in_template(history: Sequence[Message], template: Callable[[str], str]) -> Sequence[Message]:
    """The history with the person's first message put into a template."""
    for index, one in enumerate(history):
        if one["role"] == "user" and one["type"] == "message" and one.get("recipient") is None:
            framed = {**one, "content": template(str(one["content"]))}
            return [*history[:index], framed, *history[index + 1 :]]
    return history
