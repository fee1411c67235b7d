"""What the chat shows while nothing was said: what can be done here, with which model, by which keys."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content

from oi_tui.app.panes.fitting import Span
from oi_tui.app.panes.status import Facts, content_of


def welcome(facts: Facts) -> Content:
    """A few calm lines."""
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


_APPROVAL = {
    "read-only": "only reads",
    "ask": "nothing unasked, but for plain reads",
    "auto-edit": "changes of files here unasked; code is asked about",
    "auto": "code unasked, but for secrets and what cannot be taken back",
    "full": "everything unasked",
}
