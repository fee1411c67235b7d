"""What the approval pane says: the question, the keys, and how they flow into rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from oi_tui.app.panes.fitting import Part, Span, part
from oi_tui.app.panes.reveal import hidden_signs, revealed
from oi_tui.protocol.events import ApprovalRequested

Mode = Literal["asking", "reason", "rule"]
GAP = 3
ANSWERS = frozenset("yapenvc")  # keys that answer, some requests only; none of them ever begins a message
SHOWN = 4  # findings of safe mode; the worst come first
ROOMY = 50  # columns from which keys are explained in full

_NAMES = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "shell": "shell command",
    "bash": "shell command",
    "sh": "shell command",
    "html": "HTML",
    "sql": "SQL",
    "r": "R",
    "applescript": "AppleScript",
    "powershell": "PowerShell command",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is on the screen: the request, the code as the person left it (None: unedited), the place in the queue.

    armed: keys are taken. waived: the person writes a message and has to come back. below: rows of the code that are
    out of sight. zoomable: the code can be given more room.
    """

    request: ApprovalRequested
    edited: str | None = None
    waiting: int = 1
    armed: bool = False
    waived: bool = False
    below: int = 0
    zoomable: bool = True

    @property
    def editable(self) -> bool:
        """Only code can be edited; a change of a file is declined with words on what is wanted."""
        return self.request.subject == "code"

    @property
    def files(self) -> int:
        """How many files a change is about, 0 for what is no change."""
        if self.request.subject != "file":
            return 0
        lines = self.request.code.splitlines()
        return sum(old.startswith("--- ") and new.startswith("+++ ") for old, new in pairwise(lines))

    @property
    def code(self) -> str:
        return self.request.code if self.edited is None else self.edited


def question(request: ApprovalRequested) -> str:
    """The question in a few words."""
    if request.subject == "file":
        return "Change this file?"
    if request.subject == "tool":
        return "Allow this?"
    return f"Run this {_NAMES.get(request.language.lower(), request.language or 'code')}?"


def facts(asked: Asked) -> list[Part]:
    """Question, what it would do, where, why; then warnings about what cannot be seen at once."""
    request = asked.request
    found = [part(0, (question(request), "text bold"))]
    for text in (request.what, request.where):
        if text and not _repeats(text, question(request)):
            found.append(part(0, (revealed(" ".join(text.split())), "muted")))
    if request.why:
        found.append(part(0, (revealed(" ".join(request.why.split())), "warn")))
    other = "warn" if request.scan.findings or request.scan.text else "muted"
    for one in request.scan.sentences(SHOWN):
        found.append(part(0, (revealed(one), "bad" if one.endswith("(error)") else other)))
    found += [part(0, ("sends data to ", "warn"), (revealed(url), "text")) for url in request.urls]
    if asked.edited is not None:
        found.append(part(0, ("edited by you", "accent")))
    if hidden := hidden_signs(asked.code):
        found.append(part(0, (f"{hidden} hidden {'sign' if hidden == 1 else 'signs'} made visible", "bad")))
    if asked.below:
        found.append(part(0, (f"{asked.below} more {'line' if asked.below == 1 else 'lines'} below", "warn")))
    if asked.waiting > 1:
        found.append(part(0, (f"1 of {asked.waiting}", "accent")))
    return found


def _repeats(text: str, asks: str) -> bool:
    """Does the question begin with what the text says, as `run this shell` and `Run this shell command?`"""
    return f"{asks.rstrip('?')} ".casefold().startswith(f"{text.rstrip('.')} ".casefold())


def keys(asked: Asked, width: int = 100) -> list[Part]:
    """The keys that can be pressed, lit as soon as they are taken; in few words where there is little room."""
    brief = width < ROOMY
    if asked.waived:
        return [_key("f5", "answer", True), _key("esc", "stop" if brief else "no, and stop", True)]
    verb = "run" if asked.request.subject == "code" else "allow"
    offered = [
        ("y", verb if brief else f"{verb} once"),
        ("a", "session" if brief else "this session"),
        ("p", "always" if brief else "always, by a rule"),
        ("e", "edit"),
        ("c", "check" if brief else "check it first"),
        ("n", "no" if brief else "no, because…"),
        ("v", f"review {asked.files} files" if asked.files > 1 and not brief else "view larger"),
        ("esc", "stop"),
    ]
    return [_key(name, does, asked.armed) for name, does in offered if not refused(asked, name)]


def rule_facts(asked: Asked) -> list[Part]:
    """What would be written, before it is."""
    sentences = [revealed(one) for one in asked.request.rules]
    head = "Write this rule?" if len(sentences) == 1 else f"Write these {len(sentences)} rules?"
    return [part(0, (head, "text bold")), *(part(0, (one, "warn")) for one in sentences)]


def rule_keys(width: int = 100) -> list[Part]:
    """The keys while a rule is shown."""
    brief = width < ROOMY
    return [
        _key("y", "write" if brief else "write it, and run", True),
        _key("w", "everywhere" if brief else "for every folder, and run", True),
        _key("esc", "back", True),
    ]


def refused(asked: Asked, key: str) -> str:
    """Why a key is no answer to this request; "" if it is one."""
    if key in "ap" and asked.edited is not None:
        return "what you edited runs once: y runs it"
    if key in "ap" and asked.request.scan.worst:
        return "what safe mode found is asked about each time: y runs it once"
    if key == "c" and asked.request.scan.state != "offered":
        return "safe mode has looked at it" if asked.request.scan.state else "safe mode is off: --safe_mode ask or auto"
    if key in "ap" and not asked.request.rules and asked.request.call_id:
        return "this is asked each time: y runs it once"
    if key == "p" and not asked.request.rules:
        return "no rule can be written for this"
    if key == "e" and not asked.editable:
        return "only code can be edited: n says what you want instead"
    if key == "v" and not asked.zoomable and asked.files < 2:
        return "the code has all the room there is: pgup pgdn scroll it"
    return ""


def _key(name: str, does: str, lit: bool) -> Part:
    # No-break spaces, so that a key is never parted from what it does.
    return part(0, (name, "accent bold" if lit else "muted"), ("\u00a0" + does.replace(" ", "\u00a0"), "muted"))


def flow(parts: Sequence[Part], width: int) -> list[list[Span]]:
    """Parts in rows of at most `width` columns, GAP apart. A longer part gets a row of its own."""
    rows: list[list[Span]] = []
    used = 0
    for one in parts:
        if not rows or used + GAP + one.width > width:
            rows.append(list(one.spans))
            used = one.width
        else:
            rows[-1] += [(" " * GAP, ""), *one.spans]
            used += GAP + one.width
    return rows
