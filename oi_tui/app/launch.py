"""Starts the full-screen app: settings in, a running Textual app, its exit code out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from oi_tui.settings import Loaded

if TYPE_CHECKING:
    from oi_tui.app.bridge import Engine
    from oi_tui.session.session import Session
    from oi_tui.session.store import Saved


def main(loaded: Loaded, first_message: str = "", saved: Saved | None = None) -> int:
    """Run the app until the person quits. The session is made after the first paint."""

    def make_session() -> Session:
        from oi_tui.session.session import Session

        session = Session(loaded.settings, saved=saved)
        session.take_input()
        return session

    return run_app(make_session, first_message, loaded)


def run_app(make_session: Callable[[], Engine], first_message: str = "", loaded: Loaded | None = None) -> int:
    """Run the app in this terminal until the person leaves it, or a signal ends it.

    loaded: the settings with their problems, for theme and motion. Returns the exit code: 0, 1 after a crash, 128 plus
    the number of a signal.
    """
    from oi_tui.app.app import OiApp
    from oi_tui.app.guard import TerminalGuard

    settings = loaded.settings if loaded else None
    problems = [(one.text, one.hint) for one in loaded.problems] if loaded else []
    with TerminalGuard() as guard:
        app = OiApp(
            make_session,
            first_message,
            theme=settings.theme.name if settings else "",
            motion=settings.tui.animations if settings else True,
            problems=problems,
            guard=guard,
        )
        app.run()
    return app.return_code or 0
