"""The plan of plan mode before the person: showing it, and what they say to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oi_tui.protocol.calls import Option, Question
from oi_tui.protocol.events import PlanProposed
from oi_tui.protocol.lmc import message
from oi_tui.settings import APPROVALS
from oi_tui.tools.base import PlanAnswer

if TYPE_CHECKING:
    from oi_tui.session.conversation import Conversation
    from oi_tui.session.questions import Questions

KEEP = "keep planning"


async def put(
    session: Conversation, questions: Questions, call_id: str, plan: str, options: Sequence[Option] = ()
) -> PlanAnswer | None:
    """Show a plan and ask whether it is to be carried out; None where nobody is there. An agreement ends plan mode.

    options: ways of doing it that the model leaves to the person.
    """
    session.bus.publish(PlanProposed(call_id, plan))
    if not session.attended:
        return None
    most = ("auto", "full") if session.settings.safe_mode != "off" else ()
    offered = _offered(session.approval, options, most)
    asked = Question("Carry out this plan?", "plan", tuple(one for one, _, _ in offered))
    (answer,) = await questions.ask(call_id, [asked])
    said = ", ".join(answer)
    agreed = next((one for one in offered if one[0].label == said and said != KEEP), None)
    if agreed is None:
        return PlanAnswer(False, said, "" if said == KEEP else said)
    _, mode, way = agreed
    if mode != session.approval:
        session.engine.policy.mode = mode
    session.plan(False)
    session.planning.agreed = True
    return PlanAnswer(True, said, way=way, approval=mode)


def _offered(now: str, options: Sequence[Option], closed: Sequence[str] = ()) -> list[tuple[Option, str, str]]:
    """What the person can choose: the option, the approval mode after it, and the way of the model that it means.
    closed: modes that safe mode does not allow."""
    modes = [mode for mode in APPROVALS if mode not in {"read-only", "full", now, *closed}]
    mode = now if now != "read-only" else modes[0]
    same = "approval mode stays" if mode == now else "approval mode becomes"
    if options:
        made = [(one, mode, one.label) for one in options]
    else:
        made = [(Option("yes", f"{same} {mode}"), mode, "")]
        made += [(Option(f"yes, {one}", f"approval mode becomes {one}"), one, "") for one in modes if one != mode]
    return [*made, (Option(KEEP, "or say what is to be different"), "", "")]


def holds_plan(session: Conversation, text: str) -> str:
    """The plan that an answer without calls ends with, "" for none: only in plan mode."""
    return session.engine.harness.plan_of(text) if session.planning.on and session.root else ""


async def proposed(session: Conversation, text: str) -> bool:
    """Put the plan in an answer before the person. True if the model is to go on in this turn: with the work, or with
    the plan as the person wants it. Cancelled by an interrupt."""
    plan = holds_plan(session, text)
    if not plan or session.host is None or not session.attended:
        return False
    answer = await session.host.put_plan("", plan, ())
    if answer is None:
        return False
    if not answer.agreed and answer.reason:
        told = f"The person does not agree to the plan yet; plan mode stays on. They say: {answer.reason}"
        session.history.append(message("user", "message", told, recipient="assistant"))
    return answer.agreed or bool(answer.reason)


async def asked_in_turn(session: Conversation, text: str) -> bool:
    """`proposed`, so that the person can interrupt it. Raises CancelledError then."""
    session.interruptible = task = asyncio.ensure_future(proposed(session, text))
    try:
        return await task
    finally:
        session.interruptible = None
