"""What the chat shows while nothing was said: what can be done here, with which model, by which keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from oi_tui.app.panes.fitting import Span
from oi_tui.app.panes.status import Facts, content_of
from oi_tui.app.widgets.printable import printable

if TYPE_CHECKING:
    from oi_tui.commands.first_run import Way


def welcome(facts: Facts, ways: Sequence[Way] | None = None) -> Content:
    """A few calm lines. ways: at the first start, how a model can be reached here; None at any other."""
    folder = Path(facts.cwd).name if facts.cwd else "this folder"
    rows: list[list[Span]] = [
        [("say what you want done, in plain words", "text bold")],
        [],
        [("the model writes code, you see it, and with ", "muted"), ("y", "accent bold"), (" it runs here,", "muted")],
        [("in ", "muted"), (folder, "text"), (". the result goes back to the model, until the task is done.", "muted")],
        [],
        *(
            [[("model    ", "muted"), (facts.model, "text"), ("   /model picks another", "faint")]]
            if facts.model
            else []
        ),
        *(
            [[("runs     ", "muted"), (_APPROVAL.get(facts.approval, facts.approval), "text")]]
            if facts.approval
            else []
        ),
        *_ways(ways, facts.model),
        [],
        [("try      ", "muted"), ("which files here take the most space?", "text")],
        [("         ", "muted"), ("rename the photos in this folder by the date they were taken", "text")],
        [],
        [
            *(
                ("/", "accent bold"),
                (" commands   ", "muted"),
                ("!", "accent bold"),
                (" your own shell line   ", "muted"),
            ),
            *(("ctrl+p", "accent bold"), (" palette   ", "muted"), ("?", "accent bold"), (" every key", "muted")),
        ],
    ]
    return Content("\n").join(content_of(row) for row in rows)


def _ways(ways: Sequence[Way] | None, model: str) -> list[list[Span]]:
    """What was found at the first start, and how to take another one than was taken by itself."""
    if ways is None:
        return []
    if not ways:
        said = "no key, no local server: set OPENAI_API_KEY or the like, or start Ollama; or name one: /model"
        return [[], [("found    ", "muted"), (printable(said), "warn")]]
    rows: list[list[Span]] = [[]]
    for number, one in enumerate(ways[:5]):
        sign = "in use" if one.model and one.model == model else f"/model {one.model}" if one.model else "/model"
        rows.append(
            [
                ("found    " if number == 0 else "         ", "muted"),
                (printable(one.found), "text"),
                (f"  {printable(one.detail)}" if one.detail else "", "muted"),
                (f"   {printable(sign)}", "ok" if sign == "in use" else "accent"),
            ]
        )
    return rows


_APPROVAL = {
    "read-only": "only reads",
    "ask": "nothing unasked, but for plain reads",
    "auto-edit": "changes of files here unasked; code is asked about",
    "auto": "code unasked, but for secrets and what cannot be taken back",
    "full": "everything unasked",
}
