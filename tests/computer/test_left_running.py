"""What blocks leave running: found, named, watched, stopped; and nothing of it is a kernel's own."""

from __future__ import annotations

import os
import sys

import pytest

from oi_tui.computer.left_running import Left
from tests.computer.conftest import Bench, eventually, running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")


def commands(bench: Bench) -> list[str]:
    return [one.command for one in bench.computer.in_background()]


async def test_what_a_block_leaves_is_named_with_the_block(bench: Bench) -> None:
    assert (await bench.run("shell", "sleep 0.01; (exit 0) &")).result.note is None
    ran = await bench.run("shell", "sleep 981 & (sleep 982; true) & echo on")
    (first, second) = bench.computer.in_background()
    assert ran.text == "on\n" and ran.result.ok
    assert ran.result.note == f"still running in the background: sleep 981 ({first.id}), {second.command} ({second.id})"
    assert "sleep 982" in second.command and first.language == "shell"
    assert (await bench.run("shell", "true")).result.note is None  # said once


async def test_programs_that_python_starts_are_jobs_and_its_helpers_are_not(bench: Bench) -> None:
    code = "import subprocess, multiprocessing.resource_tracker as t\nt.ensure_running()\n"
    ran = await bench.run("python", code + "p = subprocess.Popen(['sleep', '983'])")
    assert commands(bench) == ["sleep 983"] and "sleep 983" in (ran.result.note or "")


async def test_one_that_has_left_its_session_is_found(bench: Bench) -> None:
    await bench.run("shell", "(setsid sleep 984 &)")
    assert "sleep 984" in commands(bench)


async def test_stopping_ends_it_with_all_that_it_started(bench: Bench) -> None:
    ended: list[Left] = []
    bench.computer.on_left_end = ended.append
    await bench.run("shell", "trap '' TERM; bash -c 'sleep 985 & sleep 985 & wait' & sleep 986 &")
    family, other = bench.computer.in_background()
    assert (await bench.computer.stop_background(family.id)) == family
    await eventually(lambda: not running("sleep 985"))
    assert commands(bench) == [other.command] == ["sleep 986"]
    assert await bench.computer.stop_background(family.id) is None
    assert await bench.computer.stop_background("nonsense") is None
    assert await bench.computer.stop_background(str(os.getpid())) is None
    assert ended == []
    await bench.run("shell", f"kill -9 {other.id}")
    await eventually(lambda: bool(ended))
    assert [one.command for one in ended] == ["sleep 986"]


async def test_what_python_prints_between_cells_is_handed_on(bench: Bench) -> None:
    late: list[tuple[str, int, str]] = []
    bench.computer.on_late = lambda *told: late.append(told)
    waits = "def f():\n    while not os.path.exists('go'): time.sleep(0.01)\n    print('late')\n"
    await bench.run("python", f"import threading, os, time\n{waits}threading.Thread(target=f, daemon=True).start()")
    await bench.run("shell", "touch go")
    await eventually(lambda: "".join(text for *_, text in late) == "late\n")  # it may come in two pieces
    assert {told[:2] for told in late} == {("python", 0)}
    assert (await bench.run("python", "print('next')")).text == "next\n"
