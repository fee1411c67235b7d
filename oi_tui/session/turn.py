"""One turn: ask the model, approve, run, observe, again, until nothing more is called."""

from __future__ import annotations

import asyncio

from harnesses.data import Parsed
from oi_tui.models.client import BadRequest, ContextTooLong, ModelClient, ModelError, StreamBroken, ToolsUnsupported
from oi_tui.protocol.events import (
    MessageEnded,
    Notice,
    RetryScheduled,
    TurnEnded,
)
from oi_tui.protocol.lmc import message
from oi_tui.session import looping
from oi_tui.session.answer import STOPPED_NOTE, Answer, Asking, Circling, messages_of
from oi_tui.session.carry_out import StopTurn, carry_out
from oi_tui.session.compaction import make_more_room, make_room
from oi_tui.session.conversation import Conversation, OverBudget
from oi_tui.session.fallbacks import helps, passes
from oi_tui.session.hooked import steered
from oi_tui.session.model_window import say_assumed
from oi_tui.session.plan_mode import asked_in_turn, holds_plan
from oi_tui.session.weights import get_ready

_STREAM_RETRIES = 5
_CIRCLED = "[The answer above said the same again and again and was stopped. Do not go on with it.]"
_CUT_ANSWERS = 3  # in a row, each a call too long to be whole, before the turn gives up
_REFUSALS = 4  # how often a request that is refused as too long is made smaller
_SAME_FAILURES = 5  # the same calls in a row, all failed, before the turn gives up


async def run(session: Conversation) -> TurnEnded:
    """The loop. Returns how it ended; raises nothing but CancelledError."""
    try:
        await _loop(session)
    except StopTurn as stop:
        return TurnEnded(stop.reason, stop.text, stop.hint)
    except OverBudget as error:
        return TurnEnded("limit", str(error), error.hint)
    except ModelError as error:
        return TurnEnded("failed", str(error), error.hint)
    return TurnEnded("done")


async def _loop(session: Conversation) -> None:
    empty = broken = 0
    stuck = _Stuck(session)
    event_id = session.next_call_id()
    unrun = session.history.unrun(event_id)
    if unrun is not None:
        call = session.engine.call_for(unrun["call"]["id"], unrun["format"], unrun["content"])
        await _act(session, Answer(Parsed(calls=(call,)), [(event_id, call)]), stuck)
    while True:
        session.take_news()
        await steered(session)
        session.take_steering()
        session.take_mode()
        limits = session.engine.harness.limits
        why = session.budget.why_stop(limits.cost)
        if why:
            raise StopTurn("limit", why, "raise the limit in the settings, or say go on to continue")
        answer = await _ask(session)
        if not answer.calls and not answer.parsed.text.strip():
            empty += 1
            if empty >= limits.empty_answers:
                raise StopTurn(
                    "failed", f"{session.model} gave an empty answer {empty} times", "try another model with /model"
                )
            session.bus.publish(Notice("warning", "the answer was empty; asking again"))
            continue
        if answer.parsed.error is not None and not holds_plan(session, answer.parsed.text):
            broken += 1
            _correct(session, answer, broken)
            continue
        broken = 0
        session.history.append(*messages_of(answer, session))
        if not answer.calls:
            if answer.parsed.stop == "length":
                session.bus.publish(
                    Notice("warning", "the answer was cut at its token limit", "say go on, or raise llm.max_tokens")
                )
            if session.steering or await _goes_on(session, answer.parsed.text):
                continue
            if looping.goes_on(session, answer.parsed.text):
                continue
            return
        if await _act(session, answer, stuck):
            return


async def _act(session: Conversation, answer: Answer, stuck: _Stuck) -> bool:
    """One step: run the calls of an answer. True where the harness ends the turn with it. Raises StopTurn."""
    limits = session.engine.harness.limits
    session.budget.steps += 1
    results = await carry_out(session, answer)
    stuck.after(answer, all(not result.ok for result in results))
    single = session.engine.harness.single_step
    if single and all(result.ok for result in results):
        return True
    if limits.steps is not None and session.budget.steps >= limits.steps:
        if single:
            raise StopTurn("failed", "the code still fails", "say it in other words, or use a larger model with /model")
        raise StopTurn("limit", f"the turn took {limits.steps} steps, the most of its harness", "say go on to continue")
    return False


async def _goes_on(session: Conversation, text: str) -> bool:
    """Put the plan in an answer before the person; whether the turn goes on with what they say."""
    try:
        return await asked_in_turn(session, text)
    except asyncio.CancelledError:
        if not session.interrupting:
            raise
        raise StopTurn("interrupted") from None


class _Stuck:
    """Notices a model that gets nowhere: it would go on, and cost money, for ever."""

    def __init__(self, session: Conversation) -> None:
        self._session = session
        self._cut = self._same = 0
        self._last: list[tuple[str, str]] = []

    def after(self, answer: Answer, failed: bool) -> None:
        """Look at an answer whose calls are done; failed: all of them. Raises StopTurn."""
        model = self._session.model
        self._cut = self._cut + 1 if answer.parsed.stop == "length" else 0
        if self._cut >= _CUT_ANSWERS:
            raise StopTurn(
                "failed",
                f"{model} wrote a call longer than its token limit {self._cut} times in a row",
                "raise llm.max_tokens, or ask for it in smaller pieces",
            )
        calls = [(call.name, call.raw) for _, call in answer.calls]
        self._same = (self._same + 1 if calls == self._last else 1) if failed else 0
        self._last = calls
        if self._same >= _SAME_FAILURES:
            raise StopTurn(
                "failed",
                f"{model} made the same call {self._same} times in a row, and it failed each time",
                "say what it should do instead, or try another model with /model",
            )


