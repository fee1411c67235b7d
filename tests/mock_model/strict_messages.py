"""What the Messages wire refuses. Source: Anthropic's API reference and its pages on tool use and thinking."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from tests.mock_model.seals import seal
from tests.mock_model.strict import Refused

_KEYS = {
    "model", "messages", "max_tokens", "system", "tools", "tool_choice", "temperature", "stream", "metadata",
    "thinking", "stop_sequences", "top_k", "top_p", "context_management", "output_config", "service_tier",
}  # fmt: skip
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_PREFILLED = re.compile(r"claude-(?:sonnet|haiku|opus)-4-5")
_MOST_MARKS = 4


def check_messages(request: dict[str, Any]) -> None:
    """Check a Messages request; raises Refused."""
    unknown = sorted(set(request) - _KEYS)
    if unknown:
        raise Refused(f"{unknown[0]}: extra inputs are not permitted")
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise Refused("model: field required")
    if type(request.get("max_tokens")) is not int or request["max_tokens"] < 1:
        raise Refused("max_tokens: a whole number above 0 is required")
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages: at least one message is required")
    _check_system(request.get("system"))
    _check_tools(request)
    marks = sum(_marks(one) for one in (request.get("system"), request.get("tools"), messages))
    if marks > _MOST_MARKS:
        raise Refused(f"{marks} cache marks, at most {_MOST_MARKS} are allowed")
    waiting: list[str] = []
    seen: set[str] = set()
    for number, one in enumerate(messages):
        where = f"messages.{number}"
        if one.get("role") != ("user", "assistant")[number % 2]:
            raise Refused(f"{where}: user and assistant must take turns, beginning with the user")
        blocks = _blocks(one.get("content"), where)
        if one["role"] == "user":
            _check_user(blocks, waiting, where)
        else:
            waiting = _check_assistant(blocks, seen, where)
    if messages[-1]["role"] != "user":
        _check_prefill(request, _blocks(messages[-1]["content"], "messages.-1"))


def _check_prefill(request: dict[str, Any], blocks: list[dict[str, Any]]) -> None:
    """Only older models go on with an answer that is begun, and not while they think."""
    if not _PREFILLED.search(str(request.get("model"))) or blocks[-1].get("type") != "text":
        raise Refused("the conversation must end with a user message")
    if request.get("thinking", {}).get("type") in {"enabled", "adaptive"}:
        raise Refused("when thinking is enabled, the last message must not be the assistant's")
    if blocks[-1]["text"] != blocks[-1]["text"].rstrip():
        raise Refused("final assistant content cannot end with trailing whitespace")


def _marks(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_marks, value))
    if not isinstance(value, dict):
        return 0
    if "cache_control" in value and value.get("type") in {"thinking", "redacted_thinking"}:
        raise Refused("cache_control cannot be set on thinking blocks")
    return ("cache_control" in value) + _marks(value.get("content"))


def _check_system(system: Any) -> None:
    if isinstance(system, list):
        for number, one in enumerate(system):
            if one.get("type") != "text":
                raise Refused(f"system.{number}: only text is allowed")
            _check_text(one, f"system.{number}")
    elif system is not None and not isinstance(system, str):
        raise Refused("system: text or a list of text blocks")


def _check_tools(request: dict[str, Any]) -> None:
    tools = request.get("tools")
    if tools is None:
        if "tool_choice" in request:
            raise Refused("tool_choice is only allowed with tools")
        return
    names = [one.get("name") for one in tools]
    if not tools or len(set(names)) < len(names):
        raise Refused("tools: at least one, and each name once")
    for number, one in enumerate(tools):
        if not _NAME.fullmatch(str(one.get("name"))) or "function" in one:
            raise Refused(f"tools.{number}.name: does not match {_NAME.pattern}")
        if str(one.get("type")).startswith("computer_"):
            if not all(isinstance(one.get(f"display_{side}_px"), int) for side in ("width", "height")):
                raise Refused(f"tools.{number}: display_width_px and display_height_px are whole numbers")
            continue
        if one.get("input_schema", {}).get("type") != "object":
            raise Refused(f"tools.{number}.input_schema.type: must be object")


def _blocks(content: Any, where: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise Refused(f"{where}: content must be text or at least one block")
    return content


def _check_text(block: dict[str, Any], where: str) -> None:
    if not isinstance(block.get("text"), str) or not block["text"].strip():
        raise Refused(f"{where}: text content blocks must contain non-whitespace text")


def _check_image(block: dict[str, Any], where: str) -> None:
    source = block.get("source") or {}
    if source.get("type") != "base64" or source.get("media_type") not in _IMAGES:
        raise Refused(f"{where}: an image needs a base64 source of a known media type")
    try:
        base64.b64decode(source.get("data", "?"), validate=True)
    except binascii.Error:
        raise Refused(f"{where}: invalid base64 data") from None


def _check_user(blocks: list[dict[str, Any]], waiting: list[str], where: str) -> None:
    given = [one.get("tool_use_id") for one in blocks if one.get("type") == "tool_result"]
    if given != waiting:
        raise Refused(f"{where}: tool results {given} must be those of the calls {waiting}, in their order")
    if any(one.get("type") != "tool_result" for one in blocks[: len(given)]):
        raise Refused(f"{where}: tool results must come first")
    waiting.clear()
    for number, block in enumerate(blocks):
        place = f"{where}.content.{number}"
        match block.get("type"):
            case "text":
                _check_text(block, place)
            case "image":
                _check_image(block, place)
            case "tool_result":
                for part in _blocks(block.get("content"), place):
                    if part.get("type") == "image":
                        _check_image(part, place)
                    elif part.get("type") != "text" or not part.get("text"):
                        raise Refused(f"{place}: a tool result holds text and images")
            case kind:
                raise Refused(f"{place}: {kind!r} is not allowed for the user")


def _check_assistant(blocks: list[dict[str, Any]], seen: set[str], where: str) -> list[str]:
    ids: list[str] = []
    for number, block in enumerate(blocks):
        place = f"{where}.content.{number}"
        match block.get("type"):
            case "text":
                _check_text(block, place)
                if ids:
                    raise Refused(f"{place}: text after a call")
            case "thinking":
                if block.get("signature") != seal(block.get("thinking", "")):
                    raise Refused(f"{place}: invalid signature in thinking block")
            case "redacted_thinking":
                if not block.get("data"):
                    raise Refused(f"{place}.data: field required")
            case "tool_use":
                if not _NAME.fullmatch(str(block.get("id"))) or not _NAME.fullmatch(str(block.get("name"))):
                    raise Refused(f"{place}: id and name must match {_NAME.pattern}")
                if not isinstance(block.get("input"), dict):
                    raise Refused(f"{place}.input: must be an object")
                if block["id"] in seen:
                    raise Refused(f"{place}: tool_use ids must be unique")
                seen.add(block["id"])
                ids.append(block["id"])
            case kind:
                raise Refused(f"{place}: {kind!r} is not allowed for the assistant")
    return ids
