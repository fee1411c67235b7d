"""What servers on the Chat Completions wire want back unchanged with an answer: the seals of its thoughts.

Known are `extra_content` at a call or an answer (Gemini: its `thought_signature`), `reasoning_details` (OpenRouter),
and litellm's `thinking_blocks` and `provider_specific_fields`. They come in fragments; here they become one mark, see
`thought_marks.py`. Sources: Google's page on thought signatures, OpenRouter's on reasoning tokens, litellm's on
reasoning content.
"""

from __future__ import annotations

from typing import Any

from oi_tui.models.wires.thought_marks import written
from oi_tui.protocol.stream import ThoughtDelta

_OBJECTS = ("extra_content", "provider_specific_fields")
_LISTS = ("reasoning_details", "thinking_blocks")
_TEXTS = {"text", "summary", "data", "thinking"}  # of a fragment: appended, where other values replace
_OWN = "thought_signatures"  # all that litellm wants back of the fields it adds to an answer


class ChatExtras:
    """Collects them for one answer of `model`."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._message: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}

    def answer(self, delta: dict[str, Any]) -> None:
        """Take what a delta says of the whole answer."""
        for name in _LISTS:
            for piece in delta.get(name) or ():
                if isinstance(piece, dict):
                    _append(self._message.setdefault(name, []), piece)
        extra = delta.get("extra_content")
        if isinstance(extra, dict) and extra:
            self._message["extra_content"] = {**self._message.get("extra_content", {}), **extra}
        fields = delta.get("provider_specific_fields")
        if isinstance(fields, dict) and fields.get(_OWN):
            self._message["provider_specific_fields"] = {_OWN: fields[_OWN]}

    def call(self, number: int, piece: dict[str, Any]) -> None:
        """Take what a piece of call `number` holds beside name and arguments."""
        for name in _OBJECTS:
            value = piece.get(name)
            if isinstance(value, dict) and value:
                kept = self._calls.setdefault(number, {})
                kept[name] = {**kept.get(name, {}), **value}

    def mark(self) -> list[ThoughtDelta]:
        """One mark with all of it; none if there is nothing to send back."""
        block: dict[str, Any] = {"message": self._message} if self._message else {}
        if self._calls:
            block["calls"] = {str(number): kept for number, kept in self._calls.items()}
        return [ThoughtDelta("", written("chat", self._model, [], 0, 0, block))] if block else []


def _append(whole: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a fragment: to the block it belongs to, or as a new one. A block with a signature is complete."""
    last = whole[-1] if whole else None
    same = last is not None and all(last.get(key) == piece.get(key) for key in ("type", "index"))
    if (
        last is None
        or not same
        or last.get("signature")
        or (last.get("id") and piece.get("id", last["id"]) != last["id"])
    ):
        whole.append(dict(piece))
        return
    for key, value in piece.items():
        before = last.get(key)
        last[key] = before + value if key in _TEXTS and isinstance(before, str) and isinstance(value, str) else value
