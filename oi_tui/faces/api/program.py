"""What the parts of the API need to know of the instance that they work for, and how failures are told."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import threading

    from oi_tui.protocol.events import TurnEnded
    from oi_tui.settings import Settings


class InterpreterError(Exception):
    """The model could not be asked, or the turn broke off; the text says why and what to do."""


class Program(Protocol):
    """An `OpenInterpreter`, as its parts see it. llm and computer: its `Llm` and `Computer`."""

    messages: list[dict[str, Any]]
    llm: Any
    computer: Any
    auto_run: bool
    safe_mode: str
    loop: bool
    loop_message: str
    loop_breakers: list[str]
    system_message: str
    custom_instructions: str
    user_message_template: str
    always_apply_user_message_template: bool
    code_output_template: str
    empty_code_output_template: str
    code_output_sender: str
    conversation_history: bool
    conversation_filename: str | None
    plain_text_display: bool
    multi_line: bool
    harness: str
    trust_placeholders: bool
    last_stop: TurnEnded | None
    _busy: threading.Lock

    @property
    def conversation_history_path(self) -> str: ...
    def settings(self) -> Settings: ...
    def reset(self) -> None: ...
    def _engine(self) -> Any: ...
    def _prewarm(self) -> None: ...
    def _streaming_chat(self, message: Any = None, display: bool = True) -> Generator[dict[str, Any], None, None]: ...
