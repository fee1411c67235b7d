"""The calls of one answer: judged, asked about, run, their results written down."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from harnesses.arguments import MISFIT, canonical
from harnesses.data import Binding, Made
from oi_tui import tools
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.events import CallEnded, CallStarted, EndReason, Notice
from oi_tui.session.answer import Answer
from oi_tui.session.conversation import Conversation
from oi_tui.session.hooked import after, before
from oi_tui.session.judging import decide
from oi_tui.session.long_results import kept_whole
from oi_tui.session.unheld import HINT, refused


class StopTurn(Exception):
    """Ends the turn from anywhere inside it."""

    def __init__(self, reason: EndReason, text: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.reason: EndReason = reason
        self.text, self.hint = text, hint


async def carry_out(session: Conversation, answer: Answer) -> list[Result]:
    """Run the calls of an answer one after another; each result enters the history. Raises StopTurn."""
    results: list[Result] = []
    ran: dict[tuple[str, str], Result] = {}  # what this answer called already
    cut = answer.parsed.stop == "length"
    if answer.parsed.unclosed and not cut:
        session.bus.publish(Notice("warning", "the code block has no end; the answer may be incomplete"))
    for position, (event_id, call) in enumerate(answer.calls):
        began = time.monotonic()
        stop: StopTurn | None = None
        if cut and position == len(answer.calls) - 1:
            result = _not_run("the answer was cut at its token limit before this call was complete; it was not run")
        elif session.interrupting:
            result = replace(_not_run("The person stopped this before it ran."), interrupted=True)
        elif session.engine.harness.shares_repeats and _key(call) in ran:
            result = ran[_key(call)]
        else:
            result, stop = await _one(session, event_id, call)
            ran[_key(call)] = result
        result = await kept_whole(session, event_id, call, _reminded(session, call, result))
        session.history.record(event_id, call, result)
        seconds = result.seconds or time.monotonic() - began
        session.bus.publish(
            CallEnded(event_id, result.ok, summary_of(result), seconds, result.exit_code, result.note or "")
        )
        session.audit.ended(event_id, result, summary_of(result))
        results.append(result)
        if stop is not None:
            raise stop
        if result.meta.get("ends"):
            raise StopTurn("done")
        final = session.engine.harness.final(call, result)
        if final is not None:
            raise StopTurn("done", final.text)
        if result.interrupted or session.interrupting:
            raise StopTurn("interrupted")
        _stop_repeats(session, call, result)
        _stop_timeouts(session, result)
    return results


def _key(call: Call) -> tuple[str, str]:
    return call.name, canonical(call)


def _stop_timeouts(session: Conversation, result: Result) -> None:
    """Calls in a row that ran out of time end the turn where the harness says so."""
    budget, most = session.budget, session.engine.harness.limits.timeouts
    budget.timeouts = budget.timeouts + 1 if result.timed_out else 0
    if most is not None and budget.timeouts >= most:
        raise StopTurn("limit", f"{most} calls in a row ran out of time", "say how to go on, or change the request")


def _reminded(session: Conversation, call: Call, result: Result) -> Result:
    """A block that failed earlier in this session and fails again says so, with the cause of then."""
    code = session.engine.code_of(call)
    if code is None or result.ok or result.rejected or result.interrupted or result.meta.get("not_run"):
        return result
    last = next((line.strip() for line in reversed(result.text.splitlines()) if line.strip()), "")
    cause = str(result.meta.get("error") or last or result.note or summary_of(result))
    before = session.budget.failed_before(*code, cause if len(cause) <= 200 else cause[:199] + "…")
    if not before:
        return result
    told = f"this same block failed before ({before}): do not run it again unchanged"
    return replace(result, note="; ".join(one for one in (result.note, told) if one))


def _stop_repeats(session: Conversation, call: Call, result: Result) -> None:
    code = session.engine.code_of(call)
    if code is None or result.ok or result.rejected:
        return
    if session.budget.failed(*code):
        raise StopTurn(
            "limit",
            f"the same block failed {session.budget.max_retries} times",
            "say how to go on, or change the request",
        )


def summary_of(result: Result) -> str:
    """A result in a word or two, for the line of its call."""
    if result.rejected:
        return "declined"
    if result.interrupted:
        return "interrupted"
    if result.timed_out:
        return "timed out"
    if result.exit_code:
        return f"exit {result.exit_code}"
    return str(result.meta.get("summary", "ok")) if result.ok else str(result.meta.get("summary", "failed"))


async def _one(session: Conversation, event_id: str, call: Call) -> tuple[Result, StopTurn | None]:
    """Carry out one call unless the harness's guard against repeats is against it."""
    made = session.budget.made
    guard = session.engine.harness.guard(made, call)
    if guard is not None and guard.kind == "block":
        result, stop = _not_run(guard.text), None
    elif guard is not None and guard.kind == "stop":
        result = _not_run("This call was made too often; the turn was stopped.")
        stop = StopTurn("limit", guard.text, "say how to go on, or change the request")
    elif guard is not None and guard.kind == "end":
        result, stop = Result(True, meta={"summary": "done"}), StopTurn("done", guard.text)
    else:
        result, stop = await _unguarded(session, event_id, call)
    made.append(Made(call.name, canonical(call), result.ok))
    if guard is not None and guard.kind == "note":
        result = replace(result, meta={**result.meta, "reminder": guard.text})
    return result, stop


