"""The arguments of a call: reading them, repairing what models get wrong, checking them, calls written as text."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, cast

from harnesses.data import Binding
from oi_tui.protocol.calls import Call

UNREADABLE = "failed to parse function arguments: "  # how an error begins that no arguments could be read from
MISFIT = "these arguments do not fit: "  # how an error begins about arguments that a binding could not map
_HALVES = re.compile("[\ud800-\udfff]")


def sound(text: str) -> str:
    """`text` without halves of surrogate pairs, which no UTF-8 can hold: two that meet are joined, others replaced."""
    if _HALVES.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _sound_value(value: Any) -> Any:
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, list):
        return [_sound_value(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {sound(str(key)): _sound_value(one) for key, one in cast("dict[Any, Any]", value).items()}
    return value


def read_arguments(raw: str) -> dict[str, Any]:
    """The arguments object that `raw` means.

    Tried in turn: JSON; JSON with raw control characters in strings; a Python literal (single quotes, trailing commas);
    JSON that was sent twice, in a fence, or with words around it. Empty text and null mean no arguments. Raises
    ValueError with what is wrong.
    """
    text = raw.strip()
    if text in {"", "null"}:
        return {}
    try:
        value: Any = json.loads(text, strict=False)
    except ValueError as error:
        value = _repaired(text)
        if value is None:
            raise ValueError(f"{UNREADABLE}{error}") from None
    if isinstance(value, str):  # an object that was encoded twice
        return read_arguments(value) if value.strip().startswith("{") else _no_object(value)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else _no_object(value)


def _no_object(value: Any) -> dict[str, Any]:
    raise ValueError(f"{UNREADABLE}an object is wanted, not {type(value).__name__}")


def _repaired(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    without_commas = re.sub(r",(\s*[}\]])", r"\1", text)
    try:
        return json.loads(without_commas, strict=False)
    except ValueError:
        pass
    half = len(text) // 2
    if len(text) % 2 == 0 and text[:half] == text[half:]:
        try:
            return json.loads(text[:half], strict=False)
        except ValueError:
            return None
    return _object_within(text)


def _object_within(text: str) -> Any:
    """The one object that stands in a fence or between words, None where there is none or what follows is more JSON."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return None if "{" in text[end:] else value


def check_arguments(args: dict[str, Any], schema: dict[str, Any]) -> str | None:
    """One sentence on what does not fit the schema's top level (missing or empty fields, wrong types), or None."""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in args or args[name] is None:
            return f"the argument {name} is missing"
    for name, value in args.items():
        wanted = properties.get(name, {}).get("type")
        if name not in properties:
            return f"there is no argument {name}; the arguments are {', '.join(properties)}"
        if wanted is not None and value is not None and not _is_type(value, wanted):
            return f"the argument {name} must be {wanted}, not {type(value).__name__}"
    return None


def _is_type(value: Any, wanted: str | list[str]) -> bool:
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
    if isinstance(wanted, list):
        return any(_is_type(value, one) for one in wanted)
    if wanted in {"integer", "number"} and isinstance(value, bool):
        return False
    return isinstance(value, kinds.get(wanted, object))


def read_call(id: str, name: str, raw: str, tools: dict[str, Binding]) -> Call:
    """A call with its arguments read and checked; what is wrong with it is in `error`. `raw` is what the model wrote,
    or where that had to be repaired what it means, so that the history holds a call that providers take back."""
    binding = tools.get(name)
    if binding is None:
        known = ", ".join(tools)
        return Call(id, name, {}, raw, f"unsupported call: {name} (the tools are {known})")
    try:
        args = read_arguments(raw)
    except ValueError as error:
        return Call(id, name, {}, raw, str(error))
    whole = _sound_value(args)
    if whole != args or (args and not _is_object(raw)):
        args, raw = whole, json.dumps(whole, separators=(",", ":"), ensure_ascii=False)
    return Call(id, name, args, raw, check_arguments(args, binding.schema))


def _is_object(raw: str) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


def canonical(call: Call) -> str:
    """A call's arguments in one form, to see whether two calls are the same."""
    if call.error is not None:
        return call.raw
    return json.dumps(call.args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_FENCED = re.compile(r"^```json[ \t]*\r?\n(.*?)\r?\n?```\s*$", re.DOTALL | re.IGNORECASE)


def calls_in_text(text: str, tools: dict[str, Binding]) -> tuple[str, tuple[Call, ...]]:
    """A call that a model wrote as JSON text: `{"name": TOOL, "arguments"|"parameters": {...}}`, also below `function`,
    alone or at the end of the text, bare or fenced. Returns the text before it and the calls, none if it is no call."""
    for start in _starts(text):
        fenced = _FENCED.match(text[start:])
        body = fenced[1] if fenced else text[start:]
        try:
            value = json.loads(body, strict=False)
        except ValueError:
            continue
        call = _as_call(value, tools)
        if call is not None:
            return text[:start].rstrip(), (call,)
    return text, ()


def _starts(text: str) -> list[int]:
    """Where a JSON call may begin: at the start, or at the start of a line."""
    return [match.start() for match in re.finditer(r"^(?=\{|```json)", text, re.MULTILINE | re.IGNORECASE)] + [
        len(text) - len(text.lstrip())
    ]


def _as_call(value: Any, tools: dict[str, Binding]) -> Call | None:
    if not isinstance(value, dict):
        return None
    given = cast("dict[str, Any]", value)
    if isinstance(given.get("function"), dict):
        given = cast("dict[str, Any]", given["function"])
    if given.get("name") not in tools:
        return None
    args: Any = given.get("arguments", given.get("parameters"))
    if isinstance(args, str):
        try:
            args = read_arguments(args)
        except ValueError:
            return None
    if not isinstance(args, dict):
        return None
    raw = json.dumps(args, separators=(",", ":"), ensure_ascii=False)
    return read_call("call_text", given["name"], raw, tools)
