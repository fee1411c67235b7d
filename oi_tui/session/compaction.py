"""When the window is full: old output is sent in short, then notes by the model take the place of old messages.

Nothing is lost: the history stays whole, on the screen and on disk, and the model can search what it is not sent any
more. A summary that cannot be had never stops the session: the old messages are then left out without one.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Literal

from harnesses.compacting import middle_out, note
from oi_tui.models import tokens
from oi_tui.models.client import BadRequest, ContextTooLong, ModelClient, ModelError
from oi_tui.protocol.events import ContextCompacted, Notice, TurnEnded
from oi_tui.session.backend import is_local
from oi_tui.session.conversation import Conversation
from oi_tui.session.hooked import compacted, may_compact
from oi_tui.session.long_results import write_private
from oi_tui.session.model_window import learn_window
from oi_tui.session.summary import summarised
from oi_tui.session.view import Compaction, boundaries, is_persons, passages, shortened
from oi_tui.session.window import Filling

How = Literal["shortened", "summarised", "trimmed"]

_TARGET = 0.6  # of the room for the conversation: what is used after compaction at most
_OLD_OUTPUT = 400  # characters of an old output that are still sent
_KEPT = 20_000  # tokens of the person's messages that are kept word for word, at most
_NOTES = 4_000  # tokens of a summary, at most
_CROWDED = 0.3  # of what may be sent: with less room for the conversation, tools are given up for code in the text
_LEAST = 200  # tokens of conversation; with less room no compaction helps
# (share of the room for the newest messages, characters of each output among them, 0 for all), tried in this order
_TAILS = ((0.35, 0), (0.35, 1500), (0.2, 600), (0.1, 200), (0.0, 200))


async def compact_on_demand(session: Conversation, wanted: str) -> TurnEnded:
    """Compact because the person asked for it; `wanted` is to be in the summary. Tells how it went."""
    try:
        connection = await session.engine.connect()
        if session.engine.harness.trims:
            name = session.engine.harness_id
            text = f"the harness {name} sends only the newest requests: there is nothing to sum up"
            session.bus.publish(Notice("info", text))
            return TurnEnded("done")
        await compact(session, connection.client, await looked_at(session), wanted, asked=True)
    except ModelError as error:
        return TurnEnded("failed", str(error), error.hint)
    return TurnEnded("done")


async def make_room(session: Conversation, client: ModelClient) -> Filling | None:
    """Before a request: compact if it would not fit. Returns how full the window then is, None where the harness sees
    to it. Raises ContextTooLong where even an empty conversation would not fit."""
    if session.engine.harness.trims:
        return None
    await learn_window(session)
    filling = await looked_at(session)
    if filling.limit - filling.fixed < filling.limit * _CROWDED and session.engine.fall_back_to_text():
        text = f"the tools take too much of the {filling.window:,} tokens that the window of {session.model} has"
        session.bus.publish(Notice("info", text, "going on with code in the text"))
        filling = await looked_at(session)
    if filling.used > filling.limit:
        await compact(session, client, filling)
        filling = session.filling()
    return filling


async def looked_at(session: Conversation) -> Filling:
    """How full the window is, counted more closely where it matters."""
    filling = session.filling()
    if filling.used > filling.limit / 2 and not tokens.exact():
        await asyncio.to_thread(tokens.prepare)
        filling = session.filling()
    return filling


async def make_more_room(session: Conversation, client: ModelClient, error: ContextTooLong) -> None:
    """The provider refused a request as too long: its window is smaller than was known. Raises `error` if nothing more
    can be left out."""
    if session.engine.harness.trims:
        raise error
    before = session.filling()
    session.meter.refused(session.model, before.used)
    newest = session.history.compaction
    await compact(session, client, session.filling())
    if session.history.compaction == newest or session.filling().used >= before.used:
        raise error


async def compact(
    session: Conversation, client: ModelClient, filling: Filling, wanted: str = "", *, asked: bool = False
) -> None:
    """Leave out as little as makes room. asked: the person wants a summary of all of it, with `wanted` in it. Raises
    BadRequest where a hook is against it."""
    trigger = "manual" if asked else "auto"
    why = await may_compact(session, trigger)
    if why:
        raise BadRequest(f"a hook stopped the compaction: {why}", hint="/hooks shows them")
    before = session.history.compaction
    await _compact(session, client, filling, wanted, asked=asked)
    if session.history.compaction != before:
        await compacted(session, trigger)


async def _compact(
    session: Conversation, client: ModelClient, filling: Filling, wanted: str = "", *, asked: bool = False
) -> None:
    room = filling.limit - filling.fixed
    if room < _LEAST:
        raise _too_small(session, filling)
    planner = _Planner(session, filling, room)
    plan = None if asked else planner.shorter()
    if plan is not None:
        _apply(session, replace(plan, path=await kept_whole(session, plan)), filling, "shortened")
        return
    plan = planner.everything() if asked else planner.fewer()
    current = session.history.compaction
    start = current.upto if current else 0
    so_far = current.summary if current else ""
    if not asked and plan.upto > start and plan.upto - start <= len([one for one in plan.kept if one >= start]):
        text = (
            f"the newest message alone is too long for the window: about {_short(filling.used)} of {filling.window:,}"
        )
        session.bus.publish(
            Notice("warning", f"{text} tokens", "it is sent all the same; save the text to a file and name the file")
        )
        return
    why = ""
    summary = so_far
    if plan.upto > start:
        part = session.messages[start : plan.upto]
        try:
            summary = await summarised(session, client, part, so_far, wanted, filling.limit)
        except ModelError as error:
            why = str(error)
        if not why:
            summary = middle_out(summary, 4 * planner.notes)
    how, path = session.engine.harness.compacting, await kept_whole(session, plan)
    told = note(summary, plan.upto - len(plan.kept), how, path) if plan.upto else ""
    plan = replace(plan, summary=summary, told=told, reply=how.reply if summary else "", path=path)
    _apply(session, plan, filling, "trimmed" if why else "summarised", why)


class _Planner:
    """Looks for the compaction that leaves most and still makes room."""

    def __init__(self, session: Conversation, filling: Filling, room: int) -> None:
        self._session, self._room, self._fixed = session, room, filling.fixed
        self._history = session.messages
        self._current = session.history.compaction or Compaction()
        self._bounds = [one for one in boundaries(self._history) if one >= self._current.upto]
        # The provider may count more than is estimated here.
        estimated = self._size(session.history.compaction or Compaction())
        self._ratio = min(3.0, max(1.0, (filling.used - self._fixed) / max(1, estimated)))
        self.notes = int(min(_NOTES, room * 0.2))

    def shorter(self) -> Compaction | None:
        """Old outputs in short, if that is enough."""
        upto = max(self._current.shortened, self._tail(0.4, 0))
        plan = replace(self._current, shortened=upto, chars=_OLD_OUTPUT)
        return plan if plan != self._current and self._fits(plan, 0) else None

    def fewer(self) -> Compaction:
        """A summary for the oldest messages, the newest as they are or, where they are large, in short."""
        plan = self._current
        for share, chars in _TAILS:
            upto = self._tail(share, chars)
            ends = len(self._history) if chars else upto
            plan = Compaction(upto, ends, chars, self._kept(upto))
            if self._fits(plan, self.notes):
                break
        return plan

    def everything(self) -> Compaction:
        """A summary for all of it."""
        upto = self._bounds[-1] if self._bounds else len(self._history)
        return Compaction(upto, upto, _OLD_OUTPUT, self._kept(upto))

    def _size(self, plan: Compaction) -> int:
        return sum(self._session.meter.parts(self._session.history.view(plan)).values())

    def _fits(self, plan: Compaction, notes: int) -> bool:
        return self._size(plan) * self._ratio + notes <= _TARGET * self._room

    def _tail(self, share: float, chars: int) -> int:
        """The index from which on the messages fit into a share of the room, at a place where they can be cut."""
        left = share * self._room / self._ratio
        best = len(self._history)
        allowed = set(self._bounds)
        for index in range(len(self._history) - 1, self._current.upto - 1, -1):
            one = self._history[index]
            left -= self._session.meter.tokens_of(shortened(one, chars) if chars else one)
            if left < 0:
                break
            if index in allowed:
                best = index
        return best

    def _kept(self, upto: int) -> tuple[int, ...]:
        """The person's newest messages before `upto` that are sent word for word; the very last one always."""
        left = min(_KEPT, self._room * 0.2) / self._ratio
        kept: list[int] = []
        last = max((index for index, one in enumerate(self._history) if is_persons(one)), default=-1)
        for index in range(upto - 1, -1, -1):
            one = self._history[index]
            if not is_persons(one):
                continue
            left -= self._session.meter.tokens_of(one)
            if left < 0 and index != last:
                break
            kept.append(index)
        return tuple(reversed(kept))


