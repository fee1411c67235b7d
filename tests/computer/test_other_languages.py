"""Ruby, R, TypeScript, Java, SQL, HTML, React, scripts of other systems: real programs, skipped where missing."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from oi_tui.computer.languages.page_child import mapped
from oi_tui.computer.languages.react import wrapped
from tests.computer.conftest import Bench, eventually, running


def need(bench: Bench, language: str) -> None:
    reason = bench.computer.why_not(language)
    if reason:
        pytest.skip(reason)


STATE = [
    ("ruby", "x = 2\ndef twice(n) = n * 2", "puts twice(x)", "4\n"),
    ("rb", "class P; def to_s = 'nil stays'; end", "puts P.new", "nil stays\n"),
    ("r", "x <- 2; twice <- function(n) n * 2", "twice(x)", "[1] 4\n"),
    ("R", "cat('é ✓\\n')", "x <- 1", ""),
    ("typescript", "const n: number = 2; enum E { A, B }", "[n, E.B]", "[ 2, 1 ]\n"),
    ("sql", "create temp table t(a, b); insert into t values (1, 'x;y'), (20, null)", "select * from t",
     " a | b\n---+-----\n 1 | x;y\n20 | NULL\n(2 rows)\n"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "first", "second", "text"), STATE)
async def test_state_stays_and_nothing_is_echoed(
    bench: Bench, language: str, first: str, second: str, text: str
) -> None:
    need(bench, language)
    ran = await bench.run(language, first)
    assert ran.result.ok, ran.text
    again = await bench.run(language, second)
    assert again.result.ok and again.text == text


SHOWN = [
    ("ruby", "[1, nil].map(&:to_s)", '["1", ""]\n'),
    ("ruby", "h = {}; h[:a] = 1", ""),
    ("ruby", "p 5", "5\n"),
    ("ruby", "[1, 2].each { |i| puts i }", "1\n2\n"),
    ("ruby", "x = 3\nif x > 2 then y = 1 else y = 2 end", ""),
    ("ruby", "if __FILE__ == $0\n  puts DATA.read\nend\n__END__\nrest", "rest\n"),
    ("ruby", "binding.irb\nx = <<~A\n  __END__\nA\nx",
     'binding.irb: nobody can type here; print what you want to see\n"__END__\\n"\n'),
    ("r", "f <- function() { browser(); 5 }\nf()\n6",
     "browser(): there is no debugger, as nobody can type here; print what you want to see\n[1] 5\n[1] 6\n"),
    ("r", "as.integer('q')", "Warning: NAs introduced by coercion\n[1] NA\n"),
    ("r", "f <- function() warning('w'); f()", "Warning in f() : w\n"),
    ("r", "if (sys.nframe() == 0) View(data.frame(a = 1))", "  a\n1 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code", "text"), SHOWN)
async def test_what_a_block_shows(bench: Bench, language: str, code: str, text: str) -> None:
    need(bench, language)
    ran = await bench.run(language, code)
    assert ran.text == text and ran.result.ok


ERRORS = [
    ("ruby", "begin\n  1 / 0\nrescue\n  raise 'wrapped'\nend", ["cell-1:4:", "wrapped", "cell-1:2:", "divided by 0"]),
    ("ruby", "puts 'a'\ndef f(n) = n.nope\nf(1)", ["a\n", "cell-1:2:", "cell-1:3:", "NoMethodError"]),
    ("ruby", "puts (", ["SyntaxError"]),
    ("r", "cat('a\\n')\nf <- function(n) stop('boo')\nf(1)", ["a\n", "Error in f(1) : boo"]),
    ("r", "f <- function(n) {\n  if (n == 0) stop('deep')\n  f(n - 1)\n}\n\nf(1)",
     ["at cell-1:2 in f(n - 1)\n    at cell-1:3 in f(1)\n    at cell-1:6\n"]),
    ("r", "options(warn = 2); as.integer('q')", ["Error: (converted from warning) NAs"]),
    ("r", "x = (", ["Error: cell-1:2:0: unexpected end of input"]),
    ("typescript", "const x: = 3", ["SyntaxError", "line 1"]),
    ("typescript", "enum E { A }\ninterface X {\n  a: 1\n}\nnull.x", ["TypeError", "at cell-1:5:"]),
    ("sql", "select 1;\nselec 2", ["(1 row)", "Error: near", "selec"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code", "words"), ERRORS)
async def test_errors_are_results(bench: Bench, language: str, code: str, words: list[str]) -> None:
    need(bench, language)
    ran = await bench.run(language, code)
    assert not ran.result.ok and all(word in ran.text for word in words), ran.text
    assert "_child" not in ran.text and "Traceback" not in ran.text


LOOPS = [
    ("ruby", "x = 7", "puts 'go'; loop {}", "puts x", "7\n"),
    ("ruby", "x = 7", "puts 'go'; system('sleep {mark}')", "puts x", "7\n"),
    ("r", "x <- 7", "cat('go\\n'); repeat {}", "x", "[1] 7\n"),
    ("r", "x <- 7", "cat('go\\n'); system('sleep {mark}')", "x", "[1] 7\n"),
    ("typescript", "let x: number = 7", "console.log('go'); while (true) {}", "x", "7\n"),
    ("sql", "create temp table t as select 7 as x",
     "select 'go'; with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c where n < 0",
     "select x from t", "x\n-\n7\n(1 row)\n"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "first", "loop", "then", "text"), LOOPS)
async def test_an_interrupt_stops_the_block_and_keeps_state(
    bench: Bench, language: str, first: str, loop: str, then: str, text: str
) -> None:
    need(bench, language)
    mark = f"91{os.getpid()}"
    await bench.run(language, first)
    # SQLite's text comes when the buffer is full or the block ends, so its loop is known by its time.
    task = await bench.start(language, loop.replace("{mark}", mark), until="" if language == "sql" else "go")
    if language == "sql":
        await asyncio.sleep(0.3)
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and not ran.result.ok and ran.result.note is None, ran.text
    assert (await bench.run(language, then)).text == text
    assert not running(f"sleep {mark}")


ENDS = [("ruby", "x = 1", "exit!(3)", "puts defined?(x).inspect"), ("r", "x <- 1", "quit(status = 3)", "exists('x')")]


@pytest.mark.parametrize(("language", "first", "end", "then"), ENDS)
async def test_the_end_of_the_process_is_told(bench: Bench, language: str, first: str, end: str, then: str) -> None:
    need(bench, language)
    await bench.run(language, first)
    ran = await bench.run(language, end)
    assert ran.result.exit_code == 3 and ran.result.note and "lost" in ran.result.note
    assert (await bench.run(language, then)).text in ("nil\n", "[1] FALSE\n")


READS = [
    ("ruby", "p $stdin.gets"), ("r", "readLines('stdin', 1)"), ("r", "readline('x? ')"),
    ("typescript", "require('fs').readFileSync(0).toString()"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code"), READS)
async def test_nobody_waits_for_input(bench: Bench, language: str, code: str) -> None:
    need(bench, language)
    assert not (await bench.run(language, code, timeout_s=40)).result.timed_out


@pytest.mark.parametrize(("language", "code"), [("ruby", "Dir.chdir('sub')"), ("r", "setwd('sub')")])
async def test_the_folder_is_shared(bench: Bench, language: str, code: str) -> None:
    need(bench, language)
    await bench.run("shell", "mkdir sub")
    assert (await bench.run(language, code)).result.ok
    assert Path(bench.computer.cwd).name == "sub"
    assert (await bench.run("shell", "pwd")).text.endswith("/sub\n")


async def test_the_running_line_of_ruby_is_told(bench: Bench) -> None:
    need(bench, "ruby")
    ran = await bench.run("ruby", "x = 1\nsleep 0.3\nputs x")
    assert 2 in ran.lines and ran.lines[-1] is None


async def test_plots_of_r_are_pictures(bench: Bench) -> None:
    need(bench, "r")
    ran = await bench.run("r", "if (!capabilities('png')) quit(status = 9)\nplot(1:3); hist(c(1, 2))")
    if ran.result.exit_code == 9:
        pytest.skip("this R makes no PNG")
    pictures = ran.of_type("image")
    assert len(pictures) == 2 and base64.b64decode(pictures[0]["content"]).startswith(b"\x89PNG")


async def test_sql_opens_files_in_place(bench: Bench) -> None:
    folder = Path(bench.computer.cwd)
    made = sqlite3.connect(folder / "sales.db")
    made.executescript(
        "create table t(a); insert into t values (1), (2); create trigger g after insert on t begin select 1; end;"
    )
    made.close()
    ran = await bench.run("sql", "select sum(a) as s from t")
    assert f"-- {folder}/sales.db (SQLite)" in ran.text and "3" in ran.text
    ran = await bench.run("sqlite", "-- file: other.db\ncreate table u(x);\n.tables")
    assert "other.db (SQLite, new)" in ran.text and "u    | table" in ran.text
    assert (await bench.run("sql", "insert into u values (1), (2)")).text == "2 rows changed\n"
    again = sqlite3.connect(folder / "other.db")
    assert again.execute("select count(*) from u").fetchone() == (2,)
    again.close()
    ran = await bench.run("sql", ".open sales.db\n.schema")
    assert "CREATE TRIGGER g" in ran.text.replace("create trigger", "CREATE TRIGGER")
    (folder / "text.db").write_text("this is no database at all, but it is long enough to be read as one" * 20)
    ran = await bench.run("sql", ".open text.db\nselect 1")
    assert not ran.result.ok and "not a database" in ran.text


async def test_an_open_transaction_is_told(bench: Bench) -> None:
    ran = await bench.run("sql", "-- file: t.db\ncreate table t(a); begin; insert into t values (1)")
    assert ran.result.ok and "a transaction is open" in (ran.result.note or "")
    ran = await bench.run("sql", "-- file: other.db\nselect 1")
    assert not ran.result.ok and "COMMIT or ROLLBACK it first" in ran.text
    ran = await bench.run("sql", "commit; select a from t")
    assert ran.result.ok and ran.result.note is None and "(1 row)" in ran.text
    await bench.run("sql", "begin; insert into t values (2)")
    await bench.computer.close()
    assert sorted(os.listdir(bench.computer.cwd)) == ["t.db"]  # noqa: PTH208 - no journal is left


async def test_no_row_of_sql_is_cut(bench: Bench) -> None:
    code = "with recursive c(n) as (select 1 union all select n + 1 from c limit 5000) select n, 'a' || char(10) from c"
    ran = await bench.run("sql", code)
    assert ran.text.count("\\n") == 5000 and ran.text.endswith("(5000 rows)\n")


async def test_sql_in_duckdb(bench: Bench) -> None:
    pytest.importorskip("duckdb")
    ran = await bench.run("sql", "-- duckdb\ncreate table q as select range a from range(3); select sum(a) s from q")
    assert ran.result.ok and "3" in ran.text
    files = "copy (select 7 as a, 'x' as b) to 'q.csv'; copy (select 8 as z) to 'q.parquet';"
    ran = await bench.run("duckdb", f"{files}\nselect * from 'q.csv';\nselect * from 'q.parquet'")
    assert "7 | x" in ran.text and "8" in ran.text, ran.text
    assert "CREATE TABLE q" in (await bench.run("sql", ".schema q")).text
    assert "No files found" in (await bench.run("sql", "select * from 'none.csv'")).text
    ran = await bench.run("sql", "-- file: d.duckdb\ncreate table q(a int); insert into q values (1)")
    assert "1 row changed" in ran.text
    assert "other.db (SQLite, new)" in (await bench.run("sql", "-- file: other.db\nselect 1\n")).text
    assert "d.duckdb (DuckDB)" in (await bench.run("sql", "-- file: d.duckdb\nselect * from q")).text


async def test_a_file_of_duckdb_is_read_and_changed_in_place(bench: Bench) -> None:
    """The only database of the folder is found, and known by what is in it, whatever it is called."""
    duckdb = pytest.importorskip("duckdb")
    file = Path(bench.computer.cwd) / "shop.db"
    with duckdb.connect(str(file)) as made:
        made.execute("create table sold as select range n, 'x' name from range(3)")
    ran = await bench.run("sql", "select * from sold where n > 1; explain select n from sold")
    assert ran.text.startswith(f"-- {file} (DuckDB)\n") and "2 | x\n(1 row)\n" in ran.text, ran.text
    assert "sold" in ran.text.partition("(1 row)")[2] and "\\n" not in ran.text  # the plan stands in lines
    assert "sold" in (await bench.run("sql", ".tables")).text
    ran = await bench.run("sql", "insert into sold values (9, 'y');\nselect nope from sold;\nselect 'never'")
    assert not ran.result.ok and "1 row changed" in ran.text and "nope" in ran.text and "never" not in ran.text
    task = await bench.start("sql", "select 'go';\nselect count(*) from range(100000000000) a, range(1000000) b", "go")
    await bench.computer.interrupt()
    assert (await task).result.interrupted
    ran = await bench.run("sql", "begin; delete from sold")
    assert ran.result.ok and "a transaction is open" in (ran.result.note or "")
    assert "COMMIT or ROLLBACK it first" in (await bench.run("sql", "-- file: other.db\nselect 1")).text
    ran = await bench.run("sql", "-- nothing is lost\nrollback; select count(*) as left_ from sold")
    assert ran.result.ok and ran.result.note is None and "4\n" in ran.text
    await bench.computer.close()
    with duckdb.connect(str(file)) as seen:
        assert seen.execute("select name from sold where n = 9").fetchall() == [("y",)]


async def test_without_duckdb_its_files_are_named_with_what_is_missing(tmp_path: Path) -> None:
    python = tmp_path / "env" / "bin" / "python"
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True
    )
    (tmp_path / "work").mkdir()
    bench = Bench(Computer(str(tmp_path / "work"), python=str(python)))
    ran = await bench.run("sql", "-- file: d.duckdb\nselect 1")
    assert not ran.result.ok and f"needs DuckDB: install the package duckdb into {python}" in ran.text
    assert ran.result.meta["missing"] == "duckdb"
    assert (await bench.run("sql", "-- file: s.db\nselect 1")).result.ok
    (tmp_path / "env" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / "duckdb.py").write_text("x = 1")
    ran = await bench.run("sql", "-- duckdb\nselect 1")
    assert "has no attribute" in ran.text and "missing" not in ran.result.meta, "it is found once it is there"
    await bench.computer.close()


PAGE = """<!DOCTYPE html>
<html><body style="background: #f00"><script>document.body.style.background = "#00f"</script></body></html>"""


async def test_a_page_is_shown_as_source_and_picture(bench: Bench) -> None:
    """Classic order: note for the model, source for the person, picture."""
    need(bench, "html")
    ran = await bench.run("html", PAGE)
    assert ran.result.ok, ran.text
    kinds = [(one["type"], one.get("recipient")) for one in ran.chunks if one.get("format") != "active_line"]
    assert kinds == [("console", "assistant"), ("code", "user"), ("image", None)]
    assert ran.of_type("code")[0]["content"] == PAGE
    picture = base64.b64decode(ran.of_type("image")[0]["content"])
    assert picture.startswith(b"\x89PNG")
    assert (int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")) == (960, 540)
    from PIL import Image

    (Path(bench.computer.cwd) / "p.png").write_bytes(picture)
    with Image.open(Path(bench.computer.cwd) / "p.png") as image:
        assert image.convert("RGB").getpixel((480, 270)) == (0, 0, 255)


SAYS = """<script>
console.log("%s!", "hello", {a: 1, b: "x"}, [1, null]); alert("hey")
setTimeout(() => { console.error("late"); fall() }, 2000)
function fall() {
  nothing.here()
}
</script><img src="none.png">"""


async def test_what_a_page_says_is_told(bench: Bench) -> None:
    need(bench, "html")
    ran = await bench.run("html", SAYS)
    folder = bench.computer.cwd
    assert sorted(ran.text.partition("\n")[2].splitlines()) == sorted([
        'console.log: hello! {a: 1, b: "x"} [1, null]', "alert: hey", "console.error: late",
        f"error: Failed to load resource: net::ERR_FILE_NOT_FOUND file://{folder}/none.png",
        "Uncaught ReferenceError: nothing is not defined", "    at fall (page:5:3)", "    at page:3:43",
    ])  # fmt: skip
    assert not ran.result.ok and ran.result.note == "a script of the page failed" and len(ran.of_type("image")) == 1


def test_places_of_a_bundle_are_found_in_its_source_map() -> None:
    told = json.dumps({"sources": ["lib.js", "../x/block.tsx"], "mappings": "AAAA;ACEA,IAAM;;ADAA"})
    assert [mapped(told, *place) for place in ((1, 1), (2, 1), (2, 9), (4, 1))] == [None, 3, 3, None]


async def test_a_component_is_rendered(bench: Bench) -> None:
    """Skipped where esbuild, react and react-dom are not installed."""
    need(bench, "react")
    ran = await bench.run("react", "function App() {\n  const [n] = useState(3);\n  return <h1>Hello {n}</h1>;\n}")
    assert ran.result.ok and len(ran.of_type("image")) == 1 and '<div id="root">' in ran.of_type("code")[0]["content"]
    broken = await bench.run("react", "function App() {\n  return <h1>Hello</h2>;\n}")
    assert not broken.result.ok and "block:2:" in broken.text
    wrong = "type P = { x: any };\nfunction Inner({ x }: P) {\n  useEffect(() => console.log('drawn'));\n"
    wrong += "  return <p>{x.y}</p>;\n}\nexport default () => <Inner x={null} />"
    ran = await bench.run("tsx", wrong)
    assert not ran.result.ok and len(ran.of_type("image")) == 1
    assert "TypeError: Cannot read properties of null (reading 'y')\n    at Inner (block:4)\n" in ran.text


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("function A() {}\nfunction B() {}", "createElement(B)"),
        ("function App() {}\nfunction B() {}", "createElement(App)"),
        ("export default function Page() {}", "createElement(Page)"),
        ("export default () => <b/>", "const __Shown = () => <b/>"),
        ("ReactDOM.render(<b/>, document.getElementById('root'))", "const ReactDOM ="),
    ],
)
def test_what_of_a_react_block_is_rendered(code: str, words: str) -> None:
    assert words in wrapped(code)


def test_a_react_block_without_a_component_is_refused() -> None:
    with pytest.raises(ValueError, match="no component"):
        wrapped("const x = 1")


def fake(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{script}\n")
    (folder / name).chmod(0o755)


async def test_scripts_of_other_systems_get_their_file(tmp_path: Path) -> None:
    """The programs are stand-ins that show what they were given: the real ones belong to other systems."""
    programs = tmp_path / "bin"
    fake(programs, "osascript", 'cat "$1"; exit 4')
    fake(programs, "pwsh", 'echo "${@:1:4}"; cat "${@: -1}"; echo err >&2')
    fake(programs, "cmd.exe", 'echo "$1 $2"; cat "${3#WIN}"')
    fake(programs, "wslpath", 'echo "WIN$2"')
    bench = Bench(
        Computer(str(tmp_path), python=sys.executable, env={**os.environ, "PATH": f"{programs}:/usr/bin:/bin"})
    )
    ran = await bench.run("osascript", 'display dialog "é"')
    assert ran.text == 'display dialog "é"' and ran.result.exit_code == 4
    ran = await bench.run("ps1", "Get-ChildItem")
    assert ran.text.startswith("-NoLogo -NoProfile -NonInteractive -File\n") and ran.text.endswith(
        "Get-ChildItem\nerr\n"
    )
    assert "/d /c\n@echo off\r\nchcp 65001 >nul\r\ndir\r\n" in (await bench.run("bat", "dir")).text
    fake(programs, "pwsh", "echo go; trap '' INT; sleep 60; sleep 60")
    began = time.monotonic()
    task = await bench.start("powershell", "x", until="go")
    await bench.computer.interrupt()
    assert (await task).result.interrupted and time.monotonic() - began < 30
    await bench.computer.close()
    await eventually(lambda: not running(f"{programs}/pwsh"))


async def test_ruby_prints_again_after_a_cell_closed_its_output_and_tells_deep_errors_short(bench: Bench) -> None:
    need(bench, "ruby")
    await bench.run("ruby", "$stdout.close; STDERR.reopen('/dev/null')")
    assert (await bench.run("ruby", "puts 9")).text == "9\n"
    ran = await bench.run("ruby", "def f = f\nf")
    assert "stack level too deep" in ran.text and "levels ..." in ran.text and len(ran.text) < 4000


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (
            "ps1",
            "powershell cannot be run: pwsh or powershell.exe is not installed (looked in PATH); install PowerShell 7",
        ),
        ("bat", "cmd cannot be run: cmd.exe is not installed (looked in PATH); it comes with Windows"),
        ("osascript", "applescript cannot be run: osascript is not installed (looked in PATH); it comes with macOS"),
    ],
)
async def test_a_language_of_another_system_says_what_it_needs(tmp_path: Path, language: str, line: str) -> None:
    bench = Bench(Computer(str(tmp_path), env={**os.environ, "PATH": str(tmp_path)}))
    ran = await bench.run(language, "echo hi")
    assert not ran.result.ok and (ran.result.note or "").startswith(line)
    assert "; what can be run here: " in (ran.result.note or "")
    assert "\n" not in (ran.result.note or "")
    await bench.computer.close()


async def test_on_windows_itself_one_line_says_where_code_runs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    ran = await bench.run("python", "1")
    monkeypatch.undo()
    assert not ran.result.ok
    assert ran.result.note == "running code is not supported on Windows yet; use the program inside WSL"
