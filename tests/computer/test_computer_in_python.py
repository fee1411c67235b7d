# ruff: noqa: ASYNC240 - tests may wait for the disk
"""`computer`, as code in the Python kernel finds it: files, outputs of earlier blocks, and names that give way."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench


async def test_files_are_relative_to_the_folder_that_all_languages_share(bench: Bench) -> None:
    await bench.run("shell", "mkdir -p 'a b' && cd 'a b'")
    ran = await bench.run(
        "python",
        "computer.files.write('x/ü.txt', 'one\\ntwo\\n')\n"
        "print(read('x/ü.txt'), read('x/ü.txt', 2, 1), list_files(), computer.files.list('x'))",
    )
    assert ran.result.ok, ran.text
    assert ran.text == "one\ntwo\n two\n ['x/'] ['ü.txt']\n"
    assert (await bench.run("shell", "cat x/ü.txt")).text == "one\ntwo\n"


async def test_a_variable_of_that_name_wins_and_stays(bench: Bench) -> None:
    await bench.run("python", "computer = 7\ndef read(): return 'mine'\nedit = {}")
    ran = await bench.run("python", "print(computer, read(), edit, search.__name__)")
    assert ran.text == "7 mine {} search\n"
    assert (await bench.run("python", "print('computer' in dir(), 'search' in dir())")).text == "True False\n"


@pytest.mark.parametrize(
    ("before", "call", "after", "said"),
    [
        ("a = 1\nb = 2\n", "edit('f', 'b = 2', 'b = 3')", "a = 1\nb = 3\n", "changed f at line 2"),
        ("x\r\ny\r\n", "edit('f', 'x\\ny', 'z\\nw')", "z\r\nw\r\n", "line 1"),
        ("x\nx\n", "edit('f', 'x', 'y')", "x\nx\n", "found 2 times in f (lines 1, 2)"),
        ("x\nx\n", "edit('f', 'x', 'y', all=True)", "y\ny\n", "at line 1, 2"),
        ("def total(a):\n", "edit('f', 'def totl(a):', '')", "def total(a):\n", "Did you mean one of these?"),
        ("abc\n", "edit('f', 'zzzzzzzz', '')", "abc\n", "Original text not found in f"),
        ("abc\n", "edit('f', '', 'x')", "abc\n", "is empty"),
        ("\ufeffabc\n", "edit('f', 'abc', 'ä')", "\ufeffä\n", "changed f"),
    ],
)
async def test_an_edit_is_exact_or_changes_nothing(bench: Bench, before: str, call: str, after: str, said: str) -> None:
    file = Path(bench.computer.cwd, "f")
    file.write_bytes(before.encode())
    file.chmod(0o750)
    ran = await bench.run("python", call)
    assert said in ran.text and "computer_child" not in ran.text
    assert file.read_bytes().decode() == after and file.stat().st_mode & 0o777 == 0o750


async def test_search_finds_lines_of_text_files(bench: Bench) -> None:
    folder = Path(bench.computer.cwd)
    (folder / "a.py").write_text("def main():\n    pass\n")
    (folder / "b.txt").write_text("the Main street\nnothing f(x\n")
    (folder / "c.bin").write_bytes(b"main\0\xff")
    (folder / ".git").mkdir()
    (folder / ".git" / "d.py").write_text("main\n")
    assert (await bench.run("python", "search('main')")).text == "a.py:1: def main():\nb.txt:1: the Main street\n"
    assert (await bench.run("python", "search('f(x', glob='*.txt')")).text == "b.txt:2: nothing f(x\n"
    assert "there is no nowhere" in (await bench.run("python", "search('x', 'nowhere')")).text


@pytest.mark.skipif(sys.platform != "linux", reason="the trash of a free desktop")
async def test_what_is_deleted_lies_in_the_trash(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    bench = Bench(Computer(str(tmp_path / "work"), python=sys.executable, env=env))
    try:
        for text in ("first", "second"):
            (tmp_path / "work" / "ä b.txt").write_text(text)
            ran = await bench.run("python", "delete('ä b.txt')")
            assert ran.result.ok and "moved to the trash" in ran.text
        assert "there is no" in (await bench.run("python", "computer.files.delete('ä b.txt')")).text
    finally:
        await bench.computer.close()
    trash = tmp_path / "data" / "Trash"
    assert sorted(one.read_text() for one in (trash / "files").iterdir()) == ["first", "second"]
    notes = sorted((trash / "info").iterdir())
    assert [one.name for one in notes] == ["ä b 2.txt.trashinfo", "ä b.txt.trashinfo"]
    assert f"Path={tmp_path}/work/%C3%A4%20b.txt\n" in notes[1].read_text()


async def test_outputs_of_earlier_blocks_can_be_read_in_parts(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    (outputs / "c1.txt").write_text("".join(f"\x1b[31mline {n} ä\x1b[0m\n" for n in range(1, 200001)))
    bench = Bench(Computer(str(tmp_path), python=sys.executable, outputs=outputs))
    try:
        ran = await bench.run("python", "computer.output('c1', grep='^line 199999')")
        assert ran.text == "199999: line 199999 ä\n"
        assert (await bench.run("python", "print(computer.output('c1', -30))")).text.strip().endswith("line 200000 ä")
        assert (await bench.run("python", "computer.output('c1', 0, 18)")).text == "line 1 ä\n\n"
        assert "kept are: c1" in (await bench.run("python", "computer.output('c9')")).text
        assert (await bench.run("shell", 'tail -n 1 "$OI_OUTPUTS/c1.txt"')).text.endswith("line 200000 ä\x1b[0m\n")
    finally:
        await bench.computer.close()
