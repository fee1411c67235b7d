"""Fixtures of the command tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.commands.hosting import Face, face


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Face]:
    monkeypatch.setenv("INTERPRETER_HOME", str(tmp_path / "home"))
    made = face(tmp_path)
    yield made
    await made.session.close()
