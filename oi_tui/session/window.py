"""How full the model's window is, and with what.

The base is what the provider counted for the last request; only what came since is estimated. Each message is counted
once: a step costs what it adds, however long the conversation is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from oi_tui.models import tokens
from oi_tui.protocol.lmc import Message

Kind = Literal["system", "tools", "you", "answers", "reasoning", "output", "images", "notes"]
KINDS: tuple[Kind, ...] = ("system", "tools", "notes", "you", "answers", "reasoning", "output", "images")

_EACH = 4  # tokens around a message


@dataclass(frozen=True, slots=True)
class Filling:
    """What a request would take. parts: tokens by kind, which add up to `used`. limit: how many may be sent.

    window: tokens of the model's whole window; known: it is not only assumed. measured: the provider counted the larger
    part of it.
    """

    used: int
    limit: int
    window: int
    known: bool
    measured: bool
    parts: dict[Kind, int]
    estimate: int = 0  # what `used` would be without the provider's counting

    @property
    def fixed(self) -> int:
        """Tokens that no compaction can save: system prompt, tools, what is told of the machine."""
        return self.parts["system"] + self.parts["tools"]


class Meter:
    """Counts the messages of one session."""

    def __init__(self) -> None:
        self._counted: dict[int, tuple[Message, dict[Kind, int]]] = {}  # id() of a message -> itself, its tokens
        self._exact = tokens.exact()
        self._fixed: tuple[tuple[Any, ...], dict[Kind, int]] | None = None
        self._base: tuple[str, int, int, Message | None] = ("", 0, 0, None)
        self._ceilings: dict[str, int] = {}

    def fixed(self, key: tuple[Any, ...], make: Callable[[], dict[str, Any]]) -> dict[Kind, int]:
        """Tokens of a body without any conversation, which `make` makes. key: all that it depends on."""
        self._refresh()
        if self._fixed is None or self._fixed[0] != key:
            self._fixed = (key, _of_body(make()))
        return self._fixed[1]

    def trimmed(self, blank: dict[str, Any], body: dict[str, Any]) -> dict[Kind, int]:
        """Tokens of a body of a harness that keeps it small by itself; what it does not need for `blank` is yours."""
        empty, full = _of_body(blank), _of_body(body)
        yours: dict[Kind, int] = {"you": max(0, full["system"] - empty["system"])}
        return dict.fromkeys(KINDS, 0) | empty | yours

    def parts(self, messages: Sequence[Message]) -> dict[Kind, int]:
        """Tokens of messages by kind."""
        self._refresh()
        total = dict.fromkeys(KINDS, 0)
        for one in messages:
            for kind, count in self._of(one).items():
                total[kind] += count
        return total

    def tokens_of(self, one: Message) -> int:
        """Tokens of one message."""
        return sum(self._of(one).values())

    def measured(self, model: str, sent: Sequence[Message], used: int) -> None:
        """The provider counted `used` tokens for `sent` and the answer to it, which is not among them yet."""
        self._base = (model, used, len(sent), sent[-1] if sent else None)

    def forget(self) -> None:
        """What was measured belongs to a request that is not sent any more."""
        self._base = ("", 0, 0, None)

    def known_part(self, model: str, sent: Sequence[Message]) -> tuple[int, int]:
        """(tokens, messages): what the provider counted of a request that begins with the messages of the last one and
        its answer. (0, 0) if the request is another one."""
        name, used, count, last = self._base
        if name != model or not used or count > len(sent) or (count and sent[count - 1] is not last):
            return 0, 0
        while count < len(sent) and sent[count]["role"] == "assistant":
            count += 1
        return used, count

    def refused(self, model: str, used: int) -> None:
        """The provider refused a request of about `used` tokens as too long: its window is smaller than it was said."""
        self._ceilings[model] = min(self._ceilings.get(model, used), int(used * 0.85))

    def ceiling(self, model: str, limit: int) -> int:
        """`limit`, or less if the provider has refused less."""
        return min(limit, self._ceilings.get(model, limit))

    def _refresh(self) -> None:
        if self._exact != tokens.exact():
            self._exact = tokens.exact()
            self._counted.clear()
            self._fixed = None

    def _of(self, one: Message) -> dict[Kind, int]:
        found = self._counted.get(id(one))
        if found is None or found[0] is not one:
            found = self._counted[id(one)] = (one, _count(one))
        return found[1]


def _count(one: Message) -> dict[Kind, int]:
    """Tokens of a message by kind."""
    content = one.get("content")
    if one["role"] == "computer" and one.get("recipient") == "user":
        return {}
    if one["type"] == "image":
        return {"images": tokens.PICTURE}
    text = content if isinstance(content, str) else ""
    if one["role"] == "user":
        return {"notes" if one.get("recipient") else "you": tokens.count(text) + _EACH}
    if one["role"] == "computer":
        return {"output": tokens.count(text) + _EACH}
    arguments = one.get("call", {}).get("arguments", "")
    said: dict[Kind, int] = {"answers": tokens.count(arguments or text) + _EACH}
    if one.get("reasoning"):
        said["reasoning"] = tokens.count(one["reasoning"])
    return said


def _of_body(body: dict[str, Any]) -> dict[Kind, int]:
    """Tokens of the tools of a body, and of all its texts."""
    tools = tokens.count(_json(body["tools"])) if body.get("tools") else 0
    told = [body.get(name) for name in ("system", "instructions", "messages", "input")]
    return {"system": sum(tokens.count(text) for one in told for text in _texts(one)), "tools": tools}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _texts(value: Any) -> list[str]:
    """All texts of a part of a body."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for one in cast("list[Any]", value) for text in _texts(one)]
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return [text for key in ("content", "text") for text in _texts(found.get(key))]
    return []


def scaled(parts: dict[Kind, int], total: int) -> dict[Kind, int]:
    """Estimated parts stretched so that they add up to a total that was counted."""
    estimated = sum(parts.values())
    if not estimated:
        return parts
    made: dict[Kind, int] = {kind: count * total // estimated for kind, count in parts.items()}
    largest = max(made, key=lambda kind: made[kind])
    made[largest] += total - sum(made.values())
    return made
