"""What a strict provider refuses: the rules that every history sent to the mock has to keep.

A rule broken gives HTTP 400 with the reason, so a test that sends a bad history fails where it happens.
"""

from __future__ import annotations

import json
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # source: OpenAI's API reference, "Function name"
ROLES = {"system", "developer", "user", "assistant", "tool"}


class Refused(Exception):
    """The request breaks a rule; str() says which."""


def decode(body: bytes) -> dict[str, Any]:
    """The request as an object, or Refused if it is not JSON in valid UTF-8."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"body is not valid UTF-8: {error}") from None
    try:
        request = json.loads(text)
    except ValueError as error:
        raise Refused(f"body is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise Refused("body is not an object")
    try:
        json.dumps(request, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("a string holds a lone surrogate, which no UTF-8 text can hold") from None
    return request


def check_chat(request: dict[str, Any]) -> None:
    """Check a Chat Completions request; raises Refused."""
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise Refused("model is missing")
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages is missing or empty")
    _check_tools(request)
    waiting: list[str] = []
    seen: set[str] = set()
    for number, one in enumerate(messages):
        where = f"messages[{number}]"
        if not isinstance(one, dict) or one.get("role") not in ROLES:
            raise Refused(f"{where}: role must be one of {', '.join(sorted(ROLES))}")
        if one["role"] == "tool":
            _check_result(one, waiting, where)
            continue
        if waiting:
            raise Refused(f"{where}: tool call {waiting[0]} has no result right after it")
        _check_content(one, where)
        if one["role"] == "assistant":
            waiting = _check_assistant(one, seen, where)
    if waiting:
        raise Refused(f"tool call {waiting[0]} has no result")
    begun = messages[-1].get("prefix") is True or messages[-1].get("partial") is True
    if messages[-1]["role"] == "assistant" and not begun:
        raise Refused("the last message is the assistant's")


def _check_tools(request: dict[str, Any]) -> None:
    if "tools" not in request:
        if "tool_choice" in request:
            raise Refused("tool_choice is only allowed with tools")
        return
    tools = request["tools"]
    if not isinstance(tools, list) or not tools:
        raise Refused("tools must be a list with at least one tool")
    names: set[str] = set()
    for number, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or tool.get("type") != "function" or not function.get("name"):
            raise Refused(f"tools[{number}] is not a function with a name")
        if function["name"] in names:
            raise Refused(f"tools[{number}]: name {function['name']} is there twice")
        names.add(function["name"])
        if function.get("parameters", {}).get("type", "object") != "object":
            raise Refused(f"tools[{number}]: parameters must have type object")


def _check_result(one: dict[str, Any], waiting: list[str], where: str) -> None:
    name = one.get("tool_call_id")
    if name not in waiting:
        raise Refused(f"{where}: tool result {name!r} answers no call of the assistant message before it")
    waiting.remove(name)
    content = one.get("content")
    if isinstance(content, list):
        _check_parts(content, where)
    elif not isinstance(content, str):
        raise Refused(f"{where}: content of a tool result must be text")


def _check_content(one: dict[str, Any], where: str) -> None:
    content = one.get("content")
    if content is None:
        if one["role"] != "assistant":
            raise Refused(f"{where}: content is missing")
    elif isinstance(content, list):
        _check_parts(content, where)
    elif not isinstance(content, str):
        raise Refused(f"{where}: content must be text or a list of parts")
    elif not content and one["role"] == "user":
        raise Refused(f"{where}: content is empty")


def _check_parts(parts: list[Any], where: str) -> None:
    if not parts:
        raise Refused(f"{where}: content has no parts")
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            if not isinstance(part.get("text"), str) or not part["text"]:
                raise Refused(f"{where}: a text part is empty")
        elif kind == "image_url":
            if not isinstance(part.get("image_url"), dict) or not part["image_url"].get("url"):
                raise Refused(f"{where}: an image part has no url")
        elif kind not in {"input_audio", "file"}:
            raise Refused(f"{where}: unknown part type {kind!r}")


def _check_assistant(one: dict[str, Any], seen: set[str], where: str) -> list[str]:
    calls = one.get("tool_calls")
    if calls is None:
        if not one.get("content"):
            raise Refused(f"{where}: an assistant message needs content or tool_calls")
        return []
    if not isinstance(calls, list) or not calls:
        raise Refused(f"{where}: tool_calls must be a list with at least one call")
    ids: list[str] = []
    for each in calls:
        function = each.get("function") if isinstance(each, dict) else None
        if not isinstance(function, dict) or each.get("type") != "function" or not each.get("id"):
            raise Refused(f"{where}: a tool call needs id, type and function")
        if each["id"] in seen:
            raise Refused(f"{where}: tool call id {each['id']} is used twice")
        if not function.get("name") or not isinstance(function.get("arguments"), str):
            raise Refused(f"{where}: a function needs a name and arguments as text")
        if not _NAME.fullmatch(function["name"]):
            raise Refused(f"{where}: the name {function['name']} has characters other than letters, digits, _ and -")
        try:
            parsed = json.loads(function["arguments"])
        except ValueError as error:
            raise Refused(f"{where}: arguments of {each['id']} are not JSON: {error}") from None
        if not isinstance(parsed, dict):
            raise Refused(f"{where}: arguments of {each['id']} are not an object")
        seen.add(each["id"])
        ids.append(each["id"])
    return ids