def _correct(session: Conversation, answer: Answer, times: int) -> None:
    """An answer that broke the harness's format: tell the model, or give up. Both leave the history once it got it
    right (`harnesses.base.without_corrected`), unless the harness keeps corrections."""
    harness, parsed = session.engine.harness, answer.parsed
    keeps = harness.keeps_bad_answers
    if keeps and parsed.text.strip():
        session.history.append(message("assistant", "message", parsed.text, broken="answer"))
    mark = "correction" if keeps else None
    session.history.append(message("user", "message", parsed.error, recipient="assistant", broken=mark))
    most = harness.limits.format_errors
    if most is not None and times >= most:
        raise StopTurn(
            "failed",
            f"{session.model} answered {times} times in a row in a form that the harness {harness.id} cannot read",
            "choose another harness with /harness, or another model with /model",
        )
    session.bus.publish(Notice("warning", "the answer was not in the form that was asked for; asking again"))


async def _ask(session: Conversation) -> Answer:
    """One whole answer, asking again, or another model, where that can help."""
    attempts = _Attempts(session)
    while True:
        session.interruptible = task = asyncio.ensure_future(attempts.once())
        if session.interrupting:  # between two steps, when there was nothing to cancel
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            if not session.interrupting:
                raise
            attempts.give_up(STOPPED_NOTE)
            raise StopTurn("interrupted") from None
        except Circling:
            attempts.give_up(_CIRCLED)
            raise StopTurn(
                "limit",
                f"{session.model} said the same again and again, and was stopped",
                "say it in other words, or try another model with /model",
            ) from None
        except ModelError as error:
            session.interruptible = task = asyncio.ensure_future(attempts.after(error))
            try:
                await task
            except asyncio.CancelledError:
                if not session.interrupting:
                    raise
                attempts.give_up(STOPPED_NOTE)
                raise StopTurn("interrupted") from None
        finally:
            session.interruptible = None


class _Attempts:
    """The requests that it takes to get one answer."""

    def __init__(self, session: Conversation) -> None:
        self._session = session
        self._asking: Asking | None = None
        self._said = ""  # what has come of the answer and is on the screen
        self._broken = self._refused = 0

    async def once(self) -> Answer:
        """One request. Raises ModelError."""
        self._asking = None
        client = await _client(self._session)  # may look for servers, or fetch weights
        filling = await make_room(self._session, client)
        self._asking = Asking(self._session, self._said)
        answer = await self._asking.run(client, filling)
        if filling is not None:  # of a model that answers: where it does not, its failure is what the person is told
            say_assumed(self._session, filling)
        return answer

    async def after(self, error: ModelError) -> None:
        """Do what lets the next request succeed, or raise `error`."""
        session = self._session
        began = self._asking is not None and self._asking.began
        if isinstance(error, ToolsUnsupported) and session.engine.fall_back_to_text():
            session.bus.publish(Notice("info", f"{error}", "going on with code in the text"))
        elif isinstance(error, BadRequest) and self._asking is not None and self._asking.prefilled:
            session.engine.no_prefill.add(session.model)
            self._keep()
        elif isinstance(error, StreamBroken) and began and self._broken < _STREAM_RETRIES:
            # The client itself has asked again as long as nothing had come.
            self._broken += 1
            self._keep()
            await _pause(session, self._broken, str(error))
        elif isinstance(error, ContextTooLong) and self._asking is not None and self._refused < _REFUSALS:
            self._refused += 1
            await make_more_room(session, await _client(session), error)
        elif not await self._other_model(error):
            self.give_up("")
            raise error

    async def _other_model(self, error: ModelError) -> bool:
        """Go on with the next fallback, if this failure is of a kind that one helps with."""
        session = self._session
        standing_in = session.engine.stands_in
        if isinstance(error, OverBudget) or not (helps(error) or standing_in):
            return False
        name = session.engine.fall_back(stays=not passes(error))
        if not name:
            return False
        self._keep()
        self._broken = self._refused = 0
        session.bus.publish(Notice("warning", str(error), f"going on with {name}"))
        session.changed()
        return True

    def _keep(self) -> None:
        """What came of the answer is its beginning; the next request goes on from there."""
        if self._asking is not None:
            self._said = self._asking.partial(ends=False).text
            self._asking = None

    def give_up(self, note: str) -> None:
        """Put what has come of the answer into the history, with a note for the model on why it ends there."""
        session, said = self._session, self._said
        if self._asking is not None:
            said = self._asking.partial().text
        elif said:
            session.bus.publish(MessageEnded())
        self._asking, self._said = None, ""
        if said.strip():
            session.history.append(message("assistant", "message", said))
            if note:
                session.history.append(message("user", "message", note, recipient="assistant"))


async def _pause(session: Conversation, attempt: int, cause: str) -> None:
    seconds = min(session.retry_base * 2 ** (attempt - 1), 30.0)
    session.bus.publish(RetryScheduled(seconds, attempt, _STREAM_RETRIES, cause))
    await asyncio.sleep(seconds)


async def _client(session: Conversation) -> ModelClient:
    """The client of the current model, its weights fetched if a person agreed. Raises ModelError."""
    connection = await session.engine.connect()
    if not connection.ready():
        session.engine.unusable = True
        await get_ready(session, connection)
        session.engine.unusable = False
    if connection.choice is not None:  # the beginning that all requests share is read once, and kept for the next start
        await connection.client.prewarm(session.engine.warm_body(session.id))
    return connection.client
