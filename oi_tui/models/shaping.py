"""What of a body a server takes: the harness writes it in the wire's own words, here it is fitted to model and server.

Sources: the providers' API references; where servers differ is data, in `providers.toml` and in the catalog.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from oi_tui.models.effort import nearest

if TYPE_CHECKING:
    from oi_tui.models.catalog import ModelInfo
    from oi_tui.models.providers import Target

_SEALED = "reasoning.encrypted_content"
_MARK = {"type": "ephemeral"}
# Tokens of thought for each level, where a model wants a number. Source: Anthropic's guide on extended thinking, which
# asks for 1,024 at least and less than the whole answer may have.
_LEAST = 1024
_BUDGETS = {"minimal": _LEAST, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": 32_000, "max": 64_000}


def chat(target: Target, body: dict[str, Any]) -> dict[str, Any]:
    """A copy of a Chat Completions body as this server takes it. `stream: false` is said by leaving it out."""
    quirks = target.quirks
    shaped = {**body, "model": target.request_model, "stream": body.get("stream", True)}
    if not shaped["stream"]:
        del shaped["stream"]
    limits = [shaped.pop(name, None) for name in ("max_tokens", "max_completion_tokens")]
    limit = next((one for one in limits if one is not None), None)
    if limit is not None:
        shaped[quirks.token_key] = limit
    _without_tools(shaped, ("tools", "tool_choice", "parallel_tool_calls"))
    if not quirks.tool_choice:
        shaped.pop("tool_choice", None)
    if not quirks.parallel:
        shaped.pop("parallel_tool_calls", None)
    if not quirks.stream_usage:
        shaped.pop("stream_options", None)
    if _fits(target, quirks.temperature_not_for):
        shaped.pop("temperature", None)
    if _fits(target, quirks.cache_for):
        _mark(shaped)
    level = shaped.pop("reasoning_effort", "")
    if not level:
        return shaped
    if "thinking" in shaped:  # the harness knows its models, and says both to them
        return {**shaped, "reasoning_effort": level}
    return _chat_effort(target, level) | shaped


def _chat_effort(target: Target, level: str) -> dict[str, Any]:
    """The field that says how hard to think, in the server's own words; nothing for a model that cannot be told."""
    info = _facts(target)
    if info.known and not info.reasoning:
        return {}
    match _effort_field(target):
        case "thinking":
            return {"thinking": {"type": "disabled" if level == "none" else "enabled"}}
        case "enable_thinking":
            return {"enable_thinking": level != "none"}
        case "reasoning":
            return {"reasoning": {"effort": level}}
        case "reasoning_effort":
            fitted = nearest(level, info.efforts) if info.known else level
            return {"reasoning_effort": fitted} if fitted else {}
    return {}


def _effort_field(target: Target) -> str:
    return "reasoning_effort" if target.wire == "litellm" else target.quirks.effort  # litellm has its own translations


def _mark(body: dict[str, Any]) -> None:
    """Tell an Anthropic model behind Chat Completions what to cache: the system prompt and the last two messages of the
    other side, as the Messages wire does. Source: OpenRouter's and litellm's pages on prompt caching."""
    messages: list[dict[str, Any]] = list(body.get("messages") or ())
    given = [number for number, one in enumerate(messages) if one.get("role") in {"user", "tool"}]
    system = [0] if messages and messages[0].get("role") == "system" else []
    for number in (*system, *given[-2:]):
        content = messages[number].get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) and content else content
        if isinstance(parts, list) and parts:
            marked = [*parts[:-1], {**parts[-1], "cache_control": _MARK}]
            messages[number] = {**messages[number], "content": marked}
    body["messages"] = messages


def messages(target: Target, body: dict[str, Any]) -> dict[str, Any]:
    """A copy of a Messages body with a limit on the answer that the model allows, and no temperature where it takes
    none."""
    shaped = {**body, "model": target.request_model, "stream": True}
    info = _facts(target)
    if info.known:
        shaped["max_tokens"] = min(shaped["max_tokens"], info.output)
    _without_tools(shaped, ("tools", "tool_choice"))
    _fit_thinking(shaped, info)
    thinks = shaped.get("thinking", {}).get("type") in {"adaptive", "enabled"}
    if thinks or _fits(target, target.quirks.temperature_not_for) or not info.sampling:
        shaped.pop("temperature", None)
    if thinks and shaped.get("tool_choice", {}).get("type") in {"any", "tool"}:  # cannot be forced while it thinks
        shaped["tool_choice"] = {**shaped["tool_choice"], "type": "auto"}
        shaped["tool_choice"].pop("name", None)
    return shaped


