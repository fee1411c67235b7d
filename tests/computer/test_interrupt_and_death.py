"""Interrupts, swallowed interrupts, kernels that die, cancelled tasks, and what must be gone afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.computer.conftest import Bench, eventually, parent_of, running

SHELL_LOOPS = [
    "echo go; while :; do :; done; echo never",
    "echo go; while true; do sleep 0.02; done; echo never",
    "echo go; (while true; do sleep 0.02; done); echo never",
    "echo go; sleep 60 | cat; echo never",
    "echo go; x=$(sleep 60); echo never",
    "echo go; sleep 60 & wait; echo never",
    "echo go; sh -c 'trap \"\" INT; while :; do sleep 1; done'; echo never",
    "echo go; f() { sleep 60; echo never; f; }; f",
]


@pytest.mark.parametrize("code", SHELL_LOOPS)
async def test_a_shell_block_stops_and_the_shell_lives_on(bench: Bench, code: str) -> None:
    await bench.run("shell", "KEPT=yes")
    task = await bench.start("shell", code, until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and not ran.result.ok and "never" not in ran.text
    assert (await bench.run("shell", 'echo "$KEPT"')).text == "yes\n"


async def test_a_python_loop_stops_and_variables_stay(bench: Bench) -> None:
    """UR-008."""
    task = await bench.start("python", "n = 0\nwhile True:\n    n += 1\n    if n == 999: print('go')", until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.text.rstrip().endswith("KeyboardInterrupt") and ran.result.note is None
    assert (await bench.run("python", "n > 0")).text == "True\n"


async def test_an_interrupted_await_stops(bench: Bench) -> None:
    code = "import asyncio\ntry:\n    print('go')\n    await asyncio.sleep(60)\nfinally:\n    print('cleaned')"
    task = await bench.start("python", code, until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "cleaned" in ran.text and "asyncio/" not in ran.text


@pytest.mark.parametrize(
    ("language", "code", "next_code"),
    [
        ("python", "import time\nfor i in range(2000): print('old', i, flush=True); time.sleep(0.01)", "print('new')"),
        ("shell", "for i in $(seq 2000); do echo old $i; sleep 0.01; done", "echo new"),
    ],
)
async def test_nothing_of_an_interrupted_block_is_in_the_next(
    bench: Bench, language: str, code: str, next_code: str
) -> None:
    """UR-010."""
    task = await bench.start(language, code, until="old 5")
    await bench.computer.interrupt()
    assert (await task).result.interrupted
    assert (await bench.run(language, next_code)).text == "new\n"


async def test_a_swallowed_interrupt_kills_at_the_second_request(bench: Bench) -> None:
    code = """
import time
print('go')
while True:
    try:
        time.sleep(60)
    except BaseException:
        print('no')
