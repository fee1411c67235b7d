"""The weights of the built-in model, fetched once, after a person agreed."""

from __future__ import annotations

from oi_tui import paths
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, Notice
from oi_tui.session.connection import Connection, NoModel
from oi_tui.session.conversation import Conversation


async def get_ready(session: Conversation, connection: Connection) -> None:
    """Fetch the weights, after the person agreed. Raises NoModel when nobody is there to agree or they do not."""
    from oi_tui.models.embedded.fetch import fetch

    weights = connection.choice.weights if connection.choice else None
    assert weights is not None, "a file of the person's own is there or was refused"
    size = f"{weights.size / 1e9:.1f} GB"
    if session.approval not in {"auto", "full"}:
        if not session.attended:
            raise NoModel(
                f"the built-in model ({size}) is not here yet, and no other model was found",
                hint="run: oi models pull embedded   or let this run fetch it with -y   or name one with --model",
            )
        what = f"fetch the built-in model {weights.title} ({size})"
        why = f"no key and no local model server was found; {weights.licence}; works offline afterwards"
        request = ApprovalRequested(
            session.approvals.next_id(),
            "",
            "tool",
            "",
            f"oi models pull {connection.name}",
            what,
            why,
            f"into {paths.models()}",
        )
        decision: Decision = await session.approvals.ask(request)
        if decision.kind not in {"approve", "approve_session"}:
            raise NoModel("the built-in model was not fetched", hint="choose another model with /model")
    session.bus.publish(
        Notice("info", f"fetching {weights.title} ({size})", f"{weights.licence}; kept in {paths.models()}")
    )
    await fetch(
        weights,
        paths.models(),
        lambda done, total, text: session.progress("fetching the built-in model", done, total, text),
    )