async def kept_whole(session: Conversation, plan: Compaction) -> str:
    """Put what is not sent any more, word for word, into a file that the model can search; its path, "" where it cannot
    reach one or the disk is full."""
    harness, env = session.engine.harness, session.engine.env
    if not (is_local(session.settings.backend) or any(one.executor == "read" for one in harness.tools(env))):
        return ""
    text = "".join(f"## {place}\n\n{said}\n\n" for place, said in passages(session.messages, plan))
    file = session.background.outputs() / f"earlier-{session.id}.md"
    try:
        await asyncio.to_thread(write_private, file, text.encode("utf-8", "replace"))
    except OSError:
        return ""
    return str(file)


def _apply(session: Conversation, plan: Compaction, before: Filling, how: How, why: str = "") -> None:
    """Use a compaction from the next request on, and tell the person."""
    session.history.compact(plan)
    session.meter.forget()
    session.mark_cut()
    after = session.filling()
    if before.measured and before.estimate > before.used:  # the provider counts less than is estimated here
        after = replace(after, used=after.used * before.used // before.estimate)
    session.budget.context, session.budget.cached = after.used, 0
    session.tell_usage()
    gone = plan.upto - len(plan.kept)
    sizes = f"{_short(before.used)} → {_short(after.used)} of {_short(after.window)} tokens"
    hint = "you still see all of it; /context shows what is sent"
    if how == "shortened":
        text = f"made room: the model is sent old output in short ({sizes})"
    elif how == "summarised":
        text = f"made room: for the model a summary stands for {gone:,} older messages ({sizes})"
    else:
        text = f"made room: {gone:,} older messages are not sent any more ({sizes}); they could not be summed up: {why}"
    session.bus.publish(ContextCompacted(how, before.used, after.used, after.window, gone, text, hint))


def _short(count: int) -> str:
    return f"{count / 1000:.1f}k" if count >= 10_000 else f"{count:,}"


def _too_small(session: Conversation, filling: Filling) -> ContextTooLong:
    return ContextTooLong(
        f"the system prompt and the tools take about {filling.fixed:,} tokens, and the window of {session.model} has "
        f"{filling.window:,}: no room is left for a conversation",
        hint="choose a model with a larger window, set llm.context_window if it has one, or use /harness embedded",
    )
