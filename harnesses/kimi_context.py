"""What the Kimi harnesses share in their prompts and around the conversation: the template, the tree, reminders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from harnesses.arguments import canonical
from harnesses.base import prompt
from harnesses.data import Entry, Env, Guard, Made
from harnesses.wording import bullets
from oi_tui.protocol.calls import Call
from oi_tui.protocol.lmc import Message, message

_SCOPES = ("project", "user", "extra", "built-in")
_AGENT = (
    "You are an agent that another agent gave a task to. It sees nothing but your last message: put all of the result "
    "there. Nobody can answer questions; decide for yourself and say what you assumed."
)
_ON_WINDOWS = " Commands are for a POSIX shell here, too: forward slashes in paths, `/dev/null` rather than `NUL`."
REMINDER = (
    "<system-reminder>\nCalls that need the person's permission are put before them by this program: make them, and do "
    "not ask for permission in your text. Work on by yourself until the task is done; ask only what you cannot find "
    "out or decide yourself.\n</system-reminder>"
)


def reminder(text: str) -> str:
    """Something that this program says in the person's place."""
    return f"<system-reminder>\n{text}\n</system-reminder>"


_REMINDING = message("user", "message", REMINDER, recipient="assistant")
_NOTES = {
    3: "This is the third time in a row that you make this very call. Its result will be the same: use it.",
    5: "You have made this very call five times in a row. Stop, think what you expect of it, and change your way.",
    8: "Eight times the same call. Do not make it again: do something else, or tell the person what is in your way. "
    "At the twelfth the turn is stopped.",
}
_MOST = 12  # the same call in a row


def filled(
    name: str,
    env: Env,
    *,
    widths: tuple[int, int],
    docs: str,
    skills: str,
    use_skills: str,
) -> str:
    """The system prompt of prompts/NAME.md with this session's facts. widths: names that are listed of the working
    directory, and of each folder in it."""
    values = {
        "role": _AGENT if {"agent", "ask"} <= env.missing else "",
        "os": env.os_version or env.platform or "an unknown system",
        "shell": f"{env.shell or 'sh'}{f'; Python is {env.python}' if env.python else ''}",
        "windows": _ON_WINDOWS if env.platform == "windows" else "",
        "now": env.now or "unknown",
        "cwd": env.cwd,
        "listing": tree(env.tree, *widths),
        "docs": docs,
        "skills": skills,
        "use_skills": use_skills if env.skills else "",
    }
    made = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), prompt(name))
    return "\n".join(line.rstrip() for line in made.split("\n"))


def tree(folder: Entry | None, root: int, child: int) -> str:
    """A folder two levels deep, at most `root` names and `child` of each folder in it."""
    if folder is None or folder.entries is None:
        return "[not readable]" if folder is None or not folder.readable else "(empty directory)"
    return "\n".join(_rows(folder, root, child, "")) or "(empty directory)"


def _rows(folder: Entry, width: int, child: int, indent: str) -> Iterator[str]:
    entries = folder.entries or ()
    left = len(entries) - width + folder.more if len(entries) > width else folder.more
    shown = entries[:width]
    for number, one in enumerate(shown):
        last = number == len(shown) - 1 and not left
        yield f"{indent}{'└── ' if last else '├── '}{one.name}{'/' if one.folder else ''}{_mark(one)}"
        if one.entries:
            yield from _rows(one, child, child, indent + ("    " if last else "│   "))
    if left:
        yield f"{indent}└── ... and {left} more"


def _mark(one: Entry) -> str:
    if one.folder and not one.readable:
        return " [not readable]"
    return " (empty directory)" if one.entries == () else ""


def project_docs(env: Env, ticks: int, *, named: bool) -> str:
    """The project's own instructions in a fence that nothing in them closes. named: each below its file's name."""
    texts = [f"<!-- From: {path} -->\n{text}" if named else text for path, text in env.project_docs]
    text = "\n\n".join(texts) or "(there are none)"
    fence = "`" * max(ticks, *(len(run) + 1 for run in ["", *re.findall("`+", text)]))
    return f"{fence}\n{text}\n{fence}"


def skill_list(env: Env, *, paths: bool) -> str:
    """The session's skills, by whose they are. paths: with the file to read."""
    parts: list[str] = []
    for scope in dict.fromkeys((*_SCOPES, *(one.scope or "other" for one in env.skills))):
        mine = [one for one in env.skills if (one.scope or "other") == scope]
        lines = [f"{one.name}: {one.description}" + (f" (read {one.path})" if paths else "") for one in mine]
        if lines:
            parts.append(f"## {scope.capitalize()}\n\n{bullets(lines)}")
    return "\n\n".join(parts) or "There are no skills."


def with_reminders(history: Sequence[Message]) -> Sequence[Message]:
    """The history with the reminder after each message of the person (and the files and pictures that came with it)."""
    made: list[Message] = []
    for index, one in enumerate(history):
        made.append(one)
        following = history[index + 1] if index + 1 < len(history) else None
        if not _of_person(one) or (following is not None and _attached(following)):
            continue
        if following is None or following.get("content") != REMINDER:
            made.append(_REMINDING)
    return made


def _of_person(one: Message) -> bool:
    return one["role"] == "user" and one.get("recipient") is None and one["type"] in {"message", "image", "file"}


def _attached(one: Message) -> bool:
    return _of_person(one) and one["type"] != "message"


def repeated(made: Sequence[Made], call: Call) -> Guard | None:
    """What is said to the same call made again and again, with nothing else between."""
    arguments, times = canonical(call), 1
    for one in reversed(made):
        if (one.name, one.arguments) != (call.name, arguments):
            break
        times += 1
    if times >= _MOST:
        return Guard("stop", f"the model made the same call of {call.name} {times} times in a row")
    note = _NOTES.get(times)
    return Guard("note", f"<system-reminder>{note}</system-reminder>") if note else None
