"""Loop mode: a model that has stopped is prompted to go on until it says that it is done, or cannot go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.protocol.events import Notice
from oi_tui.protocol.lmc import message

if TYPE_CHECKING:
    from oi_tui.session.conversation import Conversation


_SAME = 3  # answers alike, one after another, that end the loop: it would go on, and cost money, for ever


def _said_before(session: Conversation) -> int:
    """How many answers at the end of the history are alike, with nothing done between them."""
    texts: list[str] = []
    for one in reversed(session.messages):
        if one["role"] == "assistant" and one["type"] == "message":
            texts.append(str(one["content"]).strip())
        elif one["content"] != session.settings.loop_message:
            break
    return next((at for at, text in enumerate(texts) if text != texts[0]), len(texts))


def goes_on(session: Conversation, text: str) -> bool:
    """Prompt the model once more after an answer without a call, if the person wants that; the steps of a turn
    (`max_turns`) and the budget bound it. True if it was prompted."""
    settings = session.settings
    if not (settings.loop and session.root) or session.planning.on:
        return False
    if any(phrase and phrase in text for phrase in settings.loop_breakers):
        return False
    if _said_before(session) >= _SAME:
        told = f"{session.model} says the same again and again, so it is not prompted any more"
        session.bus.publish(Notice("warning", told, "say what is to be done, or /loop off"))
        return False
    session.budget.steps += 1
    session.history.append(message("user", "message", settings.loop_message, recipient="assistant"))
    return True