async def _unguarded(session: Conversation, event_id: str, call: Call) -> tuple[Result, StopTurn | None]:
    """Decide about one call and run it. The result always enters the history; StopTurn then ends the turn."""
    if call.error is not None:
        return _not_run(call.error), None
    binding = session.engine.binding_of(call)
    if binding is None:
        return _not_run(f"unsupported call: {call.name}"), None
    call, context, denied = await before(session, event_id, call, binding)
    if denied is not None:
        return denied, None
    result, stop = await _bound(session, event_id, call, binding)
    return await after(session, call, binding, result, context), stop


async def _bound(session: Conversation, event_id: str, call: Call, binding: Binding) -> tuple[Result, StopTurn | None]:
    try:
        kwargs = binding.map_args(call.args)
    except (ValueError, KeyError, TypeError) as error:
        return _not_run(f"{MISFIT}{error}"), None
    executor = tools.get(binding.executor)
    ctx = session.tool_context(event_id)
    preview = executor.preview(ctx, **kwargs)
    if preview.error:
        return _not_run(preview.error, preview.facts), None
    judged = await decide(session, event_id, call, binding, preview, kwargs)
    kwargs = judged.kwargs
    if judged.refused is not None:
        return judged.refused, StopTurn("refused", "declined") if judged.stops else None
    unheld, stops = await refused(session, event_id, binding.executor)
    if session.interrupting:  # while the sandbox was tried, or the person asked
        return replace(_not_run("The person stopped this before it ran."), interrupted=True), None
    if unheld is not None:
        return unheld, StopTurn("refused", unheld.text, HINT) if stops else None
    session.bus.publish(CallStarted(event_id))

    async def run(outside: bool = False) -> Result:
        running = executor.run(replace(session.tool_context(event_id), outside=outside), **kwargs)
        # Code is stopped by the computer, which keeps its state; everything else by cancelling it.
        return await (running if binding.executor == "code" else _interruptible(session, running))

    result = await run()
    if "missing" not in result.meta and result.exit_code != 127:  # a shell's status for a command that is not there
        return result, None
    from oi_tui.session.missing_packages import supplied

    result, stopped = await supplied(session, event_id, result, run)
    return result, StopTurn("refused", "declined") if stopped else None


async def _interruptible(session: Conversation, running: Coroutine[Any, Any, Result]) -> Result:
    """Run a tool so that the person can stop it; what it has done by then is its result, if it gives one."""
    session.interruptible = task = asyncio.ensure_future(running)
    if session.interrupting:
        task.cancel()
    try:
        result = await task
    except asyncio.CancelledError:
        if not session.interrupting:
            raise
        result = Result(False, "The person stopped this.", interrupted=True, meta={"error": "refused"})
    finally:
        session.interruptible = None
    own = asyncio.current_task()
    if own is not None and own.cancelling():  # the turn itself was cancelled, and the tool had something to say first
        raise asyncio.CancelledError
    return replace(result, interrupted=True, ok=False) if session.interrupting else result


def _not_run(why: str, facts: dict[str, Any] | None = None) -> Result:
    """Nothing was done about a call; `why` is all that the model is told, its beginning what the person sees."""
    first = why.partition("\n")[0]
    summary = first if len(first) <= 60 else first[:59] + "…"
    return Result(False, why, meta={"summary": summary, "not_run": True, **(facts or {})})
