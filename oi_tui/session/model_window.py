"""How large the window of the model is: asked of a server that says so only once it has loaded it, else assumed, and
told to the person."""

from __future__ import annotations

from oi_tui.protocol.events import Notice, RequestStarted
from oi_tui.session.conversation import Conversation
from oi_tui.session.window import Filling

_ROOMY = 32_768  # tokens; a window of that size does for most work
# How a server is made to give more.
_WIDER = {
    "ollama": "start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or give the model a num_ctx",
    "lmstudio": "load it with more: lms load {} --context-length 32768",
}


async def learn_window(session: Conversation) -> None:
    """Before the first request: have a server that gives its models less than they could take load it and say how much,
    since it cuts what is longer without a word."""
    connection = session.engine.connection
    if connection is None or connection.learn is None:
        return
    learn, connection.learn = connection.learn, None
    session.bus.publish(RequestStarted(session.model, f"loading {session.model}"))
    window, longest = await learn()
    if 0 < window < min(longest, _ROOMY):
        text = f"the server gives {session.model} a window of {window:,} tokens, of {longest:,} that it could take"
        hint = _WIDER.get(connection.provider, "").format(connection.request_model)
        session.bus.publish(Notice("warning", text, hint))


def say_assumed(session: Conversation, filling: Filling) -> None:
    """Tell the person, once for each model, what is assumed of one that nothing is known of, as soon as it may matter:
    half of the assumed window is used. Until then the status line and the picker have it."""
    connection = session.engine.connection
    if filling.known or connection is None or session.model in session.assumed or filling.used < filling.window / 2:
        return
    session.assumed.add(session.model)
    info = connection.info
    parts = [f"a window of {filling.window:,} tokens is assumed"]
    parts += [] if info.vision else ["pictures are told in words"]
    parts += ["what it costs is not counted"] if info.input_price is None else []
    text = f"{session.model} is not in the catalog: {', '.join(parts)}"
    hint = f'if it can more, set llm.context_window, or context, vision and prices in [models."{session.model}"]'
    session.bus.publish(Notice("info", text, hint))
