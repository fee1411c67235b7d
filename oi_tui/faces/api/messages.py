"""The messages that a program sees, and the history that a session works on.

A program's messages have the keys that classic programs know and no others. What the engine needs besides (the id of a
call, facts about its result, a provider's signature) travels with them unseen, as long as the program leaves them as
they are; a message that was made or changed by the program gets what it needs anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from oi_tui.protocol.foreign import KEYS, Adopting, whole
from oi_tui.protocol.lmc import InvalidMessage, message


class Message(dict[str, Any]):
    """A plain dict for programs. `kept`: the engine's own message, if it comes from there."""

    kept: dict[str, Any] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Message:
        copied = Message(self)
        copied.kept = self.kept
        return copied

    def copy(self) -> Message:
        """A shallow copy that still knows where it comes from."""
        return self.__deepcopy__({})

    __copy__ = copy


def shown(history: Iterable[dict[str, Any]]) -> list[Message]:
    """What a program sees of these messages; calls of other tools than code have no place in it."""
    made: list[Message] = []
    for one in history:
        if one["role"] == "assistant" and one["type"] == "message" and not one["content"]:
            continue
        if one.get("call", {}).get("result", {}).get("rejected"):
            continue
        seen = Message((key, one[key]) for key in KEYS if key in one)
        seen.kept = one
        made.append(seen)
    return made


def read(given: object) -> list[Message]:
    """What a program hands to `chat`: a text, one message or a list of them, as messages. Raises InvalidMessage."""
    if isinstance(given, str):
        return [Message(message("user", "message", given))]
    if isinstance(given, dict):
        return [_one(cast("dict[str, Any]", given))]
    if isinstance(given, list | tuple):
        return [_one(one) for one in cast("Sequence[Any]", given)]
    raise InvalidMessage(f"a message is a text, a dict or a list of dicts, not {type(given).__name__}")


def _one(given: Any) -> Message:
    one = whole(given)
    return one if isinstance(one, Message) else Message(one)


def to_history(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same as a history whose blocks have calls and whose outputs belong to them. Raises InvalidMessage."""
    adopting = Adopting()
    for given in messages:
        kept = given.kept if isinstance(given, Message) else None
        if kept is not None and all(given.get(key) == kept.get(key) for key in KEYS):
            adopting.own(kept)
        else:
            adopting.foreign(given)
    return adopting.made
