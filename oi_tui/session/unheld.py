"""Code is to run, and no sandbox starts on this machine: the person is asked once, and nobody else may say yes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import ApprovalRequested, Notice
from oi_tui.session.sandboxing import tried

if TYPE_CHECKING:
    from oi_tui.session.conversation import Conversation

HINT = "--sandbox off runs code without a sandbox, with all your rights"


async def refused(session: Conversation, event_id: str, executor: str) -> tuple[Result | None, bool]:
    """The result of a call that is not to run for want of a sandbox, None if it may; and whether the turn ends.

    Puts the computer into the sandbox that settings and approval mode want now."""
    if executor not in {"code", "shell"}:
        return None, False
    sandbox = session.engine.sandbox
    cause = await tried(sandbox) if sandbox.needed else ""
    if cause and not sandbox.may_run_without:
        told = f"No sandbox can start here, so nothing was run: {cause}."
        if not session.attended or session.settings.sandbox.mode != "auto":
            return Result(False, told, rejected=True, note=HINT if session.attended else None), not session.attended
        decision = await session.approvals.ask(_request(session, event_id, cause))
        if decision.kind in {"reject", "stop"}:
            reason = decision.reason.strip()
            said = f"{told} The person did not agree to running it without one. {reason}".strip()
            return Result(False, said, rejected=True, note=reason or None), decision.kind == "stop"
        try:
            sandbox.agree()
        except OSError as error:
            session.bus.publish(Notice("warning", f"that holds for this session only: {error}"))
        session.changed()
    if session.engine.confine():
        session.bus.publish(
            Notice("warning", f"code runs with {sandbox.told()} now: variables of earlier blocks are gone")
        )
    return None, False


def _request(session: Conversation, event_id: str, cause: str) -> ApprovalRequested:
    return ApprovalRequested(
        session.approvals.next_id(),
        event_id,
        "tool",
        "",
        f"{cause}\n\nWithout a sandbox approved code has all your rights: it can read and change every file that you "
        "can, and reach the network.",
        "run code without a sandbox on this machine, now and in later sessions",
        "no sandbox can start here",
        "no sandbox",
    )
