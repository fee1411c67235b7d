"""mini-swe-agent: one tool, `bash`, each command in a fresh shell, and a line that ends the work.

`text=True` is the form for models without tool calls; see mini_swe_text.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from harnesses import schemas as s
from harnesses.base import Harness, in_template, prompt
from harnesses.data import Binding, Env, Exit, Limits, Parsed, Piece, Reader, WirePolicy
from harnesses.mini_swe_text import LABEL, SENTINEL, block, tagged
from harnesses.mini_swe_text import reader as text_reader
from harnesses.parsing import NativeReader
from harnesses.wording import MARGIN, ends
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.stream import Delta

SECONDS = 30.0
HALF = 5_000  # characters of a long output that are shown of each end
QUIET = {"PAGER": "cat", "MANPAGER": "cat", "LESS": "-R", "PIP_PROGRESS_BAR": "off", "TQDM_DISABLE": "1"}
_NOT_RUN = {"returncode": -1, "output": "", "exception_info": "action was not executed"}


def _kwargs(args: dict[str, Any]) -> dict[str, Any]:
    return {"command": args["command"], "timeout_s": SECONDS, "env": QUIET, "max_output": 2 * HALF + MARGIN}


def told(result: Result) -> str:
    """A command's outcome as JSON."""
    return _json(facts_of(result))


def facts_of(result: Result) -> dict[str, Any]:
    """A command's outcome: `returncode`, `output` or its ends, what else there is to say."""
    if result.rejected or result.meta.get("not_run"):
        return {**_NOT_RUN, "exception_info": result.text or _NOT_RUN["exception_info"]}
    code = -1 if result.timed_out or result.exit_code is None else result.exit_code
    facts: dict[str, Any] = {"returncode": code}
    long = ends(result, HALF, HALF)
    if long is None:
        facts["output"] = result.text
    else:
        head, tail, elided = long
        facts |= {"output_head": head, "output_tail": tail, "elided_chars": elided, "warning": "Output too long."}
    if result.timed_out:
        facts["exception_info"] = f"The command was stopped after {result.timeout_s or SECONDS:g} seconds."
    elif result.interrupted:
        facts["exception_info"] = "The person interrupted the command."
    return facts


def _json(facts: dict[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False)


_BASH = Binding(
    "bash",
    "Run a bash command.",
    s.arguments(("command",), command=s.text("The command")),
    "shell",
    map_args=_kwargs,
    code_field="command",
    language="shell",
    render=lambda result, _: told(result),
)


def _tagged(result: Result, _args: dict[str, Any]) -> str:
    return tagged(facts_of(result))


_BASH_IN_TEXT = replace(_BASH, render=_tagged)


class _Reader:
    """Native calls; an answer without a usable `bash` call breaks the format."""

    def __init__(self, tools: Sequence[Binding]) -> None:
        self._inner = NativeReader(tools)

    def feed(self, delta: Delta) -> Sequence[Piece]:
        return self._inner.feed(delta)

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        pieces, parsed = self._inner.finish()
        if not parsed.calls and not parsed.text.strip():
            return pieces, parsed  # an empty answer is asked for again as it is
        wrong = next((one.error for one in parsed.calls if one.error is not None), None)
        if parsed.calls and wrong is None:
            return pieces, parsed
        why = wrong or "No tool calls found in the response."
        if parsed.stop == "length":
            why = "The answer was cut at its token limit before the call was complete. Be shorter."
        error = (
            f"Tool call error:\n\n<error>\n{why}\n</error>\n\nEvery response needs at least one call of the tool bash "
            f'with the argument command, such as {{"command": "ls -la"}}. When the work is done, run: echo {SENTINEL}'
        )
        return pieces, replace(parsed, error=error)


class MiniSweAgentHarness(Harness):
    """As little as can be: the shell, and patience."""

    id: ClassVar[str] = "mini-swe-agent"
    title: ClassVar[str] = "any model: bash and nothing else"
    policy: WirePolicy = WirePolicy(token_key="", orphan=_json(_NOT_RUN))
    limits: ClassVar[Limits] = Limits(format_errors=3, cost=3.0)
    keeps_bad_answers: ClassVar[bool] = False

    def __init__(self, text: bool = False) -> None:
        self.uses_tools = not text
        if text:
            self.policy = replace(self.policy, orphan=tagged(_NOT_RUN))

    def in_text(self) -> Harness | None:
        return type(self)(text=True)

    def system(self, env: Env) -> str:
        parts = (env.system_message or prompt("mini_swe_agent"), env.custom_instructions)
        return "\n\n".join(part for part in parts if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return (_BASH if self.uses_tools else _BASH_IN_TEXT,)

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        rule = prompt("mini_swe_agent_call" if self.uses_tools else "mini_swe_agent_text").replace("{label}", LABEL)
        return in_template(history, lambda task: _task(task, env, rule))

    def reader(self, env: Env) -> Reader:
        return _Reader(self.tools(env)) if self.uses_tools else text_reader()

    def as_block(self, code: str, language: str) -> str:
        return block(code, language)

    def observe(self, name: str, result: Result) -> str:
        return told(result) if self.uses_tools else tagged(facts_of(result))

    def final(self, call: Call, result: Result) -> Exit | None:
        first, _, rest = result.text.lstrip("\n").partition("\n")
        if call.name != "bash" or result.exit_code != 0 or first.strip() != SENTINEL:
            return None
        return Exit("Submitted", rest.strip())


def _task(task: str, env: Env, rule: str) -> str:
    made = prompt("mini_swe_agent_task").replace("{rule}", rule).replace("{sentinel}", SENTINEL)
    made = made.replace("{system}", " ".join(part for part in (env.platform, env.os_version) if part))
    if env.platform == "darwin":
        made += "\n\nOn macOS, sed -i needs an argument: `sed -i '' -e 's/old/new/' file`."
    docs = "".join(f"\n\nInstructions in {path}:\n\n{text}" for path, text in env.project_docs)
    before, _, after = made.replace("{cwd}", env.cwd).partition("{task}")
    return f"{before}{task}{after}{docs}"