"""
    task = await bench.start("python", code, until="go")
    await bench.computer.interrupt()
    await eventually(lambda: any("no" in str(one["content"]) for one in bench.live))
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.result.note and "was killed" in ran.result.note
    assert (await bench.run("python", "1")).text == "1\n"


async def test_a_shell_that_ignores_everything_is_killed(bench: Bench) -> None:
    task = await bench.start("shell", "trap '' INT TERM URG HUP; echo go; while :; do :; done", until="go")
    await bench.computer.interrupt()
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.result.note and "was killed" in ran.result.note


@pytest.mark.parametrize("language", ["shell", "python"])
async def test_grandchildren_go_with_the_block(bench: Bench, language: str) -> None:
    """UR-012, with one that left the group and the session."""
    mark = f"sleep 98{os.getpid()}"
    command = f"bash -c 'bash -c \"exec {mark}\" & setsid {mark}1 & wait'"
    code = f"echo go; {command}" if language == "shell" else f"import os\nprint('go')\nos.system({command!r})"
    task = await bench.start(language, code, until="go")
    await eventually(lambda: len(running(mark)) >= 2)
    await bench.computer.interrupt()
    await task
    await eventually(lambda: not running(mark), 3)


async def test_a_server_of_an_earlier_block_survives_an_interrupt(bench: Bench) -> None:
    mark = f"sleep 95{os.getpid()}"
    await bench.run("python", f"import subprocess, time\np = subprocess.Popen('exec {mark}', shell=True)")
    await bench.run("shell", f"{mark} &")
    await asyncio.sleep(0.03)  # start times are counted in hundredths of a second
    for language, code in (("python", "print('go')\nwhile True: pass"), ("shell", "echo go; sleep 60")):
        task = await bench.start(language, code, until="go")
        await bench.computer.interrupt()
        assert (await task).result.interrupted
    assert len(running(mark)) == 2


JOBS = {
    "shell": "while [ ! -e stop ]; do sleep 0.{mark} || echo killed >>hurt; echo on >>count; done & true",
    "a session of its own": "setsid sh -c 'while [ ! -e stop ]; do sleep 0.{mark} || echo killed >>hurt; echo on "
    ">>count; done' &",
    "orphans": 'setsid sh -c \'while [ ! -e stop ]; do (sh -c "sleep 0.{mark} || echo killed >>hurt; echo on >>count" '
    "&); sleep 0.01; done' &",
}


@pytest.mark.parametrize("job", JOBS)
async def test_what_an_earlier_job_starts_survives_an_interrupt(bench: Bench, job: str) -> None:
    """The program that a job has just started is younger than the block and still none of its business."""
    folder = Path(bench.computer.cwd)
    await bench.run("shell", JOBS[job].format(mark=f"05{os.getpid()}"))
    for language, code in (("python", "print('go')\nwhile True: pass"), ("shell", "echo go; sleep 60")) * 3:
        task = await bench.start(language, code, until="go")
        (folder / "count").write_text("")
        await eventually(lambda: (folder / "count").read_text().count("on") > 1)
        await bench.computer.interrupt()
        assert (await task).result.interrupted
    (folder / "stop").touch()
    await eventually(lambda: not running(f"sleep 0.05{os.getpid()}"))
    assert not (folder / "hurt").exists()


async def test_a_pool_of_an_earlier_block_survives_and_a_new_one_does_not(bench: Bench) -> None:
    mark = f"94{os.getpid()}"
    code = "import multiprocessing, os, tempfile\ntempfile.tempdir = os.getcwd()\n"
    code += "context = multiprocessing.get_context('forkserver')\n"
    await bench.run("python", f"{code}old = context.Process(target=os.system, args=('sleep {mark}1',))\nold.start()")
    await eventually(lambda: bool(running(f"sleep {mark}1")))
    new = f"new = context.Process(target=os.system, args=('sleep {mark}2',))\nnew.start()\nprint('go')\nnew.join()"
    task = await bench.start("python", new, until="go")
    await eventually(lambda: bool(running(f"sleep {mark}2")))
    await bench.computer.interrupt()
    assert (await task).result.interrupted
    await eventually(lambda: not running(f"sleep {mark}2"))
    assert running(f"sleep {mark}1")


async def test_an_interrupt_that_python_ignores_is_sent_again(bench: Bench) -> None:
    """C's system() ignores SIGINT while its command runs, and the command may ignore it as well."""
    command = "trap '' INT; echo go; while :; do sleep 1; done"
    task = await bench.start(
        "python", f"import os, time\nos.system({command!r})\ntime.sleep(60)\nprint('never')", until="go"
    )
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "never" not in ran.text and ran.result.note is None


async def test_close_ends_background_work_of_every_kind(bench: Bench) -> None:
    mark = f"sleep 97{os.getpid()}"
    await bench.run(
        "shell", f"{mark} & setsid {mark} & nohup {mark} >/dev/null 2>&1 & (setsid sh -c '{mark} & wait' &)"
    )
    await bench.run("python", f"import subprocess\np = subprocess.Popen('{mark}', shell=True, start_new_session=True)")
    await eventually(lambda: len(running(mark)) >= 5)
    await bench.computer.close()
    assert running(mark) == []


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        ("import os; os._exit(7)", 7, "exit code 7"),
        ("import ctypes; ctypes.string_at(0)", 139, "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137, "SIGKILL"),
    ],
)
async def test_a_kernel_that_dies_is_noticed(bench: Bench, code: str, status: int, words: str) -> None:
    """UR-013."""
    await bench.run("python", "x = 1")
    ran = await bench.run("python", f"print('before')\n{code}")
    assert ran.text.startswith("before\n") and not ran.result.ok and ran.result.exit_code == status
    assert ran.result.note and words in ran.result.note and "lost" in ran.result.note
    back = await bench.run("python", "print('back', 'x' in globals())")
    assert back.text == "back False\n" and back.result.note is None


