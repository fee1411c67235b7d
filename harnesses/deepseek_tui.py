"""deepseek-tui: the surface of the terminal agent that DeepSeek's V3, V4 and reasoner models were used with most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

from harnesses.arguments import canonical
from harnesses.base import AGENTS_FILES, Harness, Want, prompt
from harnesses.data import Binding, Compacting, Env, Guard, Limits, Made, Options, PlanNote, Reader, WirePolicy
from harnesses.deepseek_context import compacted, context_pack, with_turn_meta, within_budget
from harnesses.deepseek_results import failed, text
from harnesses.deepseek_services import bindings
from harnesses.planning import plain
from harnesses.tagged_calls import TaggedReader, arrows, brackets, invocations, objects
from harnesses.wording import bullets
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message

OMITTED = "(reasoning omitted)"
SAME, WARNED, HALTED = 3, 3, 8  # the same call; failures of one tool in a row
_CHANGES = frozenset({"write_file", "edit_file", "apply_patch"})
_LOOKS = frozenset(  # at what goes on by itself: they may well be repeated
    {"exec_shell_wait", "exec_wait", "task_shell_wait", "agent_eval", "task_read", "task_list"}
)
_ESCAPE = re.compile(r"-x([0-9A-Fa-f]{6})-")
_DOCUMENT = 100 * 1024  # characters of one file with instructions


class DeepSeekTuiHarness(Harness):
    """A long layered prompt, some fifty small tools, calls that are read out of text where they are printed."""

    id: ClassVar[str] = "deepseek-tui"
    title: ClassVar[str] = "DeepSeek chat and reasoner models, with many small tools"
    wants: ClassVar[frozenset[Want]] = frozenset({"tree"})
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = (
        (
            ".codewhale/instructions.md",
            ".deepseek/instructions.md",
            *AGENTS_FILES,
            ".claude/instructions.md",
            "CLAUDE.md",
        ),
    )
    policy: WirePolicy = WirePolicy(
        max_tokens=64_000,
        tool_choice="auto",
        empty_assistant="empty",
        reasoning="calls",
        placeholder=OMITTED,
    )
    limits: ClassVar[Limits] = Limits(steps=100)
    compacting: ClassVar[Compacting] = Compacting(
        most=800_000, prompt="compact_deepseek_tui", tag="carry_forward", max_tokens=4096, temperature=0.2
    )

    def __init__(self) -> None:
        self._tools: tuple[tuple[tuple[str, ...], frozenset[str]], tuple[Binding, ...]] | None = None

    def system(self, env: Env) -> str:
        base = [env.system_message] if env.system_message else [prompt("deepseek_tui")]
        parts = (
            *base, mode(env), *_instructions(env), context_pack(env), _environment(env), _skills(env),
            prompt("deepseek_tui_relay"),
            f"## Memory\n\nNotes from earlier sessions; check them before you rely on them.\n\n{env.memory}"
            if env.memory
            else "",
            f'<instructions source="person">\n{env.custom_instructions}\n</instructions>'
            if env.custom_instructions
            else "",
        )  # fmt: skip
        return "\n\n".join(part for part in parts if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        key = (env.languages, env.missing)
        if self._tools is None or self._tools[0] != key:
            self._tools = (key, bindings(*key))
        return self._tools[1]

    def binding(self, name: str, env: Env) -> Binding | None:
        found = super().binding(name, env)
        if found is not None:
            return found
        return super().binding(_meant(name, [one.name for one in self.tools(env)]), env)

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        return with_turn_meta(history, env)

    def plan_note(self, note: PlanNote, env: Env) -> str:
        """The system prompt says what the mode means."""
        return plain(replace(note, full=False))

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        within_budget(body["messages"])
        if options.effort:
            body |= _thinking(options.effort)
            if options.effort == "none":
                body.pop("reasoning_effort", None)
        return body

    def reader(self, env: Env) -> Reader:
        return _Reader(self.tools(env))

    def word(self, name: str, result: Result, arguments: dict[str, Any], env: Env) -> str:
        return compacted(super().word(name, result, arguments, env))

    def observe(self, name: str, result: Result) -> str:
        return text(result, {}) if result.ok else failed(result, {})

    def guard(self, made: Sequence[Made], call: Call) -> Guard | None:
        """Blocks the third call that is the same as two before it, unless a file was changed since; warns of a tool
        that keeps failing, and stops the turn when it goes on to."""
        fails = 0
        for one in reversed([one for one in made if one.name == call.name]):
            if one.ok:
                break
            fails += 1
        if fails >= HALTED:
            return Guard("stop", f"the tool {call.name} failed {HALTED} times in a row")
        own, same = canonical(call), 0
        for one in reversed(made):
            if one.ok and one.name in _CHANGES:
                break
            same += (one.name, one.arguments) == (call.name, own)
        if same >= SAME - 1 and call.name not in _LOOKS:
            return Guard(
                "block",
                f"this call of {call.name} is the same as {same} before it in this turn, and was not made again. Use "
                "the results that you have, or change the arguments.",
            )
        if fails >= WARNED:
            return Guard("note", f"[{call.name} has failed {fails} times in a row before this. Change your way.]")
        return None


class _Reader(TaggedReader):
    """Native calls, else those of the four printed forms; what is wrong with one in this surface's words."""

    def __init__(self, tools: Sequence[Binding]) -> None:
        names = [one.name for one in tools]
        super().__init__(
            tools,
            (brackets, invocations, objects, arrows),
            ("[TOOL_CALL]", "<deepseek:tool_call", "<codewhale:tool_call", "<tool_call"),
            partial(_meant, known=names),
            lambda name: f"Tool '{name}' is not available; look for one with tool_search_tool_bm25",
        )

    def _read(self, id: str, name: str, raw: str) -> Call:
        call = super()._read(id, name, raw)
        binding = self._tools.get(name)
        if call.error is None or binding is None:
            return call
        required = binding.schema.get("required", ())
        lacks = next((one for one in required if call.args and call.args.get(one) is None), None)
        if lacks is None and not call.args and required and raw.strip() in {"", "{}", "null"}:
            lacks = required[0]
        said = f"Tool '{name}' is missing required field '{lacks}'"
        error = said if lacks else f"Invalid input for tool '{name}': {call.error}"
        return Call(id, name, call.args, raw, error)


