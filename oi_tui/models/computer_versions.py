"""Which version of Anthropic's computer tool a model was trained with, and the header that goes with it.

Source: Anthropic's documentation, "Computer use tool", the table of models and versions.
"""

from __future__ import annotations

import re

_BETAS = {
    "computer_20241022": "computer-use-2024-10-22",
    "computer_20250124": "computer-use-2025-01-24",
    "computer_20251124": "computer-use-2025-11-24",
}


def version_for(model: str) -> str:
    """The tool's type for a Claude model, "" for any other."""
    name = model.lower()
    if "claude" not in name:
        return ""
    if "3-5" in name or "3.5" in name:
        return "computer_20241022"
    found = re.search(r"(?:opus|sonnet|haiku|fable)-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?", name)
    generation = int(found[1]) + int(found[2] or 0) / 100 if found else 0.0  # 4.05 for 4.5
    newest = generation >= 4.06 or ("opus" in name and generation >= 4.05)
    return "computer_20251124" if newest else "computer_20250124"


def beta_of(tools: object) -> str:
    """The value of the header `anthropic-beta` for a body's tools, "" where none is needed."""
    for one in tools if isinstance(tools, list) else ():
        if isinstance(one, dict) and str(one.get("type")) in _BETAS:
            return _BETAS[str(one["type"])]
    return ""
