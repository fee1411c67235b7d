"""Python blocks: echo, errors, magics, rich results; what people reported about other kernels, as tests."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench


def block(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("print('a');2", "a\n2\n"),
        ("1 + 1", "2\n"),
        ("x = 5", ""),
        ("'abc'", "'abc'\n"),
        ("7;", ""),
        ("None", ""),
        ("", ""),
        ("# a comment", ""),
        ("import sys\n_ = sys.stdout.write('tail')", "tail"),
        ("print('    indented\\n  second')", "    indented\n  second\n"),
        ("print('grüße ✓ \\U0001f40d')", "grüße ✓ \U0001f40d\n"),
        ("print(__name__)", "__main__\n"),
        ("import sys\nsys.stdin.read(), sys.argv", "('', [''])\n"),
        ("import sys\nfor i in range(2): print(i); print('e', i, file=sys.stderr)", "0\ne 0\n1\ne 1\n"),
    ],
)
async def test_output(bench: Bench, code: str, text: str) -> None:
    ran = await bench.run("python", code)
    assert ran.text == text
    assert ran.result.ok and ran.result.text == ""


async def test_a_cell_runs_as_it_stands(bench: Bench) -> None:
    """UR-023: nothing in the source is rewritten."""
    ran = await bench.run(
        "python",
        block('''
        from __future__ import annotations
        @staticmethod
        def f(): return """a
          b"""
        try:
            1/0
        except ZeroDivisionError:
            print(repr(f()))
        if True:
            pass
        else: print('no')
        print(__name__)
        '''),
    )
    assert ran.text == "'a\\n  b'\n__main__\n"
    later = await bench.run("python", "def g(x: NotDefined): pass\ng.__annotations__")
    assert later.text == "{'x': 'NotDefined'}\n", "a future import holds for the cells after it"


async def test_state_stays_after_an_exception_and_lines_are_the_persons(bench: Bench) -> None:
    """UR-016."""
    ran = await bench.run("python", "x = 5\n\ndef f():\n    raise RuntimeError('boom')\nf()")
    assert (
        re.sub(r" +[~^]+\n", "", ran.text)  # marks that newer versions put below a call
        == block("""
        Traceback (most recent call last):
          File "<cell 1>", line 5, in <module>
            f()
          File "<cell 1>", line 4, in f
            raise RuntimeError('boom')
        RuntimeError: boom
        """)
        + "\n"
    )
    assert not ran.result.ok and ran.result.exit_code is None
    assert ran.result.meta == {"error": "RuntimeError: boom", "line": 4}
    assert (await bench.run("python", "x")).text == "5\n"


async def test_chained_exceptions_show_no_frame_of_the_kernel(bench: Bench) -> None:
    ran = await bench.run("python", "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('x') from e")
    assert "direct cause" in ran.text and ran.text.count('File "<cell 1>"') == 2
    assert "python_child" not in ran.text and ran.text.count("File ") == 2


async def test_a_syntax_error_is_a_result(bench: Bench) -> None:
    """UR-022."""
    ran = await bench.run("python", "p = 'C:\\Users\\new\\x'; print(p)")
    assert "SyntaxError" in ran.text and "line 1" in ran.text and not ran.result.ok
    assert (await bench.run("python", "print('still here')")).text == "still here\n"
    unclosed = await bench.run("python", "a = 1\nb = (\n")
    assert unclosed.result.meta["line"] == 2


async def test_input_fails_at_once(bench: Bench) -> None:
    """UR-001."""
    ran = await bench.run("python", "name = input('Name? '); print('hi', name)")
    assert "Name? " in ran.text and "EOFError" in ran.text and not ran.result.ok
    assert (await bench.run("python", "1")).text == "1\n"
    secret = await bench.run("python", "import getpass\ngetpass.getpass()")
    assert "EOFError" in secret.text


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [("import sys; sys.exit(3)", 3, ""), ("exit()", 0, ""), ("raise SystemExit('bye')", 1, "bye\n")],
)
async def test_exit_ends_the_cell_only(bench: Bench, code: str, status: int, text: str) -> None:
    await bench.run("python", "x = 1")
    ran = await bench.run("python", code)
    assert (ran.result.exit_code, ran.result.ok, ran.text) == (status, status == 0, text)
    assert (await bench.run("python", "x")).text == "1\n"


async def test_output_from_everywhere_comes_in_order(bench: Bench) -> None:
    ran = await bench.run(
        "python",
        block("""
        import ctypes, os, subprocess, sys
        print("one")
        os.system("echo two")
        subprocess.run(["echo", "three"])
        os.write(2, b"four\\n")
        print("five", end="\\n", file=sys.stderr)
        ctypes.CDLL(None).puts(b"six")
        """),
    )
    assert ran.text.splitlines()[:5] == ["one", "two", "three", "four", "five"]
    assert "six" in ran.text


async def test_top_level_await_keeps_one_loop(bench: Bench) -> None:
    await bench.run(
        "python", "import asyncio\ntask = asyncio.ensure_future(asyncio.sleep(0.01, 'slept'))\nawait asyncio.sleep(0)"
    )
    assert (await bench.run("python", "await task")).text == "'slept'\n"
    assert (await bench.run("python", "async def f(): return 4\nasyncio.run(f())")).text == "4\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("!echo {1 + 1} $word", "2 value\n"),
        ("if True:\n    !echo inside", "inside\n"),
        ("lines = !printf 'a\\nb\\n'\nlines", "['a', 'b']\n"),
        ("!echo one \\\n  two", "one two\n"),
        ("%env OI_TEST=1\n!echo $OI_TEST", "env: OI_TEST=1\n1\n"),
        ("text = '''\n!not a command\n%nor this\n'''\nprint(text.strip())", "!not a command\n%nor this\n"),
        ("5 % 3", "2\n"),
        ("%%bash\necho from bash", "from bash\n"),
    ],
)
async def test_command_and_magic_lines(bench: Bench, code: str, text: str) -> None:
    await bench.run("python", "word = 'value'")
    assert (await bench.run("python", code)).text == text


async def test_magics_that_measure_and_write(bench: Bench) -> None:
    timed = await bench.run("python", "%%time\nsum(range(10))")
    assert timed.text.startswith("45\n") and "Wall time: " in timed.text
    assert "per loop" in (await bench.run("python", "%timeit -n 2 -r 2 sum(range(10))")).text
    await bench.run("python", "%%writefile out.txt\nkept  as is\n")
    assert (await bench.run("python", "open('out.txt').read()")).text == "'kept  as is\\n'\n"
    unknown = await bench.run("python", "%nosuch 1")
    assert "%nosuch" in unknown.text and not unknown.result.ok


async def test_the_pip_line_is_this_interpreters(bench: Bench) -> None:
    """UR-021: `!pip` and `%pip` mean the interpreter of the kernel."""
    prefix = (await bench.run("python", "import sys; print(sys.prefix)")).text.strip()
    for code in ("!pip --version", "%pip --version"):
        assert prefix in (await bench.run("python", code)).text


async def test_a_module_written_a_moment_ago_can_be_imported(bench: Bench) -> None:
    await bench.run("shell", "echo X=41 > freshmod.py")
    assert (await bench.run("python", "import freshmod\nfreshmod.X + 1")).text == "42\n"


async def test_rich_results_keep_their_place(bench: Bench) -> None:
    ran = await bench.run(
        "python",
        block("""
        class Picture:
            def _repr_png_(self): return b"png bytes"
        class Table:
            def _repr_html_(self): return "<b>t</b>"
            def __repr__(self): return "t as text"
        print("before")
        display(Picture())
        print("after")
        Table()
        """),
    )
    kinds = [(one["type"], one.get("format")) for one in ran.chunks if one.get("format") != "active_line"]
    kinds = [one for one, before in zip(kinds, [None, *kinds], strict=False) if one != before]
    assert kinds == [
        ("console", "output"), ("image", "base64.png"), ("console", "output"), ("code", "html"), ("console", "output"),
    ]  # fmt: skip
    assert base64.b64decode(ran.of_type("image")[0]["content"]) == b"png bytes"
    assert ran.of_type("code")[0]["recipient"] == "user"
    assert ran.text == "before\nafter\nt as text\n"


async def test_a_broken_representation_falls_back(bench: Bench) -> None:
    code = "class B:\n    def _repr_png_(self): raise OSError\n    def __repr__(self): return 'plain'\nB()"
    assert (await bench.run("python", code)).text == "plain\n"


async def test_the_running_line_is_told(bench: Bench) -> None:
    ran = await bench.run("python", "import time\n\ntime.sleep(0.3)\nx = 1\ntime.sleep(0.3)")
    assert {3, 5} <= set(ran.lines) and ran.lines[-1] is None


async def test_missing_module_is_named(bench: Bench) -> None:
    ran = await bench.run("python", "import no_such_module_zz.sub")
    assert ran.result.meta["missing"] == "no_such_module_zz"


async def test_a_file_named_like_a_standard_module_does_not_break_the_kernel(bench: Bench) -> None:
    folder = (
        await bench.run("shell", "echo 'raise SystemExit(9)' | tee json.py traceback.py re.py os.py >/dev/null; pwd")
    ).text
    assert folder
    ran = await bench.run("python", "1/0")
    assert "ZeroDivisionError" in ran.text


async def test_matplotlib_needs_no_set_up(bench: Bench) -> None:
    """UR-119."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed where the tests run")
    shown = await bench.run("python", "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show(); print('after')")
    assert [one["format"] for one in shown.of_type("image")] == ["base64.png"] and shown.text == "after\n"
    at_end = await bench.run("python", "_ = plt.plot([1, 2])")
    assert len(at_end.of_type("image")) == 1
    once = await bench.run("python", "figure, axes = plt.subplots()\nfigure")
    assert len(once.of_type("image")) == 1 and once.text == ""


