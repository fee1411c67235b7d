"""Puts the tool calls of a Chat Completions stream together, in all the ways in which servers cut them up.

Seen in the wild: no index; one index for all parallel calls; everything in one chunk; arguments as an object; no
arguments key at first; the whole arguments once more at the end; no id; the legacy `function_call`.
"""

from __future__ import annotations

import json
import os
from typing import Any

from oi_tui.models.wires.chat_extras import ChatExtras
from oi_tui.protocol.stream import CallDelta


class _Open:
    """One call while it arrives."""

    __slots__ = ("id", "last", "name", "number", "parts")

    def __init__(self, number: int, id: str, name: str) -> None:
        self.number, self.id, self.name = number, id, name
        self.parts: list[str] = []
        self.last = ""  # the last character that is not white space

    def add(self, text: str) -> bool:
        """Append a fragment; False if it only repeats what is complete already."""
        bare = text.rstrip()
        if self.last == "}" and bare.lstrip().startswith("{") and self.complete():
            return False
        self.parts.append(text)
        self.last = bare[-1] if bare else self.last
        return True

    def complete(self) -> bool:
        """Whether the arguments so far are a whole JSON object."""
        if self.last != "}":
            return False
        try:
            json.loads("".join(self.parts), strict=False)
        except ValueError:
            return False
        return True


class CallAssembler:
    """Turns the `tool_calls` of deltas into CallDeltas whose indexes count up from 0.

    extras: is told what else a piece holds.
    """

    def __init__(self, extras: ChatExtras) -> None:
        self._extras = extras
        self._calls: list[_Open] = []
        self._by_index: dict[Any, _Open] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def feed(self, pieces: Any) -> list[CallDelta]:
        """CallDeltas for the value of a delta's `tool_calls`: a list of pieces, or one piece alone."""
        found: list[CallDelta] = []
        for piece in pieces if isinstance(pieces, list) else [pieces]:
            if isinstance(piece, dict):
                function = piece.get("function")
                index, id = piece.get("index"), piece.get("id")
                call, deltas = self._piece(index, id, function if isinstance(function, dict) else piece)
                found += deltas
                self._extras.call(call.number, piece)
        return found

    def feed_legacy(self, function: dict[str, Any]) -> list[CallDelta]:
        """CallDeltas for a delta's `function_call`, of which a response has at most one."""
        return self._piece("legacy", None, function)[1]

    def _piece(self, index: Any, id: Any, function: dict[str, Any]) -> tuple[_Open, list[CallDelta]]:
        name, arguments = str(function.get("name") or ""), function.get("arguments")
        id = str(id or "")
        text = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
        call = self._find(index, id, name)
        head = ("", "")
        if call is None:
            call = _Open(len(self._calls), id or f"call_{os.urandom(8).hex()}", name)
            self._calls.append(call)
            head = (call.id, call.name)
        elif name and not call.name:
            call.name = name
            head = ("", name)
        if index is not None:
            self._by_index[index] = call
        fragment = text if text and call.add(text) else ""
        return call, [CallDelta(call.number, *head, fragment)] if fragment or any(head) else []

    def _find(self, index: Any, id: str, name: str) -> _Open | None:
        """The call that a piece belongs to; None if it opens a new one."""
        if index is not None:
            known = self._by_index.get(index)
        else:
            known = self._calls[-1] if self._calls else None
            if id and known is not None and id != known.id:
                return next((one for one in self._calls if one.id == id), None)
        if known is None:
            return None
        another = bool(id) and id != known.id
        if another and name and (known.complete() or name != known.name or not known.parts):
            return None
        if index is None and not id and name and known.complete():
            return None
        return known
