"""What one session learns of a model, the next one knows; how hard to think goes with every request."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from oi_tui import paths
from tests.mock_model import MockModel, answer, code, http, say
from tests.user_reports.in_process import Live

_NO_TOOLS = http(400, {"error": "model does not support tools"})


async def _tools_sent(mock: MockModel, **llm: Any) -> list[bool]:
    """Whether each request of a new session had tools."""
    before = len(mock.requests)
    live = Live(mock)
    for name, value in llm.items():
        setattr(live.settings.llm, name, value)
    async with live:
        await live.turn("go")
    return ["tools" in one for one in mock.requests[before:]]


async def test_a_model_without_tools_is_remembered_over_sessions() -> None:
    file = paths.learned_file()
    with MockModel([_NO_TOOLS, say("a"), say("b"), say("c")]) as mock, MockModel() as other:
        assert await _tools_sent(mock) == [True, False]
        assert await _tools_sent(mock) == [False]
        assert await _tools_sent(mock, supports_functions=True) == [True], "the person knows better"
        assert await _tools_sent(other) == [True], "another server is another matter"

        kept = json.loads(file.read_text(encoding="utf-8"))
        assert [mock.url in one and one.endswith(" x") for one in kept["no tools"]] == [True]
        kept["no tools"] = {one: time.time() - 31 * 24 * 3600 for one in kept["no tools"]}
        file.write_text(json.dumps(kept), encoding="utf-8")
        assert await _tools_sent(mock) == [True], "after a month it is asked again"


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"no tools": ["x"]}', '{"no tools": {"x": "y"}}'])
async def test_a_file_that_cannot_be_read_is_as_good_as_none(text: str) -> None:
    paths.private_dir(paths.home())
    paths.learned_file().write_text(text, encoding="utf-8")
    with MockModel([_NO_TOOLS]) as mock:
        assert await _tools_sent(mock) == [True, False]
        assert await _tools_sent(mock) == [False]


async def test_effort_goes_with_every_request_until_it_is_changed() -> None:
    with MockModel([answer(say("a")), code("python", "1"), say("b"), say("c")]) as mock:
        live = Live(mock)
        live.settings.llm.reasoning_effort = "low"
        async with live:
            await live.turn("one")
            assert live.session.use_effort("max") == ""
            await live.turn("two")
            live.session.use_effort("")
            await live.turn("three")
            with pytest.raises(ValueError, match="there is no effort 'a lot'"):
                live.session.use_effort("a lot")
    assert [one.get("reasoning_effort") for one in mock.requests] == ["low", "max", "max", None]
