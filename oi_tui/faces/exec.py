"""`oi exec`: one task without a screen. The answer on stdout, progress on stderr, or events as JSON lines.

Exit codes: 0 done, 1 failed, 2 usage (also: no model to ask), 3 refused by policy or nobody there to approve,
130 interrupted.
"""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TextIO

from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, EndReason, Event, Notice, TurnEnded
from oi_tui.protocol.plans import without_tags
from oi_tui.session.session import Session
from oi_tui.session.store import SessionInUse, SessionNotFound, find
from oi_tui.settings import Loaded, Problem

_CODES: dict[EndReason, int] = {"done": 0, "failed": 1, "limit": 1, "refused": 3, "interrupted": 130}
_NOBODY = "nobody is here to approve this; run with -y to let everything run, or with --approval"


class Printer(Protocol):
    """Shows events to the audience of one run."""

    def problem(self, problem: Problem) -> None: ...

    def show(self, event: Event) -> None: ...

    def end(self, ended: TurnEnded, answer: str) -> None: ...


def main(
    loaded: Loaded,
    words: Sequence[str],
    *,
    as_json: bool = False,
    last_message: str = "",
    images: Sequence[str] = (),
    resume: str = "",
    timeout: float | None = None,
) -> int:
    """Run the task that `words` ask for and return the exit code."""
    try:
        prompt = _prompt(words)
        cwd = str(Path.cwd())
        prompt += _attached(images, cwd)
        saved = find(resume) if resume else None
    except ValueError as error:
        return _complain(f"{error}", 2)
    except FileNotFoundError:
        return _complain("the current folder no longer exists; cd to another one", 2)
    except SessionNotFound as error:
        return _complain(f"{error}; see oi sessions --all", 2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a locale without some character must not end the run
            stream.reconfigure(encoding="utf-8" if as_json else None, errors="replace")
    printer: Printer
    if as_json:
        from oi_tui.faces.exec_json import JsonPrinter

        printer = JsonPrinter(sys.stdout)
    else:
        from oi_tui.faces.exec_text import TextPrinter

        printer = TextPrinter(sys.stdout, sys.stderr)
    for problem in loaded.problems:
        printer.problem(problem)

    async def run() -> int:
        session = Session(loaded.settings, cwd, saved)
        try:
            pages = sys.stderr if as_json else sys.stdout
            return await _Run(session, printer, last_message, timeout, pages).go(prompt)
        finally:
            await session.close()

    try:
        return asyncio.run(run())
    except SessionInUse as error:
        return _complain(str(error), 1)


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"oi: {text}\n")
    return code


def _prompt(words: Sequence[str]) -> str:
    """The words, with stdin where a `-` stands. Without `-` stdin is never touched. Raises ValueError if empty."""
    text = " ".join(word for word in words if word != "-").strip()
    if "-" in words:
        if sys.stdin is None or sys.stdin.isatty():
            raise ValueError("- reads the task from stdin, but nothing is piped in")
        piped = _decode(sys.stdin.buffer.read()).strip()
        text = f"{text}\n\n<stdin>\n{piped}\n</stdin>" if text and piped else text or piped
    if not text:
        raise ValueError("there is nothing to do; say it: oi exec 'count the lines of *.py'")
    return text


def _attached(images: Sequence[str], cwd: str) -> str:
    """What the prompt ends with to have these pictures. Raises ValueError for one that cannot be shown."""
    if not images:
        return ""
    from oi_tui.session.attached import look, mark

    return "".join(f"\n{mark(look(one, cwd))}" for one in images)


def _decode(data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


class _Run:
    """One task from submit to exit code."""

    def __init__(
        self, session: Session, printer: Printer, last_message: str, timeout: float | None, pages: TextIO = sys.stdout
    ) -> None:
        """pages: where texts go that commands in front of the task show."""
        self._session, self._printer, self._pages = session, printer, pages
        self._last_message, self._timeout = last_message, timeout
        self._refused = self._timed_out = self._terminated = False

    async def go(self, prompt: str) -> int:
        session = self._session
        session.attended = False
        events = session.bus.subscribe()
        self._listen_to_signals()
        session.start()
        prompt = prompt.strip()
        if prompt.startswith(("/", "%")):
            from oi_tui.faces import exec_commands

            lines, prompt = exec_commands.split(prompt)
            host = exec_commands.Host(session, self._pages)
            await exec_commands.carry_out(lines, host, events, self._printer.show)
            if lines and (host.failed or not prompt):
                return 2 if host.failed else 0
            prompt += host.attached
        first = len(session.messages)
        session.submit(prompt)
        timer = asyncio.get_running_loop().call_later(self._timeout, self._time_out) if self._timeout else None
        ended = TurnEnded("failed", "the session ended")
        async for event in events:
            if isinstance(event, ApprovalRequested):
                self._refused = True
                session.answer(event.approval_id, Decision("stop"))
            if isinstance(event, TurnEnded):
                ended = event
                break
            self._printer.show(event)
        if timer is not None:
            timer.cancel()
        if self._refused:
            ended = TurnEnded("refused", _NOBODY)
        elif self._timed_out:
            ended = TurnEnded("failed", f"stopped after {self._timeout:g} s", "raise --timeout")
        self._tell_jobs()
        answer = answer_of(session, first)
        self._printer.end(ended, answer)
        saved = self._save(answer)
        if self._terminated:
            return 143
        code = 2 if ended.reason == "failed" and session.unusable else _CODES[ended.reason]
        return code or (0 if saved else 1)

    def _tell_jobs(self) -> None:
        """What still runs is ended with the session: nobody would be left to look after it."""
        jobs = self._session.jobs()
        if jobs:
            names = ", ".join(f"{one.command} ({one.id})" for one in jobs)
            self._printer.show(Notice("warning", f"still running at the end, and ended now: {names}"))

    def _save(self, answer: str) -> bool:
        """Write the answer where the person wanted it as well. False if that failed."""
        if not self._last_message:
            return True
        try:
            Path(self._last_message).write_text(answer + "\n", encoding="utf-8", errors="replace")
        except OSError as error:
            _complain(f"{self._last_message}: {error.strerror}", 1)
            return False
        return True

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._session.interrupt)
        for ending in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(ending, self._terminate)

    def _terminate(self) -> None:
        if self._terminated:
            os._exit(143)
        self._terminated = True
        self._session.interrupt()

    def _time_out(self) -> None:
        self._timed_out = True
        self._session.interrupt()
        # Code that swallows the interrupt is killed by the second one.
        asyncio.get_running_loop().call_later(2, self._session.interrupt)


def answer_of(session: Session, first: int) -> str:
    """What the turn came to: the model's last words, or the output if the turn ended with that."""
    for one in reversed(session.messages[first:]):
        if plan := one.get("call", {}).get("result", {}).get("meta", {}).get("proposed"):
            return str(plan)
        if one["role"] == "assistant" and one["type"] == "message" and one["content"].strip():
            return without_tags(one["content"]).strip()
        if one["role"] == "computer" and one["type"] == "console" and session.engine.harness.single_step:
            return one["content"].rstrip("\n")
    return ""
