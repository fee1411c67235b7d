"""What the Responses wire refuses. Source: OpenAI's API reference and its guides on function calling and reasoning."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.mock_model.seals import seal
from tests.mock_model.strict import Refused

_KEYS = {
    "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "store", "stream",
    "stream_options", "include", "service_tier", "prompt_cache_key", "text", "temperature", "top_p",
    "max_output_tokens", "metadata", "truncation",
}  # fmt: skip
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST_ID = 64


def check_responses(request: dict[str, Any]) -> None:
    """Check a Responses request; raises Refused."""
    unknown = sorted(set(request) - _KEYS)
    if unknown:
        raise Refused(f"unknown parameter: '{unknown[0]}'")
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise Refused("missing required parameter: 'model'")
    if request.get("store") is not False:
        raise Refused("store must be false: this program keeps its history itself")
    _check_tools(request)
    items = request.get("input")
    if not isinstance(items, list) or not items:
        raise Refused("missing required parameter: 'input'")
    open_calls: list[str] = []
    seen: set[str] = set()
    for number, one in enumerate(items):
        _check_item(one, items[number + 1 :], open_calls, seen, f"input[{number}]")
    if open_calls:
        raise Refused(f"no tool output found for function call {open_calls[0]}")
    if items[-1].get("role") == "assistant":
        raise Refused("the input ends with the assistant")


def _check_tools(request: dict[str, Any]) -> None:
    tools = request.get("tools")
    if tools is None:
        if "tool_choice" in request:
            raise Refused("tool_choice is only allowed with tools")
        return
    if not tools:
        raise Refused("tools must not be empty")
    for number, one in enumerate(tools):
        if one.get("type") not in {"function", "custom"} or not _NAME.fullmatch(str(one.get("name"))):
            raise Refused(f"tools[{number}]: a function needs a name of the form {_NAME.pattern}")
        if one["type"] == "function" and one.get("parameters", {}).get("type") != "object":
            raise Refused(f"tools[{number}].parameters: must have type object")


def _check_item(
    one: dict[str, Any], rest: list[dict[str, Any]], open_calls: list[str], seen: set[str], where: str
) -> None:
    match one.get("type", "message"):
        case "message":
            if open_calls:
                raise Refused(f"{where}: no tool output found for function call {open_calls[0]}")
            _check_message(one, where)
        case "function_call":
            _check_call(one, seen, where)
            open_calls.append(one["call_id"])
        case "function_call_output":
            if one.get("call_id") not in open_calls:
                raise Refused(f"{where}: no tool call found for function call output {one.get('call_id')!r}")
            open_calls.remove(one["call_id"])
            output = one.get("output")
            if isinstance(output, list):
                _check_parts(output, where)
            elif not isinstance(output, str):
                raise Refused(f"{where}.output: must be text or a list of parts")
        case "reasoning":
            texts = [part["text"] for part in one.get("summary") or ()]
            if one.get("encrypted_content") != seal(str(one.get("id")), *texts):
                raise Refused(f"{where}: the encrypted content could not be verified")
            follows = rest[0] if rest else {}
            if follows.get("type") not in {"function_call", "reasoning"} and follows.get("role") != "assistant":
                raise Refused(f"{where}: reasoning was provided without its required following item")
        case kind:
            raise Refused(f"{where}: unknown item type {kind!r}")


def _check_message(one: dict[str, Any], where: str) -> None:
    if one.get("role") not in {"user", "assistant", "system", "developer"}:
        raise Refused(f"{where}: unknown role {one.get('role')!r}")
    content = one.get("content")
    if isinstance(content, str):
        if not content:
            raise Refused(f"{where}: content is empty")
    elif isinstance(content, list) and one["role"] != "assistant":
        _check_parts(content, where)
    else:
        raise Refused(f"{where}: content must be text, or parts for the user")


def _check_parts(parts: list[Any], where: str) -> None:
    if not parts:
        raise Refused(f"{where}: content has no parts")
    for part in parts:
        match part.get("type"):
            case "input_text" if part.get("text"):
                pass
            case "input_image" if str(part.get("image_url", "")).startswith("data:image/"):
                pass
            case kind:
                raise Refused(f"{where}: a part of type {kind!r} is empty or unknown")


def _check_call(one: dict[str, Any], seen: set[str], where: str) -> None:
    id = one.get("call_id")
    if not isinstance(id, str) or not 0 < len(id) <= _LONGEST_ID:
        raise Refused(f"{where}.call_id: a text of at most {_LONGEST_ID} characters is required")
    if id in seen:
        raise Refused(f"{where}: call id {id} is used twice")
    seen.add(id)
    if not _NAME.fullmatch(str(one.get("name"))):
        raise Refused(f"{where}.name: does not match {_NAME.pattern}")
    try:
        fits = isinstance(json.loads(one.get("arguments", "")), dict)
    except ValueError:
        fits = False
    if not fits:
        raise Refused(f"{where}.arguments: not a JSON object")
