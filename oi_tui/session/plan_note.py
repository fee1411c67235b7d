"""What a session tells its model of plan mode, and where the plan is written meanwhile."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from oi_tui import paths
from oi_tui.protocol.lmc import Message, message
from oi_tui.safety.planning import Planning
from oi_tui.session.history import History, spoken


def plan_note(history: History, planning: Planning, root: bool) -> Message | None:
    """What the model is to be told of plan mode now, None for nothing.

    While it is on: after each message of the person, and anew when the note is not sent any more. Once when it is over.
    The harness finds its own words (`Harness.plan_note`), from the key `plan`. root: not an agent is told; an agent
    does not know the plan's file.
    """
    before = _last(history.messages)
    if not planning.on:
        agreed = file = None
        if root:
            agreed, file = planning.agreed, planning.file
            planning.agreed, planning.file = False, ""
        if before is None or not before[1]:
            return None
        kept = file if file and os.path.exists(file) else ""  # noqa: PTH110
        return _told("Plan mode is over.", {"on": False, "agreed": bool(agreed), "file": kept})
    if root:
        planning.file = planning.file or _set_up(history.id)
    compaction = history.compaction
    sent = before is not None and before[0] >= (compaction.upto if compaction else 0)
    if before is not None and before[1] and sent and not _spoke_since(history.messages, before[0]):
        return None
    full = not (before is not None and before[1] and sent)
    facts = {"on": True, "full": full, "file": planning.file if root else "", "inner": not root}
    return _told("Plan mode is on: change nothing.", facts)


def _set_up(session_id: str) -> str:
    """Make the folder for the plan and return the file's path, links resolved; "" where the disk refuses."""
    try:
        folder = paths.private_dir(paths.outputs(session_id))
    except OSError:
        return ""
    return os.path.join(os.path.realpath(folder), "plan.md")  # noqa: PTH118


def _told(text: str, facts: Mapping[str, object]) -> Message:
    return message("user", "message", text, recipient="assistant", plan=dict(facts))


def _last(messages: Sequence[Message]) -> tuple[int, bool] | None:
    """Where the model was last told of plan mode, and whether it was on."""
    for index in range(len(messages) - 1, -1, -1):
        if "plan" in messages[index]:
            return index, bool(messages[index]["plan"].get("on"))
    return None


def _spoke_since(messages: Sequence[Message], index: int) -> bool:
    return any(spoken(one) for one in messages[index + 1 :])
