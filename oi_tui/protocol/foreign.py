"""Messages that others made, a program or an older version, as a history that a session can work on.

There, blocks have calls, each with an id of its own, and outputs belong to the call before them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import InvalidMessage, Message, check, message

KEYS = ("role", "type", "format", "content", "recipient")
RUN = "execute"  # the tool that runs code
_NOTHING = frozenset({"error", "command", "review", "confirmation", "status", "input"})  # what a model is not told of


def whole(given: Any) -> Message:
    """The message itself if it can be one, with the role of a person where it has none. Raises InvalidMessage."""
    if not isinstance(given, dict):
        raise InvalidMessage(f"a message is a dict with role, type and content, not {type(given).__name__}")
    one = cast("Message", given)
    one.setdefault("role", "user")
    if "type" not in one:
        raise InvalidMessage('a message needs a type, such as {"role": "user", "type": "message", "content": "hello"}')
    if one["role"] == "system":
        raise InvalidMessage("a system message is not one of the messages; it is a setting: system_message")
    return one


class Adopting:
    """Takes messages in order. `made` is the history so far."""

    def __init__(self) -> None:
        self.made: list[Message] = []
        self._owner: dict[str, Any] | None = None  # the call of the newest block
        self._ids: dict[str, str] = {}  # of calls that came with one: as they were -> as they are here
        self._count = 0

    def own(self, kept: Message) -> None:
        """Take a message of ours as it is, except for an id that an earlier call has."""
        if "call" in kept:
            kept = self._renamed(kept)
            if kept["role"] == "assistant":
                self._owner = kept["call"]
        self.made.append(kept)

    def foreign(self, given: Any) -> None:
        """Take one that others made. Raises InvalidMessage."""
        one = whole(given)
        role, kind, content = one["role"], one["type"], one.get("content")
        self._count += 1
        if kind in _NOTHING or role == "server":
            return
        if kind == "code" and role != "computer":
            self._block(str(one.get("format") or "python"), str(content))
            return
        plain = check({key: one[key] for key in KEYS if key in one})
        if role == "computer" and kind == "code":  # shown to the person by a block; nothing that could be run
            self.made.append({**plain, "recipient": plain.get("recipient", "user")})
        elif role == "computer" and self._owner is not None and kind in {"console", "image"}:
            self._result(plain, {"id": self._owner["id"], "name": self._owner["name"]})
        else:
            self.made.append(plain)

    def _block(self, language: str, code: str) -> None:
        arguments = json.dumps({"language": language, "code": code}, separators=(",", ":"), ensure_ascii=False)
        id = f"block_{self._count}"
        while id in self._ids.values():
            id += "_"
        self._ids[id] = id
        self._owner = {"id": id, "name": RUN, "arguments": arguments}
        self.made.append(message("assistant", "code", code, language, call=self._owner))

    def _result(self, plain: Message, key: dict[str, Any]) -> None:
        last = self.made[-1]
        if plain["type"] == "image":
            self.made.append({**plain, "call": key})
        elif plain.get("format") == "active_line":
            return
        elif last.get("call", {}).get("id") == key["id"] and "result" in last["call"]:  # more of the same output
            self.made[-1] = {**last, "content": f"{last['content']}{plain['content']}"}
        else:
            self.made.append({**plain, "call": {**key, "result": Result(True).facts()}})

    def _renamed(self, kept: Message) -> Message:
        """The message with an id that no earlier call has: those of different providers may be the same."""
        id = kept["call"]["id"]
        if kept["role"] == "assistant":
            wanted = id
            while wanted in self._ids.values():
                wanted += "_"
            self._ids[id] = wanted
        name = self._ids.get(id, id)
        return kept if name == id else {**kept, "call": {**kept["call"], "id": name}}


def history_of(messages: Iterable[Any]) -> list[Message]:
    """The history that these messages are. Raises InvalidMessage."""
    adopting = Adopting()
    for one in messages:
        adopting.foreign(one)
    return adopting.made
