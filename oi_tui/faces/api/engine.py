"""What does the work of one `OpenInterpreter`: a session that is made anew when its settings change."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oi_tui.faces.api import loop

if TYPE_CHECKING:
    from harnesses.base import Harness
    from harnesses.classic import Wording
    from oi_tui.faces.api.program import Program
    from oi_tui.session.connection import Connection
    from oi_tui.session.session import Session
    from oi_tui.settings import Settings


@dataclass(frozen=True, slots=True)
class _For:
    """What a session was made for."""

    settings: Settings
    wording: Wording | None
    function: Any
    cwd: str
    computer: Any


class Engine:
    """The session of an interpreter. All methods are called from the program's threads."""

    def __init__(self, interpreter: Program) -> None:
        self._interpreter = interpreter
        self._session: Session | None = None
        self._for: _For | None = None

    def session(self, wording: Wording | None) -> Session:
        """The session for the attributes as they are now. wording: what the model is told, None for a harness of the
        registry."""
        interpreter = self._interpreter
        computer = interpreter.computer.engine()
        wanted = _For(interpreter.settings(), wording, interpreter.llm.completions, _cwd(computer.cwd), computer)
        if self._session is None or wanted != self._for:
            self._session = loop.wait_for(self._made(wanted, self._session))
            self._for = wanted
            loop.close_at_exit(self, self._close)
        return self._session

    async def _made(self, wanted: _For, old: Session | None) -> Session:
        from oi_tui.session.session import Session

        def harness(tools: bool) -> Harness:
            from harnesses.classic import ClassicHarness

            assert wanted.wording is not None
            return ClassicHarness(wanted.wording, text=not tools)

        session = Session(
            wanted.settings, wanted.cwd, computer=wanted.computer, harness=harness if wanted.wording else None
        )
        session.attended = False
        if wanted.computer.outputs is not None:  # where code of this computer looks for earlier outputs
            session.history.id = wanted.computer.outputs.name
        if old is not None:
            await self._inherit(session, wanted, old)
        function = self._interpreter.llm.connection()
        if function is not None:
            session.engine.connection = function
        session.start()
        return session

    async def _inherit(self, session: Session, wanted: _For, old: Session) -> None:
        """Take over what stays true: what was spent, and the connection where the model is the same."""
        assert self._for is not None
        session.budget.go_on(old.budget.totals())
        same = _asked(wanted) == _asked(self._for)
        connection, old.engine.connection = old.engine.connection, None
        if same and wanted.function is None:
            session.engine.connection = connection
        else:
            await _closing(connection)
        old.history.id = ""  # its outputs are the computer's, and stay
        await old.close()

    def interrupt(self) -> None:
        """Stop the turn that runs, if any."""
        session = self._session
        if session is not None:
            loop.call(session.interrupt)

    def prewarm(self) -> None:
        """Have the model ready. Raises models.client.ModelError."""
        from oi_tui.faces.api.respond import wording_of

        session = self.session(wording_of(self._interpreter))

        async def ready() -> None:
            connection = await session.engine.connect()
            await connection.client.prewarm(session.engine.warm_body(session.id))

        loop.wait_for(ready())

    async def _close(self) -> None:
        session, self._session, self._for = self._session, None, None
        if session is not None:
            session.history.id = ""
            await asyncio.wait_for(session.close(), 5)

    def close(self) -> None:
        """Close the session."""
        loop.wait_for(self._close())
        loop.forget(self)


def _asked(made: _For) -> tuple[Any, ...]:
    """What a connection depends on."""
    settings = made.settings
    return (settings.model, settings.model_provider, settings.model_providers, settings.models, settings.llm)


def _cwd(computer: str) -> str:
    """Where the program works; where its code went, if that folder has gone."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return computer


async def _closing(connection: Connection | None) -> None:
    """Let go of a connection, if there is one; never raises."""
    if connection is not None:
        await asyncio.gather(connection.client.close(), return_exceptions=True)
