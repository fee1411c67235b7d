"""One call before it runs: policy, then the person if it must be asked, then the record of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oi_tui.protocol.calls import Decision, Result
from oi_tui.protocol.events import ApprovalRequested, CodeEnded, Notice
from oi_tui.session.conversation import Conversation

if TYPE_CHECKING:
    from harnesses.data import Binding
    from oi_tui.safety.policy import Verdict
    from oi_tui.safety.rules import Rule
    from oi_tui.tools import Preview


@dataclass(frozen=True, slots=True)
class Judged:
    """kwargs: the arguments to run with. refused: the result, when it is not to run. stops: the turn ends with it."""

    kwargs: dict[str, Any]
    refused: Result | None = None
    stops: bool = False


async def decide(
    session: Conversation, event_id: str, tool: str, binding: Binding, preview: Preview, kwargs: dict[str, Any]
) -> Judged:
    """May this call run, and with which arguments? tool: its name as the model calls it."""
    policy, executor = session.engine.policy, binding.executor
    verdict = session.planning.decide(policy, executor, preview, session.cwd, tool, session.heard())
    record = session.audit.about(session, event_id, tool, executor, preview, verdict)
    if verdict.decision == "ask" and verdict.suspect and not session.attended:
        verdict = replace(verdict, decision="deny", why=f"{verdict.why}; nobody is here to approve it")
    if verdict.decision == "deny":
        session.audit.write(record, "denied", verdict.by)
        return Judged(kwargs, Result(False, verdict.why, rejected=True))
    if verdict.decision == "ask":
        offered = () if verdict.suspect else policy.offer(executor, preview, session.cwd, tool)
        decision = await session.approvals.ask(_request(session, event_id, preview, verdict, offered))
        if decision.kind == "edit":
            kwargs = {**kwargs, preview.editable: decision.code}
            preview = replace(preview, text=str(decision.code))
            session.history.edited(event_id, str(decision.code), binding.code_field)
            session.bus.publish(CodeEnded(event_id, preview.language, str(decision.code)))
            record |= session.audit.text(preview.text)
        if decision.kind in {"reject", "stop"}:
            session.audit.write(record, "declined", _person(session, decision))
            silent = session.engine.harness.ends_when_declined and session.root and not decision.reason.strip()
            return Judged(kwargs, _refusal(decision), decision.kind == "stop" or silent)
        if decision.kind != "edit":
            remember(session, decision, offered)
            record |= {"rules": [one.sentence() for one in offered]} if decision.kind != "approve" and offered else {}
        session.audit.write(record, "approved", _person(session, decision))
    else:
        session.audit.write(record, "allowed", verdict.by)
    policy.ran(executor, preview)
    return Judged(kwargs)


def _request(
    session: Conversation, event_id: str, preview: Preview, verdict: Verdict, offered: tuple[Rule, ...]
) -> ApprovalRequested:
    from oi_tui.safety.provenance import carriers

    return ApprovalRequested(
        session.approvals.next_id(),
        event_id,
        preview.subject,
        preview.language,
        preview.text,
        preview.what,
        verdict.why,
        session.place(preview),
        tuple(one.sentence() for one in offered),
        carriers(preview.text),
    )


def remember(session: Conversation, decision: Decision, offered: tuple[Rule, ...]) -> None:
    """Write the rules that the person agreed to: for this session, or in the file."""
    if decision.kind == "approve_session":
        session.engine.policy.allow_session(offered)
    elif decision.kind == "approve_always":
        from oi_tui.session import permissions

        made = tuple(one.everywhere() for one in offered) if decision.everywhere else offered
        try:
            permissions.write(session, made, "in the approval")
        except (OSError, ValueError) as error:
            session.engine.policy.allow_session(offered)
            session.bus.publish(Notice("warning", f"the rule holds for this session only: {error}"))


def _person(session: Conversation, decision: Decision) -> str:
    if not session.attended:
        return "nobody was there"
    words = {
        "approve": "once",
        "approve_session": "for the session",
        "approve_always": "always",
        "edit": "after an edit",
    }
    reason = f": {decision.reason.strip()}" if decision.reason.strip() else ""
    return f"the person, {words[decision.kind]}" if decision.kind in words else f"the person{reason}"


def _refusal(decision: Decision) -> Result:
    reason = decision.reason.strip()
    text = f"The person declined this. {reason}" if reason else "The person declined this."
    return Result(False, text, rejected=True, note=reason or None)
