"""The three wires by the path they are spoken at: what renders an answer, what checks a request, how it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tests.mock_model.chat import ChatStream
from tests.mock_model.messages import MessagesStream
from tests.mock_model.responses import ResponsesStream
from tests.mock_model.script import Answer, Emission
from tests.mock_model.strict import check_chat
from tests.mock_model.strict_messages import check_messages
from tests.mock_model.strict_responses import check_responses


class Stream(Protocol):
    """One answer to one request: as emissions, or whole."""

    def __iter__(self) -> Iterator[Emission]: ...

    def whole(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Wire:
    name: str
    stream: Callable[[Answer, dict[str, Any], int, int], Stream]
    check: Callable[[dict[str, Any]], None]


CHAT = Wire("chat", ChatStream, check_chat)
MESSAGES = Wire("messages", MessagesStream, check_messages)
RESPONSES = Wire("responses", ResponsesStream, check_responses)

_PATHS = {"chat/completions": CHAT, "messages": MESSAGES, "responses": RESPONSES}
_BY_PATH = {f"{above}/{path}": wire for path, wire in _PATHS.items() for above in ("", "/v1")}


def at_path(path: str) -> Wire | None:
    """The wire that is spoken at an address of this path; Azure has one for each deployment."""
    if path.startswith("/openai/deployments/") and path.endswith("/chat/completions"):
        return CHAT
    return _BY_PATH.get(path)


def refusal(wire: Wire, message: str, code: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    """The body of a refusal as this wire's provider words it."""
    if wire is MESSAGES:
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "code": code}}
