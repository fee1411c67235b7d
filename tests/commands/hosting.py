"""A face for tests of commands: keeps what it is told. Its session is a real one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from oi_tui.commands import choices
from oi_tui.commands.base import Choice, CommandError, Level
from oi_tui.session.session import Session
from oi_tui.settings import Settings


class Face:
    """What every face can do, without a screen."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.told: list[tuple[str, str, str]] = []
        self.shown: list[tuple[str, str]] = []
        self.picked: list[str] = []
        self.themes = ("oi-dark", "oi-light")
        self.theme = ""
        self.copied = self.drafted = ""
        self.left = False

    def notify(self, text: str, level: Level = "info", hint: str = "") -> None:
        self.told.append((level, text, hint))

    def show(self, title: str, text: str) -> None:
        self.shown.append((title, text))

    def pick(self, kind: str) -> None:
        self.picked.append(kind)

    def choices(self, kind: str) -> Sequence[Choice]:
        if kind == "theme":
            return [Choice(name) for name in self.themes]
        return choices.known(kind, self.session)

    def toggle_vim(self) -> bool:
        return True

    def set_theme(self, name: str) -> None:
        if name not in self.themes:
            raise CommandError(f"there is no theme {name!r}", "/theme shows them")
        self.theme = name

    def keys(self) -> str:
        return "- `y` run once"

    async def copy(self, text: str) -> str:
        self.copied = text
        return "to the clipboard"

    def attach(self, mark: str) -> None:
        self.attached = mark

    def draft(self, text: str) -> None:
        self.drafted = text

    def quit(self) -> None:
        self.left = True


def face(folder: Path, settings: Settings | None = None) -> Face:
    """A face with a session in `folder` that has said nothing yet; its model is the built-in one unless `settings`
    says otherwise. Needs a running loop."""
    settings = settings or Settings(model="embedded")
    settings.conversation_history = False
    return Face(Session(settings, str(folder)))
