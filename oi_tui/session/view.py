"""What of the history a model is sent, once its window has been too small for all of it.

The history itself stays whole: on the screen, on disk, for `%undo`. A Compaction says what is sent in its place. Calls
and their results stay together, the newest messages of the person are sent word for word.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from harnesses.compacting import middle_out, note
from harnesses.rendering import compact
from oi_tui.protocol.lmc import Message, message

_MARK = "{{}} characters are not sent any more{}"


@dataclass(frozen=True, slots=True)
class Compaction:
    """What is sent instead of the whole history. All numbers are indexes of messages.

    upto: the messages before it are replaced by `summary` ("": by nothing) and by the messages `kept`. shortened: of
    those from there to this one, outputs and code longer than `chars` characters lose their middle, and pictures go.
    told, reply: the notes as the harness puts them, and what it has the model answer. path: the file with all of it.
    """

    upto: int = 0
    shortened: int = 0
    chars: int = 0
    kept: tuple[int, ...] = ()
    summary: str = ""
    told: str = ""
    reply: str = ""
    path: str = ""

    def record(self) -> dict[str, Any]:
        """As it is saved."""
        return asdict(self)

    def fits(self, messages: int) -> bool:
        """Whether it can be said of a history of so many messages: not if some that it stands for were taken back."""
        return max(self.upto, self.shortened) <= messages

    @classmethod
    def of(cls, record: dict[str, Any], messages: int) -> Compaction | None:
        """The inverse of `record`; None if it does not fit a history of so many messages."""
        upto, shortened, chars = (record.get(name) for name in ("upto", "shortened", "chars"))
        kept, summary = record.get("kept"), record.get("summary")
        if not (isinstance(upto, int) and isinstance(shortened, int) and isinstance(chars, int)):
            return None
        if not (isinstance(kept, list | tuple) and isinstance(summary, str)):
            return None
        indexes = tuple(one for one in cast("list[Any]", kept) if isinstance(one, int) and 0 <= one < messages)
        made = cls(upto, shortened, chars, indexes, summary)
        made = replace(made, **{key: str(record[key]) for key in ("told", "reply", "path") if record.get(key)})
        return made if upto >= 0 and made.fits(messages) else None


class View:
    """Makes what is sent. Shortened messages are made once, so that requests stay the same and are counted once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Message, int, Message]] = {}  # index -> (original, chars, shortened)
        self._note: tuple[str, list[Message]] = ("", [])

    def of(self, history: list[Message], compaction: Compaction | None) -> list[Message]:
        """The messages that stand for `history`; the list itself where nothing was compacted."""
        return history if compaction is None else list(self._parts(history, compaction))

    def _parts(self, history: list[Message], compaction: Compaction) -> Iterator[Message]:
        yield from (history[index] for index in compaction.kept)
        if compaction.upto:
            text = compaction.told or note(compaction.summary, compaction.upto - len(compaction.kept))
            if self._note[0] != text:
                reply = [message("assistant", "message", compaction.reply)] if compaction.reply else []
                self._note = (text, [message("user", "message", text, recipient="assistant"), *reply])
            yield from self._note[1]
        for index in range(compaction.upto, len(history)):
            one = history[index]
            if index >= compaction.shortened:
                yield one
            elif not (one["role"] == "computer" and one["type"] == "image"):
                yield self._short(index, one, compaction.chars, compaction.path)

    def _short(self, index: int, one: Message, chars: int, path: str) -> Message:
        made = self._made.get(index)
        if made is None or made[0] is not one or made[1] != chars:
            made = self._made[index] = (one, chars, shortened(one, chars, path))
        return made[2]


def shortened(one: Message, chars: int, path: str = "") -> Message:
    """A message as it is sent when it is old: long outputs, code and arguments without their middle. path: the file
    that holds all of it."""
    if one["role"] == "user" or (one["type"] == "message" and "call" not in one):
        return one
    mark = _MARK.format(f", all of it is in {path}" if path else "")
    short: Message = dict(one)
    if isinstance(one.get("content"), str):
        short["content"] = middle_out(one["content"], chars, mark)
    call: dict[str, Any] = one.get("call") or {}
    if len(call.get("arguments", "")) > chars:
        short["call"] = {**call, "arguments": _short_arguments(call["arguments"], chars, mark)}
    pictures = call.get("result", {}).get("meta", {}).get("pictures")
    if pictures:
        result = call["result"]
        meta = {key: value for key, value in result["meta"].items() if key != "pictures"}
        words = "\n".join(f"[{one}, not sent any more]" for one in pictures)
        short["content"] = f"{short['content']}\n{words}".lstrip()
        short["call"] = {**call, "result": {**result, "meta": meta}}
    return one if short == one else short


def _short_arguments(arguments: str, chars: int, mark: str) -> str:
    """Arguments of a call, an object still, long texts in it without their middle."""
    try:
        values: Any = json.loads(arguments)
    except ValueError:
        return middle_out(arguments, chars, mark)
    if not isinstance(values, dict):
        return arguments
    return compact(
        {
            key: middle_out(value, chars, mark) if isinstance(value, str) else value
            for key, value in cast("dict[str, Any]", values).items()
        }
    )


def boundaries(history: Sequence[Message]) -> list[int]:
    """Indexes before which the history can be cut: never between a call and its result, nor inside an answer."""
    last: dict[str, int] = {}
    for index, one in enumerate(history):
        if "call" in one:
            last[one["call"]["id"]] = index
    found: list[int] = []
    reach = -1
    for index, one in enumerate(history):
        inside = index > 0 and one["role"] == "assistant" == history[index - 1]["role"]
        if index > reach and not inside and one["role"] != "computer":
            found.append(index)
        if "call" in one:
            reach = max(reach, last[one["call"]["id"]])
    return [*found, len(history)] if len(history) > reach else found


def is_persons(one: Message) -> bool:
    """Whether the person said it: text, files and pictures of theirs, no note that the program made."""
    return one["role"] == "user" and one.get("recipient") is None


def passages(history: Sequence[Message], compaction: Compaction | None) -> list[tuple[str, str]]:
    """What the model is not sent, or only in short, as (place, text) pairs for `recall`."""
    if compaction is None:
        return []
    found: list[tuple[str, str]] = []
    for index, one in enumerate(history[: max(compaction.upto, compaction.shortened)]):
        text = one.get("content") if one["type"] != "image" else ""
        text = text if isinstance(text, str) and text.strip() else str(one.get("call", {}).get("arguments", ""))
        if not text.strip() or (index in compaction.kept):
            continue
        found.append((f"message {index + 1}, {_who(one)}", text))
    return found


def _who(one: Message) -> str:
    name = one.get("call", {}).get("name", "")
    match one["role"]:
        case "user":
            return "a note" if one.get("recipient") else "the person"
        case "assistant":
            return f"{one.get('format') or name} that you ran" if one["type"] == "code" or name else "you"
        case _:
            return f"result of {name}" if name else "output"
