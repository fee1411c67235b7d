"""Events of an OpenAI Responses response -> deltas. Pure: objects in, deltas out, no network.

Format: OpenAI's API reference, "Responses" and "Streaming events".
"""

from __future__ import annotations

import json
import os
from typing import Any

from oi_tui.models.wires.reading import ErrorInStream
from oi_tui.models.wires.thought_marks import ThoughtMarks
from oi_tui.protocol.stream import CallDelta, Delta, Stop, Usage

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_FREE = "custom_tool_call"  # a tool that takes text; here it is a call with the one argument `input`


class _Item:
    """One output item while it arrives. number: of a call among the calls, -1 for other items."""

    __slots__ = ("came", "kind", "number")

    def __init__(self, kind: str, number: int = -1) -> None:
        self.kind, self.number = kind, number
        self.came = 0  # characters of its text, thoughts or arguments that have come


class ResponsesStream:
    """Reads one response of `model`."""

    def __init__(self, model: str) -> None:
        self._marks = ThoughtMarks("responses", model)
        self._items: dict[Any, _Item] = {}
        self._whole: set[Any] = set()  # items that have ended
        self._usage: dict[str, Any] | None = None
        self._reason = "stop"
        self.done = self.ended = False

    def feed(self, event: dict[str, Any]) -> list[Delta]:
        """Deltas of one event, or of a whole response. Raises ErrorInStream."""
        index = _place(event)
        match event.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                return self._text(index, event["delta"])
            case "response.function_call_arguments.delta":
                return self._arguments(index, "function_call", event["delta"])
            case "response.custom_tool_call_input.delta":
                return self._arguments(index, _FREE, event["delta"])
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._thought(index, event["delta"])
            case "response.reasoning_summary_part.added":
                return self._marks.open()
            case "response.output_item.added":
                return self._added(index, event["item"])
            case "response.output_item.done":
                return self._ended(index, event["item"])
            case "response.completed" | "response.incomplete" | "response.failed" | "response.done":
                return self._response(event["response"])
            case "error":
                raise ErrorInStream(event.get("error") or event)
            case _:
                if event.get("error"):
                    raise ErrorInStream(event["error"])
                return self._response(event) if event.get("object") == "response" else []

    def finish(self) -> list[Delta]:
        """The usage and Stop."""
        found: list[Delta] = [read_usage(self._usage)] if self._usage is not None else []
        found.append(Stop("tool_calls" if self._marks.calls and self._reason == "stop" else self._reason))
        return found

    def _added(self, index: Any, item: dict[str, Any]) -> list[Delta]:
        kind = str(item.get("type"))
        if index in self._items:
            return []
        if kind not in _CALLS:
            self._items[index] = _Item(kind)
            return []
        self._items[index] = _Item(kind, self._marks.calls)
        self._marks.calls += 1
        id = item.get("call_id") or item.get("id") or f"call_{os.urandom(8).hex()}"
        opened = '{"input":"' if kind == _FREE else ""
        return [CallDelta(self._marks.calls - 1, str(id), str(item.get("name") or ""), opened)]

    def _text(self, index: Any, text: str) -> list[Delta]:
        self._items.setdefault(index, _Item("message")).came += len(text)
        return self._marks.text(text)

    def _thought(self, index: Any, text: str) -> list[Delta]:
        self._items.setdefault(index, _Item("reasoning")).came += len(text)
        return self._marks.think(text)

    def _arguments(self, index: Any, kind: str, text: str) -> list[Delta]:
        found = self._added(index, {"type": kind})  # a server that leaves the head of a call out
        item = self._items[index]
        item.came += len(text)
        written = json.dumps(text)[1:-1] if kind == _FREE else text
        return [*found, CallDelta(item.number, arguments=written)] if written else found

    def _ended(self, index: Any, item: dict[str, Any]) -> list[Delta]:
        """An item is whole: what of it had not come in pieces."""
        found = self._added(index, item)
        known = self._items[index]
        self._whole.update({index, item.get("id") or index})
        if known.kind == "reasoning":
            return found + self._sealed(item, known.came)
        if known.number >= 0:
            text = item.get(_CALLS[known.kind]) or ""
            found += self._arguments(index, known.kind, text) if text and not known.came else []
            return [*found, CallDelta(known.number, arguments='"}')] if known.kind == _FREE else found
        if known.kind == "message" and not known.came:
            parts = item.get("content") or ()
            return [
                delta for part in parts for delta in self._text(index, part.get("text") or part.get("refusal") or "")
            ]
        return found

    def _sealed(self, item: dict[str, Any], came: int) -> list[Delta]:
        found: list[Delta] = []
        if not came:
            for part in [*(item.get("summary") or ()), *(item.get("content") or ())]:
                found += self._marks.open() + self._marks.think(part.get("text") or "")
        sealed = item.get("encrypted_content")
        block = {"type": "reasoning", "id": item.get("id") or "", "encrypted_content": sealed} if sealed else None
        return found + self._marks.close(block)

    def _response(self, response: dict[str, Any]) -> list[Delta]:
        """The end, which repeats all items."""
        if response.get("status") == "failed" or response.get("error"):
            raise ErrorInStream(response.get("error") or {"message": "the response failed", "code": "server_error"})
        found: list[Delta] = []
        for index, item in enumerate(response.get("output") or ()):
            if index not in self._whole and item.get("id") not in self._whole:
                found += self._ended(index, item)
        if isinstance(response.get("usage"), dict):
            self._usage = response["usage"]
        if response.get("status") == "incomplete":
            reason = (response.get("incomplete_details") or {}).get("reason") or "length"
            self._reason = "length" if reason == "max_output_tokens" else str(reason)
        self.done = self.ended = True
        return found


def _place(event: dict[str, Any]) -> Any:
    """What tells the items of a response apart; not every server numbers them."""
    index = event.get("output_index")
    return index if index is not None else event.get("item_id") or (event.get("item") or {}).get("id")


def read_usage(usage: dict[str, Any]) -> Usage:
    """Usage from the wire's object, whose input holds the cached tokens."""
    given, made = usage.get("input_tokens_details") or {}, usage.get("output_tokens_details") or {}
    return Usage(
        input_tokens=int(usage.get("input_tokens") or 0),
        output_tokens=int(usage.get("output_tokens") or 0),
        cached_tokens=int(given.get("cached_tokens") or 0),
        reasoning_tokens=int(made.get("reasoning_tokens") or 0),
    )
