"""Events as the chunks that classic programs know, before `start` and `end` flags are put around them.

What a program sees of a block is what it saw in Open Interpreter 0.4: the code while it is written, the confirmation,
the running line, output, pictures, HTML. Other events have no chunk.
"""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.events import (
    ActiveLine,
    ApprovalRequested,
    CallEnded,
    CodeDelta,
    CodeEnded,
    CodeStarted,
    ConsoleOutput,
    Event,
    ImageOutput,
    MessageDelta,
    RichOutput,
)
from oi_tui.protocol.lmc import Chunk, message


class Chunks:
    """The chunks of one turn. Feed it every event, in order."""

    def __init__(self) -> None:
        self._languages: dict[str, str] = {}  # id of a call -> what its code is written in
        self._written: dict[str, str] = {}

    def of(self, event: Event) -> list[Chunk]:
        """The chunks for one event; empty for most kinds."""
        match event:
            case MessageDelta(text):
                return [message("assistant", "message", text)]
            case CodeStarted(call_id, language):
                self._languages[call_id], self._written[call_id] = language.strip().lower(), ""
                return []
            case CodeDelta(call_id, text):
                self._written[call_id] = self._written.get(call_id, "") + text
                return [self._code(call_id, text)]
            case CodeEnded(call_id, language, code):
                return self._whole(call_id, language, code)
            case ApprovalRequested():
                asked: dict[str, Any] = {"type": "code", "format": event.language or "text", "content": event.code}
                if event.scan.state not in {"", "offered"}:  # only in safe mode
                    asked["findings"] = event.scan.sentences()
                return [message("computer", "confirmation", asked, "execution")]
            case ConsoleOutput(_, text):
                return [message("computer", "console", text, "output")]
            case ActiveLine(_, line):
                return [message("computer", "console", line, "active_line")]
            case ImageOutput(_, form, data):
                return [message("computer", "image", data, form if form.startswith("base64") else f"base64.{form}")]
            case RichOutput(_, form, content):
                return [message("computer", "code", content, form, recipient="user")]
            case CallEnded(ok=False, note=note) if note:
                return [message("computer", "console", f"{note}\n", "output")]
            case _:
                return []

    def _code(self, call_id: str, text: str) -> Chunk:
        return message("assistant", "code", text, self._languages.get(call_id, "python"))

    def _whole(self, call_id: str, language: str, code: str) -> list[Chunk]:
        """What of a block has not been shown while it came."""
        written = self._written.get(call_id)
        if written is None:  # an edit, or a block that came all at once
            return []
        if not written:
            self._languages[call_id], self._written[call_id] = language, code
        return [self._code(call_id, code)] if code and not written else []
