"""What a model's name tells about how it is asked."""

from __future__ import annotations

import re

_TOGGLE = re.compile(r"kimi|moonshot|glm-[4-9]|deepseek|doubao-seed|mimo")


def toggles_thinking(model: str) -> bool:
    """True for models whose thinking is switched by a field `thinking: {"type": "enabled" | "disabled"}`."""
    return _TOGGLE.search(model.lower()) is not None
