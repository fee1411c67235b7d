"""What plain mode says of the answers that a person can give."""

from __future__ import annotations

from oi_tui.protocol.events import ApprovalRequested

KEYS_TEXT = """When something is asked, answer with a letter and enter:

- `y` run once
- `a` run, and the same kind of thing for the rest of the session
- `p` run, and write a rule for it: the rule is shown first
- `n` no; what is written after it is told to the model
- `e` type other code instead
- `c` in safe mode: look at the code with semgrep first
- `s` no, and stop the turn

When a program asks for input, what you type goes to it; `ctrl+d` ends its input.

At any time:

- `ctrl+c` stop the turn; twice at the prompt: leave
- `ctrl+d` leave, on an empty line"""


def offer(request: ApprovalRequested) -> str:
    """The answers to a request; only code can be edited."""
    edit = "[e] edit  " if request.subject == "code" else ""
    longer = "[a] this session  " if request.rules or not request.call_id else ""
    longer += "[p] always, by a rule  " if request.rules else ""
    check = "[c] check it first  " if request.scan.state == "offered" else ""
    return f"[y] once  {longer}[n] no, because…  {edit}{check}[s] stop"
