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
    from oi_tui.computer.devices.base import Question
    from oi_tui.faces.api.program import Program

_AT_ONCE = 4  # questions of a device


def ask(
    interpreter: Program, messages: list[dict[str, Any]], *, plain: bool = False
) -> Generator[dict[str, Any], None, None]:
    """Chunks of the answer, without role and flags: messages, and code with its language as `format`.

    plain: nothing is to be run, so no tool is offered. Raises models.client.ModelError. Closing the generator cancels
    the request."""
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
        how_to_run = interpreter.llm.execution_instructions if system and not plain else ""
        text = plain or not engine.harness.uses_tools
        harness = ClassicHarness(Wording(system, how_to_run or ""), text=text)
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


def answers(interpreter: Program, questions: Sequence[Question]) -> list[str]:
    """The text of an answer to each question, a few at a time. Raises models.client.ModelError."""
    from concurrent.futures import ThreadPoolExecutor

    from oi_tui.faces.api.respond import wording_of

    interpreter._engine().session(wording_of(interpreter))  # made once, and not in each thread
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda one: _answer(interpreter, one), questions))


def _answer(interpreter: Program, question: Question) -> str:
    messages = [
        {"role": "system", "type": "message", "content": question.system},
        {"role": "user", "type": "message", "content": question.text},
    ]
    if question.picture:
        messages.append({"role": "user", "type": "image", "format": "base64.png", "content": question.picture})
    return "".join(str(chunk["content"]) for chunk in ask(interpreter, messages, plain=True)).strip()
