"""What code may take of the machine: memory, processes, file size, open files, time; and that the session goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from oi_tui.computer.limits import Cage, Limits, _parents
from tests.computer.conftest import Bench, eventually

MB = 1 << 20
SMALL = Limits(memory=512 * MB, processes=60, file_size=4 * MB, open_files=256, seconds=20)


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Bench]:
    computer = Computer(str(tmp_path), python=sys.executable, limits=SMALL)
    yield Bench(computer)
    await computer.close()
    assert computer._table is not None and computer._table.cage.close()


BOMBS = [
    ("shell", 'f() { setsid bash -c "$(declare -f f); f" & setsid bash -c "$(declare -f f); f" & wait; }; f'),
    ("shell", ":(){ :|:& };:; sleep 1"),
    ("shell", "f() { f & f; }; f"),
    ("python", "import os, time\ntry:\n    while True: os.fork()\nexcept OSError: time.sleep(1)"),
]


ENDLESS = "import os\nwhile True:\n    try:\n        os.fork() or os.setsid()\n    except OSError: pass"
_WATCHED = pytest.mark.skipif(
    not os.environ.get("OI_TEST_BOMBS"),
    reason="held by watching alone, a bomb can outrun a busy machine; set OI_TEST_BOMBS to run it",
)


@pytest.mark.parametrize("by", ["control group", pytest.param("watched", marks=_WATCHED)])
@pytest.mark.parametrize(("language", "code"), BOMBS)
async def test_a_fork_bomb_ends(
    small: Bench, monkeypatch: pytest.MonkeyPatch, language: str, code: str, by: str
) -> None:
    if by == "watched":
        monkeypatch.setattr("oi_tui.computer.limits._parents", lambda: iter(()))
    await small.run("python", "x = 1")
    table = small.computer._table
    assert table is not None
    if by.removesuffix("ed") not in table.cage.means():
        pytest.skip("this user may not make control groups")
    ran = await small.run(language, code)
    assert ran.result.note and "60 processes" in ran.result.note and table.cage.means() in ran.result.note
    await eventually(lambda: len(table.members()) < 10)
    again = await small.run("python", "print('x' in globals())")
    # Where nothing holds the bomb, its whole group goes, and Python with it if it was Python's.
    assert again.text == ("False\n" if (language, by) == ("python", "watched") else "True\n")


async def test_a_block_that_goes_on_multiplying_is_killed_itself(small: Bench) -> None:
    await small.run("python", "x = 1")
    table = small.computer._table
    assert table is not None
    if not table.cage.holds_processes:
        pytest.skip("this user may not make control groups")
    ran = await small.run("python", ENDLESS)
    assert "60 processes" in (ran.result.note or "") and "the block was killed" in (ran.result.note or "")
    pids = table.cage._pids
    assert pids is not None
    await eventually(lambda: int((pids / "pids.current").read_text()) < 10)  # the dead count until they are waited for
    assert (await small.run("python", "import os; os.fork() or os._exit(0); 2")).text == "2\n"


@pytest.mark.parametrize("groups", [True, False])
def test_the_limits_that_are_in_force_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: bool) -> None:
    monkeypatch.setattr("oi_tui.computer.limits._parents", lambda: iter([(tmp_path, {"pids"})] if groups else []))
    monkeypatch.setattr("oi_tui.computer.limits.may_run_ahead", lambda: False)
    told = Cage(Limits(memory=3 << 30, processes=1024, file_size=2 << 30, open_files=256)).told()
    assert told.startswith("3.0 GB of memory, ") and "files up to 2 GB, 256 open files" in told
    if groups:
        assert "1,024 processes (held by a control group)" in told and "--pids-limit" not in told
    else:
        assert "400 processes of a block (held by watching" in told and ("--pids-limit" in told) == (os.getuid() == 0)
    assert Cage(Limits()).told() == ""


async def test_too_much_memory_is_an_error_of_the_program(bench: Bench) -> None:
    """64 GB, with the limits that hold by default."""
    if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") > 70 << 30:
        pytest.skip("this machine has that much")
    ran = await bench.run("python", "x = 1\nb = bytearray(64 << 30)")
    assert not ran.result.ok and "MemoryError" in ran.text
    assert (await bench.run("python", "x")).text == "1\n"


async def test_memory_of_many_small_pieces(small: Bench) -> None:
    ran = await small.run("python", "a = []\nwhile True: a.append(bytearray(1 << 20))")
    assert not ran.result.ok
    assert "MemoryError" in ran.text or "out of memory" in (ran.result.note or "")
    assert (await small.run("python", "1")).text == "1\n"


async def test_a_file_cannot_fill_the_disk(small: Bench) -> None:
    ran = await small.run("python", "f = open('big', 'wb')\nwhile True: f.write(bytes(1 << 20))")
    assert not ran.result.ok and "File too large" in ran.text
    ran = await small.run("shell", "head -c 10G /dev/zero > big2; echo $?")
    assert ran.text.strip().splitlines()[-1] != "0"
    sizes = [(Path(small.computer.cwd) / name).stat().st_size for name in ("big", "big2")]
    assert all(size <= 4 * MB for size in sizes)


async def test_open_files_are_bounded(small: Bench) -> None:
    ran = await small.run("python", "a = []\nwhile True: a.append(open('/dev/null'))")
    assert not ran.result.ok and "Too many open files" in ran.text
    assert (await small.run("python", "del a; 1")).text == "1\n"


async def test_the_time_of_a_block_is_bounded(tmp_path: Path) -> None:
    bench = Bench(Computer(str(tmp_path), python=sys.executable, limits=Limits(seconds=0.3)))
    ran = await bench.run("python", "while True: pass")
    assert ran.result.timed_out and ran.result.timeout_s == 0.3
    await bench.computer.close()


async def test_endless_output_keeps_the_session_going(bench: Bench) -> None:
    seen = 0

    def count(chunk: dict[str, object]) -> None:
        nonlocal seen
        seen += len(str(chunk.get("content")))

    result = await bench.computer.run("shell", "yes", count, timeout_s=1.0)
    assert result.timed_out and seen > 100_000
    assert (await bench.run("shell", "echo on")).text == "on\n"


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (
            "python",
            "from concurrent.futures import *\np = ThreadPoolExecutor(64)\nprint(len([*p.map(str, range(999))]))",
        ),
        ("javascript", "await WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0])); console.log(999)"),
        ("shell", "seq 999 | xargs -P 8 -n 50 echo | wc -w"),
    ],
)
async def test_ordinary_work_is_not_hurt(bench: Bench, language: str, code: str) -> None:
    if bench.computer.why_not(language):
        pytest.skip(bench.computer.why_not(language))
    ran = await bench.run(language, code)
    assert ran.result.ok and "999" in ran.text and ran.result.note is None


def test_safe_limits_leave_room(tmp_path: Path) -> None:
    safe = Limits.safe(str(tmp_path))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert memory // 2 < safe.memory < memory and safe.processes >= 768 and safe.seconds == 0
    assert Limits.safe("/no/such/folder").file_size == 0


def test_limits_of_a_process_that_is_gone_are_nothing() -> None:
    SMALL.apply(2**22 - 1)
    cage = Cage(Limits())
    cage.add(os.getpid())
    assert cage.met() == "" and cage.members() == [] and cage.close()


def test_a_group_that_systemd_handed_over_is_found(tmp_path: Path) -> None:
    """A tree as on a desktop: the own group holds processes and has no controllers for children, the one above has."""
    tree, proc = tmp_path / "cgroup", tmp_path / "proc"
    own = tree / "user.slice" / "user@1000.service" / "app.slice" / "terminal.scope"
    own.mkdir(parents=True)
    proc.mkdir()
    for folder, controllers in ((own, ""), (own.parent, "memory pids"), (own.parent.parent, "cpu memory pids")):
        (folder / "cgroup.subtree_control").write_text(f"{controllers}\n")
        (folder / "cgroup.procs").touch()
    (proc / "cgroup").write_text(f"0::/{own.relative_to(tree)}\n")
    (proc / "mounts").write_text(f"cgroup2 {tree} cgroup2 rw 0 0\n")
    assert list(_parents(proc)) == [(own.parent, {"memory", "pids"})]
    (own.parent / "cgroup.procs").unlink()  # not ours to move processes in
    assert list(_parents(proc)) == []


def test_without_a_group_the_processes_of_a_user_are_fenced_in() -> None:
    import resource

    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            Limits(processes=100).apply_to_user(os.getpid())
            os._exit(0 if 100 < resource.getrlimit(resource.RLIMIT_NPROC)[0] < 20_000 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
