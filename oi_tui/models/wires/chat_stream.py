"""Chunks of a Chat Completions response -> deltas. Pure: objects in, deltas out, no network.

Format: OpenAI's API reference, "The chat completion chunk object"; what other servers do differently is noted where it
is handled.
"""

from __future__ import annotations

from typing import Any

from oi_tui.models.wires.chat_calls import CallAssembler
from oi_tui.models.wires.chat_extras import ChatExtras
from oi_tui.models.wires.reading import ErrorInStream
from oi_tui.models.wires.think_tags import ThinkTags
from oi_tui.protocol.stream import Delta, Stop, TextDelta, ThoughtDelta, Usage

_REASONS = {
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_length": "length",
    "end_turn": "stop",
    "eos": "stop",
    "stop_sequence": "stop",
}


class ChatStream:
    """Reads one response of `model`. `done`: an end was seen, so a lost connection does not matter any more."""

    ended = False  # the end marker tells it: usage may come after the reason to stop

    def __init__(self, model: str = "") -> None:
        self._extras = ChatExtras(model)
        self._calls = CallAssembler(self._extras)
        self._tags = ThinkTags()
        self._usage: dict[str, Any] | None = None
        self._reason = ""
        self.done = False

    def feed(self, event: dict[str, Any]) -> list[Delta]:
        """Deltas of one chunk, or of a whole `chat.completion`. Raises ErrorInStream."""
        error = event.get("error")
        if error:
            raise ErrorInStream(error)
        usage = event.get("usage") or (event.get("x_groq") or {}).get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        choices = event.get("choices")
        if not choices:
            return []
        choice = choices[0]
        reason = choice.get("finish_reason")
        if reason:  # only remembered: some servers send one with every chunk
            self._reason, self.done = _REASONS.get(reason, reason), True
        delta = choice.get("delta")
        if delta is None:
            delta = choice.get("message")
        return self._deltas(delta) if isinstance(delta, dict) else []

    def finish(self) -> list[Delta]:
        """What was held back, the usage, and Stop."""
        found = [*self._split(self._tags.flush()), *self._extras.mark()]
        if self._usage is not None:
            found.append(read_usage(self._usage))
        reason = self._reason or "stop"
        found.append(Stop("tool_calls" if self._calls and reason == "stop" else reason))
        return found

    def _deltas(self, delta: dict[str, Any]) -> list[Delta]:
        content = delta.get("content")
        if type(content) is str and len(delta) == 1:  # nearly every chunk: the short way
            return self._split(self._tags.feed(content)) if content else []
        found: list[Delta] = []
        self._extras.answer(delta)
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if thought:
            found += [ThoughtDelta(text) for _, text in _texts(thought)]
        if content:
            for is_thought, text in _texts(content):
                found += [ThoughtDelta(text)] if is_thought else self._split(self._tags.feed(text))
        if isinstance(delta.get("refusal"), str) and delta["refusal"]:
            found += self._split(self._tags.feed(delta["refusal"]))
        calls = delta.get("tool_calls")
        legacy = delta.get("function_call")
        if calls or isinstance(legacy, dict):
            found += self._split(self._tags.flush())
        if calls:
            found += self._calls.feed(calls)
        elif isinstance(legacy, dict):
            found += self._calls.feed_legacy(legacy)
        return found

    @staticmethod
    def _split(parts: list[tuple[bool, str]]) -> list[Delta]:
        return [ThoughtDelta(text) if is_thought else TextDelta(text) for is_thought, text in parts]


def _texts(content: Any) -> list[tuple[bool, str]]:
    """(is_thought, text) of a content that is text, one part, or a list of parts (Mistral sends `thinking` parts)."""
    if isinstance(content, str):
        return [(False, content)]
    if isinstance(content, list):
        return [pair for part in content for pair in _texts(part)]
    if not isinstance(content, dict):
        return []
    if content.get("type") == "thinking":
        return [(True, text) for _, text in _texts(content.get("thinking")) if text]
    text = content.get("text")
    return [(False, text)] if isinstance(text, str) and text else []


def read_usage(usage: dict[str, Any]) -> Usage:
    """Usage from the wire's object; cached tokens under the names of OpenAI, DeepSeek and Moonshot."""
    given = usage.get("prompt_tokens_details") or {}
    made = usage.get("completion_tokens_details") or {}
    cached = given.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or usage.get("cached_tokens") or 0
    return Usage(
        input_tokens=int(usage.get("prompt_tokens") or 0),
        output_tokens=int(usage.get("completion_tokens") or 0),
        cached_tokens=int(cached),
        reasoning_tokens=int(made.get("reasoning_tokens") or 0),
    )
