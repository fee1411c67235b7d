"""Where hooks come in: around a turn, around a call, around a compaction."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.events import CodeEnded, Notice, TurnEnded
from oi_tui.protocol.lmc import message
from oi_tui.session.conversation import Conversation
from oi_tui.session.hooks import Outcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from harnesses.data import Binding

_SENT_BACK = 8  # times that Stop hooks may send the model back to work in one turn
_ALIASES = {
    "patch": ("apply_patch", "Write", "Edit"), "write": ("Write",), "edit": ("Edit",), "insert": ("Edit",),
    "notebook": ("Edit",), "agent": ("spawn_agent", "Agent"), "read": ("Read",), "view": ("Read",), "glob": ("Glob",),
    "grep": ("Grep",), "list": ("LS",), "fetch": ("WebFetch",), "web_search": ("WebSearch",),
}  # fmt: skip


async def turn(
    session: Conversation, held: str | None, run: Callable[[Conversation], Awaitable[TurnEnded]]
) -> TurnEnded:
    """A turn with the hooks of its beginning and its end. held: the person's message, where hooks are to see it before
    it enters the history. Cancelled by an interrupt."""
    hooks = session.hooks
    hooks.turns += 1
    begun = await _waited(session, hooks.ready())
    if begun.stop:
        return TurnEnded("refused", f"a hook ends the session: {begun.stop}")
    _tell_model(session, begun.context)
    if held is not None:
        said = await _waited(session, hooks.fire("UserPromptSubmit", (), {"prompt": held}))
        if said.block or said.stop:
            return TurnEnded("refused", f"a hook blocked the message: {said.block or said.stop}")
        session.said(held)
        _tell_model(session, said.context)
    ended = await run(session)
    for sent in range(_SENT_BACK):
        if ended.reason != "done":
            return ended
        extra = {"stop_hook_active": sent > 0, "last_assistant_message": _last_words(session)}
        stop = await _waited(session, hooks.fire("Stop", (), extra))
        if not stop.block or stop.stop:
            return ended
        session.bus.publish(Notice("info", f"a hook sends the model back: {stop.block}"))
        _tell_model(session, stop.block)
        ended = await run(session)
    return TurnEnded("limit", f"hooks sent the model back {_SENT_BACK} times", "/hooks shows them")


async def agent_turn(
    session: Conversation, kind: str, run: Callable[[Conversation], Awaitable[TurnEnded]]
) -> TurnEnded:
    """The turn of an agent inside a session, with the hooks of its beginning and its end."""
    hooks = session.hooks
    begun = await hooks.fire("SubagentStart", (kind,))
    _tell_model(session, begun.context)
    ended = await run(session)
    for sent in range(_SENT_BACK):
        if ended.reason != "done":
            break
        facts = {"stop_hook_active": sent > 0, "last_assistant_message": _last_words(session)}
        transcript = {"agent_transcript_path": session.history.saved_as or None}
        stop = await hooks.fire("SubagentStop", (kind,), facts | transcript)
        if not stop.block or stop.stop:
            break
        _tell_model(session, stop.block)
        ended = await run(session)
    return ended


async def steered(session: Conversation) -> None:
    """Let hooks see what the person sent into the turn, before it enters the history."""
    if not session.steering or not session.hooks.active("UserPromptSubmit"):
        return
    for text in list(session.steering):
        said = await session.hooks.fire("UserPromptSubmit", (), {"prompt": text})
        if said.block or said.stop:
            session.steering.remove(text)
            session.bus.publish(Notice("warning", f"a hook blocked the message: {said.block or said.stop}"))
        else:
            _tell_model(session, said.context)


def names_of(tool: str, binding: Binding, args: dict[str, Any]) -> tuple[str, ...]:
    """The names that a call goes by; the first is the one that hooks are told."""
    if binding.executor == "shell" or _language(binding, args) in {"shell", "bash", "sh", "zsh"}:
        return ("Bash", tool)
    aliases = _ALIASES.get(binding.executor, ())
    return (*aliases[:1], tool, *aliases[1:]) if binding.executor == "patch" else (tool, *aliases)


async def before(session: Conversation, event_id: str, call: Call, binding: Binding) -> tuple[Call, str, Result | None]:
    """PreToolUse: the call as hooks want it, what they tell the model, and the result where they deny it."""
    names = names_of(call.name, binding, call.args)
    if not session.hooks.active("PreToolUse", names):
        return call, "", None
    told = {"tool_name": names[0], "tool_input": _input(names, binding, call.args), "tool_use_id": call.id or event_id}
    said = await _waited(session, session.hooks.fire("PreToolUse", names, told))
    if said.block or said.stop:
        return call, "", Result(False, f"A hook of the person denies this: {said.block or said.stop}", rejected=True)
    if said.input is not None:
        call = _changed(session, event_id, call, binding, names, said.input)
    return call, said.context, None


async def permitted(session: Conversation, names: tuple[str, ...], tool_input: dict[str, Any]) -> Outcome:
    """PermissionRequest: whether hooks answer what the person would be asked."""
    told = {"tool_name": names[0], "tool_input": tool_input}
    return await _waited(session, session.hooks.fire("PermissionRequest", names, told))


async def after(session: Conversation, call: Call, binding: Binding, result: Result, context: str) -> Result:
    """PostToolUse: the result with what hooks have to say to it."""
    names = names_of(call.name, binding, call.args)
    ran = not (result.rejected or result.meta.get("not_run"))
    said = Outcome()
    if ran and session.hooks.active("PostToolUse", names):
        response = {"output": result.text, "success": result.ok, "exit_code": result.exit_code}
        told = {"tool_name": names[0], "tool_input": _input(names, binding, call.args), "tool_response": response}
        said = await _waited(session, session.hooks.fire("PostToolUse", names, told))
    more = [f"A hook of the person objects: {said.block}" if said.block else "", context, said.context]
    added = "\n\n".join(one for one in more if one)
    return replace(result, text=f"{result.text}\n\n{added}".strip()) if added else result


async def may_compact(session: Conversation, trigger: str) -> str:
    """PreCompact: why the history is not to be made shorter, "" for nothing against it."""
    said = await session.hooks.fire("PreCompact", (trigger,), {"trigger": trigger})
    return said.stop or said.block


async def compacted(session: Conversation, trigger: str) -> None:
    """PostCompact, then SessionStart of what is left."""
    await session.hooks.fire("PostCompact", (trigger,), {"trigger": trigger})
    said = await session.hooks.fire("SessionStart", ("compact",), {"source": "compact"})
    _tell_model(session, said.context)


def _language(binding: Binding, args: dict[str, Any]) -> str:
    return (
        str(args.get(binding.language_field) or binding.language).strip().lower() if binding.executor == "code" else ""
    )


def _code_key(binding: Binding, args: dict[str, Any]) -> str:
    return binding.code_field or ("command" if "command" in args else "")


def _input(names: tuple[str, ...], binding: Binding, args: dict[str, Any]) -> dict[str, Any]:
    key = _code_key(binding, args)
    return {"command": str(args.get(key, ""))} if names[0] == "Bash" and key else args


def _changed(
    session: Conversation, event_id: str, call: Call, binding: Binding, names: tuple[str, ...], wanted: dict[str, Any]
) -> Call:
    key = _code_key(binding, call.args)
    bash = names[0] == "Bash" and key and isinstance(wanted.get("command"), str)
    args = {**call.args, key: wanted["command"]} if bash else wanted
    if binding.code_field and isinstance(args.get(binding.code_field), str):
        text = args[binding.code_field]
        if text != call.args.get(binding.code_field):
            session.history.edited(event_id, text, binding.code_field)
            session.bus.publish(CodeEnded(event_id, _language(binding, args) or "shell", text))
            session.bus.publish(Notice("info", "a hook changed what will run"))
    return replace(call, args=args)


def _tell_model(session: Conversation, text: str) -> None:
    if text:
        session.history.append(message("user", "message", text, recipient="assistant"))


def _last_words(session: Conversation) -> str:
    for one in reversed(session.messages):
        if one["role"] == "assistant" and one["type"] == "message":
            return str(one["content"])
    return ""


async def _waited(session: Conversation, running: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Wait so that the person can interrupt it; what was interrupted is blocked."""
    session.interruptible = task = asyncio.ensure_future(running)
    if session.interrupting:
        task.cancel()
    try:
        return await task
    except asyncio.CancelledError:
        if not session.interrupting:
            raise
        return Outcome(block="the person stopped it")
    finally:
        session.interruptible = None
