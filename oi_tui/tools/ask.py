"""Executor `ask`: questions to the person, who takes an option or answers in words of their own."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Option, Question, Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, failure

MOST_QUESTIONS = 4
MOST_OPTIONS = 6
_LONGEST = 2000  # characters of a text


def preview(ctx: Context, questions: list[Any]) -> Preview:
    """questions: objects as README.md says."""
    asked = _checked(questions)
    text = "\n".join(one.text for one in asked)
    return Preview("tool", "", text, f"ask {len(asked)} question{'s' * (len(asked) != 1)}")


async def run(ctx: Context, questions: list[Any]) -> Result:
    """Ask them. text: each question and its answer; meta["answers"]: question -> texts."""
    asked = _checked(questions)
    answers = await ctx.host.ask(ctx.call_id, asked) if ctx.host is not None else None
    if answers is None:
        return failure("nobody is here to answer; decide and say what you assumed", "unavailable")
    rows = [f"{one.text}\n{', '.join(given) or '(no answer)'}" for one, given in zip(asked, answers, strict=True)]
    found = {one.text: list(given) for one, given in zip(asked, answers, strict=True)}
    ids = {one.id: list(given) for one, given in zip(asked, answers, strict=True) if one.id}
    meta = {"answers": found, "by_id": ids, "summary": "; ".join(", ".join(given) for given in answers)[:60]}
    return Result(ok=True, text="\n".join(rows), meta=meta)


def _checked(questions: list[Any]) -> tuple[Question, ...]:
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise BadArgument(f"there must be 1 to {MOST_QUESTIONS} questions, not {len(questions)}")
    return tuple(_question(number, one) for number, one in enumerate(questions, 1))


def _question(number: int, given: object) -> Question:
    if not isinstance(given, dict) or not isinstance(given.get("question"), str) or not given["question"].strip():
        raise BadArgument(f"question {number} must be an object with question (text)")
    options = given.get("options") or []
    if not isinstance(options, list) or len(options) > MOST_OPTIONS:
        raise BadArgument(f"question {number} must have a list of at most {MOST_OPTIONS} options")
    return Question(
        given["question"].strip()[:_LONGEST],
        str(given.get("header") or "").strip()[:80],
        tuple(option(number, one) for one in options),
        given.get("several") is True,
        str(given.get("id") or ""),
    )


def option(number: int, given: object) -> Option:
    """An option out of the words of a model. number: of the question it belongs to. Raises BadArgument."""
    if isinstance(given, str) and given.strip():
        return Option(given.strip())
    if not isinstance(given, dict) or not str(given.get("label") or "").strip():
        raise BadArgument(f"an option of question {number} must be an object with label and description")
    detail = str(given.get("description") or "").strip()
    return Option(str(given["label"]).strip()[:_LONGEST], detail[:_LONGEST])
