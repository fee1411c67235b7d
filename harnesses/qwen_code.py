"""qwen-code: the surface that Qwen models know, also where a server does not parse their calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any, ClassVar

from harnesses.arguments import canonical
from harnesses.base import AGENTS_FILES, Harness, Want
from harnesses.data import Binding, Compacting, Env, Guard, Made, Options, PlanNote, Reader, Watch, WirePolicy
from harnesses.planning import by_call
from harnesses.qwen_prompt import SECTIONS, memory
from harnesses.qwen_results import empty, plain
from harnesses.qwen_tools import bindings
from harnesses.rendering_turns import compact
from harnesses.repetition import Repetition
from harnesses.tagged_calls import TaggedReader, functions, objects_in_tags
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message, message

ACKNOWLEDGED = "Got it. Thanks for the context!"
LISTED = 20  # names of the working directory
SAME, READS, RECENT = 5, 8, 15  # calls in a row; reads of one file among the newest calls
_LEGACY = {"search_file_content": "grep_search", "replace": "edit", "task": "agent"}
_ORDER = {
    "read_file": ("file_path", "offset", "limit", "pages"),
    "edit": ("file_path", "old_string", "new_string", "replace_all"),
    "run_shell_command": ("command", "description", "directory", "is_background", "timeout"),
}


class QwenCodeHarness(Harness):
    """A long prompt of mandates and workflows, a first exchange that tells where the model works, one plain shell."""

    id: ClassVar[str] = "qwen-code"
    title: ClassVar[str] = "Qwen-Coder, Qwen and QwQ"
    wants: ClassVar[frozenset[Want]] = frozenset({"tree"})
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = (("QWEN.md",), AGENTS_FILES)
    policy: WirePolicy = WirePolicy(
        max_tokens=8000, tool_content="parts", empty_assistant="empty", compact_arguments=True
    )
    compacting: ClassVar[Compacting] = Compacting(
        share=0.7,
        prompt="compact_qwen_code",
        tag="state_snapshot",
        opening="{notes}\n\nThis stands for {count} earlier messages.{where}",
        reply="I have what I need from before and go on.",
    )

    def __init__(self) -> None:
        self._tools: tuple[str, tuple[Binding, ...]] | None = None

    def system(self, env: Env) -> str:
        main = [env.system_message] if env.system_message else [section(env) for section in SECTIONS]
        told = f"# Additional Developer Instructions\n\n{env.custom_instructions}" if env.custom_instructions else ""
        return "\n\n".join(part for part in (*main, memory(env), told) if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        if self._tools is None or self._tools[0] != env.cwd:
            self._tools = (env.cwd, bindings(env.cwd))
        return self._tools[1]

    def preamble(self, env: Env) -> Sequence[Message]:
        return (
            message("user", "message", context(env), recipient="assistant"),
            message("assistant", "message", ACKNOWLEDGED),
        )

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        first = next(one for one in body["messages"] if one["role"] == "user")
        first["content"] = [{"type": "text", "text": first["content"]}]
        return body

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return f"<system-reminder>\n{by_call(note, 'exit_plan_mode')}\n</system-reminder>"

    def reader(self, env: Env) -> Reader:
        tools = self.tools(env)
        known = [one.name for one in tools]
        return TaggedReader(
            tools,
            (functions, objects_in_tags),
            ("<tool_call>", "<function="),
            lambda name: _LEGACY.get(name, name) if name not in known else name,
            lambda name: _unknown(name, known),
        )

    def watch(self) -> Watch:
        return Repetition()

    def binding(self, name: str, env: Env) -> Binding | None:
        return super().binding(_LEGACY.get(name, name), env)

    def echo(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments in the order in which the tool lists them."""
        order = _ORDER.get(name, ())
        first = {key: arguments[key] for key in order if key in arguments}
        return first | {key: value for key, value in arguments.items() if key not in first}

    def word(self, name: str, result: Result, arguments: dict[str, Any], env: Env) -> str:
        return super().word(name, result, arguments, env) or empty(name)

    def observe(self, name: str, result: Result) -> str:
        return plain(name)(result, {})

    def guard(self, made: Sequence[Made], call: Call) -> Guard | None:
        """The same call for the fifth time in a row, or one file read again and again, stops the turn."""
        own = canonical(call)
        streak = 0
        for one in reversed(made):
            if (one.name, one.arguments) != (call.name, own):
                break
            streak += 1
        if streak >= SAME - 1:
            return Guard("stop", f"the model made the same call of {call.name} {SAME} times in a row")
        if call.name == "read_file":
            newest = [one for one in made[-(RECENT - 1) :] if one.name == "read_file"]
            path = f'"file_path":{compact(call.args.get("file_path"))}'
            if sum(path in one.arguments for one in newest) >= READS - 1:
                return Guard("stop", f"the model read {call.args.get('file_path')} {READS} times among {RECENT} calls")
        return None


def _unknown(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    meant = " Did you mean one of: " + ", ".join(f'"{one}"' for one in near) + "?" if near else ""
    return f'Tool "{name}" not found in registry. Tools must use the exact names that are registered.{meant}'


def context(env: Env) -> str:
    """What the model is told before the conversation: date, system, folder and what lies in it."""
    lines = ["This is oi, in a person's terminal. This is the context of our conversation."]
    if env.now:
        lines.append(f"Today's date is {_day(env.now)} (formatted according to the person's system).")
    if env.platform:
        lines.append(f"My operating system is: {env.platform}")
    lines.append(f"I'm currently working in the directory: {env.cwd}")
    names = [
        one.name + "/" * one.folder
        for one in (env.tree.entries or () if env.tree is not None else ())
        if not one.name.startswith(".")
    ]
    if names:
        shown = sorted(names)[:LISTED]
        tree = [f"├───{one}" for one in shown[:-1]] + [f"└───{shown[-1]}"]
        lines += [f"Showing up to {LISTED} items:", "", f"{env.cwd.rstrip('/')}/", *tree]
    return "\n".join(lines)


_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_YEAR = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def _day(now: str) -> str:
    """`Monday, March 2, 2026`, in English whatever the locale is."""
    found = _DAY.match(now)
    if found is None:
        return now
    day = date(*map(int, found.groups()))
    return f"{_WEEK[day.weekday()]}, {_YEAR[day.month - 1]} {day.day}, {day.year}"
