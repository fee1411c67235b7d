"""A workspace on the real disk and a context for one call in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from oi_tui.protocol.events import Event
from oi_tui.tools import Context


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
async def computer(work: Path) -> AsyncIterator[Computer]:
    made = Computer(str(work))
    yield made
    await made.close()


@pytest.fixture
def ctx(work: Path, tmp_path: Path, events: list[Event], computer: Computer) -> Context:
    return Context(str(work), "c1", events.append, computer, tmp_path / "outputs")
