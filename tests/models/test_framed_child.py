"""A process that a model lives in: what it says faster than it is taken waits there, not here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

import pytest

from oi_tui.models import frames
from oi_tui.models.framed_child import FramedChild
from tests.conftest import ROOT
from tests.models.flooding import FRAMES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes of a POSIX system")


async def test_no_more_is_read_than_can_be_taken_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    receive = frames.receive

    async def counted(source: asyncio.StreamReader) -> frames.Frame | None:
        nonlocal read
        read += 1
        return await receive(source)

    monkeypatch.setattr(frames, "receive", counted)
    child = FramedChild(await FramedChild.spawn("tests.models.flooding", {**os.environ, "PYTHONPATH": str(ROOT)}))
    try:
        async with contextlib.aclosing(child.ask({"op": "ask"})) as answer:
            assert (await anext(answer))["number"] == 0
            before = -1
            while before != read:  # until it reads no further
                before = read
                await asyncio.sleep(0.1)
            assert read < 1000
            numbers = [frame["number"] async for frame in answer if frame["event"] == "chunk"]
        assert numbers == list(range(1, FRAMES))
        async with contextlib.aclosing(child.ask({"op": "ask"})) as answer:
            assert (await anext(answer))["number"] == 0  # given up in the middle
        async with contextlib.aclosing(child.ask({"op": "ask"})) as answer:
            assert (await anext(answer))["number"] == 0
    finally:
        await child.close()
