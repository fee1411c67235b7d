"""Asks the model for notes on what is taken away: in pieces where it is larger than the window."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from harnesses.compacting import notes_in, request, transcript
from harnesses.data import Compacting
from oi_tui.models import tokens
from oi_tui.models.client import BadRequest, ContextTooLong, ModelClient
from oi_tui.protocol.events import RequestStarted, RetryScheduled
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.stream import Retry, TextDelta
from oi_tui.session.conversation import Conversation
from oi_tui.session.tally import Tally

_SHARE = 0.55  # of the window for one piece: the notes so far, the prompt and the answer take the rest
_PIECES = 6  # requests for one summary; where more would be needed, long outputs are shortened further
_LENGTHS = (4000, 1200, 400, 120)  # characters of one output in the text, the next where it is still too long
_HALVINGS = 4  # how often a piece that is refused as too long is cut in two
_SMALL = 32_768  # tokens: from a smaller window a part is set aside for the notes


async def summarised(
    session: Conversation, client: ModelClient, messages: Sequence[Message], so_far: str, wanted: str, limit: int
) -> str:
    """Notes that stand for `messages` and for what `so_far` stood for. limit: tokens that may be sent. Raises
    ModelError if they cannot be had."""
    how = session.engine.harness.compacting
    waiting = _pieces(messages, int(limit * _SHARE), how)
    halvings = 0
    options = replace(session.engine.options([], session.id), vision=False)
    if limit < _SMALL and options.max_tokens is None:
        options = replace(options, max_tokens=max(200, int(limit * 0.2)))
    while waiting:
        piece = waiting.pop(0)
        body = request(piece, so_far, wanted, options, how)
        left = f", {len(waiting)} more parts" if waiting else ""
        try:
            answer = await _asked(session, client, body, f"the window is full: summing up{left}")
            so_far = notes_in(answer, how)
        except ContextTooLong:
            halvings += 1
            if halvings > _HALVINGS:
                raise
            middle = len(piece) // 2
            waiting[:0] = [piece[:middle], piece[middle:]]
    return so_far


def _pieces(messages: Sequence[Message], most: int, how: Compacting) -> list[str]:
    """The conversation as texts of at most about `most` tokens."""
    text = ""
    for longest in _LENGTHS:
        text = transcript(messages, longest, how)
        if tokens.count(text) <= most * _PIECES:
            break
    size = max(400, int(len(text) * most / max(1, tokens.count(text))))
    found: list[str] = []
    while len(text) > size:
        cut = text.rfind("\n\n", size // 2, size)
        cut = size if cut < 0 else cut
        found.append(text[:cut])
        text = text[cut:].lstrip("\n")
    return [*found, text]


async def _asked(session: Conversation, client: ModelClient, body: dict[str, Any], note: str) -> str:
    """The text of one answer; it counts in the budget and is not shown."""
    size = tokens.count(str(body))
    session.check_money(size, 0)
    session.bus.publish(RequestStarted(session.model, note))
    texts: list[str] = []
    tally = Tally(size)
    stopped = False
    try:
        async with aclosing(client.stream(body)) as answer:
            async for delta in answer:
                tally.take(delta)
                if isinstance(delta, TextDelta):
                    texts.append(delta.text)
                elif isinstance(delta, Retry):
                    session.bus.publish(RetryScheduled(delta.seconds, delta.attempt, delta.limit, delta.cause))
    except asyncio.CancelledError:
        stopped = True
        raise
    finally:
        if (usage := tally.usage(stopped=stopped)) is not None:
            session.count(usage, aside=True)
    text = "".join(texts).strip()
    if not text:
        raise BadRequest(f"{session.model} wrote no summary", hint="try another model with /model")
    return text
