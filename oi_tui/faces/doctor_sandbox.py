"""Part of `oi doctor` that tries the sandbox: writes outside, reads a secret, connects, reaches for the program."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Literal

from oi_tui import paths
from oi_tui.computer.cell import Cell
from oi_tui.safety.sandbox import guarded
from oi_tui.safety.sandbox.place import Unusable
from oi_tui.safety.sandbox.plan import found
from oi_tui.session.sandboxing import Confined, Sandboxing
from oi_tui.settings import Settings

State = Literal["ok", "note", "broken"]
Row = tuple[str, State, str, str]  # about, state, what, hint
_PATIENCE = 30.0


async def findings(settings: Settings, off: bool = False) -> list[Row]:
    """What it holds, one row each. off: nobody has said whether there is to be one: it is tried all the same."""
    if off:
        settings.sandbox.mode = "auto"
        told = "off unless it is switched on: approved code has all your rights; this is what it would hold"
        return [("sandbox", "note", told, "--sandbox auto, or mode in [sandbox]"), *await findings(settings)]
    box = Sandboxing(settings, str(Path.cwd()), _no_outputs, lambda: settings.approval)
    if not box.needed:
        return [("sandbox", "note", "switched off: approved code has all your rights", "--sandbox auto switches it on")]
    cause = await asyncio.to_thread(box.unheld)
    if cause:
        return [("sandbox", "broken", f"none can start: {cause}", "--sandbox off runs code without one")]
    held = box.confinement()
    assert held is not None
    try:
        return await _tried(box, held)
    except (OSError, Unusable) as error:
        return [("sandbox", "broken", str(error), "--sandbox off runs code without one")]


def _no_outputs() -> Path:
    raise OSError("outside of a session there are no outputs")


async def _tried(box: Sandboxing, held: Confined) -> list[Row]:
    plan = held.enclosure()
    cell = Cell(plan, {"PATH": os.environ.get("PATH", os.defpath)})
    listening = socket.create_server(("127.0.0.1", 0))
    try:
        cell.env.update(held.started(cell))
        kind = found()[0] if not plan.kind else plan.kind
        rows: list[Row] = [("sandbox", "ok", f"{kind} starts; may change: {', '.join(plan.writable) or 'nothing'}", "")]
        outside = _outside(plan.writable)
        if outside:
            rows.append(await _row(cell, "writing outside", f"open({outside!r}, 'x')"))
            with contextlib.suppress(OSError):
                os.unlink(outside)  # noqa: PTH108
        rows.append(await _row(cell, "changing our settings", f"open({str(paths.config_file())!r}, 'a')"))
        secret = next((one for one in guarded.secrets() if os.access(one, os.R_OK)), "")
        if secret:
            look = "open(p).read(1) or 1 / 0" if os.path.isfile(secret) else "os.listdir(p)"  # noqa: ASYNC240, PTH113
            rows.append(await _row(cell, "reading secrets", f"p = {secret!r}; {look}"))
        port = listening.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        if box.network == "on":
            rows.append(("sandbox: network", "note", "code may reach the network: sandbox.network is on", ""))
        else:
            rows.append(await _row(cell, "connecting", connect))
        rows.append(await _row(cell, "ending this program", f"os.kill({os.getpid()}, 0)"))
        rows.append(
            await _row(cell, "making a namespace", "import ctypes; 1 / (1 + ctypes.CDLL(None).unshare(0x10000000))")
        )
        return rows
    finally:
        listening.close()
        held.ended(cell)
        cell.close()


async def _row(cell: Cell, about: str, code: str) -> Row:
    """Try something that must fail."""
    ended = asyncio.Event()
    empty = os.open(os.devnull, os.O_RDWR)
    try:
        argv = [sys.executable, "-I", "-c", f"import os\n{code}"]
        process = cell.spawn(argv, env={}, cwd="/", fds={0: empty, 1: empty, 2: empty})
    finally:
        os.close(empty)
    process.on_end = ended.set
    if process.returncode is None:
        await asyncio.wait_for(ended.wait(), _PATIENCE)
    stopped = process.returncode != 0
    return (f"sandbox: {about}", "ok" if stopped else "broken", "is stopped" if stopped else "is NOT stopped", "")


def _outside(writable: tuple[str, ...]) -> str:
    """A file that the person could make and the sandbox must not, "" where there is no such place."""
    for folder in (Path.home(), Path.cwd().parent, Path("/var/lib"), Path("/opt")):
        real = os.path.realpath(folder)
        if os.access(real, os.W_OK) and not any(guarded.below(real, one) for one in writable):
            return tempfile.mktemp(prefix=".oi-doctor-", dir=real)
    return ""
