"""What models are told in plan mode: only look, then put a plan before the person. One wording for each family."""

from __future__ import annotations

from harnesses.data import PlanNote
from oi_tui.protocol.plans import CLOSE, OPEN

_RULE = (
    "Plan mode is on. Look, read and search as much as you need, but change nothing: no file, no setting, no "
    "repository, nothing on the network. Code and commands that do more than look are refused. This comes before "
    "everything else that you were told."
)
_CONTENT = (
    "The plan says, in Markdown, what will be changed and where, in which order, and how the result will be checked. "
    "Where there are several ways, it names one and why."
)
_STILL = "Plan mode is still on: look, and change nothing."
_WAIT = "Do not begin with the work before the person has agreed to the plan."
_BETWEEN = f"the plan between a line {OPEN} and a line {CLOSE}"


def over(note: PlanNote, again: str = "") -> str:
    """Plan mode has ended. again: where the plan stands."""
    agreed = "The person has agreed to the plan: carry it out. " if note.agreed else ""
    where = f" The plan stands in {note.file}." if note.file else ""
    return f"Plan mode is over. {agreed}You may change things again.{where}{again}"


def plain(note: PlanNote) -> str:
    """For those whose plan stands in their answer."""
    if not note.on:
        return over(note)
    if note.inner:
        return _inner(note)
    end = f"When you know enough, end your answer with {_BETWEEN}."
    return f"{_RULE}\n\n{end} {_CONTENT} {_WAIT}" if note.full else f"{_STILL} End with {_BETWEEN}."


def _inner(note: PlanNote) -> str:
    """For an agent of a session that plans."""
    return (
        f"{_RULE} Another agent makes the plan: give it what you have found." if note.full else f"{_STILL} Report it."
    )


def in_words(note: PlanNote) -> str:
    """For small models, who know no tags: the answer is the plan."""
    if not note.on:
        return over(note)
    return "Do not write code and change nothing now. Say in a few numbered steps how you would do it."


def in_file(note: PlanNote, write: str, edit: str, leave: str, ask: str) -> str:
    """For those who write the plan to a file and then call a tool. write, edit, leave, ask: names of their tools."""
    if not note.on:
        return over(note)
    if note.inner:
        return _inner(note)
    if not note.file:
        return plain(note)
    if not note.full:
        return (
            f"{_STILL} The plan stands in {note.file}, the one file that you may write. End what you do with {leave}, "
            f"or with a question by {ask}."
        )
    return (
        f"{_RULE}\n\nThe one exception is the file of the plan, {note.file}: make it with {write}, change it with "
        f"{edit}, and bring it up to date as you find out more. {_CONTENT}\n\nAsk by {ask} what only the person can "
        f"decide. When the plan is complete, call {leave}: it shows the plan and asks the person to agree to it; do "
        f"not ask for that in your text, and do not end your turn in another way. {_WAIT}"
    )


def by_call(note: PlanNote, leave: str) -> str:
    """For those who give the plan to a tool."""
    if not note.on:
        return over(note)
    if note.inner:
        return _inner(note)
    end = f"call {leave} with the plan: it shows the plan and asks the person to agree to it"
    if not note.full:
        return f"{_STILL} When you know enough, {end}."
    return f"{_RULE}\n\nWhen you know enough, {end}. {_CONTENT} {_WAIT}"


def in_phases(note: PlanNote, leave: str, agent: bool) -> str:
    """In four steps. agent: there are agents to look with."""
    if not note.on or note.inner or not note.full:
        return by_call(note, leave)
    explore = (
        "Send out up to three agents of the type Explore in one message, each with a question of its own; one is "
        "enough where the place is known."
        if agent
        else "Read what the request is about, and search for what depends on it."
    )
    return (
        f"{_RULE}\n\n"
        f"1. Explore. Understand the request and the code that it is about. {explore}\n"
        "2. Design. Decide how it is to be done; think of what could break.\n"
        "3. Review. Read the files that will change once more, hold the design against the request, and ask the person "
        "what is not clear.\n"
        f"4. Propose. Call {leave} with the plan. {_CONTENT}\n\n{_WAIT}"
    )
