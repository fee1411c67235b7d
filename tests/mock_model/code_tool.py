"""Finds the tool that runs code among a request's tools, whatever the program calls it, and words a call to it."""

from __future__ import annotations

import shlex
from typing import Any

CODE_KEYS = ("code", "source", "script")
COMMAND_KEYS = ("command", "cmd")
LANGUAGE_KEYS = ("language", "lang", "kernel")
SHELLS = ("shell", "bash", "sh", "zsh")


def code_call(tools: list[dict[str, Any]], language: str, code: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of the call that runs `code`. Raises LookupError if no tool runs code."""
    functions = [tool["function"] for tool in tools]
    shell = language.lower() in SHELLS
    for function in functions:
        properties = _properties(function)
        key = next((one for one in CODE_KEYS if one in properties), None)
        said = next((one for one in LANGUAGE_KEYS if one in properties), None)
        if key and said:
            return _call(function, {key: code, said: _spelled(language, properties[said])})
    for function in functions:
        key = next((one for one in CODE_KEYS if one in _properties(function)), None)
        if key and language.lower() in function["name"].lower():
            return _call(function, {key: code})
    for function in functions:
        properties = _properties(function)
        key = next((one for one in COMMAND_KEYS if one in properties), None)
        if key:
            line = code if shell else f"{_program(language)} {shlex.quote(code)}"
            wanted = ["bash", "-lc", line] if properties[key].get("type") == "array" else line
            return _call(function, {key: wanted})
    raise LookupError("no tool of the request runs code: " + ", ".join(one["name"] for one in functions))


def _properties(function: dict[str, Any]) -> dict[str, Any]:
    return function.get("parameters", {}).get("properties", {})


def _program(language: str) -> str:
    return {"python": "python3 -c", "javascript": "node -e", "ruby": "ruby -e"}.get(language.lower(), f"{language} -c")


def _spelled(language: str, schema: dict[str, Any]) -> str:
    allowed = schema.get("enum")
    if not allowed or language in allowed:
        return language
    if language.lower() in SHELLS:
        return next((one for one in allowed if one in SHELLS), language)
    return language


def _call(function: dict[str, Any], arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    for name in function.get("parameters", {}).get("required", []):
        if name not in arguments:
            kind = _properties(function).get(name, {}).get("type", "string")
            arguments[name] = {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}.get(
                kind, "run it"
            )
    return function["name"], arguments
