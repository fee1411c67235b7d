"""Starts the full-screen app: settings in, a running Textual app, its exit code out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.settings import Loaded

if TYPE_CHECKING:
    from oi_tui.session.session import Session
    from oi_tui.session.store import Saved


def main(loaded: Loaded, first_message: str = "", saved: Saved | None = None) -> int:
    """Run the app until the person quits. The session is made after the first paint."""
    from oi_tui.app.app import run_app

    def make_session() -> Session:
        from oi_tui.session.session import Session

        session = Session(loaded.settings, saved=saved)
        session.take_input()
        return session

    return run_app(make_session, first_message, loaded)
