"""Every harness on every wire it has: its whole request for one fixed conversation, as it was when last looked at."""

from __future__ import annotations

import json
import os
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import harnesses
from harnesses import checking
from harnesses.data import Options, Wire
from oi_tui.tools import NAMES
from tests.harnesses.golden import ENV, HISTORY, body
from tests.mock_model.strict import check_chat
from tests.mock_model.strict_messages import check_messages
from tests.mock_model.strict_responses import check_responses
from tests.models.wires.official import check_body, installed, package

_FOLDER = Path(__file__).with_name("golden")
_CHECKS = {"chat": check_chat, "messages": check_messages, "responses": check_responses}
_ALL = [(one, wire) for one in harnesses.BUILT_IN for wire in harnesses.load(one).wires]


@pytest.mark.parametrize(("harness_id", "wire"), _ALL)
def test_request(harness_id: str, wire: Wire) -> None:
    made = body(harnesses.load(harness_id), wire)
    _CHECKS[wire](made)
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    file = _FOLDER / f"{harness_id}.{wire}.json"
    if os.environ.get("OI_TEST_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("effort", ["", "high"])
@pytest.mark.parametrize(("harness_id", "wire"), _ALL)
def test_the_types_of_the_providers_packages_take_it(harness_id: str, wire: Wire, effort: str) -> None:
    if not installed(wire):
        pytest.skip(f"the package {package(wire)} is not installed")
    made = body(harnesses.load(harness_id), wire, effort=effort)
    if harness_id == "deepseek-tui":
        made.pop("thinking", None)  # DeepSeek's own field
    check_body(wire, {**made, "stream": True})


@pytest.mark.parametrize(("harness_id", "wire"), _ALL)
def test_the_beginning_of_a_request_stays_the_same(harness_id: str, wire: Wire) -> None:
    """Adding to a conversation leaves what was sent before as it was: providers keep it in their caches."""
    why = {
        "embedded": "it sends only the newest exchanges",
        "deepseek-tui": "the facts on a turn stand before the newest request alone; test_deepseek_tui.py has its rule",
    }.get(harness_id)
    if why:
        pytest.skip(why)
    harness, options = harnesses.load(harness_id), Options("a-model", session_id="s1", wire=wire)
    before = _sent(harness.build(HISTORY[:6], ENV, options), wire)
    after = _sent(harness.build(HISTORY, ENV, options), wire)
    shared = next((n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), len(before))
    assert shared >= len(before) - 1


def _sent(made: dict[str, Any], wire: Wire) -> list[str]:
    """Everything in the order in which a provider reads it, without marks for the cache."""
    head = [made.get("tools"), made.get("system"), made.get("instructions")]
    parts = [*head, *made["input" if wire == "responses" else "messages"]]
    return [json.dumps(_unmarked(one), sort_keys=True) for one in parts]


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(one) for one in value]
    if isinstance(value, dict):
        plain = {key: _unmarked(one) for key, one in value.items() if key != "cache_control"}
        only = plain.get("content")
        if isinstance(only, list) and len(only) == 1 and only[0].keys() == {"type", "text"}:
            plain["content"] = only[0]["text"]
        return plain
    return value


@pytest.mark.parametrize(("harness_id", "wire"), _ALL)
def test_it_holds_together(harness_id: str, wire: Wire) -> None:
    """Every advertised tool ends in an executor that takes its arguments, says what it is for, and so on."""
    takes = {name: set(signature(import_module(f"oi_tui.tools.{name}").run).parameters) for name in NAMES}
    assert checking.problems(harnesses.load(harness_id), ENV, wire, takes) == []


@pytest.mark.parametrize("harness_id", list(harnesses.BUILT_IN))
def test_a_tool_takes_nothing_that_it_does_not_name(harness_id: str) -> None:
    for tool in harnesses.load(harness_id).tools(ENV):
        assert tool.schema["additionalProperties"] is False, tool.name
