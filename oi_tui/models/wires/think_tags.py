"""Tells thinking from answer where a model writes its thoughts into the text, between `<think>` and `</think>`.

Only an answer that begins with the tag is split: the same word later is something the model talks about.
"""

from __future__ import annotations

_OPENERS = ("<think>", "<thinking>")


class ThinkTags:
    """Feed it text in pieces of any size; it gives (is_thought, text) pairs and holds back only what may be a tag."""

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""
        self._closer = ""
        self._fresh = True  # nothing of the thought was given yet: line ends before it belong to the tag

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """What is now certain, in order; no empty texts."""
        if self._state == "answer":
            return [(False, text)] if text else []
        self._held += text
        if self._state == "start":
            return self._start()
        if self._state == "thought":
            return self._thought()
        return self._after()

    def flush(self) -> list[tuple[bool, str]]:
        """What was held back, when the text ends or something else comes in between."""
        held, self._held = self._held, ""
        thinking = self._state == "thought"
        if self._state == "start" and held:
            self._state = "answer"
        return [(thinking, held)] if held and self._state != "after" else []

    def _start(self) -> list[tuple[bool, str]]:
        seen = self._held.lstrip()
        opener = next((one for one in _OPENERS if seen.startswith(one)), None)
        if opener:
            self._state, self._closer, self._held = "thought", f"</{opener[1:]}", seen[len(opener) :]
            return self._thought()
        if any(one.startswith(seen) for one in _OPENERS):
            return []
        self._state = "answer"
        return self.flush()

    def _thought(self) -> list[tuple[bool, str]]:
        if self._fresh:
            self._held = self._held.lstrip("\n")
        self._fresh = self._fresh and not self._held
        thought, closed, rest = self._held.partition(self._closer)
        if closed:
            self._state, self._held = "after", rest
            return ([(True, thought)] if thought else []) + self._after()
        keep = _overlap(self._held, self._closer)
        sure, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return [(True, sure)] if sure else []

    def _after(self) -> list[tuple[bool, str]]:
        self._held = self._held.lstrip()
        if not self._held:
            return []
        self._state = "answer"
        return self.flush()


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    for size in range(min(len(text), len(tag) - 1), 0, -1):
        if text.endswith(tag[:size]):
            return size
    return 0
