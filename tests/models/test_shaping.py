"""What of a body a server takes: how hard to think, in each server's words; what to cache."""

from __future__ import annotations

from typing import Any

import pytest

from oi_tui.models import catalog, effort, shaping
from oi_tui.models.client import BadRequest
from oi_tui.models.providers import Target, resolve

_CHAT: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "xhigh"}
_OVER = {"mine": {"reasoning": True, "efforts": ["high", "low"]}, "dumb": {"reasoning": False}}


def _target(model: str, **more: Any) -> Target:
    return resolve(model, api_key="k", environ={}, models=_OVER, **more)


def _own(model: str, wire: str = "chat") -> Target:
    return _target(model, api_base="http://127.0.0.1:1/v1", wire_api=wire)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("gpt-5", {"reasoning_effort": "high"}),
        ("gpt-5.2", {"reasoning_effort": "xhigh"}),
        ("gpt-4.1", {}),
        ("openrouter/z-ai/glm-4.6", {"reasoning": {"effort": "xhigh"}}),
        ("kimi-k9", {"thinking": {"type": "enabled"}}),
        ("dashscope/qwen9", {"enable_thinking": True}),
        ("mistral/unheard-of", {}),
        ("bedrock/unheard-of", {"reasoning_effort": "xhigh"}),
    ],
)
def test_effort_on_the_chat_wire(model: str, fields: dict[str, Any]) -> None:
    shaped = shaping.chat(_target(model), _CHAT)
    names = ("reasoning_effort", "reasoning", "thinking", "enable_thinking")
    assert {key: shaped[key] for key in names if key in shaped} == fields


def test_effort_that_can_only_be_switched_off() -> None:
    assert shaping.chat(_target("kimi-k9"), {**_CHAT, "reasoning_effort": "none"})["thinking"] == {"type": "disabled"}
    own = {"thinking": {"type": "enabled", "keep": "all"}}
    shaped = shaping.chat(_target("kimi-k9"), {**_CHAT, **own})
    assert (shaped["thinking"], shaped["reasoning_effort"]) == (own["thinking"], "xhigh"), "the harness knows better"
    assert shaping.chat(_target("kimi-k9"), {**_CHAT, "max_tokens": 9})["max_completion_tokens"] == 9


def test_what_a_person_says_of_a_model_counts() -> None:
    assert shaping.chat(_own("mine"), _CHAT)["reasoning_effort"] == "high"
    assert "reasoning_effort" not in shaping.chat(_own("dumb"), _CHAT)
    assert shaping.chat(_own("other"), _CHAT)["reasoning_effort"] == "xhigh"
    assert catalog.look_up("mine", overrides=_OVER).efforts == ("low", "high")
    with pytest.raises(BadRequest, match="efforts: 'high' is no list of efforts"):
        catalog.look_up("mine", overrides={"mine": {"efforts": "high"}})


def _thinking(target: Target, level: str, **more: Any) -> dict[str, Any]:
    asked = {"thinking": {"type": "adaptive"}, "output_config": {"effort": level}}
    asked = {"thinking": {"type": "disabled"}} if level == "none" else asked
    return shaping.messages(target, {"max_tokens": 16_000, "messages": [], "temperature": 0.5, **asked, **more})


@pytest.mark.parametrize(
    ("model", "level", "fields"),
    [
        ("claude-opus-4-7", "xhigh", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}}),
        ("claude-sonnet-4-6", "xhigh", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ("claude-sonnet-4-6", "none", {"thinking": {"type": "disabled"}}),
        ("claude-sonnet-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ("claude-sonnet-4-5", "max", {"thinking": {"type": "enabled", "budget_tokens": 15_999}}),
        ("claude-haiku-latest", "max", {}),
        ("minimax/MiniMax-M9", "medium", {"thinking": {"type": "enabled", "budget_tokens": 10_000}}),
    ],
)
def test_effort_on_the_messages_wire(model: str, level: str, fields: dict[str, Any]) -> None:
    shaped = _thinking(_target(model), level)
    assert {key: shaped[key] for key in ("thinking", "output_config") if key in shaped} == fields
    assert ("temperature" in shaped) == (fields.get("thinking", {"type": "disabled"})["type"] == "disabled")


def test_thinking_needs_room_and_cannot_be_forced_to_call() -> None:
    target = _target("claude-sonnet-4-5")
    assert "thinking" not in _thinking(target, "high", max_tokens=1000)
    tools = {"tools": [{"name": "run"}], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}}
    assert _thinking(target, "high", **tools)["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}
    assert _thinking(target, "none", **tools)["tool_choice"]["type"] == "any"


@pytest.mark.parametrize(
    ("model", "asked", "sent"),
    [
        ("gpt-5", {"effort": "none", "summary": "auto"}, {"effort": "minimal", "summary": "auto"}),
        ("gpt-5.2", {"effort": "xhigh"}, {"effort": "xhigh"}),
        ("gpt-4.1", {"effort": "high", "summary": "auto"}, None),
    ],
)
def test_effort_on_the_responses_wire(model: str, asked: dict[str, str], sent: dict[str, str] | None) -> None:
    assert shaping.responses(_target(model, wire_api="responses"), {"reasoning": asked}).get("reasoning") == sent


@pytest.mark.parametrize(
    ("target", "levels"),
    [
        (_target("gpt-5"), ("minimal", "low", "medium", "high")),
        (_target("gpt-4.1"), ()),
        (_target("mistral/x"), ()),
        (_target("zai/unheard-of"), ("none", "high")),
        (_target("claude-sonnet-4-6"), ("low", "medium", "high", "max")),
        (_target("claude-sonnet-4-5"), ("none", "minimal", "low", "medium", "high", "xhigh", "max")),
        (_own("unheard-of"), None),
    ],
)
def test_what_can_be_asked(target: Target, levels: tuple[str, ...] | None) -> None:
    assert shaping.takes_effort(target) == levels


def test_the_nearest_level() -> None:
    assert effort.nearest("xhigh", ("low", "high")) == "high"
    assert effort.nearest("medium", ("low", "high")) == "low"
    assert effort.nearest("low", ("none", "high")) == "none"
    assert effort.nearest("none", ("low", "high")) == "low"
    assert effort.nearest("high", ()) == ""


def test_an_anthropic_model_behind_chat_completions_is_told_what_to_cache() -> None:
    body = {
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two"},
            {"role": "tool", "tool_call_id": "c", "content": "three"},
            {"role": "user", "content": [{"type": "text", "text": "four"}, {"type": "text", "text": "five"}]},
        ]
    }
    for name in ("openrouter/anthropic/claude-sonnet-4.5", "bedrock/us.anthropic.claude-sonnet-4-5"):
        shaped = shaping.chat(_target(name), body)["messages"]
        marks = [isinstance(one["content"], list) and "cache_control" in one["content"][-1] for one in shaped]
        assert marks == [True, False, False, True, True]
        assert "cache_control" not in shaped[4]["content"][0]
    assert shaping.chat(_target("openrouter/openai/gpt-5"), body)["messages"] == body["messages"]
    assert "cache_control" not in str(body)
