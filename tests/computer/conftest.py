"""A real computer in a folder of its own, and a short way to run a block and look at what it printed."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from oi_tui.computer.computer import Computer
from oi_tui.protocol import lmc
from oi_tui.protocol.calls import Result


@dataclass
class Ran:
    """One block that has ended."""

    result: Result
    chunks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one["content"] for one in self.chunks if one.get("format") == "output")

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.chunks if one["type"] == kind]

    @property
    def lines(self) -> list[int | None]:
        return [one["content"] for one in self.chunks if one.get("format") == "active_line"]


class Bench:
    """A computer under test."""

    def __init__(self, computer: Computer) -> None:
        self.computer = computer
        self.live: list[dict[str, Any]] = []

    async def run(self, language: str, code: str, **options: Any) -> Ran:
        self.live = chunks = []
        result = await asyncio.wait_for(self.computer.run(language, code, chunks.append, **options), 60)
        for chunk in chunks:
            lmc.check(chunk)
        return Ran(result, chunks)

    async def start(self, language: str, code: str, until: str = "") -> asyncio.Task[Ran]:
        """Run a block in the background, and come back when it has printed `until`."""
        task = asyncio.create_task(self.run(language, code))
        await asyncio.sleep(0)
        if until:
            await eventually(lambda: until in Ran(Result(ok=True), self.live).text or task.done())
        return task


async def eventually(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Poll until it holds; fail after that time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.01)


def running(words: str) -> list[int]:
    """Processes that live and have these words in their arguments."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            arguments = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (OSError, IndexError):
            continue
        if folder.name.isdigit() and words in arguments and not dead and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def parent_of(pid: int) -> int:
    """The parent of a process, 0 when that is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def descriptors() -> set[str]:
    """The open descriptors of this process, without the one that lists them."""
    return {one.name for one in Path("/proc/self/fd").iterdir() if one.exists()}


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """A computer in a folder of its own, with the Python that runs the tests."""
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "tmp").mkdir()
    computer = Computer(str(folder), python=sys.executable, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    yield Bench(computer)
    await computer.close()
    assert list((tmp_path / "tmp").iterdir()) == [], "temporary files were left behind"
