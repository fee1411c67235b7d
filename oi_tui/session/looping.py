"""Loop mode: a model that has stopped is prompted to go on until it says that it is done, or cannot go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.protocol.lmc import message

if TYPE_CHECKING:
    from oi_tui.session.conversation import Conversation


def goes_on(session: Conversation, text: str) -> bool:
    """Prompt the model once more after an answer without a call, if the person wants that; the steps of a turn
    (`max_turns`) and the budget bound it. True if it was prompted."""
    settings = session.settings
    if not (settings.loop and session.root) or session.planning.on:
        return False
    if any(phrase and phrase in text for phrase in settings.loop_breakers):
        return False
    session.budget.steps += 1
    session.history.append(message("user", "message", settings.loop_message, recipient="assistant"))
    return True
