"""claude-code: the surface that Claude models know best; it also serves other strong models that call tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from harnesses import claude_services as services
from harnesses import claude_tools as tools
from harnesses.base import Harness, Want, prompt
from harnesses.claude_context import CLAUDE_FILES, git_status, memory_section, reminder, reminders, with_task_reminder
from harnesses.claude_results import plain
from harnesses.data import Binding, Env, Options, PlanNote, Wire, WirePolicy
from harnesses.planning import in_file
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message

_IDENTITY = "You are oi, an agent that works in a person's terminal."
_LARGE = 64_000  # tokens of an answer, for the newest large models
_SUMMARY = (
    "# Context management\n\nWhen the conversation comes near the end of the context window, its older part is "
    "replaced by a summary. Go on as if nothing had happened; do not end a task early to save room."
)
_VERSION = re.compile(r"(?:(opus|sonnet|haiku|mythos)-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?:-(opus|sonnet|haiku))?")

_TOOLS: tuple[Binding, ...] = (
    services.agent(),
    services.ask(),
    tools.bash(
        "Run a shell command. The working directory stays for the next one, variables and functions do not. Put paths "
        "with spaces in quotes. Never start what waits for typing. Several commands that need each other go into one "
        "call, joined by &&; independent ones into calls of their own in one message."
    ),
    tools.edit(
        "Replace a text in a file. The file must have been read with Read before. old_string must stand in the file "
        "exactly once, white space included, without the line numbers that Read shows: give more lines around it until "
        "it is the only one, or set replace_all. An empty old_string makes a new file.",
        "",
    ),
    *services.plan_mode(in_file=True),
    tools.glob(),
    tools.grep(),
    tools.notebook(),
    tools.read_tool(
        "Read a file: text with line numbers, pictures, PDF pages, notebooks. A path that the person named exists "
        "unless reading says otherwise. Read several files at once by several calls."
    ),
    services.skill(),
    *services.tasks()[:3],
    *services.jobs(),
    services.tasks()[3],
    services.web_fetch(),
    services.web_search(),
    tools.write(),
)


class ClaudeCodeHarness(Harness):
    """Claude's own working style: dedicated tools, a list of tasks, agents, reminders in the messages."""

    id: ClassVar[str] = "claude-code"
    title: ClassVar[str] = "Claude, and other strong tool-calling models"
    wires: ClassVar[tuple[Wire, ...]] = ("messages", "chat", "responses")
    wants: ClassVar[frozenset[Want]] = frozenset({"git"})
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = CLAUDE_FILES
    policy: WirePolicy = WirePolicy(explicit_ok=frozenset({"Bash"}))
    asks_effort: ClassVar[str] = ""  # sent whatever the person chose

    def system(self, env: Env) -> str:
        return "\n\n".join(self.system_blocks(env))

    def system_blocks(self, env: Env) -> Sequence[str]:
        main = [env.system_message] if env.system_message else [prompt("claude_code"), _guidance(self, env)]
        parts = (*main, memory_section(env), environment(env), _SUMMARY, git_status(env), env.custom_instructions)
        return _IDENTITY, "\n\n".join(part for part in parts if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return _TOOLS

    def preamble(self, env: Env) -> Sequence[Message]:
        return reminders(env)

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        if options.wire == "messages":
            body |= _thinking(options, self.asks_effort, body)
            if options.effort == "none":
                body.pop("thinking", None)
        return body

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        return with_task_reminder(history)

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return reminder(in_file(note, "Write", "Edit", "ExitPlanMode", "AskUserQuestion"))

    def echo(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """An earlier Edit always shows replace_all, and no white space at the ends of new lines."""
        new = arguments.get("new_string")
        if name != "Edit" or not isinstance(new, str):
            return arguments
        trimmed = "\n".join(line.rstrip(" \t") for line in new.split("\n"))
        return {**arguments, "new_string": trimmed, "replace_all": bool(arguments.get("replace_all", False))}

    def observe(self, name: str, result: Result) -> str:
        return plain(result, {})


def _guidance(harness: Harness, env: Env) -> str:
    """What holds for the tools that this session has."""
    there = {one.name for one in harness.tools(env)}
    lines: list[str] = []
    if "Agent" in there:
        lines.append(
            "Use Agent for work that would fill this conversation with detail, and its Explore type for wide searches. "
            "Look up a single file or name yourself. Do not do again what you have given to an agent."
        )
    if "Skill" in there:
        lines.append("When the person writes /NAME and NAME is a skill, call Skill with it before anything else.")
    return "# Session-specific guidance\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def environment(env: Env) -> str:
    """Where the model works, as its prompt ends."""
    facts = {
        "Primary working directory": env.cwd,
        "Is a git repository": "true" if env.git else "false",
        "Platform": env.platform,
        "Shell": env.shell,
        "OS Version": env.os_version,
    }
    lines = [f" - {name}: {value}" for name, value in facts.items() if value]
    if env.model:
        lines.append(f" - You are powered by the model {env.model}.")
    return "\n".join(["# Environment", "You work in this environment:", *lines])


def version(model: str) -> tuple[str, int, int] | None:
    """Family and version of a Claude model's name, in whichever order they stand; None for other models."""
    name = model.lower()
    if "claude" not in name:
        return None
    for found in _VERSION.finditer(name[name.index("claude") :]):
        family = found[1] or found[4] or ""
        if family or found[3]:
            return family, int(found[2]), int(found[3] or 0)
    return None


def _thinking(options: Options, asked_effort: str, body: dict[str, Any]) -> dict[str, Any]:
    """The fields of the Messages wire that depend on the model: how long it may answer, how it thinks."""
    made: dict[str, Any] = {}
    if options.session_id:
        made["metadata"] = {"user_id": options.session_id}
    known = version(options.model)
    if asked_effort:
        made["output_config"] = {"effort": asked_effort}
    if known is None:
        return made
    family, *number = known
    newest = tuple(number) >= (4, 6) and family != "haiku"
    if newest and family in {"opus", "mythos"} and options.max_tokens is None:
        made["max_tokens"] = _LARGE
    if options.effort == "none" or tuple(number) < (3, 7):
        return made
    most = int(made.get("max_tokens", body["max_tokens"]))
    if newest or family == "mythos":
        made["thinking"] = {"type": "adaptive"}
    elif most > 1024:
        made["thinking"] = {"type": "enabled", "budget_tokens": most - 1}
    else:
        return made
    made["context_management"] = {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}
    if options.effort and "output_config" not in made:
        levels = {"minimal": "low", "low": "low", "medium": "medium"}
        made["output_config"] = {"effort": levels.get(options.effort, "high")}
    return made
