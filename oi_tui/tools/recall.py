"""Executor `recall`: passages of the conversation that the model is not sent any more, by words that stand in them.

The whole conversation stays in the session; only what is sent grows short. Nothing leaves the program: no index, no
embedding, the text is read as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

_PASSAGE = 900  # characters of one passage
_MOST = 20  # passages
_WORD = re.compile(r"\w+(?:[./\\:-]\w+)*")


@dataclass(frozen=True, slots=True)
class _Passage:
    place: str
    number: int  # of the passage, in the order of the conversation
    text: str


def preview(ctx: Context, query: str, limit: int = 5) -> Preview:
    """query: words or an exact phrase, in any case. limit: most passages to give back."""
    _check(query, limit)
    return Preview("tool", "", query, f"look for {query!r} in the earlier conversation")


async def run(ctx: Context, query: str, limit: int = 5) -> Result:
    """Search. meta: hits (how many passages fit)."""
    _check(query, limit)
    cut = ctx.memory.get("cut")
    passages = list(_passages(cut())) if cut is not None else []
    if not passages:
        return Result(
            ok=True, text="nothing was taken away from the conversation", meta={"hits": 0, "summary": "nothing"}
        )
    found = _best(passages, query)
    if not found:
        text = f"no earlier passage has any of these words; {len(passages)} were looked through"
        return Result(ok=True, text=text, meta={"hits": 0, "summary": "no match"})
    shown = sorted(found[:limit], key=lambda one: one.number)
    text = "\n\n".join(f"[{one.place}]\n{one.text}" for one in shown)
    note = f"{len(shown)} of {len(found)} passages that fit" if len(found) > len(shown) else None
    summary = f"{len(shown)} {'passage' if len(shown) == 1 else 'passages'}"
    return Result(ok=True, text=text, note=note, meta={"hits": len(found), "summary": summary})


def _check(query: str, limit: int) -> None:
    if not _WORD.search(query):
        raise BadArgument("query holds no word to look for")
    if not 1 <= limit <= _MOST:
        raise BadArgument(f"limit must be between 1 and {_MOST}, not {limit}")


def _passages(cut: Iterable[tuple[str, str]]) -> Iterator[_Passage]:
    """The texts in pieces of whole lines, as far as lines are no longer than a passage."""
    number = 0
    for place, text in cut:
        pieces = list(_pieces(text))
        for part, piece in enumerate(pieces, 1):
            number += 1
            where = f"{place}, part {part} of {len(pieces)}" if len(pieces) > 1 else place
            yield _Passage(where, number, piece)


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for line in text.splitlines():
        for start in range(0, max(1, len(line)), _PASSAGE):
            part = line[start : start + _PASSAGE]
            if piece and len(piece) + len(part) >= _PASSAGE:
                yield piece
                piece = ""
            piece = f"{piece}\n{part}" if piece else part
    if piece.strip():
        yield piece


def _best(passages: list[_Passage], query: str) -> list[_Passage]:
    """Passages that hold some of the words, the best first: rare words weigh more, the whole phrase most; of equals the
    later one is better."""
    lowered = [one.text.lower() for one in passages]
    words = {word.lower() for word in _WORD.findall(query)}
    words |= {part for word in words for part in re.findall(r"\w{2,}", word)}
    phrase = " ".join(query.lower().split())
    scores = [0.0] * len(passages)
    for word in words:
        having = [index for index, text in enumerate(lowered) if word in text]
        for index in having:
            scores[index] += math.log(1 + len(passages) / len(having))
    top = math.log(1 + len(passages)) * len(words)
    for index, text in enumerate(lowered):
        if len(words) > 1 and phrase in text:
            scores[index] += top
    order = sorted(range(len(passages)), key=lambda index: (-scores[index], -index))
    return [passages[index] for index in order if scores[index] > 0]
