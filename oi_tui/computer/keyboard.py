"""The terminal that the programs of a block read from, for a person who answers them.

A pty is the controlling terminal of a kernel or shell and of all that it starts, and their standard input too, or that
is the pty that a shell's block has for itself (see terminal.py). So whatever asks in the usual ways (`input()`,
`getpass`, `read`, `ssh`, `sudo`) reads from one of the two, in every language. While a block runs, `waiting.py` is
asked a few times a second whether somebody waits; where it cannot know, a line that was not ended and then silence
count as a question. The question goes out as a chunk of type `input`, and `answer` takes what was typed.

The line discipline of the pty (termios(3)) says how an answer is to be taken. Without echo, or after a prompt that
speaks of a password, it is a secret: it is written to the pty and kept nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import termios
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oi_tui.computer import waiting
from oi_tui.computer.cell import Cell
from oi_tui.computer.pty_pair import PtyPair
from oi_tui.computer.tap import Tap
from oi_tui.protocol.lmc import Chunk

LOOK = 0.1  # seconds between two looks
SELDOM = 0.4  # the same, in a block that has asked nothing for long
LONG = 5.0  # seconds that are long
SHARE = 20  # a look that takes long is followed by a rest so many times as long
QUIET = 0.5  # seconds without output after which a program that could also do something else is said to wait
SILENT = 1.2  # the same where the system does not tell
MISSES = 3  # looks that find nobody before a question is taken back
TAIL = 400  # characters of output among which the prompt is sought
LINE = 4095 if sys.platform == "linux" else 1023  # bytes of one line that a terminal takes, termios(3)

_SECRET = re.compile(r"pass(word|phrase|code|wort)|kennwort|mot de passe|contraseña", re.IGNORECASE)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ASKS = re.compile(r"[:?>)\]%$#]\s*\Z")
# A session leader without a terminal gets the one it opens (tty(4)); no program of ours has to run between.
_LEAD = ': <>"$0"; exec "$@"'


@dataclass(slots=True)
class _Question:
    id: str
    tid: int
    secret: bool
    at: PtyPair  # that is read
    misses: int = 0


class Keyboard:
    """One pty, `own`, for as long as its kernel or shell lives.

    kernel: what to call the root of the blocks, "" to call it by its program like any other; an interpreter is called
    `python`, `python3` or `python3.12` after the file it was started from, which is nothing to a person.
    """

    def __init__(self, kernel: str = "", cell: Cell | None = None) -> None:
        self._kernel = kernel
        self.own = PtyPair(typed=True, cell=cell)
        self._ptys = [self.own]  # and the block's
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._printed: Tap | None = None
        self._count = 0
        self.root_reads = False  # a kernel that watches its terminal all the time says when it reads it
        self._stop()

    def _stop(self) -> None:
        self._question: _Question | None = None
        self._answered: tuple[int, int] = (0, 0)  # who was answered and may not have woken yet
        self._tail, self._pieces = "", 0
        self._echoing = False  # something was typed whose echo has not come yet
        self._muted: PtyPair | None = None  # its echo was taken away by us, for one answer
        self._spoken = self.own  # where text came from last
        self._spoke = self._began = 0.0

    @property
    def slave(self) -> int:
        """The end for children."""
        return self.own.slave

    def leading(self, argv: Sequence[str]) -> list[str]:
        """The command line that starts `argv` with this pty as its controlling terminal."""
        return ["/bin/sh", "-c", _LEAD, self.own.path, *argv]

    # -- a block

    def begin(
        self,
        root: Callable[[], int],
        since: int,
        say: Callable[[str], None],
        emit: Callable[[Chunk], None],
        printed: Tap,
        screen: PtyPair | None = None,
    ) -> Callable[[str], None]:
        """A block runs. root: the process that all it starts comes from, 0 for none. say: shows what is printed.
        printed: where that comes from. screen: a pty that the block has for itself, which `printed` is of. Returns what
        to open `printed` with, instead of `say`."""
        self._ptys = [self.own] if screen is None else [self.own, screen]
        self._stop()
        self._root, self._since, self._emit, self._printed = root, since, emit, printed
        self._began = self._spoke = self._loop.time()

        def hear(text: str) -> None:
            self._tail = (self._tail + text)[-TAIL:]
            self._pieces += 1
            self._spoke = self._loop.time()
            say(text)

        # An echo comes before what the program says to it, a prompt after what the program has printed.
        def hear_program(text: str) -> None:
            if self._echoing:
                self._echoing = False
                self.own.tap.drain()
            self._spoken = screen or self.own
            hear(text)

        def hear_terminal(text: str) -> None:
            if not self._echoing:
                printed.drain()
            self._echoing = False
            self._spoken = self.own
            hear(text)

        # What was typed for an earlier block, and how its programs left the terminal, is nothing to this one.
        with contextlib.suppress(termios.error):
            self.own.afresh()
        self._timer = self._loop.call_later(LOOK, self._look)
        self.own.tap.open(hear_terminal)
        return hear_program

    def end(self) -> None:
        """The block is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._question is not None:
            self._resolve("gone")
        self.own.tap.finish(drop_late=True)
        self._ptys = [self.own]

    def answer(self, input_id: str, text: str | None) -> None:
        """Type `text` and enter, or end the input (None). Raises ValueError with a sentence when it cannot be taken."""
        question = self._question
        if question is None or question.id != input_id:
            raise ValueError("the program no longer waits for this")
        self._type(question, text)
        self._tail = ""
        self._resolve("end" if text is None else "typed", text or "")

    def hang_up(self) -> None:
        """Let a program that waits find the end of its input: the block is being interrupted."""
        if self._question is not None:
            with contextlib.suppress(ValueError):
                self._type(self._question, None)
            self._resolve("end")

    def close(self) -> None:
        """Close both ends."""
        if self._timer is not None:
            self._timer.cancel()
        self.own.close()

    # -- typing

    def _type(self, question: _Question, text: str | None) -> None:
        at = question.at
        mode = termios.tcgetattr(at.slave)
        by_line, echo = mode[3] & termios.ICANON, mode[3] & termios.ECHO
        enter = "\n" if by_line or mode[0] & termios.ICRNL else "\r"
        if text is None:
            data = mode[6][termios.VEOF] if by_line else b"\x04"
        else:
            # Without lines but with echo (`read -n 1`) a program takes single keys, and enter would be one too many.
            clean = _CONTROLS.sub("", text)
            data = (clean + ("" if echo and not by_line and clean else enter)).encode("utf-8", "surrogateescape")
        if len(data) > LINE:
            raise ValueError(f"a program takes at most {LINE:,} bytes in one line; put the text into a file instead")
        if question.secret and by_line and echo:
            at.mute(True)
            self._muted = at
        try:
            sent = os.write(at.master, data)
        except OSError:
            sent = 0
        if sent < len(data):
            raise ValueError("the program does not take what is typed now; try again, or stop it with ctrl+c")
        self._echoing = text is not None and at is self.own

    # -- noticing

    def _look(self) -> None:
        now = self._loop.time()
        try:
            self._judge(self._waiter(now))
        except (OSError, termios.error):  # the terminal is being closed
            return
        seldom = self._question is None and now - max(self._spoke, self._began) > LONG
        rest = max(SELDOM if seldom else LOOK, SHARE * (self._loop.time() - now))
        self._timer = self._loop.call_later(rest, self._look)

    def _waiter(self, now: float) -> waiting.Waiter | None:
        """Who waits now. One who could do something else meanwhile (poll, epoll) has to have been silent for a while;
        Node keeps watching a terminal that it no longer reads, so there has to be a prompt as well, or its word."""
        root = self._root()
        if not root or any(one.unread() for one in self._ptys):
            return None
        try:
            found = waiting.find(root, [one.device for one in self._ptys], self._since)
        except waiting.Unknowable:
            return self._guess(now)
        if found is None or found.sure or self._question is not None:
            return found
        if found.call == "epoll" and not (self.root_reads if found.tid == root else self._prompt()):
            return None
        return found if now - self._spoke >= QUIET else None

    def _guess(self, now: float) -> waiting.Waiter | None:
        if now - self._spoke < SILENT or not self._prompt():
            return None
        at = next((one for one in self._ptys if one.hides()), None)
        if at is None and not _ASKS.search(self._tail):
            return None
        return waiting.Waiter(-1, "", self._pieces, False, terminal=(at or self._spoken).device)

    def _judge(self, found: waiting.Waiter | None) -> None:
        question = self._question
        awake = found is None or (found.tid, found.turns) != self._answered
        if self._muted is not None and awake:
            self._muted.mute(False)
            self._muted = None
        if question is None:
            if found is not None and awake:
                self._ask(found)
        elif found is not None and found.tid == question.tid:
            question.misses = 0
        else:
            question.misses += 1
            if question.misses >= MISSES:
                self._resolve("gone")

    def _ask(self, found: waiting.Waiter) -> None:
        for tap in (self._printed, self.own.tap):
            if tap is not None:
                tap.drain()
        self._count += 1
        prompt = self._prompt()
        at = next((one for one in self._ptys if one.device == found.terminal), self.own)
        secret = at.hides() or bool(_SECRET.search(prompt))
        self._question = question = _Question(f"input_{self._count}", found.tid, secret, at)
        self._answered = (found.tid, found.turns)
        self._tell("asked", input_id=question.id, prompt=prompt, secret=secret, program=self._called(found))

    def _called(self, found: waiting.Waiter) -> str:
        return self._kernel if self._kernel and found.tid == self._root() else found.name

    def _prompt(self) -> str:
        """The line that was begun last, as text."""
        line = _ESCAPES.sub("", self._tail).rpartition("\n")[2].rstrip("\r").rpartition("\r")[2]
        return _CONTROLS.sub("", line)[-200:]

    def _resolve(self, how: str, text: str = "") -> None:
        question, self._question = self._question, None
        assert question is not None
        self._tell("given", input_id=question.id, how=how, secret=question.secret, text="" if question.secret else text)

    def _tell(self, form: str, **content: object) -> None:
        self._emit({"role": "computer", "type": "input", "format": form, "content": content})
