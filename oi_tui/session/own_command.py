"""`!line`: a command that the person runs themselves, in a shell of the session outside the sandbox, or a block that
they run again. Nobody is asked; the model is told with the next request."""

from __future__ import annotations

from dataclasses import replace
from xml.sax.saxutils import escape

from oi_tui import tools
from oi_tui.protocol.events import CallEnded, CallStarted, CodeEnded, CodeStarted, Notice
from oi_tui.protocol.lmc import message
from oi_tui.session.backend import BackendUnusable
from oi_tui.session.carry_out import summary_of
from oi_tui.session.conversation import Conversation


async def run_own(session: Conversation, line: str, language: str = "shell") -> None:
    """Run `line` and publish what it does as a block of code."""
    try:
        await session.engine.open_computer()
    except BackendUnusable as error:
        session.bus.publish(Notice("error", str(error), error.hint))
        return
    call_id = session.next_call_id()
    session.bus.publish(CodeStarted(call_id, language))
    session.bus.publish(CodeEnded(call_id, language, line))
    session.bus.publish(CallStarted(call_id))
    session.audit.own(session, call_id, line, language)
    preview = tools.get("code").preview(session.tool_context(call_id), language=language, code=line)
    session.engine.policy.ran("code", preview)
    # A command is the person's own: it runs with their rights, in a shell beside the one that the model's code runs in.
    ctx = replace(session.tool_context(call_id), outside=language == "shell")
    result = await tools.get("code").run(ctx, language=language, code=line)
    session.audit.ended(call_id, result, summary_of(result))
    session.bus.publish(
        CallEnded(call_id, result.ok, summary_of(result), result.seconds, result.exit_code, result.note or "")
    )
    if language != "shell":
        told = (
            f"<user_code>\n<language>{escape(language)}</language>\n<code>\n{escape(line)}\n</code>\n<result>\n"
            f"{escape(result.text)}\n</result>\n</user_code>"
        )
        session.history.append(message("user", "message", told, recipient="assistant"))
        return
    told = (
        f"<user_shell_command>\n<command>\n{escape(line)}\n</command>\n<result>\nExit code: {result.exit_code}\n"
        f"Output:\n{escape(result.text)}\n</result>\n</user_shell_command>"
    )
    session.history.append(message("user", "message", told, recipient="assistant"))