async def test_a_kernel_that_dies_between_blocks_is_told_of(bench: Bench) -> None:
    pid = int((await bench.run("python", "import os; print(os.getpid())")).text)
    os.kill(pid, signal.SIGKILL)
    await eventually(lambda: not running(f"{sys.executable} -X frozen") or pid not in running("python_child"))
    ran = await bench.run("python", "2")
    assert ran.text == "2\n" and ran.result.note and "SIGKILL" in ran.result.note


async def test_a_forked_copy_stays_off_the_pipes(bench: Bench) -> None:
    code = "import os\npid = os.fork()\nif pid: _ = os.waitpid(pid, 0)\nprint('parent' if pid else 'child')"
    ran = await bench.run("python", code)
    assert ran.text == "child\nparent\n"
    assert (await bench.run("python", "1")).text == "1\n"


async def test_pools_of_processes_work(bench: Bench) -> None:
    code = """
    import multiprocessing
    def square(x): return x * x
    with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, range(4)))
    """
    assert (await bench.run("python", textwrap.dedent(code))).text == "[0, 1, 4, 9]\n"


@pytest.mark.parametrize(
    ("language", "code"), [("python", "print('go')\nwhile True: pass"), ("shell", "echo go; sleep 60")]
)
async def test_a_cancelled_task_stops_its_block(bench: Bench, language: str, code: str) -> None:
    await bench.run(language, "x=1")
    task = await bench.start(language, code, until="go")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ran = await bench.run(language, "print(x)" if language == "python" else "echo $x")
    assert ran.text == "1\n" and ran.result.ok


async def test_a_time_limit_ends_the_block(bench: Bench) -> None:
    await bench.run("shell", "x=1")
    ran = await bench.run("shell", "sleep 60", timeout_s=0.2)
    assert ran.result.timed_out and ran.result.timeout_s == 0.2 and not ran.result.ok
    assert (await bench.run("shell", "echo $x", timeout_s=30)).text == "1\n"


async def test_interrupting_nothing_does_nothing(bench: Bench) -> None:
    await bench.computer.interrupt()
    await bench.run("python", "x = 1")
    await bench.computer.interrupt()
    assert (await bench.run("python", "x")).text == "1\n"


PROGRAM = """
import asyncio, sys
from oi_tui.computer.computer import Computer

async def main():
    computer = Computer(sys.argv[1])
    await computer.run("shell", sys.argv[2], lambda _: None)
    await computer.run("python", "1", lambda _: None)
    print("started", flush=True)
    await computer.run("python", "while True: pass", lambda _: None)

asyncio.run(main())
"""


def start_program(folder: Path, shell_code: str) -> subprocess.Popen[bytes]:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), shell_code],
        env={**os.environ, "TMPDIR": str(folder / "tmp")}, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None and program.stdout.readline() == b"started\n"
    program.stdout.close()
    return program


async def test_everything_goes_when_the_program_is_killed(tmp_path: Path) -> None:
    mark = f"sleep 96{os.getpid()}"
    (tmp_path / "tmp").mkdir()
    program = start_program(tmp_path, f"{mark} & setsid {mark} & true")
    await eventually(lambda: len(running(mark)) >= 2)
    kernels = [pid for pid in running("python_child") if parent_of(pid) == program.pid]
    assert len(kernels) == 1
    program.kill()
    program.wait()
    await eventually(lambda: not running(mark) and kernels[0] not in running("python_child"), 5)
    await eventually(lambda: not list((tmp_path / "tmp").iterdir()), 5)


@pytest.mark.parametrize(("language", "code"), [("python", "while True: pass"), ("shell", "while :; do :; done")])
async def test_an_interrupt_while_the_kernel_starts_calls_the_block_off(bench: Bench, language: str, code: str) -> None:
    task = asyncio.ensure_future(bench.run(language, code))
    while bench.computer._current is None:  # noqa: ASYNC110
        await asyncio.sleep(0)
    await bench.computer.interrupt()
    ran = await asyncio.wait_for(task, 20)
    assert ran.result.interrupted and not ran.result.ok and ran.text == ""
    assert (await bench.run(language, "print(1)" if language == "python" else "echo 1")).text == "1\n"


