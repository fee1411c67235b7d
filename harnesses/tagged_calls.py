"""Calls that models print where they should call: the forms that Qwen, Hermes and DeepSeek models were trained on.

Servers without a parser for a model's own form pass it on as text. It is read only in answers without a native call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from harnesses.arguments import read_arguments
from harnesses.data import Binding, Piece, Say
from harnesses.parsing import NativeReader
from oi_tui.protocol.calls import Call


@dataclass(frozen=True, slots=True)
class Printed:
    """A call in a text, from `start` to `end`. sure: tags mark it; else it is one only if there is a tool `name`."""

    start: int
    end: int
    name: str
    args: dict[str, Any]
    kind: str = "text"
    sure: bool = True


Form = Callable[[str], Iterator[Printed]]

_DECODER = json.JSONDecoder(strict=False)
_FUNCTION = re.compile(r"(?:<tool_call>\s*)?<function=([^<>\s]+?)\s*>")
_FUNCTION_VALUE = re.compile(
    r"\s*<parameter=([^<>\s]+?)\s*>(.*?)</parameter>(?=\s*(?:<parameter=|</function>|</tool_call>|\Z))", re.DOTALL
)
_FUNCTION_END = re.compile(r"\s*(?:</function>)?\s*(?:</tool_call>)?")
_TAG = re.compile(r"<tool_call>\s*(?=\{)")
_TAG_END = re.compile(r"\s*(?:</tool_call>)?")
_BLOCK = re.compile(r"<(?:\w+:)?tool_calls?>\s*(?=<invoke\b)")
_BLOCK_END = re.compile(r"\s*(?:</(?:\w+:)?tool_calls?>)?")
_INVOKE = re.compile(r"\s*<invoke\s+name=\"([^\"]+)\"\s*>")
_INVOKE_VALUE = re.compile(
    r"\s*<parameter\s+name=\"([^\"]+)\"[^>]*>(.*?)</parameter>(?=\s*(?:<parameter\b|</invoke>|\Z))", re.DOTALL
)
_INVOKE_END = re.compile(r"\s*(?:</invoke>)?")
_BRACKETS = re.compile(r"\[TOOL_CALL\](.*?)(?:\[/TOOL_CALL\]|\Z)", re.DOTALL)
_ARROW = re.compile(r"\{\s*(?:tool|name)\s*=>\s*\"([^\"]+)\"\s*,\s*(?:args|arguments)\s*=>\s*\{(.*?)\}\s*\}", re.DOTALL)
_ARROW_PAIR = re.compile(r"(?:--|\")?([A-Za-z_]\w*)\"?\s*(?:=>|:|=|\s)\s*(\"(?:[^\"\\]|\\.)*\"|[^\s,]+)", re.DOTALL)
_NAMES, _ARGUMENTS = ("tool", "name", "function"), ("args", "arguments", "input", "parameters")


def functions(text: str) -> Iterator[Printed]:
    """`<tool_call><function=NAME><parameter=P>VALUE</parameter></function></tool_call>`, as Qwen-Coder prints it."""
    return _tagged(text, None, _FUNCTION, _FUNCTION_VALUE, _FUNCTION_END)


def invocations(text: str) -> Iterator[Printed]:
    """`<tool_call><invoke name="NAME"><parameter name="P">VALUE</parameter></invoke></tool_call>`, with any prefix."""
    return _tagged(text, _BLOCK, _INVOKE, _INVOKE_VALUE, _INVOKE_END)


def _tagged(
    text: str,
    block: re.Pattern[str] | None,
    opening: re.Pattern[str],
    value: re.Pattern[str],
    closing: re.Pattern[str],
) -> Iterator[Printed]:
    """Calls of which each value stands in tags. block: what one or several of them stand in."""
    at, inside = 0, block is None
    while True:
        begins = at
        if block is not None and not inside:
            outer = block.search(text, at)
            if outer is None:
                return
            begins, at, inside = outer.start(), outer.end(), True
        found = opening.search(text, at) if block is None else opening.match(text, at)
        if found is None:
            if block is None:
                return
            inside = False
            continue
        args: dict[str, Any] = {}
        end = found.end()
        while (one := value.match(text, end)) is not None:
            args[one[1]] = one[2].removeprefix("\n").removesuffix("\n")
            end = one.end()
        after = closing.match(text, end)
        at = after.end() if after else end
        if block is not None:
            outside = _BLOCK_END.match(text, at)
            if outside is not None and outside.group().strip():
                at, inside = outside.end(), False
        yield Printed(found.start() if block is None else begins, at, found[1], args, "xml")


def objects_in_tags(text: str) -> Iterator[Printed]:
    """`<tool_call>{"name": NAME, "arguments": {...}}</tool_call>`, as Hermes models print it."""
    for opening in _TAG.finditer(text):
        made = _object_at(text, opening.end())
        if made is not None:
            name, args, end = made
            after = _TAG_END.match(text, end)
            yield Printed(opening.start(), after.end() if after else end, name, args)


def brackets(text: str) -> Iterator[Printed]:
    """`[TOOL_CALL]...[/TOOL_CALL]` with an object or arrows inside."""
    for block in _BRACKETS.finditer(text):
        inner = block[1].strip()
        for one in (*objects(inner), *arrows(inner)):
            yield Printed(block.start(), block.end(), one.name, one.args)
            break


def objects(text: str) -> Iterator[Printed]:
    """A bare JSON object at the start of a line that names a tool and its arguments."""
    end = 0
    for opening in re.finditer(r"^[ \t]*(?:```(?:json)?[ \t]*\r?\n[ \t]*)?(?=\{)", text, re.MULTILINE):
        if opening.start() < end:
            continue
        made = _object_at(text, opening.end())
        if made is not None:
            name, args, end = made
            fence = re.compile(r"\s*```").match(text, end) if "`" in opening[0] else None
            yield Printed(opening.start(), fence.end() if fence else end, name, args, sure=False)


def arrows(text: str) -> Iterator[Printed]:
    """`{tool => "NAME", args => {--path "a.py"}}`."""
    for found in _ARROW.finditer(text):
        args = {one[1]: _value(one[2]) for one in _ARROW_PAIR.finditer(found[2])}
        yield Printed(found.start(), found.end(), found[1], args, sure=False)


def _value(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return text


def _object_at(text: str, start: int) -> tuple[str, dict[str, Any], int] | None:
    """Name, arguments and end of a call that is an object at `start`."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    given = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if isinstance(given.get("function"), dict):
        given = cast("dict[str, Any]", given["function"])
    name = next((given[key] for key in _NAMES if isinstance(given.get(key), str)), None)
    args: Any = next((given[key] for key in _ARGUMENTS if key in given), None)
    if isinstance(args, str):
        try:
            args = read_arguments(args)
        except ValueError:
            return None
    return (name, cast("dict[str, Any]", args), end) if name and isinstance(args, dict) else None


