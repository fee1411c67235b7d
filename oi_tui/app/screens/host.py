"""The app as a host of commands: what a command may do with the screen, and the way of a typed line to one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from oi_tui import paths
from oi_tui.app.file_index import FileIndex, mentions, suggest_files
from oi_tui.app.history import PromptHistory
from oi_tui.commands.base import Choice, CommandError, Level
from oi_tui.commands.suggest import Suggestion

if TYPE_CHECKING:
    from oi_tui.app.bridge import Engine
    from oi_tui.app.screens.main import MainScreen
    from oi_tui.app.theming import Look
    from oi_tui.session.session import Session


class Stage(Protocol):
    """What the commands need of the app."""

    session: Engine | None
    looks: dict[str, Look]
    theme: Any

    @property
    def main(self) -> MainScreen: ...
    def push_screen(self, screen: Any, callback: Any = None) -> Any: ...
    def run_worker(self, work: Any, *, exit_on_error: bool = True) -> Any: ...
    def preview_theme(self, name: str) -> None: ...
    def copy_to_clipboard(self, text: str) -> None: ...
    @property
    def clipboard(self) -> str: ...
    def leave(self) -> None: ...


class AppHost:
    """Implements `commands.base.Host` over the app. It can be used only once the session is there."""

    def __init__(self, app: Stage, cwd: str) -> None:
        self._app, self._cwd = app, cwd
        self.history = PromptHistory(paths.history_file(), cwd)
        self._files = FileIndex(cwd)
        self._reading = False  # the files of the folder, in a thread

    @property
    def session(self) -> Session:
        if self._app.session is None:
            raise CommandError("the session is still starting", "try again in a moment")
        return cast("Session", self._app.session)

    # -- what commands use

    def notify(self, text: str, level: Level = "info", hint: str = "") -> None:
        """Short words pass above the message box; what went wrong, or is long, stays in the chat."""
        main = self._app.main
        if level == "info" and not hint and main.activity.say(text):
            return
        if level == "warning" and not hint and main.activity.say(text, "warn"):
            return
        main.routing.say(level, text, hint)

    def show(self, title: str, text: str) -> None:
        """Show a page of Markdown."""
        from oi_tui.app.screens.reading import Reading

        self._app.push_screen(Reading(title, text))

    def pick(self, kind: str) -> None:
        """Open the picker for one of the kinds of `commands.base.Host.pick`; the choice runs that command."""
        from oi_tui.app.widgets.picker import Picker
        from oi_tui.commands.choices import found_models

        screens = {"skills": self._pick_skill, "sessions": self._pick_session, "settings": self._pick_setting}
        own_screen = screens.get(kind)
        if own_screen is not None:
            own_screen()
            return

        def chosen(value: str | None) -> None:
            if value is not None:
                self.run_line(f"/{kind} {value}")

        picker = Picker(
            kind,
            self.choices(kind),
            find=(lambda: found_models(self.session.settings)) if kind == "model" else None,
            finding="looking for models…",
            typed={"model": "use this name", "permissions": "write this rule"}.get(kind, ""),
            preview=self._app.preview_theme if kind == "theme" else None,
            about=self._about(kind),
            does={"jobs": "stop", "rewind": "go back to before it"}.get(kind, "choose"),
            other=("ctrl+k", "leave files as they are", " keep") if kind == "rewind" else None,
        )
        self._app.push_screen(picker, chosen)

    def _about(self, kind: str) -> Callable[[str], str] | None:
        """What tells of a row below the list."""
        from oi_tui.commands import harness, model_facts, profile

        if kind == "profile":
            return profile.about
        tells = {"harness": harness.about, "model": model_facts.about}.get(kind)
        return (lambda value: tells(self.session, value)) if tells is not None else None

    def _pick_skill(self) -> None:
        from oi_tui.app.widgets.skill_picker import SkillPicker

        skills = self.session.skills

        def chosen(value: str | None) -> None:
            one = skills.find(value) if value is not None else None
            if one is not None and one.usable:
                self.attach(f"${one.name}")
            elif one is not None:
                self.run_line(f"/skills {value}")  # says why it is not used

        self._app.push_screen(SkillPicker(skills), chosen)

    def _pick_session(self) -> None:
        from oi_tui.app.screens.sessions import SessionsScreen

        def chosen(result: str | None) -> None:
            what, _, reference = (result or "").partition(" ")
            if what == "resume":
                self.run_line(f"/resume {reference}")
            elif what == "fork":
                self._app.run_worker(self._fork_of(reference), exit_on_error=False)

        self._app.push_screen(SessionsScreen(self.session.cwd, self.session.id), chosen)

    def _pick_setting(self) -> None:
        from oi_tui.app.screens.settings import SettingsScreen
        from oi_tui.commands.setting_rows import change, rows

        session = self.session
        self._app.push_screen(SettingsScreen(lambda: rows(session.settings), lambda key, text: change(self, key, text)))

    async def _fork_of(self, reference: str) -> None:
        """Go on in a copy of an earlier session."""
        from oi_tui.session import shelf, store

        try:
            saved = await asyncio.to_thread(store.find, reference)
            copy = await asyncio.to_thread(shelf.fork, saved.id, saved)
            self.session.resume(copy)
        except (store.SessionNotFound, store.SessionInUse, ValueError, OSError) as error:
            self.notify(f"it could not be forked: {error}", "error")
            return
        self.notify(f"this is a fork of “{saved.preview[:40]}”")

    def draft(self, text: str) -> None:
        """Put a text into the message box, in place of what is there."""
        self._app.main.composer.load(text)
        self._app.main.composer.focus_box()

    def pick_history(self) -> None:
        """Search what was written in this folder before; the choice goes into the message box."""
        from oi_tui.app.widgets.history_picker import HistoryPicker

        composer = self._app.main.composer

        def chosen(value: str | None) -> None:
            if value is not None:
                composer.load(value)
            composer.focus_box()

        self._app.push_screen(HistoryPicker(self.history.entries, composer.text), chosen)

    async def edit_outside(self) -> None:
        """Write on with the message in the person's own editor."""
        from oi_tui.app.outside import edit

        main = self._app.main
        try:
            text = await edit(self._app, main.composer.text)
        except CommandError as error:
            self.notify(str(error), "error", error.hint)
            return
        main.back_from_outside()
        main.composer.load(text)

    def choices(self, kind: str) -> Sequence[Choice]:
        """What is known at once of what can be chosen."""
        from oi_tui.commands.choices import known

        if kind == "theme":
            looks = sorted(self._app.looks.values(), key=lambda look: not look.dark)
            now = self._app.theme
            return [
                Choice(one.name, one.name, one.label, one.name == now, "dark" if one.dark else "light") for one in looks
            ]
        return known(kind, self.session)

    def toggle_vim(self) -> bool:
        """Switch vim keys on, or off."""
        area = self._app.main.composer.area
        area.begin_insert()
        return area.vim.toggle()

    def set_theme(self, name: str) -> None:
        """Switch the theme. Raises CommandError for a name that is none."""
        if name not in self._app.looks:
            raise CommandError(f"there is no theme {name!r}", f"there are {', '.join(self._app.looks)}")
        self._app.preview_theme(name)
        self.notify(f"theme is {name}")

    def keys(self) -> str:
        """The keys of the full screen."""
        from oi_tui.commands.keys import keys_text

        return keys_text()

    async def copy(self, text: str) -> str:
        """Copy to the clipboard, in a thread: clipboard programs take their time. Raises CommandError when no way is
        open."""
        from oi_tui.app.clipboard import CopyFailed, copy

        through_terminal: list[str] = []
        try:
            done = await asyncio.to_thread(copy, text, through_terminal.append)
        except CopyFailed as error:
            raise CommandError(str(error), error.hint) from error
        for sent in through_terminal:
            self._app.copy_to_clipboard(sent)
        return done.way

    def attach(self, mark: str) -> None:
        """Put the mark of a picture or skill into the message box."""
        composer = self._app.main.composer
        before = composer.draft[:1] and not composer.draft[-1:].isspace()
        composer.add(f"{' ' if before else ''}{mark} ")
        composer.focus_box()

    def dropped(self, pasted: str) -> str:
        """Marks for a paste that is nothing but paths of pictures, else ""."""
        from oi_tui.session.attached import dropped

        return dropped(pasted, self._cwd)

    async def attach_pasted(self) -> None:
        """Attach the picture of the clipboard; without one, paste the text that was last copied in the app."""
        from oi_tui.commands.pictures import attach_picture

        try:
            await attach_picture(self, "")
        except CommandError as error:
            if not self._app.main.composer.paste_text(self._app.clipboard):
                self.notify(str(error), "warning", error.hint)

    def quit(self) -> None:
        """Leave the app."""
        self._app.leave()

    # -- from a line to what it does

    def suggestions(self, draft: str) -> Sequence[Suggestion]:
        """How a draft may go on; no commands while the session is not there."""
        from oi_tui.commands.registry import ALL
        from oi_tui.commands.suggest import suggest, suggest_picture, suggest_skill

        if mentions(draft):
            return self._suggest_files(draft)
        if draft[:1] not in {"/", "%"}:
            session = self._app.session
            named = suggest_skill(draft, self.session.skills) if session is not None else []
            return named or suggest_picture(draft, self._cwd)
        return suggest(draft, self, ALL) if self._app.session is not None else ()

    def _suggest_files(self, draft: str) -> Sequence[Suggestion]:
        if self._files.stale and not self._reading:
            self._reading = True
            self._app.run_worker(self._read_files(), exit_on_error=False)
        if not self._files.known:
            return [Suggestion(draft, "looking at the files of this folder…", by_tab=True, unavailable=" ")]
        return suggest_files(draft, self._files)

    async def _read_files(self) -> None:
        try:
            await asyncio.to_thread(self._files.read)
        finally:
            self._reading = False
        self._app.main.composer.offer_again()

    def run_line(self, line: str, queue: bool = False) -> None:
        """Do what a line says: run a command or a shell line, or send it to the model."""
        from oi_tui.commands import registry

        parsed = registry.parse(line)
        session = self.session
        match parsed:
            case registry.Prompt(text):
                session.queue(text) if queue else session.submit(text)
            case registry.Shell(command):
                self._app.run_worker(self._shell(command), exit_on_error=False)
            case registry.Invocation():
                self._app.run_worker(registry.run(parsed, self), exit_on_error=False)
            case registry.Unknown():
                self.notify(parsed.text, "warning", parsed.hint)
                if not self._app.main.composer.draft:
                    self._app.main.composer.load(line)

    def save(self, text: str, name: str, ending: str) -> None:
        """Write a text to `name-N.ending` in the session's folder, never over a file that is there."""
        from oi_tui.app.outside import save_new

        try:
            file = save_new(self.session.cwd, name, ending, text)
        except (CommandError, OSError) as error:
            self.notify(f"it could not be saved: {getattr(error, 'strerror', None) or error}", "error")
            return
        self.notify(f"saved to {file.name}")

    async def follow_link(self, address: str) -> None:
        """Open a web address in the browser; anything else, or where there is none, goes to the clipboard."""
        from oi_tui.app.outside import browse

        if await asyncio.to_thread(browse, address):
            self.notify(f"opened {address}")
            return
        try:
            self.notify(f"{address} copied {await self.copy(address)}")
        except CommandError as error:
            self.notify(str(error), "error", error.hint)

    async def run_own(self, code: str, language: str) -> None:
        """Run code as the person's own: nobody is asked, the model is told with the next request."""
        await self._shell(code, language)

    async def _shell(self, command: str, language: str = "shell") -> None:
        try:
            await self.session.run_shell(command, language)
        except ValueError as error:
            self.notify(str(error), "warning")

    def palette(self) -> None:
        """Open the command palette."""
        from oi_tui.app.palette import palette, wants_more

        def chosen(line: str | None) -> None:
            if line is None:
                return
            if wants_more(line):
                self._app.main.composer.load(f"{line} ")
            else:
                self.run_line(line)

        self._app.push_screen(palette(self), chosen)
