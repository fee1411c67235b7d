"""Safe mode in a session: code is looked at by semgrep before it is approved, in the background while the person reads.

`auto` looks at every block that is more than a plain read; `ask` only where the person wants it, and where a rule of
theirs would let the block run unasked. What a scan finds as an error is never run unasked, and neither is what could
not be looked at.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from oi_tui.protocol.call_events import Scanned
from oi_tui.protocol.events import Notice
from oi_tui.session.check import Check

if TYPE_CHECKING:
    from oi_tui.safety.policy import Verdict
    from oi_tui.session.conversation import Conversation
    from oi_tui.tools import Preview

_RUNNERS = frozenset({"code", "shell", "job_input"})


def check_of(session: Conversation, executor: str, preview: Preview, verdict: Verdict) -> Check | None:
    """The look that safe mode takes at a call, begun or only offered; None where it takes none."""
    mode = session.settings.safe_mode
    if mode == "off" or executor not in _RUNNERS or not preview.language or verdict.decision == "deny":
        return None
    if verdict.decision == "allow" and verdict.by == "it only reads":
        return None
    offered = mode == "ask" and verdict.decision == "ask"
    return Check(preview.language, preview.text, session.settings.safe_rules, offered)


async def looked(session: Conversation, check: Check, code: str) -> Scanned:
    """Wait for a look; the person can stop it, and then it was none."""
    session.interruptible = task = asyncio.ensure_future(check.done(code))
    if session.interrupting:
        task.cancel()
    try:
        return await task
    except asyncio.CancelledError:
        check.stop()
        if not session.interrupting:
            raise
        return Scanned("not", text="it was stopped")
    finally:
        session.interruptible = None


def why_ask(scan: Scanned) -> str:
    """Why code that would run unasked is asked about; "" if it is not."""
    if scan.worst:
        return "safe mode found something in it"
    return f"safe mode could not check it: {scan.text}" if scan.text else ""


def in_words(scan: Scanned) -> str:
    """For the record, and for the model where it was declined."""
    return "; ".join(scan.sentences())


def tell_missing(session: Conversation) -> None:
    """Tell the person at the start that nothing will be checked."""
    if session.settings.safe_mode == "off":
        return
    from oi_tui.safety.scan import HOW_TO_INSTALL, program

    if not program():
        what = "safe mode is on, but semgrep is not installed: code is asked about and not checked"
        session.bus.publish(Notice("warning", what, HOW_TO_INSTALL))
