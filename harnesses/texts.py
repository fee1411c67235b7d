"""Answers whose calls are written in the text: shown up to where a call may begin, read when they are whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from harnesses.data import Parsed, Piece, Say, Think
from oi_tui.protocol.stream import Delta, Stop, TextDelta, ThoughtDelta


class TextReader:
    """A Reader for formats that are read from the whole text.

    opening: what a call may begin with, at the start of a line (a fence, a tag); from the first such line on the text
    is held back until the answer is whole. parse: the whole text and the reason of its end (`stop`, `length`), to a
    Parsed whose `text` is what is shown and kept, without the calls.
    """

    def __init__(self, opening: re.Pattern[str], parse: Callable[[str, str], Parsed]) -> None:
        self._opening, self._parse = opening, parse
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._signature, self._stop = "", "stop"
        self._shown = 0  # characters that were given out
        self._held = False

    def feed(self, delta: Delta) -> Sequence[Piece]:
        if isinstance(delta, TextDelta):
            self._text.append(delta.text)
            return [] if self._held else self._clear()
        if isinstance(delta, ThoughtDelta):
            self._thoughts.append(delta.text)
            self._signature += delta.signature
            return [Think(delta.text)] if delta.text else []
        if isinstance(delta, Stop):
            self._stop = delta.reason
        return []

    def _clear(self) -> Sequence[Piece]:
        """What is surely text: whole lines in which no call begins."""
        text = "".join(self._text)
        self._text = [text]
        end = text.rfind("\n") + 1
        found = self._opening.search(text, self._shown)
        if found is not None:
            self._held, end = True, min(end, found.start())
        piece = text[self._shown : end]
        if not piece.strip():  # blank lines wait for what they separate
            return []
        self._shown = end
        return [Say(piece)]

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        text = "".join(self._text)
        parsed = self._parse(text, self._stop)
        shown = text[: self._shown].rstrip()
        rest = parsed.text[len(shown) :] if parsed.text.startswith(shown) else ""
        made = Parsed(
            parsed.text,
            "".join(self._thoughts),
            self._signature,
            parsed.calls,
            parsed.error,
            self._stop,
            parsed.unclosed,
        )
        return ([Say(rest)] if rest.strip() else []), made
