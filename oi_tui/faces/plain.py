"""Plain mode: the whole conversation as lines of text, for terminals that can do no more, pipes and screen readers.

The same session, approvals and commands as the app, without moving the cursor. Type-ahead never approves: lines that
were typed before a question was asked are kept for the next prompt.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from oi_tui.commands import listing, registry
from oi_tui.commands.base import Choice, CommandError, Level
from oi_tui.faces.exec_text import TextPrinter
from oi_tui.faces.plain_words import KEYS_TEXT, offer
from oi_tui.faces.typed_lines import Lines, whole
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import (
    ApprovalRequested,
    CallEnded,
    ConsoleOutput,
    Event,
    InputGiven,
    InputRequested,
    JobEnded,
    JobOutput,
    Notice,
    QuestionAsked,
    SessionEnded,
    TurnEnded,
)
from oi_tui.protocol.questions import as_markdown
from oi_tui.session.session import Session
from oi_tui.session.store import Saved
from oi_tui.settings import Loaded


def main(loaded: Loaded, first_message: str = "", saved: Saved | None = None, *, once: bool = False) -> int:
    """Talk until the person quits; with a message and a piped stdout, or `once`, until that is answered."""
    printer = TextPrinter(sys.stdout, sys.stdout)
    for problem in loaded.problems:
        printer.problem(problem)

    async def run() -> int:
        session = Session(loaded.settings, saved=saved)
        try:
            return await _Talk(session, printer).go(first_message, once)
        finally:
            await session.close()

    return asyncio.run(run())


class _Talk:
    """One conversation; also the Host of the commands."""

    def __init__(self, session: Session, printer: TextPrinter) -> None:
        self._session, self._printer = session, printer
        self._lines = Lines()
        self._idle_interrupts = 0
        self._typing: asyncio.Task[None] | None = None
        self._echo = ""  # what the terminal of the person has shown already
        self._asked_by = ""  # the call whose program asked last
        self._attached = ""  # marks of pictures for the next message
        self._leaving = asyncio.Event()

    async def go(self, first_message: str, once: bool) -> int:
        session = self._session
        self._events = session.bus.subscribe()
        session.attended = sys.stdin.isatty()
        if session.attended:
            session.take_input()
        session.start()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        for ending in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(ending, self._leaving.set)
        if not sys.stdin.isatty():
            return await (self._turn(first_message) if once else self._piped(first_message))
        if first_message:
            code = await self._turn(first_message)
            if once or not sys.stdout.isatty():
                return code
        elif sys.stdout.isatty():
            sys.stdout.write("say what you want done; /help lists commands, /keys what you can answer, ctrl+d leaves\n")
        while not self._leaving.is_set():
            self._show_background()
            line = await self._ask("\n> ")
            if line is not None and session.settings.multi_line:
                line = await whole(line, lambda: self._ask(". "))
            if line is None:
                return 0
            await self._typed(line)
        return 0

    async def _piped(self, first_message: str) -> int:
        """Nobody sits at the input: its first lines that are commands are run, the rest is one message."""
        rest: list[str] = []
        while (line := await self._lines.next()) is not None:
            if not rest and isinstance(registry.parse(line), registry.Invocation | registry.Unknown):
                await self._typed(line)
            else:
                rest.append(line)
        text = "\n".join(part for part in (first_message, "\n".join(rest).strip()) if part)
        return await self._turn(text) if text.strip() and not self._leaving.is_set() else 0

    async def _ask(self, prompt: str) -> str | None:
        """One line from the person; None at the end of the input or when the program is to end."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        reading = asyncio.ensure_future(self._lines.next())
        leaving = asyncio.ensure_future(self._leaving.wait())
        await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not reading.done():
            reading.cancel()
            return None
        self._idle_interrupts = 0
        return reading.result()

    def _show_background(self) -> None:
        """What came between turns: notices and what programs printed that still run; the rest a command has told
        itself. It waits for the next prompt, so that nothing is written into a line that is being typed."""
        for event in self._events.drain():
            if isinstance(event, JobOutput | JobEnded | Notice):
                self._printer.show(event)

    async def _typed(self, line: str) -> None:
        match registry.parse(line):
            case registry.Prompt(text):
                if text.strip():
                    await self._turn(text)
            case registry.Shell(command):
                running = asyncio.ensure_future(self._session.run_shell(command))
                await self._follow()
                await running
            case registry.Invocation() as invocation:
                self._show_background()
                await registry.run(invocation, self)
                self._show_background()
                if self._session.busy:  # the command said something to the model
                    await self._follow()
                    return
                for event in self._events.drain():
                    if isinstance(event, TurnEnded):
                        self._printer.end(event, "")
                    else:
                        self._printer.show(event)
            case registry.Unknown() as unknown:
                self.notify(unknown.text, "warning", unknown.hint)

    async def _turn(self, text: str) -> int:
        self._session.submit(text + self._attached)
        self._attached = ""
        return await self._follow()

    async def _follow(self) -> int:
        """Show what happens until the turn ends; returns the exit code for it."""
        async for event in self._events:
            if isinstance(event, ApprovalRequested):
                await self._approve(event)
            elif isinstance(event, QuestionAsked):
                await self._question(event)
            elif isinstance(event, TurnEnded):
                self._printer.end(event, "")
                return 0 if event.reason == "done" else 2 if self._session.unusable else 1
            elif isinstance(event, SessionEnded):
                break
            else:
                self._show(event)
        return 1

    def _show(self, event: Event) -> None:
        if isinstance(event, InputRequested):
            self._typing = asyncio.ensure_future(self._type_in(event))
        elif isinstance(event, InputGiven | CallEnded) and self._typing is not None:
            self._typing.cancel()
            self._typing = None
        if isinstance(event, ConsoleOutput) and self._echo:
            echo, self._echo = self._echo, ""
            event = replace(event, text=event.text.removeprefix(echo))
        self._printer.show(event)

    async def _type_in(self, asked: InputRequested) -> None:
        """Give the program the next line; nothing that was typed before it first asked."""
        typed_ahead = self._lines.set_aside() if asked.call_id != self._asked_by else []
        self._asked_by = asked.call_id
        try:
            with _unseen() if asked.secret else contextlib.nullcontext():
                line = await self._lines.next()
            self._echo = "" if line is None or asked.secret else line + "\n"
            self._session.type_in(asked.input_id, line)
        except ValueError as error:
            self.notify(str(error), "warning")
        finally:
            self._lines.put_back(typed_ahead)

    async def _question(self, asked: QuestionAsked) -> None:
        """Put the model's question to the person; what was typed ahead is no answer."""
        self._printer.block(as_markdown(asked).replace("**", "").replace("*", ""))
        typed_ahead = self._lines.set_aside()
        answer: str | None = ""
        while answer is not None and not answer.strip():
            answer = await self._ask("? ")
        self._lines.put_back(typed_ahead)
        if answer is None:
            self._session.interrupt()
        else:
            self._session.questions.reply(answer)

    async def _approve(self, request: ApprovalRequested) -> None:
        self._printer.show(request)
        if not self._session.attended:
            self.notify("nobody is here to approve this", "warning", "run with -y to let everything run")
            self._session.answer(request.approval_id, Decision("stop"))
            return
        typed_ahead = self._lines.set_aside()
        if request.subject != "code":
            self._printer.block(request.code)
        if request.scan.state == "running":
            self._printer.scanned(await self._session.approvals.looked(request.approval_id))
        decision: Decision | None = None
        while decision is None and self._session.approvals.is_open(request.approval_id):
            answer = await self._ask(f"{request.where}\n{offer(request)} ")
            if answer is None:
                decision = Decision("stop")
            else:
                decision = await self._decision(request, answer.strip())
        self._lines.put_back(typed_ahead)
        if decision is not None and self._session.approvals.is_open(request.approval_id):
            self._session.answer(request.approval_id, decision)

    async def _decision(self, request: ApprovalRequested, answer: str) -> Decision | None:
        word, _, rest = answer.partition(" ")
        match word.lower():
            case "y" | "yes":
                return Decision("approve", request.code)
            case "a" if request.rules or not request.call_id:
                return Decision("approve_session", request.code)
            case "p" if request.rules:
                return await self._rule(request)
            case "n" | "no":
                return Decision("reject", reason=rest or await self._ask("why? ") or "")
            case "s" | "stop":
                return Decision("stop")
            case "e" if request.subject == "code":
                return await self._edit()
            case "c" if request.scan.state == "offered":
                self._session.answer(request.approval_id, Decision("scan", request.code))
                self._printer.scanned(await self._session.approvals.looked(request.approval_id))
        return None

    async def _rule(self, request: ApprovalRequested) -> Decision | None:
        """Show what would be written; None to be asked again."""
        self._printer.block("\n".join(request.rules))
        answer = (await self._ask("[y] write it, and run  [w] for every folder, and run  [n] back ") or "").strip()
        written = answer.lower() in {"y", "w"}
        return Decision("approve_always", request.code, everywhere=answer.lower() == "w") if written else None

    async def _edit(self) -> Decision | None:
        sys.stdout.write("type the code; a line with only a dot ends it\n")
        lines: list[str] = []
        while (line := await self._ask("")) is not None and line != ".":
            lines.append(line)
        return Decision("edit", "\n".join(lines)) if any(one.strip() for one in lines) else None

    def _interrupted(self) -> None:
        if self._session.busy:
            self._session.interrupt()
            return
        self._idle_interrupts += 1
        if self._idle_interrupts > 1:
            self._leaving.set()
        else:
            sys.stdout.write("\nctrl+c again to quit\n> ")
            sys.stdout.flush()

    # ---- Host of the commands

    @property
    def session(self) -> Session:
        return self._session

    def notify(self, text: str, level: Level = "info", hint: str = "") -> None:
        sys.stdout.write(f"{text}\n" + (f"  {hint}\n" if hint else ""))

    def show(self, title: str, text: str) -> None:
        self._printer.block(text)

    def pick(self, kind: str) -> None:
        page = listing.page(kind, self._session)
        if page:
            self.show(kind, page)
            return
        names = ", ".join(choice.value for choice in self.choices(kind))
        raise CommandError(f"say which {kind}", f"there are: {names}" if names else f"write it after /{kind}")

    def choices(self, kind: str) -> Sequence[Choice]:
        from oi_tui.commands.choices import known

        return known(kind, self._session)

    def toggle_vim(self) -> bool:
        raise CommandError("plain mode has no message box", "the full-screen app has it: run oi in a terminal")

    def set_theme(self, name: str) -> None:
        raise CommandError("plain mode has no themes", "the full-screen app has them: run oi in a terminal")

    def keys(self) -> str:
        return KEYS_TEXT

    async def copy(self, text: str) -> str:
        raise CommandError("plain mode does not reach the clipboard", "select the text in the terminal")

    def attach(self, mark: str) -> None:
        self._attached += f"\n{mark}"
        self.notify(f"goes with your next message: {mark}")

    def draft(self, text: str) -> None:
        self.notify(f"it said: {text}")

    def quit(self) -> None:
        self._leaving.set()


@contextlib.contextmanager
def _unseen() -> Iterator[None]:
    """The terminal of the person does not show what is typed."""
    import termios

    before = termios.tcgetattr(0)
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(0, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)
