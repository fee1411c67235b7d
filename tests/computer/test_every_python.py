"""The Python kernel in every Python from 3.8 on that this machine has: what must not depend on its version."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench, eventually


def pythons() -> dict[str, str]:
    """Version (`3.12`) -> path of one such Python, this one among them. Looked for in PATH, with pyenv and with uv."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)  # tests have another one in HOME
    names = [f"python3.{minor}" for minor in range(6, 20)]
    places = [Path(found) for name in names if (found := shutil.which(name))]
    for folder in (Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions", home / ".local/share/uv/python"):
        places += sorted(folder.glob("*/bin/python3"))
    made: dict[str, str] = {}
    for path in places:
        try:
            told = subprocess.run(
                [path, "-c", "import sys; print(sys.version)"], capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):  # a shim of pyenv for one that is not switched on
            continue
        if version := re.match(r"\d+\.\d+", told.stdout):
            made.setdefault(version[0], str(path))
    return {**made, f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}


FOUND = pythons()
NEW = sorted((one for one in FOUND if tuple(map(int, one.split("."))) >= (3, 8)), key=lambda one: int(one[2:]))
OLD = sorted(set(FOUND) - set(NEW))

SAME = [
    ("x = 2\nprint('é', x)\nx * 21", "é 2\n42\n"),
    ("import asyncio\nawait asyncio.sleep(0)\nprint('awaited')", "awaited\n"),
    ("asyncio.run(asyncio.sleep(0, print('run')))", "run\n"),
    ("!echo shell {x}", "shell 2\n"),
    ("import threading\nt = threading.Thread(target=print, args=('thread',))\nt.start(); t.join()", "thread\n"),
    ("import multiprocessing as m\ndef sq(v): return v * v\nwith m.get_context('spawn').Pool(1) as p: "
     "print(p.map(sq, [1, 2]))", "[1, 4]\n"),
    ("with m.get_context('fork').Pool(1) as p: print(p.map(sq, [3]))", "[9]\n"),
    ("import subprocess, sys\n_ = subprocess.run([sys.executable, '-c', 'print(5)'])", "5\n"),
    ("import os\n_ = os.write(1, b'raw\\n')", "raw\n"),
    ("from concurrent.futures import ThreadPoolExecutor as T\nwith T() as e: print(list(e.map(str, [0, 1])))",
     "['0', '1']\n"),
    ("class P:\n    def _repr_html_(self): return '<b>1</b>'\n    def __repr__(self): return 'one'\nP()", "one\n"),
    ("import warnings; warnings.warn('careful')",
     "<cell 12>:1: UserWarning: careful\n  import warnings; warnings.warn('careful')\n"),
    ("import sys; print('bye'); sys.exit(3)", "bye\n"),
    ("print(x)", "2\n"),
]  # fmt: skip
# Frames of a traceback as (line, name); what stands between them differs from version to version.
FAILS = [
    (
        "def f():\n    y = 1\n    return 1 / 0\n\nf()",
        [(5, "<module>"), (3, "f")],
        "ZeroDivisionError: division by zero",
    ),
    ("import json\njson.nope", [(2, "<module>")], "AttributeError: module 'json' has no attribute 'nope'"),
    ("exec('def g(): raise OSError(1)')\ng()", [(2, "<module>"), (1, "g")], "OSError: 1"),
    ("raise ValueError('a\\nb') from KeyError('c')", [(1, "<module>")], "ValueError: a\nb"),
    ("x = [", [], "SyntaxError: "),
    ("s = '''open", [], "SyntaxError: "),
    ("input('? ')", [(1, "<module>")], "EOFError: "),
    ("import no_such_module_zz", [(1, "<module>")], "ModuleNotFoundError: No module named 'no_such_module_zz'"),
]


@pytest.fixture(params=NEW)
async def any_python(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    (tmp_path / "work").mkdir()
    computer = Computer(str(tmp_path / "work"), python=FOUND[request.param])
    yield Bench(computer)
    await computer.close()


async def test_blocks_print_the_same(any_python: Bench) -> None:
    for code, printed in SAME:
        ran = await any_python.run("python", code)
        assert ran.text == printed, code
        assert ran.result.ok == ("exit" not in code) and ran.result.note is None, code


async def test_errors_name_the_same_lines(any_python: Bench) -> None:
    for code, frames, last in FAILS:
        ran = await any_python.run("python", code)
        found = re.findall(r'File "<(?:cell \d+|string)>", line (\d+), in (.+)', ran.text)
        assert not ran.result.ok and [(int(line), name) for line, name in found] == frames, ran.text
        assert f"\n{last}" in f"\n{ran.text}" and "oi_kernel" not in ran.text, ran.text
    assert ran.result.meta["missing"] == "no_such_module_zz"


async def test_lines_are_told_and_an_interrupt_keeps_state(any_python: Bench) -> None:
    code = "import os\nx = 2\nwhile not os.path.exists('on'):\n    x = 2\nprint(x)"
    task = await any_python.start("python", code)
    await eventually(lambda: bool({3, 4} & {one["content"] for one in any_python.live if one["type"] == "console"}))
    (Path(any_python.computer.cwd) / "on").touch()
    assert (await task).text == "2\n"
    for endless in ("while True: pass", "import time; time.sleep(600)", "await __import__('asyncio').sleep(600)"):
        task = await any_python.start("python", f"print('go')\n{endless}", until="go")
        await any_python.computer.interrupt()
        assert (await task).result.interrupted
    assert (await any_python.run("python", "print(x)")).text == "2\n"


async def test_a_python_that_dies_is_told(any_python: Bench) -> None:
    ran = await any_python.run("python", "import os; os._exit(7)")
    assert ran.result.exit_code == 7 and "exit code 7" in (ran.result.note or "")
    assert (await any_python.run("python", "'back'")).text == "'back'\n"


@pytest.mark.parametrize("version", [*OLD, "2.7"])
async def test_one_that_is_too_old_says_so_in_a_line(tmp_path: Path, version: str) -> None:
    """A Python 2 is played where there is none."""
    (tmp_path / "python2").write_text("#!/bin/sh\necho 'Unknown option: -X' >&2\nexit 2\n")
    (tmp_path / "python2").chmod(0o755)
    bench = Bench(Computer(str(tmp_path), python=FOUND.get(version, str(tmp_path / "python2"))))
    ran = await bench.run("python", "1")
    assert not ran.result.ok and "Python 3.8 or newer is needed" in (ran.result.note or "")
    assert "\n" not in (ran.result.note or "")
    await bench.computer.close()
