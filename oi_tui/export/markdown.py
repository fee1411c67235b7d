"""A conversation as Markdown, with a heading for each who speaks, and as a script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from oi_tui.export.story import Did, Part, Planned, Ran, Said, told
from oi_tui.protocol.lmc import Message

_COMMENTS = {"python": "#", "shell": "#", "r": "#", "ruby": "#", "zsh": "#", "powershell": "#"}


def write(messages: Sequence[Message]) -> str:
    """The conversation as Markdown; pictures are in it."""
    made: list[str] = []
    speaker = ""
    for part in told(messages).parts:
        now = _speaker(part)
        if now != speaker:
            made.append(f"## {now}")
            speaker = now
        made += _shown(part)
    return "\n\n".join(made) + "\n"


def _speaker(part: Part) -> str:
    return "user" if isinstance(part, Said) and part.person else "assistant"


def _shown(part: Part) -> list[str]:
    match part:
        case Said(text=text):
            return [text]
        case Ran():
            return _block(part)
        case Did(title, ok, diffs):
            return [f"*{title}{'' if ok else ' (failed)'}*", *(fenced(diff, "diff") for diff in diffs)]
        case Planned(steps):
            return ["\n".join(f"- [{'x' if status == 'completed' else ' '}] {step}" for step, status in steps)]


def _block(part: Ran) -> list[str]:
    made = [fenced(part.code, part.language)]
    if not part.ran:
        return [*made, f"*not run{f': {part.note}' if part.note else ''}*"]
    if part.output.strip():
        made.append(fenced(part.output, "output"))
    made += [f"![picture](data:image/{one.format.rpartition('.')[2]};base64,{one.data})" for one in part.pictures]
    made += [one.content if one.format == "markdown" else fenced(one.content, one.format) for one in part.rich]
    return [*made, f"*{part.note}*"] if part.note else made


def fenced(text: str, language: str) -> str:
    """A block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def script(messages: Sequence[Message], language: str = "python") -> str:
    """The blocks of one language that ran well, in order, with what was said as comments: a program that does the same
    again. language: python, shell, r or ruby."""
    sign = _COMMENTS[language]
    made: list[str] = ["#!/usr/bin/env bash"] if language == "shell" else []
    for part in told(messages).parts:
        if isinstance(part, Said):
            made.append("\n".join(f"{sign} {line}".rstrip() for line in part.text.split("\n")))
        elif isinstance(part, Ran) and part.ran and part.ok and part.language == language:
            made.append(part.code.rstrip())
    return "\n\n".join(made) + "\n"
