"""What the Claude Code family is told in messages rather than in the prompt, and the parts its prompts share."""

from __future__ import annotations

from collections.abc import Sequence

from harnesses.base import AGENTS_FILES
from harnesses.data import Env
from harnesses.wording import bullets
from oi_tui.protocol.lmc import Message, message

CLAUDE_FILES = (("CLAUDE.md", ".claude/CLAUDE.md"), ("CLAUDE.local.md",), AGENTS_FILES)
STALE = 10  # results and texts without a look at the list of tasks, after which the model is reminded of it
_TASK_TOOLS = frozenset({"TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TodoWrite", "TodoRead"})
_REMINDER = (
    "<system-reminder>The list of tasks has not been used for a while. If what you are doing has several steps, keep "
    "the list; if it is out of date, clean it up. Leave it alone where it does not fit, and do not mention this to the "
    "person.</system-reminder>"
)


def reminder(text: str) -> str:
    return f"<system-reminder>\n{text}\n</system-reminder>"


def reminders(env: Env) -> Sequence[Message]:
    """What stands before the person's first message: skills, then the project's own instructions and the date."""
    made: list[Message] = []
    if env.skills and "skill" not in env.missing:
        lines = [f"{one.name}: {one.description}" for one in env.skills]
        made.append(_note("These skills can be loaded with the tool Skill:\n\n" + bullets(lines)))
    parts: list[str] = []
    if env.project_docs:
        parts.append("# projectInstructions\nThe project's own instructions come before your habits; follow them.")
        parts += [f"Contents of {path}:\n\n{text}" for path, text in env.project_docs]
    if env.now:
        parts.append(f"# currentDate\nToday's date is {env.now[:10]}.")
    if parts:
        closing = "This may or may not have to do with what you are asked. Do not answer to it unless it does."
        made.append(_note("\n\n".join([*parts, closing])))
    return made


def _note(text: str) -> Message:
    return message("user", "message", reminder(text), recipient="assistant")


def memory_section(env: Env) -> str:
    """What earlier sessions noted."""
    return (
        f"# Memory\n\nNotes from earlier sessions; check them before you rely on them.\n\n{env.memory}"
        if env.memory
        else ""
    )


def git_status(env: Env) -> str:
    """The repository as it was when the session began, "" where there is none."""
    git = env.git
    if git is None:
        return ""
    fields = [
        "gitStatus: This is the state of the repository when the conversation began; it is not brought up to date.",
        f"Current branch: {git.branch}",
        f"Main branch (usually the target of merge requests): {git.main or 'main'}",
        f"Git user: {git.user}" if git.user else "",
        f"Status:\n{git.status or '(clean)'}",
        f"Recent commits:\n{git.recent}" if git.recent else "",
    ]
    return "\n\n".join(field for field in fields if field)


def with_task_reminder(history: Sequence[Message]) -> Sequence[Message]:
    """The history with one reminder at the result where the list of tasks had been left alone for too long.

    Counted anew after each use of the list; the place depends only on what came before it, so it stays in the request.
    """
    made: list[Message] = []
    stale, told = 0, False
    for one in history:
        call = one.get("call", {})
        if one["role"] == "assistant" and call.get("name") in _TASK_TOOLS:
            stale, told = 0, False
        elif (one["role"] == "computer" and "result" in call) or (
            one["role"] == "assistant" and one["type"] == "message" and str(one.get("content", "")).strip()
        ):
            stale += 1
            if stale >= STALE and not told and "result" in call:
                told = True
                facts = call["result"]
                noted = {**facts, "meta": {**facts.get("meta", {}), "reminder": _REMINDER}}
                one = {**one, "call": {**call, "result": noted}}
        made.append(one)
    return made
