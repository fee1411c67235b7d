"""One call before it runs: policy, then the person if it must be asked, then the record of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oi_tui.protocol.call_events import Scanned
from oi_tui.protocol.calls import Call, Decision, Result
from oi_tui.protocol.events import ApprovalRequested, CodeEnded, Notice
from oi_tui.session.check import Check
from oi_tui.session.conversation import Conversation
from oi_tui.session.hooked import names_of, permitted
from oi_tui.session.hooks import Outcome
from oi_tui.session.scanning import check_of, in_words, looked, why_ask

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
    session: Conversation, event_id: str, call: Call, binding: Binding, preview: Preview, kwargs: dict[str, Any]
) -> Judged:
    """May this call run, and with which arguments?"""
    policy, executor, tool = session.engine.policy, binding.executor, call.name
    verdict = session.planning.decide(policy, executor, preview, session.cwd, tool, session.heard())
    check = check_of(session, executor, preview, verdict)
    if check is not None and (verdict.decision == "allow" or (check.begun and not session.attended)):
        scan = await looked(session, check, preview.text)
        if session.interrupting:
            return Judged(kwargs, _STOPPED)
        if verdict.decision == "allow" and (why := why_ask(scan)):
            verdict = replace(verdict, decision="ask", why=why, by="safe mode")
    record = session.audit.about(session, event_id, tool, executor, preview, verdict)
    if verdict.decision == "ask" and verdict.suspect and not session.attended:
        verdict = replace(verdict, decision="deny", why=f"{verdict.why}; nobody is here to approve it")
    if verdict.decision == "deny":
        session.audit.write(record, "denied", verdict.by)
        return Judged(kwargs, Result(False, verdict.why, rejected=True))
    if verdict.decision == "allow":
        session.audit.write(record | scan_record(check), "allowed", verdict.by)
        policy.ran(executor, preview)
        return Judged(kwargs)
    answer = await _of_hooks(session, call, binding, preview, verdict, check)
    if answer is not None:
        session.audit.write(record | scan_record(check), "allowed" if answer.allow else "denied", "a hook")
        if answer.allow:
            policy.ran(executor, preview)
            return Judged(kwargs)
        return Judged(kwargs, Result(False, f"A hook of the person denies this: {answer.block}", rejected=True))
    offered = () if verdict.suspect else policy.offer(executor, preview, session.cwd, tool)
    asking = _Asking(session, event_id, verdict, offered, check)
    decision = await asking.put(preview)
    record |= scan_record(check)
    if decision.kind in {"reject", "stop"}:
        session.audit.write(record, "declined", _person(session, decision))
        silent = session.engine.harness.ends_when_declined and session.root and not decision.reason.strip()
        return Judged(kwargs, _refusal(decision, asking.found), decision.kind == "stop" or silent)
    if asking.edited is not None:
        kwargs = {**kwargs, preview.editable: asking.edited}
        preview = replace(preview, text=asking.edited)
        session.history.edited(event_id, asking.edited, binding.code_field)
        session.bus.publish(CodeEnded(event_id, preview.language, asking.edited))
        record |= session.audit.text(preview.text)
    elif decision.kind != "approve" and not asking.found.worst:
        remember(session, decision, offered)
        record |= {"rules": [one.sentence() for one in offered]} if offered else {}
    session.audit.write(record, "approved", _person(session, decision))
    policy.ran(executor, preview)
    return Judged(kwargs)


async def _of_hooks(
    session: Conversation, call: Call, binding: Binding, preview: Preview, verdict: Verdict, check: Check | None
) -> Outcome | None:
    """What hooks answer in place of the person, None for nothing. They can allow neither what a tool's output asked for
    nor what safe mode is against."""
    names = names_of(call.name, binding, call.args)
    if not session.hooks.active("PermissionRequest", names):
        return None
    shown = {"command": preview.text} if names[0] == "Bash" else call.args
    answer = await permitted(session, names, shown)
    if answer.block or not answer.allow:
        return answer if answer.block else None
    if verdict.suspect or (check is not None and why_ask(await looked(session, check, preview.text))):
        return None
    return answer


_STOPPED = Result(False, "The person stopped this before it ran.", interrupted=True, meta={"not_run": True})


class _Asking:
    """Asks the person about one call, again where they answered before they could see what safe mode found.

    edited: the text that they put in its place. found: what safe mode knows of what they decided about."""

    def __init__(
        self, session: Conversation, event_id: str, verdict: Verdict, offered: tuple[Rule, ...], check: Check | None
    ) -> None:
        self._session, self._event_id, self._verdict, self._offered = session, event_id, verdict, offered
        self._check = check
        self.edited: str | None = None
        self.found = Scanned()

    async def put(self, preview: Preview) -> Decision:
        """The decision, `edited` set where the text is another one."""
        check = self._check
        while True:
            decision = await self._session.approvals.ask(self._request(preview), check)
            if check is None:
                self._take(decision)
                return decision
            shown, code = check.scan if check.code == preview.text else Scanned(), preview.text
            if decision.kind in {"reject", "stop"}:
                self.found = shown
                check.stop()
                return decision
            self._take(decision)
            code = preview.text if self.edited is None else self.edited
            shown = check.scan if check.code == code else Scanned("running")
            if not check.begun or shown.state not in {"running", "offered"}:
                self.found = shown
                return decision
            self.found = await looked(self._session, check, code)
            if self._session.interrupting:
                return Decision("stop")
            if not self.found.worst:
                return decision
            preview = replace(preview, text=code)
            self._verdict = replace(self._verdict, why="safe mode found something in it after you answered")

    def _take(self, decision: Decision) -> None:
        if decision.kind == "edit":
            self.edited = str(decision.code)

    def _request(self, preview: Preview) -> ApprovalRequested:
        from oi_tui.safety.provenance import carriers

        scan = self._check.scan if self._check is not None else Scanned()
        offered = () if scan.worst or self.edited is not None else self._offered
        return ApprovalRequested(
            self._session.approvals.next_id(),
            self._event_id,
            preview.subject,
            preview.language,
            preview.text,
            preview.what,
            self._verdict.why,
            self._session.place(preview),
            tuple(one.sentence() for one in offered),
            carriers(preview.text),
            scan,
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


def scan_record(check: Check | None) -> dict[str, Any]:
    """What the record keeps of a look at code."""
    return {"scan": in_words(check.scan)} if check is not None and check.begun else {}


def _refusal(decision: Decision, found: Scanned) -> Result:
    reason = decision.reason.strip()
    text = f"The person declined this. {reason}" if reason else "The person declined this."
    if found.findings:
        text += f"\nA check of the code found: {in_words(found)}"
    return Result(False, text, rejected=True, note=reason or None)
