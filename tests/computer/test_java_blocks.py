"""Java: statements that keep their declarations, whole programs, errors by line. Skipped without a JDK."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from oi_tui import paths
from tests.computer.conftest import Bench, eventually, running


@pytest.fixture(autouse=True)
def jdk(bench: Bench, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel is compiled once for all tests of this file."""
    if reason := bench.computer.why_not("java"):
        pytest.skip(reason)
    monkeypatch.setattr(paths, "cache", lambda: tmp_path_factory.getbasetemp() / "cache")


PROGRAM = """
import java.util.*;
class Helper { static String word() { return "hé } {"; } }
public class Foo {
    static int twice(int n) { return 2 * n; }
    public static void main(String[] a) { System.out.println(Helper.word()); System.err.println(1); System.exit(3); }
}
"""


async def test_statements_keep_what_they_declare(bench: Bench) -> None:
    blocks = [
        ("int x = 5;\nx + 1", "6\n"),
        ("var xs = new ArrayList<Integer>();\nfor (int i = 0; i < 3; i++) xs.add(i * x);\nxs", "[0, 5, 10]\n"),
        ("x = 7;", ""),
        ("record P(int a) { int more() { return a + x; } }\nint later() { return missing(); }", "Note: later cannot"),
        ("int missing() { return 1; }\nnew P(later()).more()", "8\n"),
        ("Stream.of(1, 2).map(n -> n * 2).collect(Collectors.toList())", "[2, 4]\n"),
        ("String t = \"\"\"\n  é\n  \"\"\";\nt // the last", '"é\\n"\n'),
        ("void main() { System.out.println(\"alone\"); }", "alone\n"),
        ("class Own { void main(String[] a) { System.out.println(a.length); } }", "0\n"),
        ("println(\"p\");\n/exit", "p\n"),
        ("new Thread(() -> { throw new IllegalStateException(\"lost\"); }).start();", "IllegalStateException: lost"),
        (PROGRAM, "hé } {\n1\n"),
        ("Foo.twice(4)", "8\n"),
        ("class Uses { public static void main(String[] a) { System.out.print(new P(1)); } }", "P[a=1]"),
        ("package a.b; class Q { public static void main(String[] a) { System.out.print(Q.class); } }", "class a.b.Q"),
    ]  # fmt: skip
    for code, text in blocks:
        ran = await bench.run("java", code)
        assert text in ran.text if text else ran.text == "", (code, ran.text)
        assert ran.result.exit_code == (3 if code is PROGRAM else ran.result.exit_code) and not ran.result.note
    assert os.listdir(bench.computer.cwd) == []  # noqa: PTH208 - facts §17.2, 29


async def test_errors_name_the_line_of_the_block(bench: Bench) -> None:
    blocks = [
        ("class X { public static void main(String[] a) { int y = true; } }", "X.java:1: error: incompatible types", 1),
        ("int y = 1;\nint z = ;", "cell-2:2: error: illegal start of expression\nint z = ;\n        ^", 2),
        ("y", "cannot find symbol", 1),  # nothing is run of a block that cannot be read
        ("int f(int n) {\n  return n / 0;\n}\n\nf(1);", "by zero\n\tat f(cell-4:2)\n\tat cell-4:5\n", 2),
        ("String s = 5;", "incompatible types", 1),
        ("int deep(int n) { return deep(n + 1); }\ndeep(0);", "... 984 more", 1),
        ("new Scanner(System.in).nextLine()", "NoSuchElementException", 1),
    ]
    for code, words, line in blocks:
        ran = await bench.run("java", code)
        assert not ran.result.ok and words in ran.text and "OiJava" not in ran.text, ran.text
        assert ran.result.meta["line"] == line and ran.result.meta["error"]
        assert ("nobody can type" in (ran.result.note or "")) == ("Scanner" in code)


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        ("x = 2; System.out.println(\"go\"); while (true) {}", ""),
        ("x = 2; System.out.println(\"go\"); Thread.sleep(1000000);", ""),
        ("class Loop92 { public static void main(String[] a) { System.out.println(\"go\"); for (;;) {} } }", " Loop92"),
    ],
)  # fmt: skip
async def test_an_interrupt_stops_the_block_and_keeps_state(bench: Bench, code: str, mark: str) -> None:
    await bench.run("java", "int x = 1;")
    task = await bench.start("java", code, until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.result.note is None, ran.text
    assert (await bench.run("java", "x")).text == ("1\n" if mark else "2\n")
    await eventually(lambda: not mark or not running(mark))
    assert list((Path(bench.computer.cwd).parent / "tmp").glob("oi-*/classes*")) == []


async def test_the_end_of_the_process_and_the_folder_are_told(bench: Bench) -> None:
    where = 'Path.of("").toAbsolutePath().getFileName().toString()'
    await bench.run("shell", "mkdir one two; cd one")
    assert (await bench.run("java", where)).text == '"one"\n'
    await bench.run("shell", "cd ../two")
    ran = await bench.run("java", f"int x = 1;\n{where}")
    assert ran.text == '"two"\n' and ran.result.note is None, "nothing was kept, so it went there"
    await bench.run("shell", "cd ../one")
    ran = await bench.run("java", "x")
    assert ran.text == "1\n" and "java stays in" in (ran.result.note or "")
    assert (await bench.run("java", "x")).result.note is None and bench.computer.cwd.endswith("/one")
    ran = await bench.run("java", "System.exit(4);")
    assert ran.result.exit_code == 4 and "declarations are lost" in (ran.result.note or "")
    assert "cannot find symbol" in (await bench.run("java", "x")).text


async def test_a_read_only_cache_is_no_hindrance(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "cache", lambda: Path("/proc/none"))
    assert (await asyncio.wait_for(bench.run("java", "1 + 1"), 100)).text == "2\n"
