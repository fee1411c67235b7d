"""A plan that a model writes into its answer, between `<proposed_plan>` and `</proposed_plan>`."""

from __future__ import annotations

import re

OPEN, CLOSE = "<proposed_plan>", "</proposed_plan>"
_WHOLE = re.compile(rf"{OPEN}\s*(.*?)\s*{CLOSE}", re.DOTALL)
_TAGS = re.compile(r"</?proposed_plan>\n?")


def plan_in(text: str) -> str:
    """The last whole plan in a text, "" if there is none."""
    found = _WHOLE.findall(text)
    return str(found[-1]) if found else ""


def without_tags(text: str) -> str:
    """The text with its plan as a part of it."""
    return _TAGS.sub("", text) if OPEN in text or CLOSE in text else text


class Untagged:
    """`without_tags` for a text that comes in pieces."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What can be shown now."""
        text = self._held + text
        cut = text.rfind("<")
        tail = text[cut:] if cut >= 0 else ""
        held = tail if tail and (OPEN.startswith(tail) or CLOSE.startswith(tail) or tail in (OPEN, CLOSE)) else ""
        self._held = held
        return without_tags(text.removesuffix(held))

    def flush(self) -> str:
        """What was held back, now that nothing more comes."""
        held, self._held = self._held, ""
        return without_tags(held)
