"""Remembers which thoughts of an answer carry a signature, so that they can be sent back unchanged.

The history keeps one text of reasoning and one text of signature an answer. A provider wants its thoughts back block by
block, each with its own seal and in its own place. So the signature is a row of JSON objects, one a line: `wire` and
`model` (a seal is good for these only), `spans` ([start, end] in the reasoning), `text` and `calls` (how many
characters of answer text and how many calls came before), `block` (what the provider wants back besides the text).
`harnesses/rendering_turns.py` reads it.
"""

from __future__ import annotations

import json
from typing import Any

from oi_tui.protocol.stream import Delta, TextDelta, ThoughtDelta


class ThoughtMarks:
    """Counts what an answer says, and writes the marks. `calls`: how many calls were opened so far."""

    def __init__(self, wire: str, model: str) -> None:
        self._wire, self._model = wire, model
        self._thought = self._said = 0
        self.calls = 0
        self._spans: list[list[int]] = []

    def text(self, text: str) -> list[Delta]:
        """Answer text, counted."""
        self._said += len(text)
        return [TextDelta(text)] if text else []

    def open(self) -> list[Delta]:
        """A block of thoughts begins, or a further part of one: set apart from what was thought before."""
        gap = "\n\n" if self._thought else ""
        self._thought += len(gap)
        self._spans.append([self._thought, self._thought])
        return [ThoughtDelta(gap)] if gap else []

    def think(self, text: str) -> list[Delta]:
        """A piece of the open block."""
        if not text:
            return []
        found = self.open() if not self._spans else []
        self._thought += len(text)
        self._spans[-1][1] = self._thought
        return [*found, ThoughtDelta(text)]

    def close(self, block: dict[str, Any] | None) -> list[Delta]:
        """The open block is whole. `block`: what is wanted back with it, None if it cannot be sent back."""
        spans, self._spans = self._spans, []
        if block is None:
            return []
        return [ThoughtDelta("", written(self._wire, self._model, spans, self._said, self.calls, block))]


def written(wire: str, model: str, spans: list[list[int]], text: int, calls: int, block: dict[str, Any]) -> str:
    """One line of a signature."""
    mark = {"wire": wire, "model": model, "spans": spans, "text": text, "calls": calls, "block": block}
    return json.dumps(mark, separators=(",", ":")) + "\n"
