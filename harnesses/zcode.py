"""zcode: the Messages surface that GLM models were tuned for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from harnesses import claude_services as services
from harnesses import claude_tools as tools
from harnesses import schemas as s
from harnesses.base import Harness, Want, prompt
from harnesses.claude_context import CLAUDE_FILES, memory_section, reminder, reminders, with_task_reminder
from harnesses.claude_results import failed, plain
from harnesses.data import Binding, Env, PlanNote, Wire, WirePolicy
from harnesses.planning import in_phases
from harnesses.schemas import arguments
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message

_IDENTITY = "You are oi, an interactive agent in a person's terminal."
_CURRENT = " The state of the file is current in your context."


class ZCodeHarness(Harness):
    """Three system blocks, a small set of tools, one list of todos that is written whole."""

    id: ClassVar[str] = "zcode"
    title: ClassVar[str] = "GLM over the Messages wire"
    wires: ClassVar[tuple[Wire, ...]] = ("messages", "chat", "responses")
    wants: ClassVar[frozenset[Want]] = frozenset({"git"})
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = CLAUDE_FILES
    policy: WirePolicy = WirePolicy(max_tokens=64_000, tool_choice="auto", explicit_ok=frozenset({"Bash"}))

    def system(self, env: Env) -> str:
        return "\n\n".join(self.system_blocks(env))

    def system_blocks(self, env: Env) -> Sequence[str]:
        place = (prompt("zcode_style"), memory_section(env), _environment(env), env.custom_instructions)
        return _IDENTITY, env.system_message or prompt("zcode"), "\n\n".join(part for part in place if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return _TOOLS

    def preamble(self, env: Env) -> Sequence[Message]:
        return reminders(env)

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        return with_task_reminder(history)

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return reminder(in_phases(note, "ExitPlanMode", agent="agent" not in env.missing))

    def observe(self, name: str, result: Result) -> str:
        return plain(result, {})


def _environment(env: Env) -> str:
    facts = {
        "Working directory": env.cwd,
        "Is directory a git repo": "Yes" if env.git else "No",
        "Branch": env.git.branch if env.git else "",
        "Platform": env.platform,
        "OS Version": env.os_version,
        "Today's date": env.now[:10],
    }
    lines = [f"{name}: {value}" for name, value in facts.items() if value]
    return "\n".join(["<env>", *lines, "</env>"])


def _todos(result: Result, _args: dict[str, Any]) -> str:
    """The list before and after, and how much of it is done."""
    if not result.ok:
        return failed(result.text)
    items = [_todo(one) for one in cast("list[dict[str, Any]]", result.meta.get("items", []))]
    before = [_todo(one) for one in cast("list[dict[str, Any]]", result.meta.get("before", []))]
    count = {name: sum(one["status"] == status for one in items) for name, status in _COUNTED.items()}
    told = {"oldTodos": before, "todos": items, "summary": {"total": len(items), **count}}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


_COUNTED = {"pending": "pending", "inProgress": "in_progress", "completed": "completed"}


def _todo(step: dict[str, Any]) -> dict[str, Any]:
    return {
        "content": step.get("step", ""),
        "status": step.get("status", "pending"),
        "activeForm": step.get("active", step.get("step", "")),
    }


_ONE = s.fields(
    {
        "content": s.text("What is to be done", minLength=1),
        "status": s.one_of("pending", "in_progress", "completed"),
        "activeForm": s.text("How it is called while it is being done", minLength=1),
    },
    ("content", "status", "activeForm"),
)

_TOOLS: tuple[Binding, ...] = (
    services.agent(),
    services.ask(),
    tools.bash(
        "Run a shell command. The working directory stays for the next one, variables do not. Never start what waits "
        "for typing; give long-running programs run_in_background."
    ),
    tools.edit(
        "Replace a text in a file that was read or written in this session. old_string must stand there exactly once, "
        "unless replace_all is set.",
        _CURRENT,
    ),
    *services.plan_mode(in_file=False),
    tools.glob(),
    tools.grep(),
    tools.read_tool("Read a file: lines with their numbers, pictures, PDF pages, notebooks."),
    services.skill(),
    *services.jobs(),
    Binding(
        "TodoRead",
        "The list of todos.",
        arguments(),
        "plan",
        map_args=lambda _: {"action": "read"},
        title=lambda _: "todos",
        render=_todos,
    ),
    Binding(
        "TodoWrite",
        "Write the whole list of todos anew. Keep exactly one in progress; mark each one as soon as it is done.",
        arguments(("todos",), todos=s.several(_ONE, "All todos")),
        "plan",
        map_args=lambda args: {
            "action": "set",
            "steps": [
                {"step": one["content"], "status": one["status"], "active": one.get("activeForm", one["content"])}
                for one in args["todos"]
            ],
        },
        title=lambda _: "todos",
        render=_todos,
    ),
    services.web_fetch(),
    tools.write(),
)
