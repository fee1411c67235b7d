"""Every wire, whole and cut at every 97th byte, gives the same transcript; mock and official types take every body."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from tests.mock_model import MockModel
from tests.models.wires.conversation import WIRES, hold
from tests.models.wires.official import check_body, installed, package

_SUMMARY = [{"type": "summary_text", "text": one} for one in ("Let me", "see.")]
_Held = tuple[list[tuple[Any, ...]], list[dict[str, Any]]]
_held: dict[tuple[str, int], _Held] = {}


async def _conversation(wire: str, write_size: int = 0) -> _Held:
    """What was seen, and the bodies of all requests."""
    if (wire, write_size) not in _held:
        with MockModel(chunk=7, write_size=write_size) as mock:
            _held[wire, write_size] = await hold(mock, wire), mock.requests
    return _held[wire, write_size]


async def test_what_is_seen() -> None:
    seen, _ = await _conversation("chat")
    kinds = [one[0] for one in seen]
    assert kinds.count("person") == 17
    assert [one[1] for one in seen if one[0] == "thought"] == ["Let me\n\nsee.", "Again."]
    assert [one[4] for one in seen if one[0] == "code"][:3] == ["42\n", "one\n", "two\n"]
    assert [len(one[6]) for one in seen if one[0] == "code"] == [0, 0, 0, 0, 0, 1, 0, 0]
    assert kinds.count("notice") == 5
    assert ("model", "good bye") in seen


@pytest.mark.parametrize("write_size", [0, 97])
@pytest.mark.parametrize("wire", WIRES)
async def test_same_transcript_on_every_wire(wire: str, write_size: int) -> None:
    assert (await _conversation(wire, write_size))[0] == (await _conversation("chat"))[0]


@pytest.mark.parametrize(
    ("wire", "thought"),
    [
        ("chat", {"reasoning_content": "Let me\n\nsee."}),
        ("messages", {"type": "thinking", "thinking": "Let me\n\nsee."}),
        ("responses", {"type": "reasoning", "summary": _SUMMARY}),
    ],
)
async def test_thoughts_go_back(wire: str, thought: dict[str, Any]) -> None:
    _, bodies = await _conversation(wire)
    entries = bodies[-1].get("messages") or bodies[-1]["input"]
    flat = [
        part for one in entries for part in (one, *(one["content"] if isinstance(one.get("content"), list) else ()))
    ]
    assert any(thought.items() <= one.items() for one in flat if "Let me" in json.dumps(one))


@pytest.mark.parametrize("wire", WIRES)
async def test_official_types_take_every_body(wire: str) -> None:
    if not installed(wire):
        pytest.skip(f"the package {package(wire)} is not installed")
    _, bodies = await _conversation(wire)
    for body in bodies:
        check_body(wire, body)
    with pytest.raises((ValidationError, AssertionError)):
        check_body(wire, {**bodies[0], "messages": [{"role": "computer"}], "input": [{"type": "message", "role": 5}]})
    with pytest.raises(AssertionError, match="nonsense"):
        check_body(wire, {**bodies[0], "nonsense": 1})