def _fit_thinking(shaped: dict[str, Any], info: ModelInfo) -> None:
    """How hard to think, in the words of the model's generation: by itself with an effort, or a number of tokens."""
    kind = shaped.get("thinking", {}).get("type")
    if kind is None:
        return
    if info.known and not info.reasoning:
        shaped.pop("thinking")
        shaped.pop("output_config", None)
    elif kind == "adaptive" and not info.adaptive:
        level = shaped.pop("output_config", {}).get("effort", "high")
        shaped["thinking"] = {"type": "enabled", "budget_tokens": _BUDGETS[level]}
    elif kind == "adaptive" and info.efforts and "output_config" in shaped:
        config = shaped["output_config"]
        shaped["output_config"] = {**config, "effort": nearest(config.get("effort", "high"), info.efforts)}
    budget = shaped.get("thinking", {}).get("budget_tokens")
    if budget is not None:
        fitted = min(budget, shaped["max_tokens"] - 1)
        shaped["thinking"] = {**shaped["thinking"], "budget_tokens": fitted}
        if fitted < _LEAST:
            del shaped["thinking"]


def responses(target: Target, body: dict[str, Any]) -> dict[str, Any]:
    """A copy of a Responses body without what this server or model refuses."""
    quirks = target.quirks
    shaped = {**body, "model": target.request_model, "stream": True, "store": False}
    _without_tools(shaped, ("tools", "tool_choice", "parallel_tool_calls"))
    if not quirks.tool_choice:
        shaped.pop("tool_choice", None)
    if not quirks.parallel:
        shaped.pop("parallel_tool_calls", None)
    if _fits(target, quirks.temperature_not_for):
        shaped.pop("temperature", None)
    reasons = not quirks.reasoning_for or _fits(target, quirks.reasoning_for)
    if not reasons:
        kept = [one for one in shaped.pop("include", []) if one != _SEALED]
        shaped.update({"include": kept} if kept else {})
    wanted = dict(shaped.pop("reasoning", {}))
    if wanted and reasons:
        info = _facts(target)
        if "effort" in wanted and info.known:
            wanted["effort"] = nearest(wanted["effort"], info.efforts)
        shaped["reasoning"] = {key: one for key, one in wanted.items() if one}
        if not shaped["reasoning"] or (info.known and not info.reasoning):
            del shaped["reasoning"]
    return shaped


def prefilled(target: Target, body: dict[str, Any]) -> dict[str, Any] | None:
    """A copy of a body that ends with the beginning of an answer, so that the model goes on with it; None where this
    server or model would refuse that or begin another answer."""
    messages: list[dict[str, Any]] = list(body.get("messages") or ())
    if not messages or messages[-1].get("role") != "assistant" or messages[-1].get("tool_calls"):
        return None
    if target.wire == "messages":
        thinks = body.get("thinking", {}).get("type") in {"adaptive", "enabled"}
        return dict(body) if _facts(target).prefill and not thinks else None
    mark = "prefix" if target.wire == "litellm" else target.quirks.prefill
    if not mark or ((mark == "plain" or target.wire == "litellm") and not _facts(target).prefill):
        return None
    messages[-1] = messages[-1] if mark == "plain" else {**messages[-1], mark: True}
    return {**body, "messages": messages}


def takes_effort(target: Target) -> tuple[str, ...] | None:
    """The levels of effort that can be asked of this model here; () for none at all, None where it is not known.

    A server that can only switch thinking on and off has two.
    """
    info = _facts(target)
    field = _effort_field(target) if target.wire in {"chat", "litellm"} else "own"
    if not field or (info.known and not info.reasoning):
        return ()
    if field in {"thinking", "enable_thinking"}:
        return ("none", "high")
    if target.wire == "messages" and info.known and not info.adaptive:
        return ("none", *_BUDGETS)
    return info.efforts if info.known else None


def _facts(target: Target) -> ModelInfo:
    from oi_tui.models import catalog

    return catalog.look_up(
        target.catalog_model,
        target.provider.id,
        local=target.provider.local,
        overrides=target.overrides,
        written=target.model,
    )


def _fits(target: Target, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(target.request_model, one) for one in patterns)


def _without_tools(shaped: dict[str, Any], names: tuple[str, ...]) -> None:
    if not shaped.get("tools"):
        for name in names:
            shaped.pop(name, None)
