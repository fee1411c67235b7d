"""swe-agent: thoughts and one command at a time, written as text, for models without tool calls.

Which action runs: `<tool_invoke>`, `<invoke>` or `<execute_bash>` tags come first; else the last fenced block of the
answer, so that a model may show code before it decides. (The reference runs the first one in its text mode, SWE-agent
itself the last.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from harnesses import schemas as s
from harnesses import swe_editor
from harnesses.base import RUN, Harness, in_template, prompt
from harnesses.data import Binding, Env, Guard, Limits, Made, Options, Reader, WirePolicy
from harnesses.swe_actions import OPENING, parse
from harnesses.texts import TextReader
from harnesses.wording import ends, with_note
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message

SECONDS = 30.0
LONGEST = 100_000  # characters of an observation
_LINE = re.compile(r"^(?:/\S*/)?bash: line \d+: ", re.MULTILINE)
_EMPTY = "Your last command ran successfully and did not produce any output."
_DIFF = "git --no-pager diff HEAD 2>/dev/null || git --no-pager diff 2>/dev/null || true"
_REVIEW = (
    "Look at what you have changed before you submit:\n\n<diff>\n{diff}\n</diff>\n\nRemove what you made only for "
    "trying (scripts, prints). If tests that were there are changed, change them back. Then run submit again "
    "to end the work."
)


class SweAgentHarness(Harness):
    """One discussion and one command an answer; `submit` twice ends the work."""

    id: ClassVar[str] = "swe-agent"
    title: ClassVar[str] = "models without tool calls, on repository tasks"
    policy: WirePolicy = WirePolicy(
        stream=False, token_key="", reasoning="drop", sampling={"temperature": 1.0, "top_p": 0.95}
    )
    limits: ClassVar[Limits] = Limits(format_errors=3, timeouts=3, cost=3.0)
    uses_tools: bool = False
    observations_kept: ClassVar[int | None] = None  # of the newest; older ones are counted instead, the first one stays

    def system(self, env: Env) -> str:
        parts = (env.system_message or prompt("swe_agent"), env.custom_instructions)
        return "\n\n".join(part for part in parts if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return (_BASH, *swe_editor.BINDINGS, _SUBMIT)

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        shown = in_template(history, lambda task: _instance(task, env))
        return shown if self.observations_kept is None else with_few_observations(shown, self.observations_kept)

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        body.pop("reasoning_effort", None)
        return body

    def reader(self, env: Env) -> Reader:
        return TextReader(OPENING, parse)

    def as_text(self, name: str, arguments: str) -> str:
        command = "submit" if name == "submit" else swe_editor.command_line(name, arguments)
        return f"```\n{command}\n```" if command else super().as_text(name, arguments)

    def observe(self, name: str, result: Result) -> str:
        return observed(result)

    def guard(self, made: Sequence[Made], call: Call) -> Guard | None:
        if call.name == "submit" and any(one.name == "submit" and one.ok for one in made):
            return Guard("end", "submitted")
        return None


def _instance(task: str, env: Env) -> str:
    docs = "".join(f"\n\nInstructions in {path}:\n\n{text}" for path, text in env.project_docs)
    before, _, after = prompt("swe_agent_instance").replace("{working_dir}", env.cwd).partition("{problem_statement}")
    return f"{before}{task}{after}{docs}"


def observed(result: Result) -> str:
    """An output as observation: its head where it is too long, a sentence where there is none."""
    if result.rejected or result.meta.get("not_run"):
        return f"OBSERVATION:\n{result.text}"
    if result.meta.get("elided"):
        return f"Old environment output: ({result.meta['elided']} lines omitted)"
    text = _LINE.sub("", with_note(result, result.text))
    if result.timed_out:
        return (
            f"OBSERVATION:\nThe command was cancelled because it took more than {result.timeout_s or SECONDS:g} "
            "seconds. Try another command that ends sooner."
        )
    if result.interrupted:
        return f"OBSERVATION:\n{text}\nThe person interrupted this command."
    long = ends(result, LONGEST, 0)
    if long is not None:
        head, _, elided = long
        note = f"{elided} characters were left out. Run a command that prints less, or send its output to a file."
        return f"Observation: {head}<response clipped><NOTE>{note}</NOTE>"
    return f"OBSERVATION:\n{text}" if text.strip() else _EMPTY


def _review(result: Result, _args: dict[str, Any]) -> str:
    return f"OBSERVATION:\n{_REVIEW.format(diff=result.text.strip())}" if result.ok else observed(result)


def with_few_observations(history: Sequence[Message], kept: int) -> Sequence[Message]:
    """The history with only the first and the newest `kept` observations; of the others the lines are counted."""
    places = [index for index, one in enumerate(history) if "result" in one.get("call", {})]
    old = set(places[1 : max(len(places) - kept, 1)])
    return [_elided(one) if index in old else one for index, one in enumerate(history)]


def _elided(one: Message) -> Message:
    facts = one["call"]["result"]
    lines = len(str(one.get("content", "")).splitlines())
    counted = {**facts, "meta": {**facts.get("meta", {}), "elided": lines}}
    return {**one, "call": {**one["call"], "result": counted}}


_BASH = Binding(
    RUN.name,
    "Run a command in the session's shell.",
    s.arguments(("language", "code"), language=s.text(), code=s.text()),
    "code",
    map_args=lambda args: {
        "language": args["language"],
        "code": args["code"],
        "timeout_s": SECONDS,
        "max_output": LONGEST + 1000,
    },
    code_field="code",
    language_field="language",
    language="shell",
)

_SUBMIT = Binding(
    "submit",
    "Submit the work: shows the changes first.",
    s.arguments(),
    "code",
    map_args=lambda _: {"language": "shell", "code": _DIFF, "timeout_s": SECONDS, "max_output": LONGEST},
    title=lambda _: "submit",
    render=_review,
)
