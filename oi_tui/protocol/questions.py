"""A question of the model as text for a person, and what the person's reply means."""

from __future__ import annotations

import re

from oi_tui.protocol.calls import Question
from oi_tui.protocol.events import QuestionAsked

_NUMBERS = re.compile(r"\s*\d+(?:\s*[,; ]\s*\d+)*\s*")


def meant(question: Question, text: str) -> tuple[str, ...]:
    """What a reply says: options by number or label, several where that is asked for, else the words themselves."""
    labels = [one.label for one in question.options]
    text = text.strip()
    if labels and _NUMBERS.fullmatch(text):
        numbers = [int(one) for one in re.findall(r"\d+", text)]
        if all(1 <= one <= len(labels) for one in numbers) and (question.several or len(numbers) == 1):
            return tuple(dict.fromkeys(labels[one - 1] for one in numbers))
    by_name = {label.casefold(): label for label in labels}
    parts = [one.strip().casefold() for one in text.split(",")] if question.several else [text.casefold()]
    if all(one in by_name for one in parts):
        return tuple(dict.fromkeys(by_name[one] for one in parts))
    return (text,)


def as_markdown(asked: QuestionAsked) -> str:
    """A question as a person is shown it, with how to answer."""
    question = asked.question
    place = f" ({asked.number} of {asked.total})" if asked.total > 1 else ""
    head = f"**{question.header}**{place}: " if question.header else ""
    lines = [f"{head}{question.text}{'' if head else place}", ""]
    for number, one in enumerate(question.options, 1):
        lines.append(f"{number}. **{one.label}**" + (f": {one.detail}" if one.detail else ""))
    if question.options:
        numbers = "numbers, such as 1,3" if question.several else "a number"
        lines += ["", f"*Answer with {numbers}, or in your own words.*"]
    return "\n".join(lines)
