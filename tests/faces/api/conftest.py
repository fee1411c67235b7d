"""An interpreter whose model is a function, or the mock server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from oi_tui.faces.api.instance import OpenInterpreter


class Scripted:
    """A function for `llm.completions` that gives one text an answer. seen: the parameters of every call."""

    def __init__(self, *answers: str) -> None:
        self._answers = iter(answers)
        self.seen: list[dict[str, Any]] = []

    def __call__(self, **params: Any) -> Iterator[dict[str, Any]]:
        self.seen.append(params)
        text = next(self._answers)
        for at in range(0, len(text), 7):
            yield {"choices": [{"delta": {"content": text[at : at + 7]}}]}

    def said(self, number: int = -1) -> list[dict[str, Any]]:
        """The messages of a request, without the system message."""
        return [one for one in self.seen[number]["messages"] if one["role"] != "system"]


@pytest.fixture
def make(isolated: Any) -> Iterator[Callable[..., OpenInterpreter]]:
    """Makes interpreters that are closed at the end: `make("an answer", "another", auto_run=True)`."""
    made: list[OpenInterpreter] = []

    def new(*answers: str, **attributes: Any) -> OpenInterpreter:
        one = OpenInterpreter(**{"auto_run": True, "conversation_history": False, **attributes})
        one.llm.supports_functions = False
        if answers:
            one.llm.completions = Scripted(*answers)
        made.append(one)
        return one

    yield new
    for one in made:
        one.close()


def run(code: str, language: str = "python") -> str:
    """An answer that runs code."""
    return f"Let me see.\n```{language}\n{code}\n```"


def flat(chunks: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Chunks as (role, type, format, what), runs of text joined; what: start, end, or the content."""
    made: list[tuple[Any, ...]] = []
    for one in chunks:
        what = next((flag for flag in ("start", "end") if one.get(flag)), one.get("content"))
        head = (one["role"], one["type"], one.get("format"))
        joins = made and made[-1][:3] == head and isinstance(what, str) and what not in {"start", "end"}
        if joins and made[-1][3] not in {"start", "end"}:
            made[-1] = (*head, made[-1][3] + what)
        else:
            made.append((*head, what))
    return made
