"""The Textual app: paints first, then makes the session, and carries what the person wants to it."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual import on
from textual.screen import Screen

from oi_tui.app import theming
from oi_tui.app.actions import KeyedApp
from oi_tui.app.notify import Attention
from oi_tui.app.screens.host import AppHost
from oi_tui.app.screens.main import MainScreen
from oi_tui.app.theme_watch import EVERY, ThemeWatch

if TYPE_CHECKING:
    from oi_tui.app.bridge import Bridge, Engine
    from oi_tui.app.guard import TerminalGuard
    from oi_tui.app.panes.approval import ApprovalPane
    from oi_tui.app.panes.input_line import InputLine
    from oi_tui.commands.first_run import Way
    from oi_tui.protocol.events import Event

LONG_TURN = 10.0  # seconds after which the end of a turn is worth a notice


class OiApp(KeyedApp):
    """The full-screen app.

    make_session is called after the first paint, inside the running loop. first_message is sent once the session is
    there. theme is the name of a theme; motion says whether anything may move; problems, as (text, hint), are told at
    the start. ways: looks, at the first start, for models that can be used here.
    """

    TITLE = "oi"
    CSS_PATH = "styles/app.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        make_session: Callable[[], Engine],
        first_message: str = "",
        *,
        theme: str = "",
        motion: bool = True,
        problems: Sequence[tuple[str, str]] = (),
        guard: TerminalGuard | None = None,
        ways: Callable[[], Awaitable[Sequence[Way]]] | None = None,
    ) -> None:
        self._look = theming.find(theme or theming.DEFAULT_DARK) or theming.default()
        super().__init__()
        self.session: Engine | None = None
        self.looks = {self._look.name: self._look}
        self.problems = list(problems)
        self.host = AppHost(self, str(Path.cwd()))
        self.attention = Attention(self._write, lambda: self.app_focus)
        self._make_session, self._guard, self._ways = make_session, guard, ways
        self._early = [(first_message, False)] if first_message.strip() else []
        self._motion = motion
        self._turn_began_at = 0.0
        self._bridge: Bridge | None = None
        if not motion:
            self.animation_level = "none"
        if self.no_color:
            from oi_tui.app.colourless import Colourless

            self._filters[:] = [Colourless()]  # Textual's own filter makes greys
        if theme and theme != self._look.name:
            self.problems.append((f"there is no theme {theme!r} that can be used", "pick one with /theme"))
        self.register_theme(theming.textual_theme(self._look))
        self.theme = self._look.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our variables, for themes that lack them."""
        return theming.variables(self._look)

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return MainScreen(self.host.history, self.host.suggestions, self._motion, self.host.dropped)

    @property
    def main(self) -> MainScreen:
        """The main screen, also while another lies over it."""
        return cast(MainScreen, self.screen_stack[0])

    # -- start and end

    def on_mount(self) -> None:
        if self._guard is not None:
            guard = self._guard
            guard.on_signal(lambda number: self.call_later(self.leave, 128 + number))
            self.app_suspend_signal.subscribe(self, lambda _: guard.release(), immediate=True)
            self.app_resume_signal.subscribe(self, lambda _: self._resumed(guard))
        self.attention.begin()
        self.attention.show(f"oi · {Path.cwd().name}")
        self.call_after_refresh(self._begin)

    async def _begin(self) -> None:
        """After the first paint: bring in the panes, make the session, tell it what was said meanwhile."""
        from oi_tui.app.bridge import Bridge

        await self.main.furnish()
        self._load_looks()
        say = self.main.routing.say
        try:
            session = self._make_session()
            self._bridge = Bridge(session.bus.subscribe(), self._take, self.batch_update)
            session.start()
        except Exception as error:
            say("error", f"the session could not start: {error}", "leave with ctrl+c twice, then try oi sessions")
            return
        self.session = session
        self.main.composer.area.vim.on = bool(session.settings.tui.vim)
        self.run_worker(self._bridge.run(), name="bridge")
        self.main.routing.learn(session)
        for text, hint in self.problems:
            say("warning", text, hint)
        for text, queue in self._early:
            self._send(text, queue)
        self._early.clear()
        self.run_worker(self._warm(session), name="prewarm", exit_on_error=False)
        if self._ways is not None:
            self.run_worker(self._look_for(self._ways), name="ways", exit_on_error=False)

    async def _look_for(self, ways: Callable[[], Awaitable[Sequence[Way]]]) -> None:
        self.main.tell_ways(await ways())

    def _load_looks(self) -> None:
        """Read all themes, for the picker; go on doing so when the person's own change."""
        self.looks, broken = theming.load()
        for look in self.looks.values():
            self.register_theme(theming.textual_theme(look))
        self.problems += [(text, "the other themes work: /theme") for text in broken]
        self.set_interval(EVERY, ThemeWatch(self._looks_changed).look)

    def _looks_changed(self) -> None:
        """A theme of the person's own was saved: what is on the screen is painted in it."""
        self.looks, broken = theming.load()
        for look in self.looks.values():
            self.register_theme(theming.textual_theme(look))
        for text in broken:
            self.host.notify(text, "warning", "it goes on as it was until the file can be read")
        if self.theme in self.looks:
            self.mutate_reactive(OiApp.theme)

    async def _warm(self, session: Engine) -> None:
        from oi_tui.app.widgets import markdown

        await asyncio.to_thread(markdown.warm)
        gc.collect()
        # What is here now stays for good: collections need not look at it again and again.
        gc.freeze()
        await session.prewarm()

    def _resumed(self, guard: TerminalGuard) -> None:
        """Back from a stop: the terminal has cleared the screen, Textual would paint only what changes."""
        guard.divert()
        self.refresh(layout=True)

    def leave(self, code: int = 0) -> None:
        """End the app in order: decline what is asked, close the session, give the terminal back."""
        self.run_worker(partial(self._leave, code), name="leave", exclusive=True, group="leave", exit_on_error=False)

    async def _leave(self, code: int) -> None:
        if self._guard is not None:
            self._guard.leaving()
        try:
            if self.session is not None:
                await self.session.close()
        finally:
            self.attention.end()
            self.exit(return_code=code)

    async def on_unmount(self) -> None:
        """However the app ends, nothing of the session goes on."""
        if self.session is not None:
            await self.session.close()

    def _fatal_error(self) -> None:
        """Textual would show a traceback. It goes to a file; a person gets the cause and the next step."""
        from rich.console import Console

        from oi_tui.app.screens.crash import crash_words

        self.error_console = Console(file=sys.__stderr__)  # the terminal; descriptor 2 leads elsewhere while we run
        self._exit_renderables.append(crash_words(self._exception, self.session.id if self.session else ""))
        self._close_messages_no_wait()

    def _write(self, sequence: str) -> None:
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    # -- events

    def _take(self, batch: list[Event]) -> None:
        from oi_tui.protocol.events import ApprovalRequested, InputRequested, TurnEnded, TurnStarted

        self.main.routing.take(batch)
        self.attention.show(self.main.window_title(Path.cwd().name))
        for event in batch:
            if isinstance(event, TurnStarted):
                self._turn_began_at = time.monotonic()
            elif isinstance(event, ApprovalRequested):
                self.attention.call(f"oi waits for you: {event.what}")
            elif isinstance(event, InputRequested):
                self.attention.call(f"oi waits for you: {event.program or 'a program'} wants input")
            elif isinstance(event, TurnEnded) and time.monotonic() - self._turn_began_at > LONG_TURN:
                self.attention.call("oi is done" if event.reason == "done" else f"oi stopped: {event.text}")

    # -- what the person wants

    @on(MainScreen.Said)
    def _said(self, message: MainScreen.Said) -> None:
        if self.session is None:
            self._early.append((message.text, message.queue))
        else:
            self._send(message.text, message.queue)

    def _send(self, text: str, queue: bool) -> None:
        from oi_tui.commands.base import CommandError

        try:
            self.host.run_line(text, queue)
        except CommandError as error:
            self.host.notify(str(error), "error", error.hint)

    @on(MainScreen.Wanted)
    def _wanted(self, message: MainScreen.Wanted) -> None:
        session, main = self.session, self.main
        match message.what:
            case "keys":
                self.action_keys()
            case "history":
                self.host.pick_history()
            case "editor":
                self.run_worker(self.host.edit_outside(), exit_on_error=False)
            case "picture" if session is not None:
                self.run_worker(self.host.attach_pasted(), exit_on_error=False)
            case "plan" if session is not None:
                self.host.run_line("/plan off" if session.planning.on else "/plan")
            case "quit":
                self.leave()
            case "rewind" if session is not None:
                self.host.run_line("/rewind")
            case "interrupt" if session is not None:
                session.interrupt()
            case "unqueue" if session is not None and (text := session.unqueue()):
                main.composer.load(text)
            case _:
                pass

    def on_approval_pane_answered(self, message: ApprovalPane.Answered) -> None:
        if self.session is None:
            return
        try:
            self.session.answer(message.approval_id, message.decision)
        except ValueError as error:
            self.host.notify(f"the answer was not taken: {error}", "warning", "look at what is asked now")

    def on_input_line_answered(self, message: InputLine.Answered) -> None:
        if self.session is None:
            return
        try:
            self.session.type_in(message.input_id, message.text)
        except ValueError as error:
            self.host.notify(str(error), "warning")

    @on(MainScreen.CopyWanted)
    def _copy_wanted(self, message: MainScreen.CopyWanted) -> None:
        self.run_worker(self._copy(message.text), exit_on_error=False)

    async def _copy(self, text: str) -> None:
        from oi_tui.commands.base import CommandError

        try:
            self.host.notify(f"copied {await self.host.copy(text)}")
        except CommandError as error:
            self.host.notify(str(error), "error", error.hint)

    def history_changed(self) -> None:
        """The session's history is another one: start over from it."""
        if self.session is not None:
            self.main.routing.restart(self.session)
            self.main.routing.learn(self.session)

    def preview_theme(self, name: str) -> None:
        """Show the screen in another theme."""
        self.theme = name
