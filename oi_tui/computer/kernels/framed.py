"""A kernel process that speaks framed JSON: start it, hand it cells, take its events."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from oi_tui.computer.child import Child, ending
from oi_tui.computer.frames import Frames
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.runner import Ending, Runner
from oi_tui.computer.tap import Tap, roomy_pipe
from oi_tui.protocol.lmc import Chunk

NOBODY = "standard input is empty, as nobody can type here: put the value in the code"

_IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/svg+xml": "svg"}
_RICH = {"text/html": "html", "application/javascript": "javascript"}


class FramedKernel(Runner):
    """A child that gets its request and event descriptors as the last two arguments of `command`."""

    is_kernel = True
    reads = ""  # regular expression for code that reads standard input

    def __init__(
        self, name: str, table: ProcessTable, env: Mapping[str, str], command: Callable[[], list[str]]
    ) -> None:
        super().__init__(name, table, env)
        self._command = command
        self._frames: Frames | None = None
        self._greeted: asyncio.Future[None] | None = None
        self._wants_input = False  # the code of the running cell, by the look of it
        self.version = ""

    def start(self, cwd: str) -> None:
        if self._child is not None:
            return
        argv, keyboard = self._command(), self.keyboard()
        requests, to_child = os.pipe()
        from_child, events = os.pipe()
        capture, printed = roomy_pipe()
        try:
            command = [*argv, str(requests), str(events)]
            child = Child(
                keyboard.leading(command) if keyboard else command, env=self.env, cwd=cwd, on_exit=self.exited,
                pass_fds=(requests, events), stdin=keyboard.slave if keyboard else subprocess.DEVNULL, output=printed,
                cell=self.cell(),
            )  # fmt: skip
        except OSError as error:
            for fd in (to_child, from_child, capture):
                os.close(fd)
            raise OSError(f"{argv[0]}: {error.strerror or error}") from None
        finally:
            for fd in (requests, events, printed):
                os.close(fd)
        self._begin(child, Frames(from_child, to_child, self._heard), Tap(capture))
        self.cwd = cwd

    def _begin(self, child: Child, frames: Frames, tap: Tap) -> None:
        """Take charge of a child that has just been started."""
        self._child, self._frames = child, frames
        self._greeted = asyncio.get_running_loop().create_future()
        if self._tap is not None:
            self._tap.close()
        self._tap = tap
        self.table.add(child)

    async def ready(self) -> None:
        if self._greeted is not None:
            await asyncio.shield(self._greeted)

    def submit(self, number: int, code: str, cwd: str) -> None:
        assert self._frames is not None
        self._wants_input = bool(self.reads) and re.search(self.reads, code) is not None
        self._frames.send({"op": "run", "id": number, "code": code, "cwd": cwd if cwd != self.cwd else ""})

    def _heard(self, message: dict[str, Any]) -> None:
        event, block = message.get("event"), self._block
        if event == "ready":
            self.version = str(message.get("version", ""))
            if self._greeted is not None and not self._greeted.done():
                self._greeted.set_result(None)
        elif event == "reading":
            if self._keyboard is not None:
                self._keyboard.root_reads = bool(message.get("on"))
        elif event == "device":
            self.device(message)
        elif block is None or message.get("id") != block.number:
            if event == "show" and self._frames is not None:
                self._frames.send({"op": "ack", "id": message.get("ack")})
        elif event == "line":
            block.emit({"role": "computer", "type": "console", "format": "active_line", "content": message["line"]})
        elif event == "stopping":
            block.heard = True
        elif event == "show":
            self._show(message, block.emit)
        elif event == "done":
            self._done(message)

    def device(self, message: dict[str, Any]) -> None:
        """Code calls a device of the computer, and waits for `answer_device`."""
        self.answer_device(message, {"error": "the computer has no devices here", "kind": "DeviceError"})

    def answer_device(self, message: dict[str, Any], answer: dict[str, Any]) -> None:
        """Answer a call with `value`, or `error` and `kind`."""
        if self._frames is not None:
            self._frames.send({"op": "device", "id": message.get("number"), **answer})

    def _show(self, message: dict[str, Any], emit: Callable[[Chunk], None]) -> None:
        assert self._tap is not None and self._frames is not None
        self._tap.drain()
        mime, data = str(message.get("mime")), str(message.get("data"))
        if message.get("file"):  # from kernels that cannot put a picture into text
            data = _taken(str(message["file"]))
        if mime in _IMAGES and data:
            chunk: Chunk = {"role": "computer", "type": "image", "format": f"base64.{_IMAGES[mime]}", "content": data}
            if mime == "image/svg+xml":
                chunk["recipient"] = "user"
            emit(chunk)
        elif mime in _RICH:
            # Its text form was printed as well: the picture of it is for people.
            emit({"role": "computer", "type": "code", "format": _RICH[mime], "content": data, "recipient": "user"})
        self._frames.send({"op": "ack", "id": message.get("ack")})

    def _done(self, message: dict[str, Any]) -> None:
        self.cwd = message.get("cwd") or self.cwd
        meta = {key: message[key] for key in ("error", "line", "missing") if message.get(key)}
        lost = f"the folder could not be entered: {message['lost_folder']}" if message.get("lost_folder") else ""
        unheard = "" if message.get("ok") or self._keyboard is not None or not self._wants_input else NOBODY
        note = "; ".join(one for one in (lost, str(message.get("note") or ""), unheard) if one)
        self.end(
            Ending(
                ok=bool(message.get("ok")), status=message.get("exit"), note=note,
                interrupted=bool(message.get("interrupted")) and self._asked(), meta=meta,
            )
        )  # fmt: skip

    def _asked(self) -> bool:
        """Whether the interruption was ours: a cell may raise KeyboardInterrupt by itself."""
        return self._block is not None and self._block.interrupts > 0

    def sweep(self, number: int) -> bool:
        """As everywhere. An interrupt that nobody heard is sent again: it came before the child had begun the block, or
        while its language ignored it (inside C's `system()`)."""
        swept = super().sweep(number)
        if swept and self._block is not None and not self._block.heard:
            self.ask_to_stop(self._block)
        return swept

    def drain(self) -> None:
        if self._frames is not None:
            self._frames.drain()

    def release(self) -> None:
        if self._frames is not None:
            self._frames.close()
            self._frames = None
        if self._greeted is not None and not self._greeted.done():
            self._greeted.set_result(None)

    def exited(self, returncode: int) -> None:
        unborn = self._greeted is not None and not self._greeted.done()
        super().exited(returncode)
        if unborn:
            said = self._tap.open(lambda _: None).strip() if self._tap is not None else ""
            lines = [line for line in said.splitlines() if line.strip() and "--help" not in line]
            said = f": {lines[-1].strip()}" if lines else ""
            self._lost = f"{self._command()[0]} ended before it was ready ({ending(returncode)}){said}"

    def farewell(self) -> None:
        if self._frames is not None:
            self._frames.send({"op": "quit"})


class PlainKernel(FramedKernel):
    """A kernel in a language that reads no JSON by itself: its requests are `op`, `id`, `cwd` and the code, after each
    other, parted by zero bytes."""

    def tell(self, *fields: str) -> None:
        """Send one request."""
        if self._frames is not None:
            self._frames.send_bytes("\0".join(fields).encode("utf-8", "surrogateescape"))

    def submit(self, number: int, code: str, cwd: str) -> None:
        """Hand over one cell."""
        self._wants_input = bool(self.reads) and re.search(self.reads, code) is not None
        self.tell("run", str(number), cwd if cwd != self.cwd else "", code.replace("\0", ""))

    def farewell(self) -> None:
        """Ask it to leave."""
        self.tell("quit")


def _taken(file: str) -> str:
    """The content of a kernel's temporary file as base64, "" where it cannot be read; the file goes."""
    path = Path(file)
    with contextlib.suppress(OSError):
        data = base64.b64encode(path.read_bytes()).decode()
        path.unlink()
        return data
    return ""
