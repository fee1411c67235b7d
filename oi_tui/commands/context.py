"""Commands about the model's window and the money: what fills it, making room, what it has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Command, CommandError, Host

if TYPE_CHECKING:
    from oi_tui.session.budget import Budget
    from oi_tui.session.session import Session
    from oi_tui.session.window import Filling, Kind

_WIDTH = 40  # cells of the bar

_NAMES: dict[Kind, tuple[str, str]] = {
    "system": ("█", "system prompt"),
    "tools": ("▓", "tools"),
    "notes": ("▒", "notes and summary"),
    "you": ("◆", "your messages"),
    "answers": ("■", "answers and code"),
    "reasoning": ("□", "reasoning"),
    "output": ("▪", "tool output"),
    "images": ("▣", "images"),
}


async def _context(host: Host, prompt: str) -> None:
    """prompt: of which it is said as well what it would take."""
    from oi_tui.models.client import ModelError

    session = host.session
    try:
        filling = await session.look()
    except ModelError as error:
        raise CommandError(str(error), error.hint) from error
    compaction = session.history.compaction
    lines = [*window_lines(filling, session.model), "", *_money_lines(session.budget)]
    if prompt:
        lines += ["", _with_prompt(session, filling, prompt)]
    if compaction is not None and compaction.upto:
        gone = compaction.upto - len(compaction.kept)
        by = "a summary stands for them" if compaction.summary else "nothing stands for them"
        lines += ["", f"{gone:,} older messages are not sent: {by}. The model can search them, you see them all."]
        if compaction.summary:
            lines += ["", "### The summary", "", compaction.summary]
    host.show("context", "\n".join(lines))


def window_lines(filling: Filling, model: str) -> list[str]:
    """What fills the window, as Markdown: a bar and a table."""
    share = 100 * filling.used / max(1, filling.window)
    about = "" if filling.measured else "about "
    lines = [
        f"**{model}**: {about}{filling.used:,} of {filling.window:,} tokens, {share:.0f}%",
        "",
        f"`{_bar(filling)}`",
        "",
        "| | part | tokens | of the window |",
        "| --- | --- | ---: | ---: |",
    ]
    for kind, (sign, name) in _NAMES.items():
        count = filling.parts[kind]
        if count:
            lines.append(f"| {sign} | {name} | {count:,} | {100 * count / max(1, filling.window):.1f}% |")
    free = max(0, filling.limit - filling.used)
    lines.append(f"| · | free | {free:,} | {100 * free / max(1, filling.window):.1f}% |")
    counted = "counted by the provider; the parts are estimated" if filling.measured else "estimated, like its parts"
    lines += ["", f"Room is made at {filling.limit:,} tokens, or with `/compact`. The total is {counted}."]
    if not filling.known:
        lines.append(
            f"The window of {model} is not known: {filling.window:,} tokens are assumed. Set `llm.context_window`, or "
            f'`context` in `[models."{model}"]`.'
        )
    return lines


def _with_prompt(session: Session, filling: Filling, prompt: str) -> str:
    """What a message would take, alone and with all that is sent along."""
    from oi_tui.models import tokens

    count = tokens.count(prompt)
    info = session.engine.connection.info if session.engine.connection else None
    price = info.input_price if info else None
    total = filling.used + count
    cost = f", about ${total * price / 1e6:.6f}" if price else ""
    return f"That prompt takes about {count:,} tokens; with all that is sent along it is {total:,}{cost}."


def _bar(filling: Filling) -> str:
    """The window as a row of signs; each kind that is there has one at least."""
    row = ""
    for kind, (sign, _) in _NAMES.items():
        count = filling.parts[kind]
        if count:
            row += sign * max(1, round(_WIDTH * count / max(1, filling.window)))
    return row[:_WIDTH].ljust(_WIDTH, "·")


def _money_lines(budget: Budget) -> list[str]:
    from oi_tui.session.budget import dollars

    about = "about " if budget.estimated else ""
    cached = f" ({budget.cached_tokens:,} of them cached)" if budget.cached_tokens else ""
    lines = [f"This session: {about}{budget.input_tokens:,} tokens in{cached}, {budget.output_tokens:,} out"]
    if budget.spent is not None:
        turn = f", the last turn {about}{dollars(budget.turn_spent)}" if budget.turn_spent is not None else ""
        most = f" of {dollars(budget.max_budget)}" if budget.max_budget is not None else ""
        lines[0] += f"; it has cost {about}{dollars(budget.spent)}{most}{turn}"
    lines[0] += "."
    return lines


async def _compact(host: Host, wanted: str) -> None:
    await host.session.compact(wanted)


def _something_said(host: Host) -> str:
    return "" if host.session.messages else "has nothing to work on yet"


CONTEXT = (
    Command(
        "context", "/", "show what fills the model's window, tokens and cost", _context,
        aliases=("tokens", "usage", "cost"),
    ),
    Command(
        "compact",
        "/",
        "make room in the window: a summary stands for old messages",
        _compact,
        Argument("WHAT TO KEEP"),
        when=_something_said,
        busy_ok=False,
    ),
    Command(
        "tokens", "%", "show what fills the window, and what a prompt would take", _context,
        Argument("PROMPT"),
    ),
)  # fmt: skip
