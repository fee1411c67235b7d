"""A program that was started with nohup, or in the background of a script, ignores interrupts; its code must not."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from tests.computer.conftest import Bench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of a POSIX system")


@pytest.fixture(autouse=True)
def deaf() -> Iterator[None]:
    before = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import time; print('go', flush=True); time.sleep(60)"),
        ("shell", "echo go; sleep 60"),
        ("sh", "echo go; while true; do sleep 0.05; done"),
        ("javascript", "console.log('go'); await new Promise(done => setTimeout(done, 60000))"),
    ],
)
async def test_code_hears_an_interrupt(bench: Bench, language: str, code: str) -> None:
    if bench.computer.why_not(language):
        pytest.skip(f"no {language} here")
    task = await bench.start(language, code, until="go")
    await bench.computer.interrupt()
    assert (await task).result.interrupted
    ran = await bench.run("shell", "trap")
    assert ran.result.ok
