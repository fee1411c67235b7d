"""Languages whose blocks are whole programs: each is written to a file, run to its end, and forgotten.

A block is one or more steps (compile, run), each a process of its own in the working directory. Nothing is kept between
blocks, so nothing can be lost.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path

from oi_tui.computer.child import Child, ending, status_of
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.runner import Ending, Runner
from oi_tui.computer.tap import Tap, roomy_pipe
from oi_tui.protocol.lmc import Chunk

Step = list[str]


class Program(Runner):
    """Base: `plan` says what is to be run. program: the path of what runs it."""

    keeps = "output"

    def __init__(self, name: str, table: ProcessTable, env: Mapping[str, str], program: str) -> None:
        super().__init__(name, table, env)
        self.program = program
        self.folder = Path()  # of the running block, for its files; removed at its end
        self._steps: Iterator[Step] = iter(())
        self._printed = -1

    @abstractmethod
    def plan(self, code: str) -> Iterator[Step]:
        """Write what is needed into `self.folder` and give the command lines, each run when the one before succeeded.

        ValueError with a sentence: the block cannot be run. OSError: a file could not be written.
        """

    def finished(self, status: int) -> Ending:
        """Called when the last step has ended, before the folder goes: what came of the block."""
        return Ending(ok=status == 0, status=status)

    def alive(self) -> bool:
        """There is always a next process."""
        return True

    def start(self, cwd: str) -> None:
        """Make the pipe that the block prints to."""
        if self._block is not None:
            return
        self.cwd = cwd
        self.keyboard()
        if self._tap is not None:
            self._tap.close()
        if self._printed >= 0:
            os.close(self._printed)
        capture, self._printed = roomy_pipe()
        self._tap = Tap(capture)

    def emit(self, chunk: Chunk) -> None:
        """Show something besides what the program prints."""
        if self._block is not None:
            self._block.emit(chunk)

    async def ready(self) -> None:
        """There is nothing to wait for."""

    def submit(self, number: int, code: str, cwd: str) -> None:
        """Begin the first step."""
        self.folder = self.table.scratch() / f"{self.name}-{number}"
        self.folder.mkdir(mode=0o700)
        try:
            self._steps = iter(self.plan(code))
            self._next(next(self._steps))
        except (ValueError, StopIteration) as error:
            self.over(Ending(ok=False, note=str(error) or "there is nothing to run"))
        except OSError as error:
            self.over(Ending(ok=False, note=f"{self.name} could not start: {error.strerror or error}"))

    def _next(self, argv: Step) -> None:
        try:
            keyboard = self.keyboard()
            self._child = Child(
                keyboard.leading(argv) if keyboard else argv, env=self.env, cwd=self.cwd, on_exit=self.exited,
                stdin=keyboard.slave if keyboard else subprocess.DEVNULL, output=self._printed, cell=self.cell(),
            )  # fmt: skip
        except OSError as error:
            raise OSError(error.errno, f"{argv[0]}: {error.strerror or error}") from None
        self.table.add(self._child)

    def exited(self, returncode: int) -> None:
        """A step has ended: go on with the next, or end the block."""
        child, self._child = self._child, None
        if child is not None:
            self.table.discard(child)
        block = self._block
        if block is None or block.ended.done():
            return
        status = status_of(returncode)
        if block.interrupts or block.killed:
            self.over(Ending(ok=False, status=status, interrupted=block.interrupts > 0))
            return
        if returncode == 0:
            step = next(self._steps, None)
            if step is not None:
                try:
                    self._next(step)
                except OSError as error:
                    self.over(Ending(ok=False, note=str(error)))
                return
        if self._tap is not None:
            self._tap.drain()
        over = self.finished(status)
        if returncode < 0 and not over.note:
            over.note = f"{self.name} ended with {ending(returncode)}"
        self.over(over)

    def sweep(self, number: int) -> bool:
        """As everywhere, and the program itself: it keeps nothing that would be worth waiting for."""
        swept = super().sweep(number)
        if swept:
            self.kill()
        return swept

    def over(self, ending_: Ending) -> None:
        """The block has ended: its files go."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder)
        self.end(ending_)

    def drain(self) -> None:
        """A program says nothing but what it prints."""

    def release(self) -> None:
        """Every child is on its own."""

    def farewell(self) -> None:
        """Between blocks there is no child."""

    async def close(self) -> None:
        """End what runs and close the pipe."""
        await super().close()
        if self._printed >= 0:
            os.close(self._printed)
            self._printed = -1
