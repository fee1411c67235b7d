"""What a model asked for, and what came of it."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from oi_tui.protocol.dataclass import dataclass

DecisionKind = Literal["approve", "approve_session", "approve_always", "edit", "reject", "stop", "scan"]


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a model. `raw` is the argument text as it came; `error` says why it could not be read."""

    id: str
    name: str
    args: dict[str, Any]
    raw: str = ""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a call produced: base64 text, its format (`png`, `jpeg`, …), where it was saved, its size."""

    data: str
    format: str = "png"
    path: str | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The raw outcome of a call, not yet worded for a model.

    text: what was printed or is to be said, whole or cut. cut: how many characters were left out of it. path: where the
    full text lies if it was cut. exit_code: of a process, None where there is none. note: one sentence on something
    that the text does not show (the kernel died, state was lost, the person interrupted). meta: whatever a binding's
    renderer wants to know.
    """

    ok: bool
    text: str = ""
    exit_code: int | None = None
    timed_out: bool = False
    timeout_s: float | None = None
    interrupted: bool = False
    rejected: bool = False
    cut: int = 0
    path: str | None = None
    seconds: float = 0.0
    note: str | None = None
    images: tuple[Image, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()  # to the person alone: (html, javascript, markdown or latex, its text)
    meta: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())

    def facts(self) -> dict[str, Any]:
        """All but what was shown as a small JSON object, leaving out what has its default: for the history."""
        facts: dict[str, Any] = {"ok": self.ok}
        for name in ("exit_code", "timed_out", "timeout_s", "interrupted", "rejected", "cut", "path", "note", "meta"):
            value = getattr(self, name)
            if value:
                facts[name] = value
        if self.exit_code == 0:
            facts["exit_code"] = 0
        if self.seconds:
            facts["seconds"] = round(self.seconds, 3)
        return facts

    @classmethod
    def from_facts(cls, facts: dict[str, Any], text: str, images: tuple[Image, ...] = ()) -> Result:
        """The inverse of `facts`; keys it does not know are ignored, so that newer files open."""
        known = {name: fact for name, fact in facts.items() if name in _FACTS}
        known.setdefault("ok", True)
        return cls(text=text, images=images, **known)


_FACTS = frozenset(Result.__slots__) - {"text", "images", "shown"}


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer to an approval. `code` is the exact text that was on the screen, edited or not.

    An approval whose `code` is not the text that was asked about is refused: what runs is what was seen.
    everywhere: for `approve_always`, the rules hold in every folder and not in this one alone. `scan` decides nothing
    yet: safe mode is to look at `code` first.
    """

    kind: DecisionKind
    code: str | None = None
    reason: str = ""
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that is offered."""

    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Something the model asks the person. several: more than one option may be taken. A person may always answer in
    words of their own."""

    text: str
    header: str = ""
    options: tuple[Option, ...] = ()
    several: bool = False
    id: str = ""
