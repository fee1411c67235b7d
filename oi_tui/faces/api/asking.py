"""One question to the model outside the conversation: `interpreter.llm.run`."""

from __future__ import annotations

import queue
from collections.abc import Generator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from harnesses.classic import ClassicHarness, Wording
from harnesses.data import CodeOpen, CodeText, Piece, Say
from oi_tui.faces.api import loop
from oi_tui.faces.api.messages import read, to_history

if TYPE_CHECKING:
    from oi_tui.faces.api.program import Program


def ask(interpreter: Program, messages: list[dict[str, Any]]) -> Generator[dict[str, Any], None, None]:
    """Chunks of the answer, without role and flags: messages, and code with its language as `format`.

    Raises models.client.ModelError. Closing the generator cancels the request."""
    from oi_tui.faces.api.respond import wording_of

    system = ""
    if messages and messages[0].get("role") == "system":
        system, messages = str(messages[0].get("content", "")), messages[1:]
    session = interpreter._engine().session(wording_of(interpreter))
    history = to_history(read(messages))
    found: queue.SimpleQueue[dict[str, Any] | BaseException | None] = queue.SimpleQueue()

    async def asking() -> None:
        engine = session.engine
        connection = await engine.connect()
        wording = Wording(system, interpreter.llm.execution_instructions or "" if system else "")
        harness = ClassicHarness(wording, text=not engine.harness.uses_tools)
        reader, languages = harness.reader(engine.env), dict[int, str]()
        body = harness.build(history, engine.env, engine.options(history, session.id))

        def show(pieces: Sequence[Piece]) -> None:
            for chunk in _chunks(pieces, languages):
                found.put(chunk)

        async with aclosing(connection.client.stream(body)) as deltas:
            async for delta in deltas:
                show(reader.feed(delta))
        show(reader.finish()[0])

    async def told() -> None:
        try:
            await asking()
            found.put(None)
        except BaseException as error:
            found.put(error)

    task = loop.begin(told())
    try:
        while (one := found.get()) is not None:
            if isinstance(one, BaseException):
                raise one
            yield one
    finally:
        task.cancel()


def _chunks(pieces: Sequence[Piece], languages: dict[int, str]) -> Generator[dict[str, Any], None, None]:
    for piece in pieces:
        if isinstance(piece, Say):
            yield {"type": "message", "content": piece.text}
        elif isinstance(piece, CodeOpen):
            languages[piece.index] = piece.language
        elif isinstance(piece, CodeText):
            yield {"type": "code", "format": languages.get(piece.index, "python"), "content": piece.text}
