"""Executor `lookup`: which of some named texts fit a query, for models that look for a tool before they call it.

The texts are put in by the harness: its own tools, say. Nothing outside of the call is read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

MODES = ("words", "regex")
_LONGEST = 200  # characters of a query
_WORD = re.compile(r"[a-z0-9]+")
_SATURATION, _LENGTH = 1.2, 0.75  # k1 and b of Okapi BM25, the usual values


def preview(ctx: Context, query: str, entries: list[Any], mode: str = "words", limit: int = 5) -> Preview:
    """query: words, or a regular expression. entries: objects with name and text. mode: one of MODES. limit: most."""
    _found(query, entries, mode, limit)
    return Preview("tool", "", query, f"look for {query!r}")


async def run(ctx: Context, query: str, entries: list[Any], mode: str = "words", limit: int = 5) -> Result:
    """Look. text: `name: text` of each, best first; meta["found"]: their names."""
    found = _found(query, entries, mode, limit)
    text = "\n".join(f"{one['name']}: {one['text']}" for one in found)
    names = [one["name"] for one in found]
    return Result(True, text or "nothing fits", meta={"found": names, "summary": f"{len(names)} found"})


def _found(query: str, entries: list[Any], mode: str, limit: int) -> list[dict[str, str]]:
    if not query.strip() or len(query) > _LONGEST:
        raise BadArgument("the query is empty" if not query.strip() else f"a query has at most {_LONGEST} characters")
    if mode not in MODES or limit < 1:
        raise BadArgument(f"mode must be one of {', '.join(MODES)}, and limit 1 or more")
    if not all(isinstance(one, dict) and {"name", "text"} <= set(one) for one in entries):
        raise BadArgument("each entry must be an object with name and text")
    if mode == "words":
        return _by_words(query, entries)[:limit]
    try:
        pattern = re.compile(query, re.IGNORECASE)
    except re.error as error:
        raise BadArgument(f"the pattern cannot be read: {error}") from error
    return [one for one in entries if pattern.search(f"{one['name']}: {one['text']}")][:limit]


def _by_words(query: str, entries: list[dict[str, str]]) -> list[dict[str, str]]:
    """Those that share a word with the query, by Okapi BM25. A name counts as its words, twice."""
    counts = [Counter(_words(f"{one['name']} {one['name']} {one['text']}")) for one in entries]
    mean = sum(map(Counter.total, counts)) / max(len(counts), 1) or 1
    scored: list[tuple[float, int]] = []
    for place, words in enumerate(counts):
        score = 0.0
        for word in set(_words(query)):
            holders = sum(word in other for other in counts)
            rare = math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
            weight = words[word] + _SATURATION * (1 - _LENGTH + _LENGTH * words.total() / mean)
            score += rare * words[word] * (_SATURATION + 1) / weight
        if score > 0:
            scored.append((-score, place))
    return [entries[place] for _, place in sorted(scored)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
