"""Run a downloader as a child process: bytes on disk are its progress, standing still for too long is its failure."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from oi_tui.models.framed_child import end

STALL = 120.0  # seconds without a new byte after which a download is given up
_POLL = 0.2
_LAST_WORDS = 4000


def bytes_below(folder: Path) -> int:
    """Sum of the sizes of all files below `folder`; files that vanish meanwhile count as nothing."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total


async def run(
    command: Sequence[str],
    folder: Path,
    environment: dict[str, str],
    on_bytes: Callable[[int], None],
    stall: float = STALL,
) -> tuple[int, str]:
    """Run `command` in `folder`, where all its temporary files go too. Returns exit code and last words, tidied.

    on_bytes: called with the bytes that lie below `folder`, a few times a second. After `stall` seconds without growth
    the child is ended and the exit code is -1. A cancelled call ends the child, too. Raises OSError if it cannot start.
    """
    child = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env={**environment, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    said = asyncio.ensure_future(_last_words(child))
    try:
        moving = await _watch(child, said, folder, on_bytes, stall)
    finally:
        end(child)
        await child.wait()
        said.cancel()
    text = said.result() if said.done() and not said.cancelled() else ""
    return (child.returncode or 0, text) if moving else (-1, f"nothing arrived for {stall:.0f} seconds")


async def _watch(
    child: asyncio.subprocess.Process,
    said: asyncio.Future[str],
    folder: Path,
    on_bytes: Callable[[int], None],
    stall: float,
) -> bool:
    clock = asyncio.get_running_loop().time
    seen, since = -1, clock()
    while True:
        done, _ = await asyncio.wait([said], timeout=_POLL)
        now = bytes_below(folder)
        if now != seen:
            seen, since = now, clock()
            on_bytes(now)
        if done:
            await child.wait()
            return True
        if clock() - since > stall:
            return False


async def _last_words(child: asyncio.subprocess.Process) -> str:
    kept = b""
    assert child.stdout is not None
    while piece := await child.stdout.read(4096):
        kept = (kept + piece)[-_LAST_WORDS:]
    return tidy(kept.decode("utf-8", "replace"))


def tidy(text: str) -> str:
    """The last line of `text` that says what failed, without addresses: they may hold a person's password."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    failing = [line for line in lines if "error" in line.lower()] or lines
    return re.sub(r"\w+://\S+", "(address)", failing[-1].removeprefix("ERROR: "))[:300] if failing else ""
