"""Messages of Jupyter kernels as LMC chunks, and the executor that local and remote kernels share.

Source: "Messaging in Jupyter", jupyter-client.readthedocs.io/en/stable/messaging.html, protocol 5.4. A block is one
`execute_request`; it has ended when its reply has come and the kernel has said that it is idle.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

START_LIMIT = 60.0
SETTLE = 5.0  # seconds without a word after the reply, after which no more is waited for
_UNHEARD = "the kernel did not say that it had finished: some of what this block printed may be missing here"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_PICTURES = (("image/png", "png"), ("image/jpeg", "jpeg"), ("image/gif", "gif"))


class KernelGone(Exception):
    """The kernel ended or can no longer be reached; the text says how."""


def chunks_of(kind: str, content: dict[str, Any]) -> list[Chunk]:
    """What a message of the iopub channel shows. kind: its `msg_type`."""
    if kind == "stream":
        return [_text(str(content.get("text", "")))]
    if kind == "error":
        lines = content.get("traceback") or [f"{content.get('ename')}: {content.get('evalue')}"]
        return [_text(_ANSI.sub("", "\n".join(map(str, lines))) + "\n")]
    if kind in ("display_data", "execute_result"):
        return _shown(content.get("data") or {})
    return []


def _text(text: str) -> Chunk:
    return {"role": "computer", "type": "console", "format": "output", "content": text}


def _shown(data: dict[str, Any]) -> list[Chunk]:
    """One displayed value: its picture, else its HTML for the person and its text for both."""
    for mime, form in _PICTURES:
        if mime in data:
            return [
                {"role": "computer", "type": "image", "format": f"base64.{form}", "content": _one(data[mime]).strip()}
            ]
    made: list[Chunk] = []
    if "image/svg+xml" in data:
        drawn = base64.b64encode(_one(data["image/svg+xml"]).encode()).decode()
        made.append(
            {"role": "computer", "type": "image", "format": "base64.svg", "content": drawn, "recipient": "user"}
        )
    for mime, form in (("text/html", "html"), ("application/javascript", "javascript")):
        if mime in data:
            made.append(
                {"role": "computer", "type": "code", "format": form, "content": _one(data[mime]), "recipient": "user"}
            )
            break
    for mime in ("text/markdown", "text/latex", "text/plain"):
        if mime in data:
            made.append(_text(_one(data[mime]).rstrip("\n") + "\n"))
            break
    return made


def _one(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def offer_computer(away: str = "") -> str:
    """Python code that makes `computer` known in a kernel, as the program's own kernel does by itself.

    away: why outputs of earlier blocks cannot be read there, "" where they can."""
    source = Path(__file__).with_name("computer_child.py")
    text = source.read_text(encoding="utf-8")
    return (
        "def _oi_offer():\n    import sys\n    name = 'oi_kernel_computer'\n"
        "    module = sys.modules[name] = type(sys)(name)\n"
        f"    module.__file__ = {str(source)!r}\n"
        f"    exec(compile({text!r}, 'computer_child.py', 'exec'), module.__dict__)\n    module.install({away!r})\n"
        "_oi_offer()\ndel _oi_offer"
    )


class JupyterExecutor(ABC):
    """An `Executor` for one kernel. Subclasses connect to it, send for it and hand its messages to `heard`."""

    def __init__(self, name: str) -> None:
        self.name, self.cwd = name, ""
        self._request = ""  # id of the running request
        self._emit: Callable[[Chunk], None] | None = None
        self._idle: asyncio.Future[None] | None = None
        self._reply: asyncio.Future[dict[str, Any]] | None = None
        self._interrupts = self._said = 0  # of the running block; messages of all blocks
        self._lost = ""
        self._connected = False
        self._errands: set[asyncio.Task[None]] = set()
        self._starting: asyncio.Task[None] | None = None

    @abstractmethod
    async def connect(self, cwd: str) -> None:
        """Start the kernel or find it, and listen to it. Raises OSError or KernelGone with a sentence."""

    @abstractmethod
    async def execute(self, code: str) -> str:
        """Send an execute request, without stdin. Returns its message id."""

    @abstractmethod
    async def ask_to_stop(self) -> None:
        """Interrupt the kernel."""

    @abstractmethod
    async def disconnect(self) -> None:
        """End the kernel and let go of it."""

    def start(self, cwd: str) -> None:  # noqa: B027
        """A kernel is started with its first block: until then nothing says that one is needed."""

    def heard(self, message: dict[str, Any]) -> None:
        """One message of the kernel, of whichever channel."""
        if message.get("parent_header", {}).get("msg_id") != self._request or not self._request:
            return
        self._said += 1
        kind = message.get("msg_type") or message.get("header", {}).get("msg_type")
        content = message.get("content") or {}
        if kind == "status" and content.get("execution_state") == "idle" and self._idle is not None:
            if not self._idle.done():
                self._idle.set_result(None)
        elif kind == "execute_reply" and self._reply is not None:
            if not self._reply.done():
                self._reply.set_result(content)
        elif self._emit is not None:
            for chunk in chunks_of(str(kind), content):
                self._emit(chunk)

    def missed(self, why: str) -> None:
        """The running block has ended without a word that reached us."""
        for future, value in ((self._reply, {"status": "missed", "why": why}), (self._idle, None)):
            if future is not None and not future.done():
                future.set_result(value)  # pyright: ignore[reportArgumentType] - each gets its own kind

    def gone(self, how: str) -> None:
        """The kernel has ended, or the connection to it."""
        self._connected = False
        for future in (self._idle, self._reply):
            if future is not None and not future.done():
                future.set_exception(KernelGone(how))
                future.exception()  # it may be that nobody waits for this one
        if not self._request:
            self._lost = f"{self.name} {how} between blocks: its variables are lost, this block started afresh"

    async def run(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Result:
        """Run one block; see `Executor`."""
        began, self._interrupts = time.monotonic(), 0
        try:
            await self._ready(cwd)
        except (OSError, KernelGone, TimeoutError) as error:
            cause = str(error) or "it did not get ready in time"
            return Result(ok=False, note=f"{self.name} could not start: {cause}", seconds=time.monotonic() - began)
        if not self._connected:
            return Result(ok=False, interrupted=True, seconds=time.monotonic() - began)
        lost, self._lost = self._lost, ""
        loop = asyncio.get_running_loop()
        self._emit, self._idle, self._reply = emit, loop.create_future(), loop.create_future()
        unheard, result = "", Result(ok=False)
        try:
            self._request = await self.execute(code)
            reply = await self._reply
            unheard = "" if await self._settled() else _UNHEARD
            result = self._result(reply)
        except (KernelGone, OSError) as error:
            self._connected = False
            note = f"{self.name} {error}: its variables are lost, the next block starts afresh"
            result = Result(ok=False, note=note, interrupted=self._interrupts > 0)
            with contextlib.suppress(OSError, KernelGone):
                await self.disconnect()
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, KernelGone):
                await asyncio.wait_for(self.ask_to_stop(), 1.0)
            raise
        finally:
            self._request, self._emit = "", None
        lost, self._lost = lost or self._lost, ""  # some kernels are found to be new ones only while they run
        note = "; ".join(one for one in (lost, unheard, result.note) if one) or None
        return Result(
            result.ok, note=note, interrupted=result.interrupted, meta=result.meta, seconds=time.monotonic() - began
        )

    async def _settled(self) -> bool:
        """Wait until the kernel is idle; False when it never said so.

        Output and that word come on another channel than the reply. A server that connects its channels again, as after
        a restart, may have lost them.
        """
        assert self._idle is not None
        while not self._idle.done():
            before = self._said
            await asyncio.wait([self._idle], timeout=SETTLE)
            if self._said == before:
                return False
        self._idle.result()
        return True

    async def _ready(self, cwd: str) -> None:
        """See that there is a kernel, in the folder where the block is to run. An interrupt calls it off."""
        if not self._connected:
            with contextlib.suppress(OSError, KernelGone, TimeoutError):  # of the one before, if it is still about
                await asyncio.wait_for(self.disconnect(), 5.0)
            self._starting = asyncio.ensure_future(self.connect(cwd))
            try:
                async with asyncio.timeout(START_LIMIT):
                    await asyncio.wait([self._starting])
            finally:
                self._starting.cancel()
            if self._starting.cancelled():
                return
            self._starting.result()
            self._connected = True
        await self.enter(cwd)

    async def enter(self, cwd: str) -> None:  # noqa: B027 - most have nothing to do
        """Go where another language went, for kernels that share the folder. Raises OSError or KernelGone."""

    def _result(self, reply: dict[str, Any]) -> Result:
        if reply.get("status") == "ok":
            return Result(ok=True)
        if reply.get("status") == "missed":
            return Result(ok=False, note=f"{self.name} {reply['why']}")
        meta = {"error": f"{reply.get('ename')}: {reply.get('evalue')}"} if reply.get("ename") else {}
        missing = re.match(r"No module named '([^']+)'", str(reply.get("evalue", "")))
        if missing and reply.get("ename") in ("ModuleNotFoundError", "ImportError"):
            meta["missing"] = missing.group(1)
        return Result(ok=False, interrupted=self._interrupts > 0, meta=meta)

    def interrupt(self) -> None:
        """Ask the kernel to drop the block; asked again, end the kernel."""
        if not self._request:
            if self._starting is not None:
                self._starting.cancel()
            return
        self._interrupts += 1
        if self._interrupts > 1:
            self.kill()
            return
        self._later(self.ask_to_stop())

    def kill(self) -> None:
        """End the kernel at once."""
        if self._request:
            self._interrupts = max(self._interrupts, 1)
            self.gone("did not stop and was killed")
        elif self._connected:
            self._connected = False
            self._later(self.disconnect())

    def _later(self, errand: Any) -> None:
        async def quietly() -> None:
            with contextlib.suppress(Exception):  # a kernel that is gone is noticed where its messages end
                await errand

        task = asyncio.ensure_future(quietly())
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def close(self) -> None:
        """End the kernel."""
        if self._errands:
            await asyncio.wait(self._errands, timeout=2.0)
        if self._connected:
            self._connected = False
            with contextlib.suppress(OSError, KernelGone, TimeoutError):
                await asyncio.wait_for(self.disconnect(), 5.0)
