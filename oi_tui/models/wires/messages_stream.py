"""Events of an Anthropic Messages response -> deltas. Pure: objects in, deltas out, no network.

Format: Anthropic's API reference, "Streaming messages" and "Extended thinking".
"""

from __future__ import annotations

import json
import os
from typing import Any

from oi_tui.models.wires.reading import ErrorInStream
from oi_tui.models.wires.thought_marks import ThoughtMarks
from oi_tui.protocol.stream import CallDelta, Delta, Stop, Usage

_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class _Block:
    """One content block while it arrives. number: of a call among the calls, -1 for other blocks."""

    __slots__ = ("came", "given", "kind", "number", "signature")

    def __init__(self, kind: str, number: int = -1) -> None:
        self.kind, self.number = kind, number
        self.signature = ""
        self.given: Any = None  # the input that stood in the block's head
        self.came = False  # fragments of the input have come


class MessagesStream:
    """Reads one response of `model`."""

    def __init__(self, model: str) -> None:
        self._marks = ThoughtMarks("messages", model)
        self._blocks: dict[Any, _Block] = {}
        self._usage: dict[str, Any] = {}
        self._reason = ""
        self.done = self.ended = False

    def feed(self, event: dict[str, Any]) -> list[Delta]:
        """Deltas of one event, or of a whole message. Raises ErrorInStream."""
        match event.get("type"):
            case "content_block_delta":
                return self._delta(event["index"], event["delta"])
            case "content_block_start":
                return self._start(event["index"], event["content_block"])
            case "content_block_stop":
                return self._stop(event.get("index"))
            case "message_start":
                self._count((event.get("message") or {}).get("usage"))
            case "message_delta":
                self._count(event.get("usage"))
                self._end((event.get("delta") or {}).get("stop_reason"))
            case "message_stop":
                self.done = self.ended = True
            case "message":
                return self._whole(event)
            case "error":
                raise ErrorInStream(event.get("error") or event)
            case _:
                if event.get("error"):
                    raise ErrorInStream(event["error"])
        return []

    def finish(self) -> list[Delta]:
        """Blocks whose end did not come, the usage, and Stop."""
        found = [delta for index in list(self._blocks) for delta in self._stop(index)]
        if self._usage:
            found.append(read_usage(self._usage))
        reason = self._reason or "stop"
        found.append(Stop("tool_calls" if self._marks.calls and reason == "stop" else reason))
        return found

    def _end(self, reason: str | None) -> None:
        if reason:
            self._reason, self.done = _REASONS.get(reason, reason), True

    def _count(self, usage: Any) -> None:
        """Keep the newest numbers: those of `message_delta` are totals."""
        if isinstance(usage, dict):
            self._usage.update((key, value) for key, value in usage.items() if value is not None)

    def _start(self, index: Any, content: dict[str, Any]) -> list[Delta]:
        kind = str(content.get("type"))
        block = self._blocks[index] = _Block(kind)
        if kind == "text":
            return self._marks.text(content.get("text") or "")
        if kind == "thinking":
            block.signature = content.get("signature") or ""
            return self._marks.open() + self._marks.think(content.get("thinking") or "")
        if kind == "redacted_thinking":
            return self._marks.close({"type": kind, "data": content.get("data", "")})
        if kind == "tool_use":
            block.number, block.given = self._marks.calls, content.get("input")
            self._marks.calls += 1
            id = content.get("id") or f"call_{os.urandom(8).hex()}"
            return [CallDelta(block.number, id, str(content.get("name") or ""))]
        return []

    def _delta(self, index: Any, delta: dict[str, Any]) -> list[Delta]:
        block = self._blocks.get(index)
        if block is None:  # some servers leave the head of a text out
            block = self._blocks[index] = _Block("text")
        match delta.get("type"):
            case "text_delta":
                return self._marks.text(delta["text"])
            case "thinking_delta":
                return self._marks.think(delta["thinking"])
            case "signature_delta":
                block.signature += delta["signature"]
            case "input_json_delta" if block.number >= 0 and delta["partial_json"]:
                block.came = True
                return [CallDelta(block.number, arguments=delta["partial_json"])]
        return []

    def _stop(self, index: Any) -> list[Delta]:
        block = self._blocks.pop(index, None)
        if block is None:
            return []
        if block.kind == "thinking":
            sealed = {"type": "thinking", "signature": block.signature} if block.signature else None
            return self._marks.close(sealed)
        if block.number >= 0 and not block.came:
            return [CallDelta(block.number, arguments=json.dumps(block.given or {}, ensure_ascii=False))]
        return []

    def _whole(self, message: dict[str, Any]) -> list[Delta]:
        found: list[Delta] = []
        for index, content in enumerate(message.get("content") or ()):
            found += self._start(index, content) + self._stop(index)
        self._count(message.get("usage"))
        self._end(message.get("stop_reason"))
        self.done = True
        return found


def read_usage(usage: dict[str, Any]) -> Usage:
    """Usage from the wire's object, which counts what is read from and written to the cache apart from the input."""
    cached = int(usage.get("cache_read_input_tokens") or 0)
    fresh = int(usage.get("input_tokens") or 0) + int(usage.get("cache_creation_input_tokens") or 0)
    details = usage.get("output_tokens_details") or {}
    return Usage(
        input_tokens=fresh + cached,
        output_tokens=int(usage.get("output_tokens") or 0),
        cached_tokens=cached,
        reasoning_tokens=int(details.get("thinking_tokens") or 0),
    )
