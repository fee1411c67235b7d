"""What a model client yields while an answer arrives. Wires produce these, a harness's reader consumes them."""

from __future__ import annotations

from oi_tui.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Answer text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """Reasoning text; `signature` is what some providers want back with it."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a tool call. `index` tells parallel calls apart; id and name come once, arguments in fragments."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response, as the provider counted them, or estimated by us."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """The response is whole. reason: stop, tool_calls, length, content_filter, or what the provider said."""

    reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Retry:
    """The client waits `seconds` and tries again: `attempt` of `limit`, because of `cause` (one line)."""

    seconds: float
    attempt: int
    limit: int
    cause: str


Delta = TextDelta | ThoughtDelta | CallDelta | Usage | Stop | Retry