def _meant(name: str, known: Sequence[str]) -> str:
    """The tool that is meant by a name in another case or style: `web.run`, `ExecShell`, `list-dir`."""
    if name in known:
        return name
    plain = _plain(name)
    return next((one for one in known if _plain(one) == plain), name)


@cache
def _plain(name: str) -> str:
    whole = _ESCAPE.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)), name)
    return re.sub(r"[^a-z0-9]", "", whole.lower())


def _thinking(effort: str) -> dict[str, Any]:
    """DeepSeek thinks not at all, hard, or as hard as it can."""
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    level = "max" if effort in {"xhigh", "max"} else "high"
    return {"thinking": {"type": "enabled"}, "reasoning_effort": level}


def mode(env: Env) -> str:
    """What the mode means, where it is not the usual one."""
    if not env.planning:
        return ""
    inner = "agent" in env.missing and "ask" in env.missing
    return f"## Mode: plan\n\n{plain(PlanNote(True, full=True, inner=inner))}"


def _instructions(env: Env) -> list[str]:
    made: list[str] = []
    for path, body in env.project_docs:
        shown = body if len(body) <= _DOCUMENT else f"{body[:_DOCUMENT]}\n[…elided]"
        made.append(f'<project_instructions source="{path}">\n{shown}\n</project_instructions>')
    return made


def _environment(env: Env) -> str:
    facts = {"platform": env.platform, "os": env.os_version, "shell": env.shell, "pwd": env.cwd, "model": env.model}
    facts["python"] = env.python
    return "## Environment\n\n" + bullets(f"{name}: {value}" for name, value in facts.items() if value)


def _skills(env: Env) -> str:
    if not env.skills or "skill" in env.missing:
        return ""
    listed = bullets(f"{one.name}: {one.description}" for one in env.skills)
    return f"## Skills\n\nInstructions for kinds of tasks; load one with load_skill when it fits.\n\n{listed}"