OLD_AND_NEW = [f"python3.{minor}" for minor in range(8, 16)]


def working(name: str) -> str | None:
    """The path of a Python that starts; a version manager's placeholder does not."""
    path = shutil.which(name)
    works = path is not None and subprocess.run([path, "-c", ""], check=False, capture_output=True).returncode == 0
    return path if works else None


@pytest.mark.parametrize("name", OLD_AND_NEW)
async def test_any_python_from_3_8_on(name: str, tmp_path: Path) -> None:
    path = working(name)
    if path is None:
        pytest.skip(f"{name} is not installed here")
    bench = Bench(Computer(str(tmp_path), python=path))
    try:
        assert (await bench.run("python", "import sys\n'python%d.%d' % sys.version_info[:2]")).text == f"'{name}'\n"
        failed = await bench.run("python", "def f():\n    1/0\nf()")
        assert failed.result.meta["line"] == 2 and failed.text.count("File ") == 2
        assert (
            await bench.run("python", "import asyncio\nawait asyncio.sleep(0)\n!echo $((2 + 3))\n6")
        ).text == "5\n6\n"
        task = await bench.start("python", "print('go')\nwhile True: pass", until="go\n")
        await bench.computer.interrupt()
        assert (await task).result.interrupted
    finally:
        await bench.computer.close()


