"""The turns of `OpenInterpreter.chat`: a generator of classic chunks that keeps `messages` up to date on its way."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from oi_tui.faces.api.messages import Message, to_history
from oi_tui.faces.api.turns import Asked, Settled, Step, Turn
from oi_tui.protocol.lmc import accumulate, frame, message

if TYPE_CHECKING:
    from harnesses.classic import Wording
    from oi_tui.faces.api.program import Program

Chunks = Generator[dict[str, Any], None, None]


def respond(interpreter: Program, asks: bool = True) -> Chunks:
    """A turn on `interpreter.messages`, or several in loop mode, as chunks with their start and end flags.

    asks: whoever takes the chunks decides on confirmations; False declines all. Raises InterpreterError.
    """
    if not interpreter._busy.acquire(blocking=False):
        from oi_tui.faces.api.program import InterpreterError

        raise InterpreterError("this interpreter is answering already; wait for it, or use another instance")
    turns = _Turns(interpreter, asks)
    try:
        yield from frame(turns.chunks())
    finally:
        try:
            turns.stop()
            _save(interpreter)
        finally:
            interpreter._busy.release()


class _Turns:
    """The turns of one `chat`."""

    def __init__(self, interpreter: Program, asks: bool) -> None:
        self._interpreter, self._asks = interpreter, asks
        self._messages = interpreter.messages
        self._begins = len(self._messages)
        self._before = ""  # what the last message said before it was prompted to go on
        self._turn: Turn | None = None
        self._undecided = False  # a confirmation was given out and nobody has decided
        self._fresh = False  # the next output begins a message

    def chunks(self) -> Chunks:
        from oi_tui.faces.api.tidying import tidy

        tidy(self._messages)
        pending: list[dict[str, Any]] = []
        while True:
            yield from self._one(pending)
            if not self._goes_on():
                return
            yield from self._add(message("assistant", "message", "\n\n"))
            pending = [message("user", "message", self._interpreter.loop_message, recipient="assistant")]
            self._begins, self._before = len(self._messages) - 1, str(self._messages[-1]["content"])

    def _one(self, pending: list[dict[str, Any]]) -> Chunks:
        interpreter = self._interpreter
        session = interpreter._engine().session(wording_of(interpreter))
        history = to_history(self._messages)
        if not history:
            raise ValueError("there are no messages to answer; say something first")
        turn = self._turn = Turn(session, [*history, *pending])
        for step in turn:
            if isinstance(step, Asked):
                yield from self._ask(turn, step)
            else:
                yield from self._take(step)
        self._turn = None
        self._ended(turn)

    def _take(self, step: Step) -> Chunks:
        if isinstance(step, Settled):
            self._settle(step.messages)
            self._fresh = step.block
        elif isinstance(step, dict):
            yield from self._add(step)

    def _add(self, chunk: dict[str, Any]) -> Chunks:
        if self._fresh and chunk.get("format") == "output":
            self._messages.append(Message(message("computer", "console", "", "output")))
            self._fresh = False
        accumulate(self._messages, chunk)
        yield dict(chunk)

    def _settle(self, new: list[Message]) -> None:
        """What is in the history by now takes the place of what was put together from chunks. In loop mode an answer
        goes on in the message that came before its prompt."""
        if self._before:
            goes_on = bool(new) and new[0]["role"] == "assistant" and new[0]["type"] == "message"
            said = str(new[0]["content"]) if goes_on else ""
            new = [Message(message("assistant", "message", self._before + said)), *(new[1:] if goes_on else new)]
        self._messages[self._begins :] = new

    def _ask(self, turn: Turn, step: Asked) -> Chunks:
        if not self._asks:
            self._undecided = True
            self.stop()
            way = "take the chunks with stream=True"
            if not self._interpreter.auto_run:
                way = f"set interpreter.auto_run = True, or {way}"
            warnings.warn(f"not run, since nobody was there to ask ({step.request.why}): {way}", stacklevel=2)
            return
        self._undecided = True
        yield step.chunk
        self._undecided = False
        turn.approve(step.request, self._code_now(step))

    def _code_now(self, step: Asked) -> str:
        """The text of the block as the program left it: it may have edited the last one."""
        if step.request.subject != "code":
            return step.request.code
        last = next((one for one in reversed(self._messages) if one.get("type") == "code"), None)
        return str(last["content"]) if last is not None else step.request.code

    def _ended(self, turn: Turn) -> None:
        ended = self._interpreter.last_stop = turn.ended
        if ended is None or ended.reason in {"done", "interrupted", "refused"}:
            return
        text = f"{ended.text}{f' ({ended.hint})' if ended.hint else ''}"
        if ended.reason == "limit":
            warnings.warn(text, stacklevel=2)
            return
        from oi_tui.faces.api.program import InterpreterError

        raise InterpreterError(text)

    def _goes_on(self) -> bool:
        """Loop mode: whether the model is to be prompted once more."""
        interpreter = self._interpreter
        if not interpreter.loop or interpreter.last_stop is None or interpreter.last_stop.reason != "done":
            return False
        last = self._messages[-1] if self._messages else {}
        if last.get("role") != "assistant" or last.get("type") != "message":
            return False
        return not any(breaker in str(last["content"]) for breaker in interpreter.loop_breakers)

    def stop(self) -> None:
        """End a turn that nobody takes to its end. What was declined stays as it was written, without a result."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        for step in turn.stop():
            if isinstance(step, Settled) and not self._undecided:
                self._settle(step.messages)
        self._interpreter.last_stop = turn.ended


def wording_of(interpreter: Program) -> Wording | None:
    """What the model is told, from the attributes; None where a harness of the registry is wanted."""
    if interpreter.harness not in {"", "classic"}:
        return None
    from harnesses.classic import Wording
    from oi_tui.faces.api.placeholders import filled

    computer = interpreter.computer
    devices = computer.system_message if computer.import_computer_api else ""
    parts = (interpreter.system_message, computer.engine().system_message(), devices, interpreter.custom_instructions)
    if interpreter.code_output_sender not in {"user", "assistant"}:
        raise ValueError(f"code_output_sender is user or assistant, not {interpreter.code_output_sender!r}")
    return Wording(
        filled("\n\n".join(part for part in parts if part), interpreter),
        interpreter.llm.execution_instructions or "",
        interpreter.user_message_template,
        interpreter.always_apply_user_message_template,
        interpreter.code_output_template,
        interpreter.empty_code_output_template,
        interpreter.code_output_sender,
    )


def _save(interpreter: Program) -> None:
    if interpreter.conversation_history and interpreter.messages:
        from oi_tui.faces.api.storage import save

        try:
            save(interpreter)
        except OSError as error:
            warnings.warn(f"the conversation could not be saved: {error}", stacklevel=2)
