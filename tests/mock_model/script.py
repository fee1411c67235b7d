"""The script of a mock model: what it answers, one `Answer` for each request it is sent.

An answer is a row of steps. The helpers each make an answer of one step; `answer(...)` joins several into one response.
The same in JSON, for use as a process: an object with one key named like the helper, or a list of such objects.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Say:
    text: str


@dataclass(frozen=True)
class Think:
    """Reasoning, in the delta's key `key` (`reasoning_content` or `reasoning`)."""

    text: str
    key: str = "reasoning_content"


@dataclass(frozen=True)
class Code:
    """A call of whatever tool of the request runs code; a fenced block if the request has no tools."""

    language: str
    code: str
    id: str = ""


@dataclass(frozen=True)
class Call:
    """A call by name. `arguments` as an object, or as text that is sent as it stands."""

    name: str
    arguments: dict[str, Any] | str
    id: str = ""


@dataclass(frozen=True)
class Raw:
    """Literal pieces of the stream: bytes as they are, a dict with `choices`, `error` or `usage` as one event.

    Any other dict is a delta (its key `finish_reason`, if any, goes beside it); on the Messages and Responses wires
    every dict is one event. `end` adds what is missing at the end.
    """

    items: tuple[dict[str, Any] | bytes, ...]
    end: bool = True


@dataclass(frozen=True)
class Http:
    """Answer with this status, instead of a stream."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """Close the connection here, with no end marker."""


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Finish:
    """Give this finish reason instead of the one that fits."""

    reason: str


@dataclass(frozen=True)
class Tokens:
    """Report these numbers as usage instead of counted ones."""

    usage: dict[str, Any]


Emission = bytes | Wait | Cut  # what the server does next: send, pause, or close the connection
Step = Say | Think | Code | Call | Raw | Http | Cut | Wait | Finish | Tokens


@dataclass(frozen=True)
class Answer:
    steps: tuple[Step, ...]


Scripted = Answer | Callable[[dict[str, Any]], Answer]


def answer(*parts: Answer) -> Answer:
    """One response made of all parts, in order."""
    return Answer(tuple(step for part in parts for step in part.steps))


def say(text: str) -> Answer:
    """A text."""
    return Answer((Say(text),))


def think(text: str, key: str = "reasoning_content") -> Answer:
    """Reasoning."""
    return Answer((Think(text, key),))


def code(language: str, text: str, id: str = "") -> Answer:
    """A native call to the program's own code-running tool, or a fenced block where there are no tools."""
    return Answer((Code(language, text, id),))


def call(name: str, arguments: dict[str, Any] | str | None = None, id: str = "") -> Answer:
    """A native tool call."""
    return Answer((Call(name, {} if arguments is None else arguments, id),))


def raw(items: Sequence[dict[str, Any] | bytes | str], *, end: bool = True) -> Answer:
    """Literal deltas and bytes; text is sent as UTF-8. See Raw."""
    return Answer((Raw(tuple(one.encode() if isinstance(one, str) else one for one in items), end),))


def http(status: int, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
    """A plain HTTP answer: `body` as JSON, or as it is if it is text."""
    return Answer((Http(status, body, dict(headers or {})),))


def cut(text: str = "") -> Answer:
    """Say `text`, then close the connection with no end marker."""
    return Answer((Say(text), Cut()) if text else (Cut(),))


def wait(seconds: float) -> Answer:
    """Pause."""
    return Answer((Wait(seconds),))


def finish(reason: str) -> Answer:
    """End with this finish reason."""
    return Answer((Finish(reason),))


def usage(**numbers: Any) -> Answer:
    """Report these numbers as the wire's usage object, whether it was asked for or not."""
    return Answer((Tokens(numbers),))


_BY_NAME: dict[str, Callable[..., Answer]] = {
    "say": say,
    "think": think,
    "code": code,
    "call": call,
    "http": http,
    "wait": wait,
    "finish": finish,
}


def _from_json(written: Any) -> Answer:
    if isinstance(written, str):
        return cut() if written == "cut" else say(written)
    if isinstance(written, list):
        return answer(*(_from_json(one) for one in written))
    if not isinstance(written, dict) or not written:
        raise ValueError(f"not an answer: {written!r}")
    name = next(iter(written))
    value, rest = written[name], {key: one for key, one in written.items() if key != name}
    if name == "cut":
        return cut(value or "")
    if name == "usage":
        return usage(**value)
    if name == "raw":
        return raw([_raw_item(one) for one in value], **rest)
    if name not in _BY_NAME:
        raise ValueError(f"unknown answer {name!r}; known are {', '.join(sorted([*_BY_NAME, 'cut', 'raw', 'usage']))}")
    return _BY_NAME[name](*(value if isinstance(value, list) else [value]), **rest)


def _raw_item(written: Any) -> dict[str, Any] | bytes | str:
    if isinstance(written, dict) and set(written) == {"base64"}:
        return base64.b64decode(written["base64"])
    return written


def load(path: Path) -> dict[str, Any]:
    """Read a script file into keyword arguments of MockModel.

    JSON: a list of answers, or an object with `answers` and any of `after`, `chunk`, `delay`, `write_size`, `strict`,
    `models`, `known_only`, `api_key`. Raises ValueError for anything else.
    """
    written = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(written, list):
        written = {"answers": written}
    options: dict[str, Any] = dict(written)
    options["script"] = [_from_json(one) for one in options.pop("answers", [])]
    if "after" in options:
        options["after"] = _from_json(options["after"])
    unknown = set(options) - {
        "script", "after", "chunk", "delay", "write_size", "strict", "models", "known_only", "api_key"
    }  # fmt: skip
    if unknown:
        raise ValueError(f"unknown keys in {path}: {', '.join(sorted(unknown))}")
    return options