class TaggedReader(NativeReader):
    """Native calls, else those that are printed in one of `forms`, tried in order.

    tags: what a printed call may begin with; text is held back from there on. unknown: says what is wrong with a name
    that no tool has.
    """

    def __init__(
        self,
        tools: Sequence[Binding],
        forms: Sequence[Form],
        tags: Sequence[str],
        named: Callable[[str], str],
        unknown: Callable[[str], str],
    ) -> None:
        super().__init__(tools, named)
        self._forms, self._tags, self._unknown = forms, tags, unknown
        self._given = 0  # characters of the text that were shown

    def _feed_text(self, text: str) -> Sequence[Piece]:
        self._text = ["".join((*self._text, text))]
        whole = self._text[0]
        clear = self._clear(whole)
        if clear <= self._given or not whole[self._given : clear].strip():
            return []
        piece, self._given = whole[self._given : clear], clear
        return [Say(piece)]

    def _clear(self, text: str) -> int:
        """How much of the text is surely no printed call."""
        if text.lstrip()[:1] in {"{", "`"}:
            return 0
        found = [place for tag in self._tags if (place := text.find(tag)) >= 0]
        if found:
            return min(found)
        longest = max(map(len, self._tags))
        for place in range(max(0, len(text) - longest), len(text)):
            if any(tag.startswith(text[place:]) for tag in self._tags):
                return place
        return len(text)

    def _written(self, text: str) -> tuple[str, tuple[Call, ...]]:
        for form in self._forms:
            found = [one for one in form(text) if one.sure or self._named(one.name) in self._tools]
            if found:
                calls = tuple(self._call(number, one) for number, one in enumerate(found, 1))
                return _without(text, found), calls
        return text, ()

    def _call(self, number: int, printed: Printed) -> Call:
        name = self._named(printed.name)
        binding = self._tools.get(name)
        args = fitted(printed.args, binding.schema) if binding is not None else printed.args
        raw = json.dumps(args, separators=(",", ":"), ensure_ascii=False)
        return self._read(f"{printed.kind}_tool_{number}", name, raw)

    def _rest(self, text: str) -> Sequence[Piece]:
        shown = "".join(self._text)[: self._given].rstrip()
        rest = text[len(shown) :] if text.startswith(shown) else ""
        return [Say(rest)] if rest.strip() else []

    def _read(self, id: str, name: str, raw: str) -> Call:
        if name not in self._tools:
            return Call(id, name, {}, raw, self._unknown(name))
        return super()._read(id, name, raw)


def _without(text: str, found: Sequence[Printed]) -> str:
    parts: list[str] = []
    at = 0
    for one in found:
        parts.append(text[at : one.start].rstrip() if parts or one.start else "")
        at = max(at, one.end)
    parts.append(text[at:].strip())
    return "\n\n".join(part for part in parts if part.strip())


def fitted(args: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that came as text, as the schema wants them: `3` for a number, `true` for a flag, JSON for a list."""
    made: dict[str, Any] = {}
    properties = schema.get("properties", {})
    for name, value in args.items():
        kind = properties.get(name, {}).get("type", "string")
        if isinstance(value, str) and kind != "string":
            with suppress(ValueError):  # checking the arguments says what is wrong with it
                value = json.loads(value.strip().lower() if kind == "boolean" else value, strict=False)
        made[name] = value
    return made
