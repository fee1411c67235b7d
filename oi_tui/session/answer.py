"""One answer of the model: the request, the stream turned into events, and what of it enters the history."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from harnesses.arguments import sound
from harnesses.data import CodeOpen, Parsed, Piece, Reader, Say, Think
from oi_tui.models.client import ModelClient
from oi_tui.protocol.calls import Call
from oi_tui.protocol.events import (
    CodeDelta,
    CodeEnded,
    CodeStarted,
    MessageDelta,
    MessageEnded,
    Notice,
    ReasoningDelta,
    RequestStarted,
    RetryScheduled,
    ToolCalled,
)
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.plans import Untagged
from oi_tui.protocol.stream import Delta, Retry, Stop, TextDelta, ThoughtDelta, Usage
from oi_tui.session.continuing import Joint, asked_to_go_on, begun
from oi_tui.session.conversation import Conversation
from oi_tui.session.harness_faults import blamed
from oi_tui.session.tally import Tally
from oi_tui.session.window import Filling

STOPPED_NOTE = "[The person stopped the answer above.]"


class Circling(Exception):
    """The model says the same again and again within one answer, which was stopped."""


@dataclass(slots=True)
class Answer:
    """A whole answer: what it says and the calls in it, each with the id that events know it by."""

    parsed: Parsed
    calls: list[tuple[str, Call]] = field(default_factory=lambda: list[tuple[str, Call]]())


class Asking:
    """Sends one request and publishes what comes. Make one per request.

    said: the beginning of the answer, which an earlier request brought before it broke off.
    """

    def __init__(self, session: Conversation, said: str = "") -> None:
        self._session = session
        self._before = said
        self._joint = Joint(said)
        with blamed(session.engine.harness):
            self._reader: Reader = session.engine.harness.reader(session.engine.env)
            tools = session.engine.harness.tools(session.engine.env)
        # Commands in shells of their own need no kernel: one is started early only where code may come.
        self._warms = not session.engine.harness.uses_tools or any(one.executor == "code" for one in tools)
        self._ids: dict[int, str] = {}
        self._languages: dict[int, str] = {}
        self._watch = session.engine.harness.watch()
        self._untagged = Untagged()  # a plan in the text is shown without its tags
        self._said = False
        self.prefilled = False  # the request ends with what was said
        self.began = False  # something of the answer has been shown

    async def run(self, client: ModelClient, filling: Filling | None = None) -> Answer:
        """Ask and return the whole answer. Raises ModelError, Circling; what was shown before is then in `partial()`.

        filling: how full the window is with this request, None where nobody looked.
        """
        session = self._session
        size, cached = self._size(filling)
        most = session.check_money(size, cached)
        view = session.history.view()
        sent = len(view)
        body = await self._begun(view, most) if self._before.strip() else None
        self.prefilled = self._joint.prefilled = body is not None
        if body is None:
            body = await session.request_body([*view, *asked_to_go_on(self._before)], most)
        if left_out := session.engine.harness.left_out(session.messages):
            session.bus.publish(
                Notice(
                    "warning",
                    f"the message is too long for {session.model}: {left_out:,} characters of its middle are left out",
                    "save the text to a file and name the file, or choose a larger model with /model",
                )
            )
        session.bus.publish(RequestStarted(session.model))
        if session.settings.verbose:
            from oi_tui.session import requests_log

            requests_log.log(session, body)
        tally = Tally(size)
        stopped = False
        try:
            async with aclosing(client.stream(body)) as deltas:
                async for delta in deltas:
                    tally.take(delta)
                    self._take(delta)
        except (asyncio.CancelledError, Circling):
            stopped = True
            raise
        finally:
            if (usage := tally.usage(stopped=stopped)) is not None:
                if tally.measured and not self._before:
                    session.meter.measured(session.model, view[:sent], usage.input_tokens + usage.output_tokens)
                session.count(usage)
        self._show(self._rest())
        with blamed(session.engine.harness):
            pieces, parsed = self._reader.finish()
        self._show(pieces)
        self._show_held()
        if self._said:
            session.bus.publish(MessageEnded())
        return Answer(self._joined(parsed), self._announce(parsed))

    async def _begun(self, view: list[Message], most: int | None) -> dict[str, Any] | None:
        """A body that ends with what was said, None where the model cannot go on from there."""
        engine = self._session.engine
        if engine.connection is None or engine.model in engine.no_prefill:
            return None
        body = await self._session.request_body([*view, *begun(self._before)], most)
        return engine.connection.prefilled(body)

    def _size(self, filling: Filling | None) -> tuple[int, int]:
        """(tokens of the request, how many of them the provider has kept from the last one), estimated."""
        session = self._session
        filling = filling or session.filling()
        return filling.used, min(session.budget.cached, filling.used) if filling.measured else 0

    def _take(self, delta: Delta) -> None:
        if isinstance(delta, Retry):
            self._session.bus.publish(RetryScheduled(delta.seconds, delta.attempt, delta.limit, delta.cause))
        elif isinstance(delta, TextDelta):
            text = self._joint.feed(sound(delta.text))
            if text:
                self._show(self._reader.feed(replace(delta, text=text)))
        elif isinstance(delta, ThoughtDelta):
            self._show(self._reader.feed(replace(delta, text=sound(delta.text))))
        elif not isinstance(delta, Usage):
            if not isinstance(delta, Stop):
                self._show(self._rest())  # a call comes after the text
            self._show(self._reader.feed(delta))

    def _rest(self) -> Sequence[Piece]:
        """What was held back of a text that may have been a repetition."""
        text = self._joint.flush()
        return self._reader.feed(TextDelta(text)) if text else ()

    def _joined(self, parsed: Parsed) -> Parsed:
        return replace(parsed, text=self._before + parsed.text) if self._before else parsed

    def partial(self, *, ends: bool = True) -> Parsed:
        """What had come when the answer was cut off. Its calls are incomplete and must not run. ends: nothing more will
        come of it."""
        self._show(self._rest())
        pieces, parsed = self._reader.finish()
        self._show([piece for piece in pieces if isinstance(piece, Say)])
        self._show_held()
        if (self._said or self._before) and ends:
            self._session.bus.publish(MessageEnded())
        return self._joined(parsed)

    def _show(self, pieces: Sequence[Piece]) -> None:
        publish = self._session.bus.publish
        for piece in pieces:
            self.began = True
            if not isinstance(piece, Say):
                self._show_held()
            if isinstance(piece, Say):
                self._said = True
                if text := self._untagged.feed(piece.text):
                    publish(MessageDelta(text))
                if self._watch is not None and self._watch.feed(piece.text):
                    self._watch = None
                    raise Circling
            elif isinstance(piece, Think):
                publish(ReasoningDelta(piece.text))
            elif isinstance(piece, CodeOpen):
                self._languages[piece.index] = piece.language
                publish(CodeStarted(self._id(piece.index), piece.language))
                if self._warms:
                    self._session.engine.computer.prepare(piece.language)
            else:
                publish(CodeDelta(self._id(piece.index), piece.text))

    def _show_held(self) -> None:
        if text := self._untagged.flush():
            self._session.bus.publish(MessageDelta(text))

    def _id(self, index: int) -> str:
        if index not in self._ids:
            self._ids[index] = self._session.next_call_id()
        return self._ids[index]

    def _announce(self, parsed: Parsed) -> list[tuple[str, Call]]:
        """Tell the screen which calls there are, now that they are whole."""
        session = self._session
        calls: list[tuple[str, Call]] = []
        for position, call in enumerate(parsed.calls):
            index = parsed.indexes[position] if parsed.indexes else position
            event_id = self._id(index)
            calls.append((event_id, call))
            code = session.engine.code_of(call)
            if code is not None:
                if index not in self._languages:
                    session.bus.publish(CodeStarted(event_id, code[0]))
                session.bus.publish(CodeEnded(event_id, *code))
            elif index in self._languages:  # shown as code while it came, but its arguments cannot be read
                session.bus.publish(CodeEnded(event_id, self._languages[index], call.raw))
            else:
                session.bus.publish(ToolCalled(event_id, call.name, session.engine.title_of(call), call.raw))
        return calls


def messages_of(answer: Answer, session: Conversation) -> list[Message]:
    """The history entries of an answer: its text, then its calls in order. Call ids are made unique on the way."""
    parsed = answer.parsed
    made: list[Message] = []
    if parsed.text.strip():
        made.append(message("assistant", "message", parsed.text))
    for event_id, call in answer.calls:
        key = session.history.call_key(event_id, call)
        code = session.engine.code_of(call)
        if code is not None:
            made.append(message("assistant", "code", code[1], code[0], call=key))
        else:
            made.append(message("assistant", "message", "", call=key))
    if made and parsed.reasoning:
        made[0]["reasoning"] = parsed.reasoning
    if made and parsed.signature:  # also of thoughts that the provider does not tell
        made[0]["signature"] = parsed.signature
    return made
