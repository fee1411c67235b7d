"""A long-lived shell: every block is a file that it sources, so cwd, variables, functions and jobs stay.

Commands see a terminal on standard output and error (a pty of 40 rows and 120 columns, without translation of line
ends), so they print line by line and in colour as a person is used to. Every block has a pty of its own: what its
background jobs print later is theirs, whatever runs then. Where somebody can type it is their standard input as well,
and another one is the controlling terminal, see keyboard.py. Elsewhere they can only write to it, standard input is
empty, and the session has no controlling terminal: whatever asks for a password or a key fails at once.

The shell is interactive, because only an interactive bash drops a whole block on an interrupt and lives on. Its own
prompts go nowhere. Commands reach it through a pipe; the end of a block, its status and the working directory come
back on another, which is closed while a block runs. A shell that ends is noticed by its process, not by a pipe, since
background jobs keep pipes open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import Callable, Mapping

from oi_tui.computer.child import Child
from oi_tui.computer.languages.base import Setting
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.pty_pair import COLUMNS, ROWS, PtyPair
from oi_tui.computer.runner import Block, Ending, Runner
from oi_tui.computer.tap import Tap
from oi_tui.protocol.lmc import Chunk

_ALL = "trap 'exit 143' TERM; PS1=; PS2="
_INIT = {
    "bash": f"unset HISTFILE; set +o history +H +m; history -c; shopt -s expand_aliases; {_ALL}",
    "zsh": f"unset HISTFILE; setopt no_bang_hist no_monitor interactive_comments no_notify; {_ALL}",
    "sh": f"set +m; {_ALL}",
}
# Where nobody can type, `read` says so: by itself it only fails, and does not even show its prompt.
_NOBODY = (
    "__oi_empty() {{ [ /dev/fd/0 -ef /dev/null ] && echo 'read: standard input is empty, nobody can type here; put the "
    'value in the code\' >&2; return $1; }}; read() {{ {own} read "$@" || __oi_empty $?; }}'
)
# What a command of ours begins with, so that no alias or function of the person's takes its place.
_OWN = {"bash": r"\builtin", "zsh": r"\builtin", "sh": r"\command"}
# Where a shell keeps the report pipe: bash high up, where scripts do not look; others know 0 to 9.
_PLACES = {"bash": 239, "zsh": 9, "sh": 9}
_ARGUMENTS = {
    "bash": ["--noprofile", "--norc", "--noediting", "-i"],
    "zsh": ["-f", "-i", "+Z", "-o", "no_prompt_sp", "-o", "no_prompt_cr"],
    "sh": ["-i"],
}


def quote(text: str) -> str:
    """`text` as one word for a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _plain(code: str) -> str:
    """Code with a line end at its end. Where every line ends as on Windows it loses that, since shells take a carriage
    return for part of a word; a script that has some of both means them."""
    if "\n" in code and code.count("\r\n") == code.count("\n"):
        code = code.replace("\r\n", "\n")
    return code if code.endswith("\n") else code + "\n"


