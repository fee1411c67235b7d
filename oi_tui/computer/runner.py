"""What kernels and shells have in common: one block at a time, its output, its interruption, its end.

A runner owns one long-lived child process and starts another when that one is gone. A block ends in one of two ways:
the child says so on a pipe of its own, or the child ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oi_tui.computer.child import Child, ending, status_of
from oi_tui.computer.process_list import ticks_now
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.tap import Tap
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

if TYPE_CHECKING:
    from oi_tui.computer.cell import Cell
    from oi_tui.computer.keyboard import Keyboard
    from oi_tui.computer.pty_pair import PtyPair

SWEEP = 0.3  # seconds that what a block started gets to obey an interrupt
START_LIMIT = 60.0  # seconds until a child that does not get ready is given up


@dataclass(slots=True)
class Block:
    """The block that runs now."""

    number: int
    emit: Callable[[Chunk], None]
    ended: asyncio.Future[Ending]
    since: int = field(default_factory=ticks_now)
    interrupts: int = 0
    killed: bool = False
    heard: bool = False  # the child has seen the interrupt


@dataclass(slots=True)
class Ending:
    """How a block ended.

    status: exit status, None where there is none. note: a sentence on what the output does not show.
    """

    ok: bool
    status: int | None = None
    note: str = ""
    interrupted: bool = False
    meta: dict[str, Any] = field(default_factory=dict)


def output(text: str) -> Chunk:
    """A console chunk."""
    return {"role": "computer", "type": "console", "format": "output", "content": text}


class Runner(ABC):
    """Base of Python, Node and the shells.

    name: the language, for messages. cwd: the working directory as last known; a runner follows it when it was changed
    by another language.
    """

    keeps = "variables"  # what is lost when the child dies
    is_kernel = False  # its child is a kernel, to be called by the language's name and not by its program's
    outside = False  # its programs run in no sandbox
    takes_input = False  # somebody can type into its programs; to be set before the first start
    parts_output = False  # every block prints to a place of its own
    start_limit = START_LIMIT

    def __init__(self, name: str, table: ProcessTable, env: Mapping[str, str]) -> None:
        self.name, self.table, self.env = name, table, env
        self.cwd = ""
        self._child: Child | None = None
        self._tap: Tap | None = None
        self._keyboard: Keyboard | None = None
        self.screen: PtyPair | None = None  # that the running block has for itself
        self._block: Block | None = None
        self._count = 0
        self._lost = ""  # what to say with the next block about state that is gone
        self._starting = False  # a block waits for the child to get ready
        self._called_off = False  # it was interrupted while it waited
        # Gets what is still printed by what a block left running, after the number of that block; 0: of any.
        self.late: Callable[[int, str], None] | None = None

    @abstractmethod
    def start(self, cwd: str) -> None:
        """Start the child if there is none. Does not wait for it. Raises OSError."""

    @abstractmethod
    async def ready(self) -> None:
        """Wait until the child can take a block. Returns as well when it has died."""

    @abstractmethod
    def submit(self, number: int, code: str, cwd: str) -> None:
        """Hand the block to the child. Raises OSError."""

    @abstractmethod
    def drain(self) -> None:
        """Take what the child has already said, before its death is believed."""

    @abstractmethod
    def release(self) -> None:
        """Close what belonged to the child that has ended."""

    async def run(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Result:
        """Run one block to its end, whatever it does. Its text goes to `emit` while it comes.

        A cancelled task interrupts the block, and kills it when that does not help.
        """
        began = time.monotonic()
        self._starting, self._called_off = True, False
        try:
            where = _standing(cwd)
            if self._child is not None:
                self._child.look()
            self.start(where)
            async with asyncio.timeout(self.start_limit):
                await self.ready()
            lost, self._lost = self._lost, ""
            if not self.alive():
                return Result(ok=False, seconds=time.monotonic() - began, note=lost or f"{self.name} could not start")
            if self._called_off:
                self._lost = lost
                return Result(ok=False, interrupted=True, seconds=time.monotonic() - began)
            self._starting = False
            ending_ = await self._through(code, where, emit)
        except (OSError, TimeoutError) as error:
            return Result(ok=False, seconds=time.monotonic() - began, note=self._no_start(error))
        finally:
            self._starting = False
        notes = [lost] if lost else []
        if where != cwd:
            notes.append(f"the folder {cwd} is gone; this ran in {where}")
        return self._result(ending_, notes, time.monotonic() - began)

    def alive(self) -> bool:
        """Whether there is something to hand a block to."""
        return self._child is not None

    def _no_start(self, error: Exception) -> str:
        cause = "did not get ready in time" if isinstance(error, TimeoutError) else str(error)
        if isinstance(error, TimeoutError):
            self.kill()
        return f"{self.name} could not start: {cause}"

    async def _through(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Ending:
        self.open_output()
        assert self._tap is not None
        self._count += 1
        block = Block(self._count, emit, asyncio.get_running_loop().create_future())

        def say(text: str) -> None:
            self.say(text, emit)

        board = self._keyboard
        heard = board.begin(self._root, block.since, say, emit, self._tap, self.screen) if board else say
        late = self._tap.open(heard)
        self._block = block
        if late:  # at its start, or where nobody listens between blocks
            self.say(late, emit)
        try:
            self.submit(block.number, code, cwd)
            return await asyncio.shield(block.ended)
        except asyncio.CancelledError:
            await self._stop(block)
            raise
        finally:
            self._block = None
            if not block.ended.done():
                block.ended.cancel()
                self._tap.finish(drop_late=True)
            if self._keyboard is not None:
                self._keyboard.end()
            self.close_output()

    def open_output(self) -> None:
        """Make the place that the next block prints to. Raises OSError."""
        return  # most print to the same place always

    def close_output(self) -> None:
        """The block is over: only what it left running prints there from now on."""
        return

    @property
    def last_block(self) -> int:
        """The number of the last block, where its output can be told from that of others; else 0."""
        return self._count if self.parts_output else 0

    def say(self, text: str, emit: Callable[[Chunk], None]) -> None:
        """Show what the running block has printed."""
        emit(output(text))

    def keyboard(self) -> Keyboard | None:
        """The terminal that its programs read from; None where nobody can type. Raises OSError."""
        if self._keyboard is None and self.takes_input:
            from oi_tui.computer.keyboard import Keyboard

            self._keyboard = Keyboard(self.name if self.is_kernel else "", self.cell())
        return self._keyboard

    def cell(self) -> Cell | None:
        """The sandbox that its child is to be started in, None for none. Raises OSError."""
        return None if self.outside else self.table.cell()

    def _root(self) -> int:
        return self._child.pid if self._child is not None else 0

    def type_in(self, input_id: str, text: str | None) -> None:
        """Answer a program that asked, see `Computer.type_in`."""
        if self._keyboard is None:
            raise ValueError("no program waits for input")
        self._keyboard.answer(input_id, text)

    async def _stop(self, block: Block) -> None:
        self.interrupt()
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(asyncio.shield(block.ended), 1.0)
        if not block.ended.done():
            self.kill()
            with contextlib.suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(block.ended), 1.0)

    def _result(self, ending_: Ending, notes: list[str], seconds: float) -> Result:
        if ending_.note:
            notes.append(ending_.note)
        return Result(
            ok=ending_.ok and not ending_.interrupted,
            exit_code=ending_.status,
            interrupted=ending_.interrupted,
            seconds=seconds,
            note="; ".join(notes) or None,
            meta=ending_.meta,
        )

    def end(self, ending_: Ending) -> None:
        """The running block has ended: hand on the rest of its output, clean up after an interruption."""
        block = self._block
        if block is None or block.ended.done():
            return
        ending_.interrupted = ending_.interrupted or block.interrupts > 0
        if self._tap is not None:
            late, number = self.late, self.last_block
            self._tap.late = (lambda text: late(number, text)) if late is not None else None
            self._tap.finish(drop_late=ending_.interrupted)
        if ending_.interrupted:
            self.table.kill_started(block.since)
        block.ended.set_result(ending_)

    @property
    def busy(self) -> bool:
        """Whether a block runs."""
        return self._block is not None

    def interrupt(self) -> None:
        """Ask the running block to stop; asked again, kill it with all that it started. Without a block: nothing.

        A block that still waits for its child to start is not run at all. Only what this block started is told, so that
        a server of an earlier block goes on.
        """
        block = self._block
        self._called_off = self._called_off or self._starting
        if block is None or self._child is None:
            return
        block.interrupts += 1
        if block.interrupts > 1:
            self.kill()
            return
        commands = self.table.started(block.since)
        self.ask_to_stop(block)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._child.pid, signal.SIGCONT)  # one that was stopped does not hear anything else
        if self._keyboard is not None:
            self._keyboard.hang_up()
        for pid in commands:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGINT)
        self.sweep_later(block.number)

    def ask_to_stop(self, block: Block) -> None:
        """Tell the child to drop the block and keep its state."""
        if self._child is None:
            return
        if block.since:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child.pid, signal.SIGINT)
        else:  # what the block started is not known on this system: the whole group is told
            self._child.signal(signal.SIGINT)

    def sweep_later(self, number: int) -> None:
        asyncio.get_running_loop().call_later(SWEEP, self.sweep, number)

    def sweep(self, number: int) -> bool:
        """Kill what an interrupted block started and did not end, again and again until the block is over."""
        block = self._block
        if block is None or block.number != number or block.ended.done() or self._child is None:
            return False
        self.table.kill_started(block.since)
        self.sweep_later(number)
        return True

    def kill(self) -> None:
        """End the child and what the running block started, at once."""
        block = self._block
        if block is not None:
            block.killed = True
        if self._child is not None:
            self._child.signal(signal.SIGKILL)
        if block is not None:
            self.table.kill_started(block.since)

    def exited(self, returncode: int) -> None:
        """The child has ended, in a block or between blocks."""
        self.drain()
        child, self._child = self._child, None
        if child is not None:
            self.table.discard(child)
        block = self._block
        in_block = block is not None and not block.ended.done()
        self.release()
        if not in_block:
            self._lost = self._loss(f"ended between blocks with {ending(returncode)}")
            return
        assert block is not None
        if block.killed:
            died = f"{self.name} did not stop and was killed: its {self.keeps} are lost, the next block starts afresh"
        else:
            died = self._loss(f"ended in this block with {ending(returncode)}", "the next block starts afresh")
        status = status_of(returncode)
        self.end(Ending(ok=status == 0, status=status, note=died))

    def _loss(self, what: str, then: str = "this block started afresh") -> str:
        return f"{self.name} {what}: its {self.keeps} are lost, {then}"

    async def close(self) -> None:
        """End the child and close everything."""
        child = self._child
        if child is not None:
            if self._block is not None:
                self.kill()
            else:
                self.farewell()
            if not await child.ended(0.5):
                child.signal(signal.SIGKILL)
                await child.ended(2.0)
        if self._tap is not None:
            self._tap.close()
        if self._keyboard is not None:
            self._keyboard.close()

    @abstractmethod
    def farewell(self) -> None:
        """Ask the idle child to leave by itself."""


def _standing(cwd: str) -> str:
    """`cwd`, or its nearest parent that still exists."""
    while cwd != "/" and not os.path.isdir(cwd):  # noqa: PTH112
        cwd = os.path.dirname(cwd) or "/"  # noqa: PTH120
    return cwd
