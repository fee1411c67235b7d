"""A reader for models that write code into their text, and sometimes a tool call as JSON where code was asked for.

Many small models were trained on some form of tool calling and fall back into it: `{"name": "execute", "arguments":
{"language": "shell", "code": "ls"}}`, bare, in a fence, between `<tool_call>` tags, with `parameters` for `arguments`,
below `function`. Such an object is taken as the block that it means. An object that names no way to run code, such as
`{"name": "Bob"}`, is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from harnesses.arguments import read_arguments
from harnesses.data import CodeOpen, Parsed, Piece, Say
from harnesses.fences import FenceReader, language_of
from oi_tui.protocol.calls import Call
from oi_tui.protocol.stream import Delta

# Names that models give to "run code" -> the language where the arguments name none.
_NAMES = {
    **dict.fromkeys(("run", "execute", "code", "run_code", "execute_code"), "python"),
    **dict.fromkeys(("interpreter", "code_interpreter"), "python"),
    **dict.fromkeys(("run_python", "execute_python", "python_interpreter", "exec_python"), "python"),
    **dict.fromkeys(("run_shell", "run_bash", "run_command", "execute_command", "execute_shell", "terminal"), "shell"),
}  # fmt: skip

_MAY_BEGIN = re.compile(
    r"^[ \t]*(?=\{|```(?:json)?\s*(?:\{|\Z)|<tool_call>|<(?:t(?:o(?:o(?:l(?:_c?a?l?l?)?)?)?)?)?\Z)", re.MULTILINE | re.I
)
_BEFORE = re.compile(r"(?:[ \t]*(?:```(?:json)?[ \t]*\r?|<tool_call>)\s*)*\Z", re.I)
_AFTER = re.compile(r"(?:\s*(?:```|</tool_call>))*", re.I)


class WrittenCallReader:
    """Reads fenced blocks like `FenceReader`; where there is none, a call that was written as JSON.

    Text that may turn out to be such a call is held back until the answer is whole: `may_begin` finds where it begins,
    `meant` gives the text without the call and the call.
    """

    may_begin: ClassVar[re.Pattern[str]] = _MAY_BEGIN

    def __init__(self, languages: Collection[str], *, name: str = "run") -> None:
        self._languages, self._name = frozenset(languages), name
        self._fences = FenceReader(languages, all_blocks=False, name=name)
        self._text, self._given = "", 0  # all text so far, and how much of it was given out
        self._code = False  # a block has begun: nothing is held back any more

    def feed(self, delta: Delta) -> Sequence[Piece]:
        """Take one delta; the pieces that became certain by it."""
        return self._sift(self._fences.feed(delta))

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        """The pieces that were held back, and the whole answer."""
        pieces, parsed = self._fences.finish()
        given = self._sift(pieces)
        if not parsed.calls:
            text, call = self.meant(parsed.text)
            if call is not None:
                rest = text[self._given :].rstrip() if self._text.startswith(text[: self._given]) else ""
                return [*given, *([Say(rest)] if rest else [])], replace(parsed, text=text.strip(), calls=(call,))
        return [*given, *self._rest()], parsed

    def meant(self, text: str) -> tuple[str, Call | None]:
        """The text without the call that it stands for, and that call; None where it is nothing but text."""
        return written_call(text, self._languages, self._name)

    def _sift(self, pieces: Sequence[Piece]) -> list[Piece]:
        given: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, CodeOpen):
                given += self._rest()
                self._code = True
            if not isinstance(piece, Say) or self._code:
                given.append(piece)
                continue
            self._text += piece.text
            begins = self.may_begin.search(self._text, self._given)
            certain = begins.start() if begins else len(self._text)
            if certain > self._given:
                given.append(Say(self._text[self._given : certain]))
                self._given = certain
        return given

    def _rest(self) -> list[Piece]:
        rest, self._given = self._text[self._given :], len(self._text)
        return [Say(rest)] if rest else []


def written_call(text: str, languages: Collection[str], name: str = "run") -> tuple[str, Call | None]:
    """The text without the first call that it holds as JSON, and that call, named `name`; (text, None) without one."""
    decoder = json.JSONDecoder(strict=False)
    for match in re.finditer(r"^[ \t]*(?:<tool_call>\s*)?(\{)", text, re.MULTILINE | re.I):
        start = match.start(1)
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        found = _meant(value, languages)
        if found is not None:
            before, after = _BEFORE.sub("", text[:start]), text[_after(text, end) :]
            call = Call("block_1", name, {"language": found[0], "code": found[1]}, raw=found[1])
            return "\n\n".join(part.strip() for part in (before, after) if part.strip()), call
    return text, None


def _after(text: str, end: int) -> int:
    found = _AFTER.match(text, end)
    return found.end() if found else end


def _meant(value: Any, languages: Collection[str]) -> tuple[str, str] | None:
    """(language, code) that a JSON value means, None if it is no call."""
    if not isinstance(value, dict):
        return None
    given = cast("dict[str, Any]", value)
    inner = given.get("function")
    if isinstance(inner, dict):
        given = cast("dict[str, Any]", inner)
    called = str(given.get("name") or (inner if isinstance(inner, str) else "") or given.get("tool") or "")
    if not called and set(given) == {"language", "code"}:
        return _block(given, "", languages)
    default = _NAMES.get(called.lower()) or language_of(called, languages)
    args: Any = given.get("arguments", given.get("parameters"))
    if isinstance(args, str):
        try:
            args = read_arguments(args)
        except ValueError:
            return None
    return _block(cast("dict[str, Any]", args), default, languages) if default and isinstance(args, dict) else None


def _block(args: dict[str, Any], default: str, languages: Collection[str]) -> tuple[str, str] | None:
    code = args.get("code")
    if code is None:
        code, default = args.get("command", args.get("cmd")), "shell"
    language = language_of(str(args.get("language") or default), languages)
    return (language, code.strip("\n")) if language and isinstance(code, str) and code.strip() else None
