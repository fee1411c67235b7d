"""Commands about the conversation: begin anew, take back, copy, where things stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host

if TYPE_CHECKING:
    from oi_tui.session.session import Session

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _has_history(host: Host) -> str:
    return "" if host.session.messages else "has nothing to work on yet"


async def _new(host: Host, _: str) -> None:
    host.session.reset()
    host.notify("began a new conversation")


_UNDO_OPTIONS = (
    Choice("keep", detail="leave files as they are"),
    Choice("force", detail="put files back even where they were changed since"),
)


async def _undo(host: Host, files: str) -> None:
    from oi_tui.tools.undo import UndoRefused

    if files not in {"", "keep", "force"}:
        raise CommandError(f"cannot undo {files!r}", "/undo, /undo keep or /undo force")
    try:
        undone = host.session.undo("keep" if files == "keep" else "force" if files == "force" else "ask")
    except UndoRefused as error:
        if not error.changed:
            raise CommandError(str(error), "/undo keep leaves files as they are") from error
        raise CommandError(
            f"{_names(error.changed)} changed since that message, nothing was taken back",
            "/undo force puts files back all the same, /undo keep leaves them as they are",
        ) from error
    if not undone.said:
        raise CommandError("there is no message to take back")
    words = " ".join(undone.said.split())
    back = f"; put back {_names(undone.files)}" if undone.files else "; files stay as they are" * (files == "keep")
    host.notify(f"took back “{words if len(words) <= 40 else words[:39] + '…'}” and what followed{back}")


def _names(files: Sequence[str]) -> str:
    more = f" and {len(files) - 3} more files" if len(files) > 3 else ""
    return ", ".join(files[:3]) + more


def last_answer(messages: list[dict[str, Any]]) -> str:
    """The model's last text, "" if it has said nothing."""
    spoken = (one for one in reversed(messages) if one.get("role") == "assistant" and one.get("type") == "message")
    return next((str(one["content"]) for one in spoken if str(one.get("content") or "").strip()), "")


def last_code(messages: list[dict[str, Any]]) -> str:
    """The last block of code that the model wrote, to run or in its text; "" if there is none."""
    for one in reversed(messages):
        if one.get("role") != "assistant":
            continue
        if one.get("type") == "code":
            return str(one["content"])
        fences = _FENCE.findall(str(one.get("content") or ""))
        if fences:
            return str(fences[-1])
    return ""


def last_output(messages: list[dict[str, Any]]) -> str:
    """What the last block printed, "" if nothing."""
    printed = (one for one in reversed(messages) if one.get("role") == "computer" and one.get("type") == "console")
    return next((str(one["content"]) for one in printed if one.get("format") != "active_line" and one["content"]), "")


_COPIED = {"answer": last_answer, "code": last_code, "output": last_output}

_COPY_OPTIONS = (
    Choice("answer", detail="the model's last text"),
    Choice("code", detail="the last block of code"),
    Choice("output", detail="what the last block printed"),
)


async def _copy(host: Host, what: str) -> None:
    what = what or "answer"
    if what not in _COPIED:
        raise CommandError(f"cannot copy {what!r}", f"copy {', '.join(_COPIED)}")
    text = _COPIED[what](host.session.messages)
    if not text:
        raise CommandError(f"there is no {what} to copy yet")
    host.notify(f"copied the last {what}, {len(text):,} characters, {await host.copy(text)}")


async def _status(host: Host, _: str) -> None:
    session = host.session
    rows = [
        ("model", session.model or "none chosen yet"),
        ("harness", f"{session.harness_id}, {'chosen by the model' if session.harness_auto else 'chosen for it'}"),
        ("approval", f"{session.approval}, in plan mode" if session.planning.on else session.approval),
        ("folder", session.cwd + (f" ({session.git_branch})" if session.git_branch else "")),
        ("session", session.id),
        ("messages", f"{len(session.messages):,}"),
        *_limits(session),
        *_window(session),
        *_usage(session.budget),
    ]
    host.show("status", "\n".join(f"- **{name}**: `{value}`" for name, value in rows))


def _limits(session: Session) -> list[tuple[str, str]]:
    """What code may take of this machine; none where it runs elsewhere."""
    from oi_tui.session.backend import is_local

    told = session.engine.computer.limits_told() if is_local(session.engine.settings.backend) else ""
    return [("code may take", told)] if told else []


def _window(session: Session) -> list[tuple[str, str]]:
    """How much of the model's window the last request took; none where that is unknown."""
    connection, used = session.engine.connection, session.budget.context
    window = connection.info.context if connection and connection.info else 0
    return [("context", f"{used:,} of {window:,} tokens, {100 * used / window:.0f}%")] if window and used else []


def _usage(budget: Any) -> list[tuple[str, str]]:
    """Rows on tokens and money of a `session.budget.Budget`."""
    about = "about " if budget.estimated else ""
    rows = [("tokens", f"{about}{budget.input_tokens:,} in, {budget.output_tokens:,} out")]
    if budget.spent is not None:
        rows.append(("cost", f"{about}${budget.spent:.4f}" if budget.spent else "nothing"))
    return rows


CONVERSATION = (
    Command("new", "/", "begin a new conversation; the old one stays saved", _new, aliases=("clear",), busy_ok=False),
    Command(
        "undo",
        "/",
        "take back your last message and its changes of files",
        _undo,
        Argument("FILES", options=_UNDO_OPTIONS),
        when=_has_history,
        busy_ok=False,
    ),
    Command(
        "copy",
        "/",
        "copy the last answer, code or output",
        _copy,
        Argument("WHAT", options=_COPY_OPTIONS),
        when=_has_history,
    ),
    Command("status", "/", "show model, folder, tokens and cost", _status),
    Command("reset", "%", "forget everything said so far", _new, busy_ok=False),
    Command(
        "undo",
        "%",
        "take back your last message and its changes of files",
        _undo,
        Argument("FILES", options=_UNDO_OPTIONS),
        when=_has_history,
        busy_ok=False,
    ),
)
