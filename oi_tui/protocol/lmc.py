"""LMC messages: the one history of a session.

A message is a plain dict, as classic Open Interpreter clients know it: `role`, `type`, optional `format`, `content`,
optional `recipient`. In a stream the same dicts carry pieces, opened by a chunk with `start: true` and closed by one
with `end: true`. Optional keys of ours:

- `call`: on an assistant message `{"id", "name", "arguments"}` as the model sent it; on a computer message
  `{"id", "name", "result": {...}}`, facts about the result that a harness needs to word it (see `calls.Result.facts`).
- `reasoning`, `signature`: on the first assistant message of a response, for providers that want them back.
- `broken`: "answer" on one that broke its harness's format, "correction" on what the model was told of it; both are
  left out of requests once the model got it right.
- `plan`: on a note that plan mode is on or over: `{"on", "full", "file", "agreed"}`, for the harness's own words.

An assistant message with a `call` for a tool other than running code has type `message` and empty content, so that
classic clients simply show nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NotRequired, TypedDict, cast

Role = Literal["user", "assistant", "computer", "server", "system"]
Message = dict[str, Any]
Chunk = dict[str, Any]

ROLES = frozenset({"user", "assistant", "computer", "server", "system"})

# role -> type -> allowed formats. None stands for "no format"; "*" for any text (a language name, an image ending).
SHAPES: dict[str, dict[str, frozenset[str | None]]] = {
    "user": {
        "message": frozenset({None}),
        "image": frozenset({"path", "base64", "base64.*", "description"}),
        "file": frozenset({"path", None}),
        "command": frozenset({None}),
        "audio": frozenset({"wav"}),
        "error": frozenset({None}),
    },
    "assistant": {
        "message": frozenset({None}),
        "code": frozenset({"*"}),
        "review": frozenset({"safe", "warning", "unsafe"}),
        "error": frozenset({None}),
    },
    "computer": {
        "confirmation": frozenset({"execution"}),
        "console": frozenset({"output", "active_line"}),
        "image": frozenset({"base64.*", "base64", "path", "description"}),
        "code": frozenset({"html", "javascript", "markdown", "latex"}),
        "input": frozenset({"asked", "given"}),
        "error": frozenset({None}),
    },
    "server": {"status": frozenset({None}), "error": frozenset({None})},
    "system": {"message": frozenset({None})},
}

EPHEMERAL_FORMATS = frozenset({"active_line"})
EPHEMERAL_TYPES = frozenset({"review", "confirmation", "status", "input"})


class CallKey(TypedDict):
    """The `call` key of a message: `arguments` on the assistant's side, `result` on the computer's."""

    id: str
    name: str
    arguments: NotRequired[str]
    result: NotRequired[dict[str, Any]]


class InvalidMessage(ValueError):
    """A dict that is not an LMC message; the text says which key is wrong and what is allowed."""


def message(role: Role, type: str, content: Any = "", format: str | None = None, **extra: Any) -> Message:
    """One message. `extra` takes the optional keys; those that are None are left out."""
    made: Message = {"role": role, "type": type}
    if format is not None:
        made["format"] = format
    made["content"] = content
    made.update((key, value) for key, value in extra.items() if value is not None)
    return made


def check(candidate: object) -> Message:
    """Return `candidate` if it is a whole LMC message, else raise InvalidMessage."""
    if not isinstance(candidate, dict):
        raise InvalidMessage(f"a message is an object with role, type and content, not {type(candidate).__name__}")
    given = cast("Message", candidate)
    role, kind, form = given.get("role"), given.get("type"), given.get("format")
    if not isinstance(role, str) or role not in SHAPES:
        raise InvalidMessage(f"role {role!r} is not one of {', '.join(sorted(SHAPES))}")
    shapes = SHAPES[role]
    if not isinstance(kind, str) or kind not in shapes:
        raise InvalidMessage(f"type {kind!r} is not one of {', '.join(sorted(shapes))} for role {role}")
    if not _format_fits(form, shapes[kind]):
        allowed = ", ".join(sorted("none" if one is None else one for one in shapes[kind]))
        raise InvalidMessage(f"format {form!r} does not fit {role}/{kind} (allowed: {allowed})")
    if "content" not in given:
        raise InvalidMessage("content is missing")
    return given


def _format_fits(form: object, allowed: frozenset[str | None]) -> bool:
    if form is None:
        return None in allowed
    if not isinstance(form, str) or not form:
        return False
    if form in allowed:
        return True
    return "*" in allowed or ("base64.*" in allowed and form.startswith("base64."))


def is_ephemeral(chunk: Chunk) -> bool:
    """True for chunks that are shown but never stored: active line, review, confirmation, status, input."""
    return chunk.get("format") in EPHEMERAL_FORMATS or chunk.get("type") in EPHEMERAL_TYPES


def frame(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Put the `start` and `end` flags around runs of content chunks, as classic streams have them.

    A new block begins when role or type changes, or when the open block has a format and the chunk's differs.
    Console blocks carry no format on their flags, so output and active_line share one block. A confirmation has no
    flags of its own but closes the block before it. Chunks with empty text are dropped.
    """
    opened: Chunk | None = None
    for chunk in chunks:
        if chunk.get("content") == "":
            continue
        if chunk.get("type") == "confirmation":
            if opened is not None:
                yield {**opened, "end": True}
                opened = None
            yield chunk
            continue
        head = {key: chunk[key] for key in ("role", "type", "format", "recipient") if key in chunk}
        if chunk.get("type") == "console":
            head.pop("format", None)
        if opened != head:
            if opened is not None:
                yield {**opened, "end": True}
            opened = head
            yield {**head, "start": True}
        yield chunk
    if opened is not None:
        yield {**opened, "end": True}


def accumulate(history: list[Message], chunk: Chunk) -> None:
    """Add one content chunk to `history` in place: continue the last message of the same kind, else begin one.

    Flags and ephemeral chunks change nothing. Chunks that are whole on their own (images) always begin a message.
    """
    if "start" in chunk or "end" in chunk or is_ephemeral(chunk) or "content" not in chunk:
        return
    last = history[-1] if history else None
    same = last is not None and all(last.get(key) == chunk.get(key) for key in ("role", "type", "format", "recipient"))
    if same and last is not None and chunk.get("type") in {"message", "code", "console"}:
        last["content"] += chunk["content"]
    else:
        history.append(dict(chunk))
