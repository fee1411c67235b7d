"""Calls in a harness's own vocabulary, one an answer, through the whole loop; what the model is told of each."""

from __future__ import annotations

from typing import Any

from tests.mock_model import MockModel, call, say
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live

Step = tuple[str, dict[str, Any]]


async def told(harness: str, *steps: Step, **settings: Any) -> list[str]:
    """The results of `steps` in the last request, in their order. They run in the test's work folder."""
    with MockModel([*(call(name, args) for name, args in steps), say("done")]) as mock:
        live = Live(mock, harness=harness, **settings)
        async with live:
            ended = await live.turn("go", 60)
        assert (ended.reason, ended.text) == ("done", "")
        return [text_of(one["content"]) for one in mock.requests[-1]["messages"] if one["role"] == "tool"]


def text_of(content: Any) -> str:
    """The content of a result, its parts joined."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def put(name: str, text: str) -> str:
    """A file in the work folder; its absolute path."""
    file = work_folder() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def got(name: str) -> str:
    return (work_folder() / name).read_text(encoding="utf-8")
