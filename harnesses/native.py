"""native: a tool-calling surface for any capable model, and the same in text for models that cannot call tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import ClassVar

from harnesses.base import Harness, prompt
from harnesses.data import Binding, Env, PlanNote, Reader, Wire, WirePolicy
from harnesses.native_results import observe_code, observe_file, observe_tool
from harnesses.native_tools import RECALL, bindings
from harnesses.planning import plain
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message, message

SMALL_WINDOW = 16_384  # tokens; a model with no more gets only the tools that it cannot do without
_CORE = frozenset({"execute", "read_file", "write_file", "apply_patch", "search_files", "load_skill"})
_NAMED = re.compile("`(\\w+)`")


class NativeHarness(Harness):
    """Tool calls on all three wires; `text=True` asks for fenced code instead.

    Models behind the Messages wire are prompted like all others here, until there is a harness made for them.
    """

    id: ClassVar[str] = "native"
    title: ClassVar[str] = "any capable model"
    wires: ClassVar[tuple[Wire, ...]] = ("chat", "messages", "responses")
    policy: WirePolicy = WirePolicy(cache=("system", "previous", "last"), plain_text=False)

    def __init__(self, text: bool = False) -> None:
        self.uses_tools = not text
        self._tools: tuple[tuple[tuple[str, ...], bool, bool], tuple[Binding, ...]] | None = None

    def in_text(self) -> Harness | None:
        return NativeHarness(text=True)

    def system(self, env: Env) -> str:
        base = env.system_message or prompt("native")
        parts = [base]
        if not env.system_message:
            said, _, advice = base.partition("\n# Tools")
            parts = [said.rstrip()] if not self.uses_tools else [f"{said}\n# Tools{_fitting(advice, self.tools(env))}"]
        if not self.uses_tools:
            parts.append(prompt("native_text").replace("{languages}", ", ".join(env.languages)))
        if env.custom_instructions:
            parts.append(env.custom_instructions)
        return "\n\n".join(parts)

    def bindings(self, env: Env) -> Sequence[Binding]:
        if not self.uses_tools:
            return ()
        key = (env.languages, "recall" in env.missing, 0 < env.window <= SMALL_WINDOW)
        if self._tools is None or self._tools[0] != key:
            known = bindings(env.languages)
            if key[2]:
                known = tuple(one for one in known if one.name in _CORE)
            self._tools = (key, known if key[1] else (*known, RECALL))
        return self._tools[1]

    def preamble(self, env: Env) -> Sequence[Message]:
        return _context(env, by_tool=any(one.executor == "skill" for one in self.tools(env)))

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return f"<collaboration_mode>\n{plain(note)}\n</collaboration_mode>"

    def reader(self, env: Env) -> Reader:
        if self.uses_tools:
            return super().reader(env)
        from harnesses.written_calls import WrittenCallReader

        return WrittenCallReader(env.languages)

    def observe(self, name: str, result: Result) -> str:
        if name in {"execute", "run"}:
            return observe_code(result)
        return observe_file(result) if name == "read_file" and result.ok else observe_tool(result)


def _fitting(advice: str, tools: Sequence[Binding]) -> str:
    """The lines of advice on tools that are there."""
    there, all_names = {one.name for one in tools}, {one.name for one in bindings(())}
    return "\n".join(line for line in advice.split("\n") if set(_NAMED.findall(line)) & all_names <= there)


def _context(env: Env, by_tool: bool) -> list[Message]:
    """What the model is told about this machine, as user messages before the conversation. by_tool: skills are loaded
    with a tool, and not by reading their files."""
    context: list[Message] = []
    if env.project_docs:
        text = "\n\n--- project-doc ---\n\n".join(body for _, body in env.project_docs)
        head = f"# AGENTS.md instructions for {env.cwd}\n\n<INSTRUCTIONS>\n"
        context.append(message("user", "message", f"{head}{text}\n</INSTRUCTIONS>"))
    if env.cwd:
        facts = {
            "cwd": env.cwd,
            "shell": env.shell,
            "platform": env.platform,
            "os_version": env.os_version,
            "user": env.user,
            "current_date": env.now[:10],
            "languages": ", ".join(env.languages),
            "python": env.python,
            "git_branch": env.git.branch if env.git else "",
            "files": env.listing,
        }
        lines = [f"  <{key}>{escape(value, quote=False)}</{key}>" for key, value in facts.items() if value]
        context.append(
            message("user", "message", "\n".join(["<environment_context>", *lines, "</environment_context>"]))
        )
    if env.skills:
        files = ("" if by_tool else f" (file: {one.path})" for one in env.skills)
        listed = "\n".join(
            f"- {one.name}: {one.description}{file}" for one, file in zip(env.skills, files, strict=True)
        )
        how = "load it with load_skill" if by_tool else "read its file"
        head = f"Skills: when one fits the request, {how} first and follow it."
        text = f"<skills_instructions>\n{head}\n{listed}\n</skills_instructions>"
        context.append(message("user", "message", text))
    return context
