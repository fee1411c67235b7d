"""Runs programs in the real sandbox, as sessions do, for the tests of this folder."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from oi_tui.computer.cell import Cell
from oi_tui.safety.sandbox import plan
from oi_tui.safety.sandbox.place import Place, Unusable


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program in the sandbox said, with its errors, and how it ended."""

    status: int
    text: str


def starts(kind: str) -> bool:
    """Whether this kind of sandbox starts here."""
    try:
        return plan.found(kind)[0] == kind
    except Unusable:
        return False


needs_bubblewrap = pytest.mark.skipif(not starts("bubblewrap"), reason="bubblewrap does not start here")
needs_landlock = pytest.mark.skipif(not starts("landlock"), reason="this kernel has no Landlock")


@contextmanager
def cell_of(place: Place, kind: str = "bubblewrap", environ: Mapping[str, str] | None = None) -> Iterator[Cell]:
    """A cell, ended in the end. Only in a running loop."""
    made = Cell(plan.plan_for(place, environ, kind), {"PATH": os.environ["PATH"]})
    try:
        yield made
    finally:
        made.close()


async def run_in(cell: Cell, *argv: str, cwd: str = "/", env: Mapping[str, str] | None = None) -> Ran:
    """Run a program in a cell to its end."""
    reading, writing = os.pipe()
    empty = os.open(os.devnull, os.O_RDONLY)
    try:
        process = cell.spawn(argv, env={**os.environ, **(env or {})}, cwd=cwd, fds={0: empty, 1: writing, 2: writing})
    finally:
        os.close(writing)
        os.close(empty)

    def read() -> str:
        with os.fdopen(reading, "rb") as file:
            return file.read().decode("utf-8", "replace")

    text = await asyncio.wait_for(asyncio.to_thread(read), 60)
    for _ in range(6000):
        if process.returncode is not None:
            break
        await asyncio.sleep(0.01)
    assert process.returncode is not None
    return Ran(process.returncode, text)


async def caged(code: str, place: Place, kind: str = "bubblewrap", environ: Mapping[str, str] | None = None) -> Ran:
    """Run a piece of Python in a sandbox of its own, in the workspace."""
    with cell_of(place, kind, environ) as cell:
        return await run_in(cell, sys.executable, "-c", code, cwd=place.workspace)


def workspace(home: Path) -> str:
    """A folder to work in, below the home folder as a person has it."""
    folder = home / "work"
    folder.mkdir(exist_ok=True)
    return str(folder)
