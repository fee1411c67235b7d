"""kimi-code: the surface that Moonshot's Kimi models know from their own agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from harnesses import kimi_results as results
from harnesses import kimi_services as services
from harnesses import kimi_tools as tools
from harnesses.arguments import UNREADABLE
from harnesses.base import Harness, Want
from harnesses.data import (
    Binding,
    Compacting,
    Env,
    Guard,
    Limits,
    Made,
    Options,
    Parsed,
    Piece,
    PlanNote,
    Reader,
    WirePolicy,
)
from harnesses.families import toggles_thinking
from harnesses.kimi_context import filled, project_docs, reminder, repeated, skill_list, with_reminders
from harnesses.kimi_results import as_code
from harnesses.parsing import NativeReader
from harnesses.planning import in_file
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.stream import Delta

_TOOLS: tuple[Binding, ...] = (
    services.agent(as_code, legacy=False),
    services.ask(as_code),
    tools.bash(),
    tools.edit(),
    *services.plan_mode(as_code),
    services.fetch(as_code),
    tools.glob(),
    tools.grep(tools.coded(results.found_text)),
    tools.read_tool(),
    tools.media(tools.coded(results.plain), parts=True),
    services.skill(as_code),
    *services.task_tools(as_code),
    services.todos(as_code, "TodoList"),
    tools.write(),
)


class KimiReader:
    """Native calls; what is wrong with one is said in the words of `correct`."""

    def __init__(self, bindings: Sequence[Binding]) -> None:
        self._inner = NativeReader(bindings)
        self._tools = {one.name: one for one in bindings}

    def feed(self, delta: Delta) -> Sequence[Piece]:
        return self._inner.feed(delta)

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        pieces, parsed = self._inner.finish()
        calls = tuple(one if one.error is None else self.correct(one, one.error) for one in parsed.calls)
        return pieces, replace(parsed, calls=calls)

    def correct(self, call: Call, error: str) -> Call:
        """Arguments that cannot be read count as none at all, so that a tool which needs none still runs."""
        binding = self._tools.get(call.name)
        if binding is None:
            return replace(call, error=f'Tool "{call.name}" not found')
        if not error.startswith(UNREADABLE):
            return replace(call, error=f'Invalid args for tool "{call.name}": {error}')
        missing = ", ".join(binding.schema.get("required", ()))
        if not missing:
            return replace(call, args={}, raw="{}", error=None)
        why = f"{missing} missing, because the arguments were no JSON object ({error.removeprefix(UNREADABLE)})"
        return replace(call, error=f'Invalid args for tool "{call.name}": {why}')


class KimiCodeHarness(Harness):
    """A long prompt with the project in it, dedicated tools, a reminder after each request, a guard against loops."""

    id: ClassVar[str] = "kimi-code"
    title: ClassVar[str] = "Kimi and other Moonshot models"
    wants: ClassVar[frozenset[Want]] = frozenset({"tree"})
    shares_repeats: ClassVar[bool] = True
    policy: WirePolicy = WirePolicy(
        token_key="max_completion_tokens",
        max_tokens=32_768,
        reasoning="always",
        orphan="",
        plain_ids=True,
        compact_arguments=True,
    )
    limits: ClassVar[Limits] = Limits(stored=results.OUTPUT)
    compacting: ClassVar[Compacting] = Compacting(
        share=0.85,
        reserve=50_000,
        prompt="compact_kimi_code",
        opening="<system-reminder>\n{count} earlier messages are not shown any more. The newest words of the person "
        "are; what else there was is in the note that you wrote when the window was full. Variables, files and running "
        "programs are as they were.{where}\n</system-reminder>\n\n{notes}",
    )

    def system(self, env: Env) -> str:
        listed = skill_list(env, paths="skill" in env.missing)
        how = "Read its SKILL.md" if "skill" in env.missing else "Load it with Skill"
        main = env.system_message or filled(
            "kimi_code",
            env,
            widths=(20, 20),
            docs=project_docs(env, 7, named=False),
            skills=listed,
            use_skills=f"{how} before you begin with a task that it fits. ",
        )
        return "\n\n".join(part for part in (main, env.custom_instructions) if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return _TOOLS

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        return with_reminders(history)

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return reminder(in_file(note, "Write", "Edit", "ExitPlanMode", "AskUserQuestion"))

    def extra(self, env: Env, options: Options) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if options.session_id:
            made["prompt_cache_key"] = f"session_{options.session_id}"
        if toggles_thinking(options.model):
            made["thinking"] = {"type": "disabled"} if options.effort == "none" else {"type": "enabled", "keep": "all"}
        return made

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        if "thinking" in body:  # it says the same, in the model's own words
            body.pop("reasoning_effort", None)
        return body

    def reader(self, env: Env) -> Reader:
        return KimiReader(self.tools(env))

    def guard(self, made: Sequence[Made], call: Call) -> Guard | None:
        return repeated(made, call)

    def word(self, name: str, result: Result, arguments: dict[str, Any], env: Env) -> str:
        result = results.corrected(result, f'Invalid args for tool "{name}": ')
        text = super().word(name, result, arguments, env)
        stored = result.meta.get("stored")
        return results.saved(name, stored, text) if stored else text

    def observe(self, name: str, result: Result) -> str:
        return as_code(results.plain(result, {}))
