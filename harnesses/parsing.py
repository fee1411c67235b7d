"""Calls out of answers: the reader of native tool calls, and code that shows while its arguments stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harnesses.arguments import calls_in_text, read_call
from harnesses.data import Binding, CodeOpen, CodeText, Parsed, Piece, Say, Think
from oi_tui.protocol.calls import Call
from oi_tui.protocol.stream import CallDelta, Delta, Stop, TextDelta, ThoughtDelta

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}


class FieldStream:
    """Follows one growing JSON object and gives the text of its string field `code` as it arrives.

    Only for the screen: what runs is read from the whole arguments. So on anything odd it simply stops giving text.
    """

    __slots__ = ("_buffer", "_depth", "_escape", "_in_string", "_key", "_pair", "_token", "_value", "fields", "watched")

    def __init__(self, watched: str) -> None:
        self.watched = watched
        self.fields: dict[str, str] = {}  # finished string fields of the top level
        self._depth = 0
        self._in_string = False
        self._escape = ""
        self._token: list[str] = []
        self._key = ""
        self._value = False  # the next string is a value
        self._pair = ""  # a high surrogate that waits for its other half
        self._buffer: list[str] = []

    def feed(self, text: str) -> str:
        """Take a fragment of the arguments; return what it adds to the watched field."""
        self._buffer.clear()
        for character in text:
            if self._in_string:
                self._string(character)
            elif character == '"':
                self._in_string = True
                self._token.clear()
            elif character in "{[":
                self._depth += 1
            elif character in "}]":
                self._depth -= 1
            elif character == ":" and self._depth == 1:
                self._value = True
            elif character == "," and self._depth == 1:
                self._value = False
        return "".join(self._buffer)

    def _string(self, character: str) -> None:
        if self._escape:
            self._escaped(character)
        elif character == "\\":
            self._escape = "\\"
        elif character == '"':
            self._in_string = False
            if self._depth == 1 and not self._value:
                self._key = "".join(self._token)
            elif self._depth == 1:
                self.fields[self._key] = "".join(self._token)
        else:
            self._take(character)

    def _escaped(self, character: str) -> None:
        self._escape += character
        if self._escape[1] != "u":
            self._take(_ESCAPES.get(self._escape[1], self._escape[1]))
            self._escape = ""
        elif len(self._escape) == 6:
            digits, self._escape = self._escape[2:], ""
            try:
                self._unit(int(digits, 16))
            except ValueError:
                self._take("\ufffd")

    def _unit(self, unit: int) -> None:
        if 0xD800 <= unit < 0xDC00:
            self._pair = chr(unit)
        elif 0xDC00 <= unit < 0xE000:
            high, self._pair = self._pair, ""
            self._take(chr(0x10000 + ((ord(high) - 0xD800) << 10) + unit - 0xDC00) if high else "\ufffd")
        else:
            self._take(chr(unit))

    def _take(self, character: str) -> None:
        if self._depth == 1 and self._value and self._key == self.watched:
            self._buffer.append(character)
        self._token.append(character)


class _CallSoFar:
    __slots__ = ("arguments", "id", "name", "opened", "stream")

    def __init__(self) -> None:
        self.id = self.name = ""
        self.arguments: list[str] = []
        self.stream: FieldStream | None = None
        self.opened = False


class NativeReader:
    """Reads answers of models that call tools natively; also takes a call that was written as JSON text.

    Text that may turn out to be such a call is held back until that is clear.
    """

    def __init__(self, tools: Sequence[Binding], named: Callable[[str], str] = str) -> None:
        """named: gives the name of the tool that a model means by one that it wrote."""
        self._tools = {one.name: one for one in tools}
        self._named = named
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._signature = ""
        self._calls: dict[int, _CallSoFar] = {}
        self._held: list[str] | None = []  # None once the answer is known to be plain text
        self._stop = "stop"

    def feed(self, delta: Delta) -> Sequence[Piece]:
        if isinstance(delta, TextDelta):
            return self._feed_text(delta.text)
        if isinstance(delta, ThoughtDelta):
            self._thoughts.append(delta.text)
            self._signature += delta.signature
            return [Think(delta.text)] if delta.text else []
        if isinstance(delta, CallDelta):
            return self._feed_call(delta)
        if isinstance(delta, Stop):
            self._stop = delta.reason
        return []

    def _feed_text(self, text: str) -> Sequence[Piece]:
        self._text.append(text)
        if self._held is None:
            return [Say(text)]
        self._held.append(text)
        so_far = "".join(self._held).lstrip()
        if not so_far or _may_be_call(so_far):
            return []
        self._held = None
        return [Say("".join(self._text))]

    def _feed_call(self, delta: CallDelta) -> Sequence[Piece]:
        call = self._calls.setdefault(delta.index, _CallSoFar())
        call.id = call.id or delta.id
        call.name += self._named(delta.name) if delta.name and not call.name else ""
        call.arguments.append(delta.arguments)
        binding = self._tools.get(call.name)
        if binding is None or not binding.code_field:
            return []
        if call.stream is None:
            call.stream = FieldStream(binding.code_field)
            text = call.stream.feed("".join(call.arguments))
        else:
            text = call.stream.feed(delta.arguments)
        if not text:
            return []
        pieces: list[Piece] = []
        if not call.opened:
            call.opened = True
            pieces.append(CodeOpen(delta.index, call.stream.fields.get(binding.language_field, binding.language)))
        pieces.append(CodeText(delta.index, text))
        return pieces

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        text = "".join(self._text)
        found = [(index, call) for index, call in sorted(self._calls.items()) if call.name or any(call.arguments)]
        calls = tuple(self._whole(index, call) for index, call in found)
        indexes = tuple(index for index, _ in found)
        if not calls:
            text, calls = self._written(text)
        pieces = self._rest(text)
        thoughts = "".join(self._thoughts)
        return pieces, Parsed(text, thoughts, self._signature, calls, stop=self._stop, indexes=indexes)

    def _written(self, text: str) -> tuple[str, tuple[Call, ...]]:
        """The text without the calls that are written in it, and those."""
        return calls_in_text(text, self._tools)

    def _rest(self, text: str) -> Sequence[Piece]:
        """What of the text of the whole answer was not shown yet."""
        return [Say(text)] if self._held is not None and text.strip() else []

    def _whole(self, index: int, call: _CallSoFar) -> Call:
        return self._read(call.id or f"call_{index}", call.name, "".join(call.arguments))

    def _read(self, id: str, name: str, raw: str) -> Call:
        return read_call(id, name, raw, self._tools)


def _may_be_call(text: str) -> bool:
    """Whether a text that begins like this can still be one call as JSON."""
    if text.startswith("{"):
        return True
    fence = "```json"
    return fence.startswith(text[: len(fence)].lower()) or text[: len(fence)].lower() == fence