async def test_a_long_value_does_not_bury_what_was_printed(bench: Bench) -> None:
    """UR-026, with the very code of the report."""
    ran = await bench.run("python", '[print(i, "x"*80) for i in range(100000)]')
    assert ran.text.endswith(f"99999 {'x' * 80}\n[None] * 100000\n")
    for code, words in (
        ("list(range(5000))", "998, 999, … ] (5000 items)"),
        ("tuple(range(5000))", "998, 999, … ) (5000 items)"),
        ("dict.fromkeys(range(5000), 1)", "999: 1, … } (5000 items)"),
        ("[None, None]", "[None, None]"),
        ("list(range(3))", "[0, 1, 2]"),
    ):
        assert (await bench.run("python", code)).text.rstrip("\n").endswith(words)


@pytest.mark.parametrize(
    "code",
    [
        "import builtins; builtins.print = None; del builtins.len",
        "import sys; sys.modules.clear()",
        "globals().clear()",
    ],
)
async def test_the_kernel_does_not_need_what_a_cell_takes_away(bench: Bench, code: str) -> None:
    assert (await bench.run("python", code)).result.ok
    ran = await bench.run("python", "import json; print(len(json.dumps([__name__])), __spec__)\n!echo sh\n1/0")
    assert ran.text.startswith("12 None\nsh\n"), ran
    assert ran.text.endswith("ZeroDivisionError: division by zero\n") and not ran.result.note, ran


async def test_a_result_that_cannot_be_shown_is_told_of(bench: Bench) -> None:
    code = "class E(Exception):\n    __traceback__ = property(lambda self: 1 / 0)\nraise E"
    ran = await bench.run("python", code)
    assert not ran.result.ok and ran.text
