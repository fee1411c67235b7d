"""claude-code-bare: three tools and a prompt of two lines, for models that need no telling, such as DeepSeek's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from harnesses import claude_tools as tools
from harnesses.claude_code import ClaudeCodeHarness
from harnesses.claude_context import git_status, reminder
from harnesses.data import Binding, Env, PlanNote, WirePolicy
from harnesses.planning import plain
from harnesses.wording import bullets
from oi_tui.protocol.lmc import Message

_CURRENT = " (file state is current in your context, no need to Read it again)"
_TOOLS: tuple[Binding, ...] = (
    tools.bash("Run a shell command", brief=True),
    tools.edit("Replace text in files", _CURRENT),
    tools.read_tool("Read a file's lines"),
)


class ClaudeCodeBareHarness(ClaudeCodeHarness):
    """Bash, Edit and Read, nothing else."""

    id: ClassVar[str] = "claude-code-bare"
    title: ClassVar[str] = "DeepSeek, and strong models that work best with little"
    policy: WirePolicy = WirePolicy(explicit_ok=frozenset({"Bash"}))
    asks_effort: ClassVar[str] = "high"

    def system_blocks(self, env: Env) -> Sequence[str]:
        first = env.system_message or f"CWD: {env.cwd}\nDate: {env.now[:10]}"
        docs = [f"Instructions in {path}:\n\n{text}" for path, text in env.project_docs]
        parts = (first, git_status(env), _skills(env), *docs, env.custom_instructions)
        return ("\n\n".join(part for part in parts if part),)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return _TOOLS

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return reminder(plain(note))

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        return history

    def preamble(self, env: Env) -> Sequence[Message]:
        return ()


def _skills(env: Env) -> str:
    """Skills with the files to read, since there is no tool for them."""
    if not env.skills:
        return ""
    lines = [f"{one.name}: {one.description} (read {one.path})" for one in env.skills]
    return f"<skills_instructions>\n{bullets(lines)}\n</skills_instructions>"
