"""One run of a hook: the payload goes in on stdin, what it says comes out of its exit code and its output.

Exit 0: JSON on stdout is obeyed; plain text is context where the event takes any. Exit 2 with words on stderr: it
blocks, and they say why. Everything else (other codes, a time limit, JSON that holds what is not known) is a failure:
nothing is blocked, unless the handler is to fail closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from oi_tui.extensions.hooks import Hook

JUDGES = frozenset({"UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SubagentStop"})
_TAKES_TEXT = frozenset({"SessionStart", "UserPromptSubmit", "SubagentStart"})
_TOP = frozenset(
    {"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"}
)
_SPECIFIC: dict[str, frozenset[str]] = {
    "SessionStart": frozenset({"additionalContext"}),
    "UserPromptSubmit": frozenset({"additionalContext"}),
    "SubagentStart": frozenset({"additionalContext"}),
    "PreToolUse": frozenset({"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}),
    "PermissionRequest": frozenset({"decision"}),
    "PostToolUse": frozenset({"additionalContext", "updatedMCPToolOutput"}),
}
_MOST = 1_000_000  # bytes of what a hook prints that are read


@dataclass(frozen=True, slots=True)
class Said:
    """What came of one hook. failed: why it counts for nothing. block: why it is against it. stop: why the turn, or the
    session, is to end. allow: it answers a request for permission. context: for the model. input: arguments in place of
    those of the call. message: for the person."""

    hook: Hook
    failed: str = ""
    block: str = ""
    stop: str = ""
    allow: bool = False
    context: str = ""
    input: dict[str, Any] | None = None
    message: str = ""


async def run(hook: Hook, payload: Mapping[str, Any], cwd: str, env: Mapping[str, str]) -> Said:
    """Run it and read what it says; never raises but for cancelling."""
    try:
        code, out, complaint = await _process(hook, json.dumps(payload, ensure_ascii=False), cwd, env)
    except TimeoutError:
        return _failed(hook, f"it took longer than {hook.timeout:g} s")
    except OSError as error:
        return _failed(hook, f"it cannot be started: {error.strerror or error}")
    if code == 2 and complaint:
        if hook.event not in JUDGES and hook.event != "PreCompact":
            return _failed(hook, complaint)
        return Said(hook, block=complaint)
    if code != 0:
        return _failed(hook, f"exit code {code}" + (f": {complaint.splitlines()[-1]}" if complaint else ""))
    return _read(hook, out.strip())


async def _process(hook: Hook, payload: str, cwd: str, env: Mapping[str, str]) -> tuple[int, str, str]:
    child = await asyncio.create_subprocess_exec(
        *(("cmd", "/c") if os.name == "nt" else ("/bin/sh", "-c")),
        hook.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(hook.timeout):
            out, complaint = await child.communicate(payload.encode("utf-8", "replace"))
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # also what it left running
        if child.returncode is None:
            await child.wait()
    assert child.returncode is not None
    return (
        child.returncode,
        out[:_MOST].decode("utf-8", "replace"),
        complaint[:_MOST].decode("utf-8", "replace").strip(),
    )


def _failed(hook: Hook, why: str) -> Said:
    closed = hook.closed and hook.event in JUDGES
    return Said(hook, failed=why, block=f"the hook could not judge it: {why}" if closed else "")


def _read(hook: Hook, out: str) -> Said:
    if not out.startswith("{"):
        return Said(hook, context=out if hook.event in _TAKES_TEXT else "")
    try:
        read: Any = json.loads(out)
    except ValueError:
        return _failed(hook, "what it prints is not JSON")
    try:
        return _meant(hook, cast("dict[str, Any]", read))
    except ValueError as error:
        return _failed(hook, str(error))


def _meant(hook: Hook, said: dict[str, Any]) -> Said:
    """Raises ValueError for what is not supported."""
    _known(said, _TOP, "")
    block = stop = ""
    decision = said.get("decision")
    if decision == "block":
        block = str(said.get("reason") or "").strip()
        if not block:
            raise ValueError("decision block needs a reason")
    elif decision is not None:
        raise ValueError(f"decision {decision!r} is not supported")
    if said.get("continue") is False:
        stop = str(said.get("stopReason") or "a hook stopped it")
    specific = said.get("hookSpecificOutput") or {}
    if not isinstance(specific, dict):
        raise ValueError("hookSpecificOutput is no table")
    own = cast("dict[str, Any]", specific)
    if own and own.get("hookEventName") != hook.event:
        raise ValueError(f"hookEventName must be {hook.event}")
    _known(own, _SPECIFIC.get(hook.event, frozenset()) | {"hookEventName"}, "hookSpecificOutput.")
    message, context = str(said.get("systemMessage") or ""), str(own.get("additionalContext") or "")
    allow, given = False, own.get("updatedInput")
    if given is not None and not isinstance(given, dict):
        raise ValueError("updatedInput is no table")
    verdict = own.get("permissionDecision")
    if verdict == "deny":
        block = str(own.get("permissionDecisionReason") or said.get("reason") or "a hook denies it")
    elif verdict not in {None, "allow"}:
        raise ValueError(f"permissionDecision {verdict!r} is not supported")
    if hook.event == "PermissionRequest" and own:
        block, allow = _permission(own.get("decision"), block)
    changed = cast("dict[str, Any] | None", given)
    return Said(hook, block=block, stop=stop, allow=allow, context=context, input=changed, message=message)


def _permission(decision: Any, block: str) -> tuple[str, bool]:
    """(why it is denied, whether it is allowed). What must not be decided by a hook denies it."""
    if not isinstance(decision, dict):
        raise ValueError("decision is no table")
    table = cast("dict[str, Any]", decision)
    if {"updatedInput", "updatedPermissions", "interrupt"} & {key for key, one in table.items() if one}:
        return "a hook answered with more than it may", False
    _known(table, frozenset({"behavior", "message", "updatedInput", "updatedPermissions", "interrupt"}), "decision.")
    if table.get("behavior") == "allow":
        return block, not block
    if table.get("behavior") == "deny":
        return str(table.get("message") or "a hook denies it"), False
    raise ValueError(f"behavior {table.get('behavior')!r} is not supported")


def _known(table: Mapping[str, Any], keys: frozenset[str], where: str) -> None:
    if unknown := set(table) - keys:
        raise ValueError(f"{where}{min(unknown)} is not known")