async def test_an_import_that_was_interrupted_works_the_next_time(bench: Bench) -> None:
    folder = Path(bench.computer.cwd) / "slowly"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import first\nprint('go')\nwhile not first.done: pass\nX = first.X\n")
    (folder / "first.py").write_text("import os\ndone = os.path.exists('done')\nX = 41\n")
    task = await bench.start("python", "import slowly", until="go")
    await bench.computer.interrupt()
    assert (await task).result.interrupted
    (Path(bench.computer.cwd) / "done").touch()
    assert (await bench.run("python", "import slowly; print(slowly.first.X)")).text == "go\n41\n"


async def test_a_name_that_a_module_lacks_is_no_missing_module(bench: Bench) -> None:
    ran = await bench.run("python", "from json import nothing_like_it")
    assert "ImportError" in ran.result.meta["error"] and "missing" not in ran.result.meta


LEAVES = {
    "python": "import os; os.spawnlp(os.P_NOWAIT, 'setsid', 'setsid', 'sleep', '{mark}')",
    "shell": "{{ setsid sleep {mark} & }}; (sleep {mark} &); sleep {mark} &",
    "javascript": "require('child_process').spawn('sleep', ['{mark}'], {{ stdio: 'ignore', detached: true }}).unref()",
    "ruby": "Process.detach(spawn('sleep {mark}', pgroup: true)); nil",
    "r": "system('setsid sleep {mark}', wait = FALSE)",
    "sql": "create temp table t(a)",
}
EVERY = """
import asyncio, json, sys
from oi_tui.computer.computer import Computer

async def main():
    computer = Computer(sys.argv[1])
    for language, code in json.loads(sys.argv[2]).items():
        if not computer.why_not(language):
            result = await computer.run(language, code, lambda _: None)
            assert result.ok, (language, result)
    print("started", flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


async def test_every_language_goes_with_a_killed_program(tmp_path: Path) -> None:
    """UR-012: kernels, and what each left running in a session of its own."""
    number = f"93{os.getpid()}"
    (tmp_path / "tmp").mkdir()
    codes = json.dumps({name: code.format(mark=number) for name, code in LEAVES.items()})
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", EVERY, str(tmp_path), codes,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None
    assert await program.stdout.readline() == b"started\n"
    kernels = [one for one in running("") if parent_of(one) == program.pid]
    assert len(kernels) >= 4 and len(running(f"sleep {number}")) >= 4
    program.kill()
    await program.wait()
    await eventually(lambda: not running(f"sleep {number}") and not set(kernels) & set(running("")), 20)
    await eventually(lambda: not list((tmp_path / "tmp").iterdir()))


async def test_a_jupyter_kernel_goes_with_a_killed_program(tmp_path: Path) -> None:
    """One that has a parent of its own and so does not notice, and that nothing else was started beside."""
    pytest.importorskip("ipykernel")
    (tmp_path / "share" / "kernels" / "clingy").mkdir(parents=True)
    argv = ["sh", "-c", f'"{sys.executable}" -m ipykernel_launcher -f "$0"; true', "{connection_file}"]
    spec = {"argv": argv, "display_name": "clingy", "language": "clingy"}
    (tmp_path / "share" / "kernels" / "clingy" / "kernel.json").write_text(json.dumps(spec))
    (tmp_path / "tmp").mkdir()
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", EVERY, str(tmp_path), json.dumps({"clingy": "1"}), stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "JUPYTER_PATH": str(tmp_path / "share")},
    )  # fmt: skip
    assert program.stdout is not None and await program.stdout.readline() == b"started\n"
    (shell,) = [one for one in running("ipykernel_launcher") if parent_of(one) == program.pid]
    (kernel,) = [one for one in running("ipykernel_launcher") if parent_of(one) == shell]
    program.kill()
    await program.wait()
    await eventually(lambda: not {shell, kernel} & set(running("ipykernel_launcher")))


async def test_what_hides_its_environment_and_its_parents_goes_too(bench: Bench) -> None:
    mark = f"sleep 92{os.getpid()}"
    await bench.run("shell", f"(env -i setsid {mark} &)")
    await eventually(lambda: bool(running(mark)))
    table = bench.computer._table
    assert table is not None
    if not table.cage.holds_processes:
        for pid in running(mark):
            os.kill(pid, signal.SIGKILL)
        pytest.skip("this user may not make control groups")
    await bench.computer.close()
    await eventually(lambda: not running(mark))
