"""Reports on stopping: the loop ends, variables stay, nothing of the old block comes later, no grandchild survives."""

from __future__ import annotations

import asyncio
import signal

import pytest

from oi_tui.protocol.events import CallStarted, TurnEnded
from tests.mock_model import MockModel, code
from tests.user_reports.driver import output, results, run_exec, run_steps, sessions, start_exec, until
from tests.user_reports.in_process import Live

_ENDLESS = "n=0\nwhile True:\n  n+=1\n  if n==1000: print('begun', flush=True)"


def test_ur_008_sigint_ends_an_endless_loop() -> None:
    with MockModel([code("python", _ENDLESS)]) as mock:
        running = start_exec(mock, "count")
        running.wait_for("\nbegun", lambda: running.err)
        running.signal(signal.SIGINT)
        done = running.end(10)
        assert done.code == 130
        again = run_exec(mock, "go on", "--resume", sessions()[0].stem)
    (told,) = results(again.requests[0])
    assert "interrupted" in told


async def test_ur_008_variables_stay_after_an_interrupt() -> None:
    with MockModel([code("python", _ENDLESS), code("python", "print(n>0)")]) as mock:
        async with Live(mock) as live:
            live.session.submit("count")
            await live.printed("begun")
            live.session.interrupt()
            ended = await live.until(TurnEnded, seconds=3)
            assert ended.reason == "interrupted"
            assert (await live.turn("and now?")).reason == "done"
            first, second = live.results
            assert "interrupted" in first
            assert output(second) == "True\n"


@pytest.mark.parametrize(
    ("language", "slow", "new"),
    [
        ("python", "import time\nfor i in range(200): print('old', i, flush=True); time.sleep(0.05)", "print('new')"),
        ("shell", "for i in $(seq 200); do echo old $i; sleep 0.05; done", "echo new"),
    ],
)
async def test_ur_010_output_of_an_interrupted_block_stays_with_it(language: str, slow: str, new: str) -> None:
    with MockModel([code(language, slow), code(language, new)]) as mock:
        async with Live(mock) as live:
            live.session.submit("count")
            await live.printed("old")
            live.session.interrupt()
            await live.until(TurnEnded)
            await live.turn("and now?")
            assert output(live.results[1]).rstrip("\n") == "new"


_GRANDCHILD = "bash -c 'bash -c \"exec sleep 987\" & wait'"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_ur_012_grandchildren_end_with_the_run(number: signal.Signals, status: int) -> None:
    with MockModel([code("shell", f"echo begun; {_GRANDCHILD}")]) as mock:
        running = start_exec(mock, "wait")
        running.wait_for("\nbegun\n", lambda: running.err)
        until(lambda: any("sleep 987" in line for line in running.processes()), 10)
        running.signal(number)
        assert running.end(10).code == status  # checks that no process of the run is left


async def test_ur_012_grandchildren_end_with_the_cancel() -> None:
    with MockModel([code("shell", f"echo begun; {_GRANDCHILD}")]) as mock:
        async with Live(mock) as live:
            live.session.submit("wait")
            await live.until(CallStarted)
            await live.printed("begun")
            live.session.interrupt()
            await live.until(TurnEnded)
            await asyncio.to_thread(until, lambda: not any("sleep 987" in line for line in live.processes()), 3)


def test_ur_012_a_child_with_a_session_of_its_own_ends_too() -> None:
    with MockModel([code("shell", "setsid sleep 987 & echo begun; wait")]) as mock:
        running = start_exec(mock, "wait")
        running.wait_for("\nbegun\n", lambda: running.err)
        running.signal(signal.SIGTERM)
        running.end(10)


def test_ur_013_a_python_that_dies_is_told_and_replaced() -> None:
    done = run_steps(
        code("python", "import os; os._exit(7)"),
        code("python", "import ctypes; ctypes.string_at(0)"),
        code("python", 'print("back")'),
    )
    first, second, third = done.results
    assert "exit code 7" in first.lower() or "status 7" in first.lower(), first
    assert "lost" in first
    assert "SIGSEGV" in second or "signal 11" in second, second
    assert output(third) == "back\n"


def test_ur_031_output_comes_while_the_block_runs() -> None:
    """The second tick waits for a file that is made only after the first one was seen."""
    shell = "echo tick1; while [ ! -e go ]; do sleep 0.05; done; echo tick2"
    python = (
        "import os, time\nprint('tick3', flush=True)\nwhile not os.path.exists('go2'): time.sleep(0.05)\nprint('tick4')"
    )
    with MockModel([code("shell", shell), code("python", python)]) as mock:
        running = start_exec(mock, "tick")
        running.wait_for("\ntick1", lambda: running.err)
        assert "\ntick2" not in running.err
        (running.cwd / "go").touch()
        running.wait_for("\ntick3", lambda: running.err)
        assert "\ntick4" not in running.err
        (running.cwd / "go2").touch()
        assert running.end().code == 0
