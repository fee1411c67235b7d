"""The text form of mini-swe-agent, for models without tool calls: one labelled block, or one tag of that name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harnesses.data import Parsed
from harnesses.rendering_turns import as_shell, fenced
from harnesses.texts import TextReader
from oi_tui.protocol.calls import Call

SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
LABEL = "mswea_bash_command"
_FENCED = re.compile(rf"^(`{{3,}})[ \t]*{LABEL}[ \t]*\n(.*?)(?:\n)?^\1`*[ \t]*$", re.DOTALL | re.MULTILINE)
_TAGGED = re.compile(rf"<{LABEL}>(.*?)</{LABEL}>", re.DOTALL)
_OPENING = re.compile(rf"^[ \t]*(?:`{{3,}}[ \t]*{LABEL}\b|<{LABEL}>)", re.MULTILINE)
_ORDER = ("exception_info", "warning", "returncode", "output", "output_head", "elided_chars", "output_tail")
_TAGS = {"exception_info": "exception"}


def parse(text: str, stop: str) -> Parsed:
    """The one command of an answer, or the correction that it needs."""
    if not text.strip():
        return Parsed(stop=stop)
    found = sorted((*_FENCED.finditer(text), *_TAGGED.finditer(text)), key=lambda one: one.start())
    if stop == "length" and not text.rstrip().endswith(("```", f"</{LABEL}>")):
        return _wrong(text, "The answer was cut at its token limit before the command was complete. Be shorter.")
    # A tag that stands in a block is part of that block's command.
    actions = [one for one in found if not any(other is not one and _within(one, other) for other in found)]
    if len(actions) != 1:
        return _wrong(text, f"Expected exactly 1 action, found {len(actions)} actions.")
    (action,) = actions
    command = action[action.lastindex or 0].strip("\n")
    if not command.strip():
        return _wrong(text, "The command was empty.")
    said = "\n\n".join(part for part in (text[: action.start()].strip(), text[action.end() :].strip()) if part)
    return Parsed(said, calls=(Call("action_1", "bash", {"command": command}, command),), stop="stop")


def _within(one: re.Match[str], other: re.Match[str]) -> bool:
    return other.start() < one.start() and one.end() <= other.end()


def _wrong(text: str, why: str) -> Parsed:
    error = (
        f"Format error:\n\n<error>\n{why}\n</error>\n\nEvery response needs exactly one command, written like this:"
        f"\n\n{fenced('ls -la', LABEL)}\n\nWhen the work is done, run: echo {SENTINEL}"
    )
    return Parsed(text.strip(), error=error, stop="stop")


def reader() -> TextReader:
    """Reads one answer."""
    return TextReader(_OPENING, parse)


def block(code: str, language: str) -> str:
    """Earlier code, whoever wrote it, as a command of this form."""
    return fenced(as_shell(code, language), LABEL)


def tagged(facts: Mapping[str, Any]) -> str:
    """A command's outcome, as mini_swe_agent.py words it, in tags."""
    named = ((_TAGS.get(key, key), _inside(key, facts[key])) for key in _ORDER if key in facts)
    return "\n".join(f"<{tag}>{text}</{tag}>" for tag, text in named)


def _inside(key: str, value: object) -> str:
    return f"\n{str(value).rstrip()}\n" if key.startswith("output") else str(value)
