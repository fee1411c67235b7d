"""What a script may do, in cells: processes of every kind, ruined streams, libraries that open windows, magics."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import venv
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
async def test_started_processes_find_what_cells_defined(bench: Bench, method: str) -> None:
    """Functions, classes, imports and the values they use, in the newest form; nothing of the cells is run again."""
    first = f"""
import math as m, multiprocessing as mp, tempfile
tempfile.tempdir = "/tmp"  # the path of a socket is short
from dataclasses import dataclass
open("runs", "a").write("x")
BASE = 10
@dataclass
class Point:
    x: int = 1
point = Point(7)
def work(n):
    return m.floor(n) + BASE + point.x
if __name__ == "__main__":
    with mp.get_context("{method}").Pool(1) as pool: print(pool.map(work, [1.5, 2.5]))
"""
    assert (await bench.run("python", first)).text == "[18, 19]\n"
    again = f"""
def work(n): return Point(n * BASE)
BASE = 3
with mp.get_context("{method}").Pool(1) as pool: print(pool.map(work, [2]))
open("runs").read()
"""
    assert (await bench.run("python", again)).text == "[Point(x=6)]\n'x'\n"


@pytest.mark.parametrize(
    "ruin",
    [
        "import sys; sys.stdout = None",
        "import sys; sys.stdout.close(); sys.stderr.close()",
        "import os; os.close(1); os.close(2)",
        "import os; gone = os.open(os.devnull, os.O_WRONLY); os.dup2(gone, 1); os.dup2(gone, 2)",
        "import io, sys; sys.stdout = sys.stderr = io.StringIO(); 1 / 0",
        "import sys; buffer = sys.stdout.detach()",
        "quit()",
    ],
)
async def test_no_cell_takes_the_output_of_the_next(bench: Bench, ruin: str) -> None:
    await bench.run("python", ruin)
    code = "import os, sys; print('a'); print('b', file=sys.stderr); os.system('echo c'); help(len)"
    assert (await bench.run("python", code)).text.startswith("a\nb\nc\nHelp on built-in function len")


async def test_a_stream_that_was_put_in_place_on_purpose_stays(bench: Bench) -> None:
    await bench.run("python", "import io, sys; sys.stdout = io.StringIO(); print('kept')")
    assert (await bench.run("python", "sys.stderr.write(sys.stdout.getvalue());")).text == "kept\n"


async def test_each_cell_finds_an_event_loop(bench: Bench) -> None:
    code = "import asyncio\nasync def f(): return 7\nasyncio.run(f())"
    assert (await bench.run("python", code)).text == "7\n"
    assert (await bench.run("python", "asyncio.get_event_loop().run_until_complete(f())")).text == "7\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("i = 9\n%%bash", ""),
        ("%%bash\nfor i in 1 2; do echo $i; done", "1\n2\n"),
        ("%%script cat\nas it $is", "as it $is"),
        ("%%capture kept\nprint('hidden')", ""),
        ("%%python\nprint(6 * 7)", "42\n"),
        ("r = %timeit -o -q -n2 -r 3 'a  b'\nprint(len(r))", "3\n"),
        ("%%timeit -n1 -r1\nprint(f(1))", "None\n"),
        ("a, b = !printf '1\\n2\\n'\nprint(a + b)", "12\n"),
        ("def f(x):\n    'Says.'\nf?", "f(x)\nSays.\n"),
        ("?f.__doc__", "f.__doc__: str\n"),
    ],
)
async def test_more_magics(bench: Bench, code: str, text: str) -> None:
    await bench.run("python", "i = 9\ndef f(x):\n    'Says.'")
    if code == "i = 9\n%%bash":  # a cell magic is one only in the first line
        assert not (await bench.run("python", code)).result.ok
        return
    ran = await bench.run("python", code)
    assert ran.text.startswith(text) and ran.result.ok


async def test_a_command_that_fails_is_told(bench: Bench) -> None:
    ran = await bench.run("python", "!exit 3\nprint('on')")
    assert ran.result.ok and ran.text == "on\n" and ran.result.note == "`exit 3` ended with status 3"
    assert (await bench.run("python", "!true")).result.note is None


@pytest.mark.parametrize(
    ("code", "text", "shown"),
    [
        ("from IPython.display import display, HTML\ndisplay(HTML('<b>1</b>'), 2)", "2\n", "code"),
        ("import IPython.display as d\nd.Math('x^2')", "$\\displaystyle x^2$\n", ""),
        ("from IPython.core.display import Image\nImage('dot.png')", "", "image"),
        ("import IPython\nIPython.get_ipython(), IPython.display.Markdown('**m**').data", "(None, '**m**')\n", ""),
    ],
)
async def test_what_shows_values_is_there_without_ipython(tmp_path: Path, code: str, text: str, shown: str) -> None:
    """And a library that wants the package does not find it, until it is really there."""
    venv.create(tmp_path / "v", with_pip=False)
    (tmp_path / "dot.png").write_bytes(b"\x89PNG1234")
    bench = Bench(Computer(str(tmp_path), python=str(tmp_path / "v" / "bin" / "python")))
    ran = await bench.run("python", code)
    assert ran.text == text and ran.result.ok and (not shown or len(ran.of_type(shown)) == 1)
    (tmp_path / "lib.py").write_text("try:\n    import IPython.utils\nexcept ImportError as error: print(error)")
    assert "which is not installed here" in (await bench.run("python", "import IPython, lib")).text
    lacks = await bench.run("python", "from IPython.display import Audio")
    assert lacks.result.meta["missing"] == "IPython"
    (tmp_path / "IPython").mkdir()
    (tmp_path / "IPython" / "display.py").write_text("Audio = 5")
    assert (await bench.run("python", "from IPython.display import Audio; Audio")).text == "5\n"
    await bench.computer.close()


async def test_a_module_that_changed_since_it_was_imported_is_told_of(bench: Bench) -> None:
    file = Path(bench.computer.cwd) / "own.py"
    file.write_text("v = 1")
    assert (await bench.run("python", "import own; own.v")).result.note is None
    file.write_text("v = 2")
    os.utime(file, (1, 1))
    assert (await bench.run("python", "import os, json")).result.note is None
    ran = await bench.run("python", "from own import v; v")
    assert ran.text == "1\n" and ran.result.ok and "own changed on disk" in (ran.result.note or "")
    ran = await bench.run("python", "import importlib, sys; importlib.reload(sys.modules['own']); import own; own.v")
    assert ran.text == "2\n" and ran.result.note is None


async def test_other_magics_are_those_of_ipython(bench: Bench, tmp_path: Path) -> None:
    if importlib.util.find_spec("IPython") is None:
        pytest.skip("IPython is not installed")
    ran = await bench.run("python", "x = 5\n%who int")
    assert ran.text.split() == ["x"]
    assert (await bench.run("python", "get_ipython().system('echo {x}')")).text == "5\n"
    assert (await bench.run("python", "%reset -f\n'x' in globals()")).text == "False\n"
    assert (await bench.run("python", "1/0")).text.count("File ") == 1
    await asyncio.to_thread(venv.create, tmp_path / "bare")
    without = Bench(Computer(str(tmp_path), python=str(tmp_path / "bare" / "bin" / "python")))
    ran = await without.run("python", "%who")
    assert "%who is not available here without IPython" in ran.text and not ran.result.ok
    await without.computer.close()


async def test_display_takes_ready_bundles_and_gives_a_handle(bench: Bench) -> None:
    ran = await bench.run("python", "display({'text/plain': 'plain', 'text/html': '<i>1</i>'}, raw=True)")
    assert ran.text == "plain\n" and ran.of_type("code")[0]["content"] == "<i>1</i>"
    ran = await bench.run("python", "h = display('a', display_id=True)\nh.update('b')")
    assert ran.text == "'a'\n'b'\n"


async def test_libraries_that_open_windows_show_pictures(bench: Bench) -> None:
    for package in ("matplotlib", "PIL"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    ran = await bench.run("python", "from PIL import Image\nImage.new('RGB', (2, 2)).show()")
    assert [one["format"] for one in ran.of_type("image")] == ["base64.png"]
    code = "import matplotlib; matplotlib.use('TkAgg')\nimport matplotlib.pyplot as plt\nplt.plot([1]); plt.show()"
    assert len((await bench.run("python", code)).of_type("image")) == 1


async def test_a_figure_of_plotly_is_a_page_that_needs_no_network(bench: Bench) -> None:
    if importlib.util.find_spec("plotly") is None:
        pytest.skip("plotly is not installed")
    ran = await bench.run("python", "import plotly.graph_objects as go\ngo.Figure(go.Bar(y=[1]), {'title': 'T'})")
    (page,) = ran.of_type("code")
    script = page["content"].partition('<script src="file://')[2].partition('"')[0]
    assert page["recipient"] == "user"
    assert await asyncio.to_thread(os.path.isfile, script)
    assert ran.text == "plotly figure 'T': bar\n"
