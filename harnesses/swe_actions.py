"""Actions out of swe-agent's answers, and what is wrong with an answer that has none."""

from __future__ import annotations

import re

from harnesses import swe_editor
from harnesses.base import RUN
from harnesses.data import Parsed
from oi_tui.protocol.calls import Call

OPENING = re.compile(r"^[ \t]*(?:```|<(?:tool_invoke|invoke|execute_bash|command)\b)", re.MULTILINE)

_TOOL_INVOKE = re.compile(
    r"<tool_invoke>\s*<name>\s*(?:execute_bash|bash)\s*</name>\s*<code>\n?(.*?)\n?</code>\s*(?:</tool_invoke>)?",
    re.DOTALL,
)
_INVOKE = re.compile(
    r"<invoke\s+name=\"(?:execute_bash|bash)\"\s*>\s*(?:<parameter(?:\s+name=\"command\")?>|<command>)\n?(.*?)\n?"
    r"(?:</parameter>|</command>)\s*(?:</parameter>\s*)?(?:</invoke>)?",
    re.DOTALL,
)
_EXECUTE = re.compile(r"<execute_bash>\s*(?:<code>)?\n?(.*?)\n?(?:</code>)?\s*</execute_bash>", re.DOTALL)
_FENCE = re.compile(r"^(`{3,})([^\n`]*)$", re.MULTILINE)
_SHELLS = {"", "bash", "sh", "shell", "zsh", "console"}

# Programs that wait for typing, or that would leave this environment; the second list only when given nothing to do.
_BLOCKED = ("vim", "vi", "emacs", "nano", "nohup", "gdb", "less", "tail -f", "python -m venv", "make")
_BLOCKED_ALONE = {
    "python", "python3", "ipython", "bash", "sh", "/bin/bash", "/bin/sh", "nohup", "vi", "vim", "emacs", "nano", "su",
}  # fmt: skip

FORMAT = (
    "Your output was not formatted correctly: {why} Always give one discussion and one command, like this:\n\n"
    "DISCUSSION\nLet me see what is in this folder.\n\n```\nls -la\n```"
)


def parse(text: str, stop: str) -> Parsed:
    """The one action of an answer, or the correction that it needs."""
    if not text.strip():
        return Parsed(stop=stop)
    found = _tagged(text) or _last_block(text)
    if found is None:
        return Parsed(text.strip(), error=FORMAT.format(why="there was no command in it."), stop=stop)
    thought, command = found
    if stop == "length" and not text.rstrip().endswith(("```", ">")):
        return Parsed(text.strip(), error=FORMAT.format(why="it was cut before its end; be shorter."), stop="stop")
    call = as_call(command)
    if isinstance(call, str):
        return Parsed(text.strip(), error=call, stop=stop)
    return Parsed(thought, calls=(call,), stop="stop")


def as_call(command: str) -> Call | str:
    """The call that a command means, or why it is none."""
    command = command.strip("\n")
    words = command.strip()
    if not words:
        return FORMAT.format(why="the command was empty.")
    if words == "submit":
        return Call("submit_1", "submit", {}, "{}")
    if words.startswith("str_replace_editor "):
        return swe_editor.read(words)
    first = words.split("\n")[0].strip()
    blocked = next((one for one in _BLOCKED if first == one or first.startswith(one + " ")), "")
    if (
        blocked
        or words in _BLOCKED_ALONE
        or (first.startswith("radare2") and " -c" not in first)
        or first.startswith("r2 ")
        or first == "r2"
    ):
        return f"Operation '{first}' is not supported by this environment."
    arguments = {"language": "shell", "code": command}
    return Call("action_1", RUN.name, arguments, command)


def _tagged(text: str) -> tuple[str, str] | None:
    for form in (_TOOL_INVOKE, _INVOKE, _EXECUTE):
        found = form.search(text)
        if found is not None:
            return _without(text, found.start(), found.end()), found[1]
    return None


def _last_block(text: str) -> tuple[str, str] | None:
    """The last fenced block at the top level. A fence with a label always opens, so blocks nest; a bare one closes what
    is open, or opens."""
    stack: list[tuple[int, int, str]] = []  # start, start of the inside, label
    last: tuple[int, int, str, str] | None = None
    for fence in _FENCE.finditer(text):
        label = fence[2].strip().lower()
        if label or not stack:
            stack.append((fence.start(), fence.end() + 1, label))
            continue
        start, inside, label = stack.pop()
        if not stack:
            last = (start, fence.end(), label, text[inside : fence.start()])
    if last is None or last[2] not in _SHELLS:
        return None
    return _without(text, last[0], last[1]), last[3]


def _without(text: str, start: int, end: int) -> str:
    return "\n\n".join(part for part in (text[:start].strip(), text[end:].strip()) if part)
