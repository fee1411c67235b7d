"""Five hundred blocks of every kind in one computer, beside a model of what the state has to be.

The computer may lose state only where it says so, and a block's output is its own. In the end no process, descriptor,
thread or temporary file is left. `OI_TEST_SEED` chooses another run, `OI_TEST_SOAK` another length.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import threading
from pathlib import Path

import pytest

from tests.computer.conftest import Bench, Ran, descriptors, eventually, parent_of, running
from tests.computer.soak_blocks import TONGUES, Kind

PATIENCE = 20.0  # seconds that an obedient block gets to obey, on a machine that does much else
KEEPS_NOTHING = frozenset({"java"})


def words(pid: int) -> str:
    """The arguments of a process, for a failure."""
    try:
        return f"{pid} {Path(f'/proc/{pid}/cmdline').read_bytes().replace(bytes(1), b' ').decode(errors='replace')}"
    except OSError:
        return str(pid)


class Soak:
    """One run: the computer, and what is expected of it."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.bench, self.rng = bench, random.Random(seed)
        self.mark = f"7{os.getpid()}"
        self.kept: dict[str, str] = {}  # language -> what its kernel keeps
        self.here = [name for name in TONGUES if not bench.computer.why_not(name)]
        self.number = 0
        self.story: list[str] = []  # what was run, for a failure

    async def block(self) -> None:
        """Run the next one and look at what came of it."""
        self.number += 1
        language = self.rng.choices(self.here, [TONGUES[name].weight for name in self.here])[0]
        tongue = TONGUES[language]
        dice = self.rng.random()
        if dice < 0.12:
            ran = await self.through(language, Kind(tongue.keep))
            if ran.result.ok and language not in KEEPS_NOTHING:
                self.kept[language] = str(self.number)
        elif dice < 0.24:
            await self.ask(language)
        else:
            kind = self.rng.choice(tongue.kinds)
            hurried = kind.effect in ("none", "dies") and self.rng.random() < 0.15
            ran = await self.through(language, kind, hurried=hurried)
            self.judge(language, kind, ran, hurried)

    async def ask(self, language: str) -> None:
        """What the kernel keeps is what was put there, or nothing where that was said to be lost."""
        ran = await self.through(language, Kind(TONGUES[language].ask))
        expected = self.kept.get(language, "none")
        known = ("no such table" in ran.text) if (language, expected) == ("sql", "none") else False
        assert known or f"kept {expected}." in ran.text, self.told(ran, f"expected {expected}")

    async def through(self, language: str, kind: Kind, *, hurried: bool = False) -> Ran:
        code = kind.code.replace("{n}", str(self.number)).replace("{mark}", self.mark)
        self.story.append(f"{self.number} {language} {kind.effect}{' hurried' if hurried else ''}: {code}")
        task = asyncio.create_task(self.bench.run(language, code))
        if hurried or kind.effect in ("endless", "stubborn"):
            while self.bench.computer._current is None and not task.done():  # noqa: ASYNC110
                await asyncio.sleep(0)
            await asyncio.sleep(self.rng.random() * 0.1)
            await self.bench.computer.interrupt()
            if kind.effect == "stubborn":
                await asyncio.wait({task}, timeout=self.rng.random() * 0.3)
                while not task.done():
                    await self.bench.computer.interrupt()
                    await asyncio.wait({task}, timeout=1)
            await asyncio.wait({task}, timeout=PATIENCE)
            assert task.done(), self.told(None, "it did not stop")
        try:
            ran = await task
        except TimeoutError:
            raise AssertionError(self.told(None, "it hangs")) from None
        if "lost" in (ran.result.note or ""):
            self.kept.pop(language, None)
        others = {int(one) for one in re.findall(r"tag (\d+)\.", ran.text)} - {self.number}
        assert not others, self.told(ran, f"output of {others}")
        return ran

    def judge(self, language: str, kind: Kind, ran: Ran, hurried: bool) -> None:
        result, note = ran.result, ran.result.note or ""
        if hurried:  # it may have been over before the interrupt came
            return
        if kind.effect == "dies":
            assert "lost" in note and not result.interrupted, self.told(ran, "its end was not told")
        elif kind.effect in ("none", "background"):
            assert not result.interrupted, self.told(ran, "it was not interrupted")
            assert "lost" not in note or "between blocks" in note, self.told(ran, "nothing should have been lost")
        else:
            assert result.interrupted and not result.ok, self.told(ran, "it was interrupted")
        if kind.effect == "endless":
            assert "did not stop" not in note, self.told(ran, "it was killed, and would have obeyed")
        if kind.prints:
            expected = kind.prints.replace("{n}", str(self.number))
            assert expected in ran.text, self.told(ran, f"{expected!r} is not there")

    def told(self, ran: Ran | None, what: str) -> str:
        told = f"{ran.result}\n{ran.text[-600:]!r}" if ran is not None else ""
        return "\n".join([what, *self.story[-6:], told])


@pytest.mark.timeout(400)  # a minute where nothing else runs
async def test_five_hundred_random_blocks(bench: Bench) -> None:
    seed = int(os.environ.get("OI_TEST_SEED", "20"))
    print("seed", seed)
    soak = Soak(bench, seed)
    for language in soak.here:
        await bench.run(language, TONGUES[language].ask)
    before = len(descriptors())
    threads = threading.active_count()
    for _ in range(int(os.environ.get("OI_TEST_SOAK", "500"))):
        await soak.block()
    for language in soak.here:  # what still stands between the last block and a quiet kernel
        await soak.ask(language)
    assert threading.active_count() <= threads, "threads are left"
    table = bench.computer._table
    assert table is not None
    sleeps = running(f"sleep {soak.mark}")
    meant = {*sleeps, *map(parent_of, sleeps)}  # a background job, and the subshell that waits for it
    assert not [words(pid) for pid in table.members() if pid not in meant], "processes are left"
    # What goes on in the background is watched, with a descriptor each, and so is the terminal of its block.
    assert len(descriptors()) <= before + 2 * len(meant), "descriptors are left"
    await bench.computer.close()
    await eventually(lambda: not running(f"sleep {soak.mark}") and not table.members())
