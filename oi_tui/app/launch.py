"""Starts the full-screen app: settings in, a running Textual app, its exit code out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from oi_tui.settings import Loaded

if TYPE_CHECKING:
    from oi_tui.app.app import OiApp
    from oi_tui.app.bridge import Engine
    from oi_tui.app.guard import TerminalGuard
    from oi_tui.session.session import Session
    from oi_tui.session.store import Saved


def main(loaded: Loaded, first_message: str = "", saved: Saved | None = None, *, served: bool = False) -> int:
    """Run the app until the person quits. The session is made after the first paint. served: in a browser."""

    def make_session() -> Session:
        from oi_tui.session.session import Session

        session = Session(loaded.settings, saved=saved)
        session.take_input()
        return session

    return run_app(make_session, first_message, loaded, served=served)


def run_app(
    make_session: Callable[[], Engine], first_message: str = "", loaded: Loaded | None = None, *, served: bool = False
) -> int:
    """Run the app in this terminal, or for `oi --web`, until the person leaves it or a signal ends it.

    loaded: the settings with their problems, for theme and motion. Returns the exit code: 0, 1 after a crash, 128 plus
    the number of a signal.
    """
    if served:
        from oi_tui.app.served import end_with_parent, spare_stdout

        spare_stdout()
        app = _app(make_session, first_message, loaded)
        app.call_later(end_with_parent, app)
        app.run()
        return app.return_code or 0
    from oi_tui.app.guard import TerminalGuard

    with TerminalGuard() as guard:
        app = _app(make_session, first_message, loaded, guard)
        app.run()
    return app.return_code or 0


def _app(
    make_session: Callable[[], Engine], first_message: str, loaded: Loaded | None, guard: TerminalGuard | None = None
) -> OiApp:
    from oi_tui.app.app import OiApp
    from oi_tui.commands import first_run

    settings = loaded.settings if loaded else None
    return OiApp(
        make_session,
        first_message,
        theme=settings.theme.name if settings else "",
        motion=settings.tui.animations if settings else True,
        problems=[(one.text, one.hint) for one in loaded.problems] if loaded else [],
        guard=guard,
        ways=partial(first_run.ways, settings) if settings and first_run.is_first() else None,
    )