class Shell(Runner):
    """bash, zsh or a plain sh on a pty. program: its path; flavour: bash, zsh or sh."""

    keeps = "variables and functions"
    parts_output = True

    def __init__(self, name: str, table: ProcessTable, env: Mapping[str, str], program: str, flavour: str) -> None:
        terminal = {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS), "PS1": "", "PS2": ""}
        super().__init__(name, table, {**env, **terminal})
        self._program, self._flavour = program, flavour
        self._older: list[Tap] = []  # of earlier blocks whose jobs may still print
        self._commands = self._reports = -1
        self._said = bytearray()
        self._token = ""
        self._file = ""
        self._called = ""  # the file of the last block, also when it is gone
        self._last_words = ""  # the line that reports the end of the block

    def start(self, cwd: str) -> None:
        if self._child is not None:
            return
        keyboard = self.keyboard()
        commands, self._commands = os.pipe()
        self._reports, report = os.pipe()
        argv = [self._program, *_ARGUMENTS[self._flavour]]
        argv = keyboard.leading(argv) if keyboard else argv
        try:
            self._child = Child(
                argv, env=self.env, cwd=cwd, on_exit=self.exited, stdin=commands,
                errors=report, cell=self.cell(),
            )  # fmt: skip
        except OSError as error:
            self.release()
            raise OSError(f"{self._program}: {error.strerror or error}") from None
        finally:
            os.close(commands)
            os.close(report)
        self.table.add(self._child)
        self.cwd = cwd
        self._token = secrets.token_hex(8)
        os.set_blocking(self._reports, False)
        asyncio.get_running_loop().add_reader(self._reports, self.drain)
        back = _PLACES[self._flavour]
        self._tell(f"exec {back}>&2 2>/dev/null")
        self._tell(_INIT[self._flavour])
        if keyboard is None:
            self._tell(_NOBODY.format(own=_OWN[self._flavour]))

    def open_output(self) -> None:
        """Make the block's pty. That of the block before stays for as long as a job holds its other end."""
        screen = PtyPair(typed=self._keyboard is not None, cell=self.cell())
        self._older = [one for one in (*self._older, self._tap) if one is not None and one.is_open]
        self.screen, self._tap = screen, screen.tap

    def close_output(self) -> None:
        """Let go of the pty, which is over with the last program that holds it."""
        screen, self.screen = self.screen, None
        if screen is not None:
            screen.let_go()

    def say(self, text: str, emit: Callable[[Chunk], None]) -> None:
        """Show what was printed; the block's file is called by the shell's name, as `bash -c` does."""
        name = self._flavour
        for place in (f"{name}: {self._called}", self._called) if self._called else ():
            text = text.replace(place, name)
        super().say(text, emit)

    async def ready(self) -> None:
        """Commands wait in the pipe until the shell reads them, so there is nothing to wait for."""

    def submit(self, number: int, code: str, cwd: str) -> None:
        file = self.table.scratch() / f"block-{number}.{self._flavour}"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="") as out:
            out.write(_plain(code))
        self._file = self._called = str(file)
        back = _PLACES[self._flavour]
        own = _OWN[self._flavour]
        if cwd != self.cwd:
            self._tell(f"{own} cd -- {quote(cwd)}")
        assert self.screen is not None
        path = self.screen.path
        # Where nobody types it is opened for writing only: a program that reads from it gets an error instead of
        # waiting for ever, and it does not become the controlling terminal.
        around = f"</dev/null >{path}" if self._keyboard is None else f"<>{path} >&0"
        around += f" 2>&1 {back}>&-"
        source = f"{own} . {quote(self._file)} {around}"
        if self._flavour == "sh":  # a plain sh forgets its next commands, the report among them, at a syntax error
            source = f"{quote(self._program)} -n {quote(self._file)} {around} && {source}"
        self._tell(f"{own} trap '{own} kill -INT $$' URG; {source}")
        # errexit and nounset would make the shell itself end between blocks, xtrace is for the block that asked.
        said = f'{self._token} {number} "$?" "$PWD"'
        self._last_words = f"{own} printf '\\0%s\\0%s\\0%s\\0%s\\0' {said} >&{back}; {own} trap - URG; {own} set +exuv"
        self._tell(self._last_words)

    def _tell(self, line: str) -> None:
        with contextlib.suppress(OSError):  # a shell that is gone is noticed by its end
            os.write(self._commands, line.encode("utf-8", "surrogateescape") + b"\n")

    def drain(self) -> None:
        while self._reports >= 0:
            try:
                data = os.read(self._reports, 4096)
            except OSError:
                break
            if not data:
                asyncio.get_running_loop().remove_reader(self._reports)
                break
            self._said += data
        # What a shell says before it is quiet lies around the reports; the token tells them apart.
        fields = bytes(self._said).split(b"\0")
        while self._token.encode() in fields[:-4]:
            at = fields.index(self._token.encode())
            number, status, cwd = fields[at + 1 : at + 4]
            fields = fields[at + 4 :]
            self._reported(int(number), int(status), os.fsdecode(cwd))
        self._said = bytearray(b"\0".join(fields))

    def _reported(self, number: int, status: int, cwd: str) -> None:
        block = self._block
        if block is None or block.number != number:
            return
        self.cwd = cwd or self.cwd
        self._forget_file()
        status = 130 if block.interrupts else status  # as an interrupted command has it
        self.end(Ending(ok=status == 0, status=status))

    def ask_to_stop(self, block: Block) -> None:
        """A shell goes on with its next command when a command ends an interrupt in its own way, so the shell gets a
        signal whose trap drops the whole block."""
        if self._child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child.pid, signal.SIGURG)

    def sweep(self, number: int) -> bool:
        """As everywhere. The report is asked for again: the interrupt may have met the shell while it was reporting. So
        is the stop: a loop of short commands can swallow the first signal between two of them."""
        swept = super().sweep(number)
        if swept:
            self._tell(self._last_words)
            if self._block is not None:
                self.ask_to_stop(self._block)
        return swept

    def release(self) -> None:
        self._forget_file()
        loop = asyncio.get_running_loop()
        if self._reports >= 0:
            loop.remove_reader(self._reports)
        for fd in (self._reports, self._commands):
            if fd >= 0:
                os.close(fd)
        self._reports = self._commands = -1
        self._said.clear()

    def _forget_file(self) -> None:
        if self._file:
            with contextlib.suppress(OSError):
                os.unlink(self._file)  # noqa: PTH108
            self._file = ""

    def farewell(self) -> None:
        if self._child is not None:
            self._child.signal(signal.SIGHUP)

    async def close(self) -> None:
        await super().close()
        for tap in self._older:
            tap.close()


def make(setting: Setting) -> Shell:
    """The shell of this computer."""
    return Shell(setting.name, setting.table, setting.env, setting.program, os.path.basename(setting.program))  # noqa: PTH119
