"""The blocks of the soak: every kind of good and bad code, in every language, with what each does to the state.

In a code, `{n}` is the number of the block and `{mark}` the seconds of a `sleep` that only this run uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effect = Literal["none", "dies", "may die", "endless", "stubborn", "background"]


@dataclass(frozen=True)
class Kind:
    """effect: what it does to the kernel. `none`: ends by itself, state stays. `dies`: the kernel ends with it.
    `endless`: stops at one interrupt, state stays. `stubborn`: only a second one ends it. `background`: leaves a
    process that goes on. prints: what must be in its output."""

    code: str
    effect: Effect = "none"
    prints: str = ""


@dataclass(frozen=True)
class Tongue:
    """One language. keep: stores `{n}`. ask: prints `kept N.`, or `kept none.` in a kernel that started afresh."""

    weight: int
    keep: str
    ask: str
    kinds: tuple[Kind, ...]


PYTHON = Tongue(
    28,
    "kept = {n}",
    "print('kept %s.' % globals().get('kept', 'none'))",
    (
        Kind("print('tag {n}.')", prints="tag {n}."),
        Kind("1/0", prints="ZeroDivisionError"),
        Kind("x = [", prints="SyntaxError"),
        Kind("s = '''open", prints="SyntaxError"),
        Kind("import sys; print('tag {n}.'); sys.exit(2)", prints="tag {n}."),
        Kind("import sys; _ = sys.stdout.buffer.write(b'\\xff\\xfe\\xc3(\\n'); print('tag {n}.')", prints="tag {n}."),
        Kind(r"print('\x1b[2J\x1b]0;title\x07\x1b[31mtag {n}.\x1b')", prints="tag {n}."),
        Kind(r"for i in range(300): print('\r%3d%%' % i, end='')" + "\nprint('tag {n}.')", prints="tag {n}."),
        Kind("print('x' * 3_000_000); print('tag {n}.')", prints="tag {n}."),
        Kind("for i in range(20000): print(i)", prints="19999"),
        Kind("raise KeyboardInterrupt", prints="KeyboardInterrupt"),
        Kind("import threading; threading.Timer(0.1, print).start()"),
        Kind("import sys; print('oops', file=sys.stderr); print('tag {n}.')", prints="oops"),
        Kind("import os; p = os.fork()\nif not p: os._exit(0)\n_ = os.waitpid(p, 0)\nprint('tag {n}.')",
             prints="tag {n}."),
        Kind("import asyncio; await asyncio.sleep(0.01); print('tag {n}.')", prints="tag {n}."),
        Kind("!echo tag {n}.", prints="tag {n}."),
        Kind("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "dies"),
        Kind("import os; os._exit(5)", "dies"),
        Kind("import ctypes; ctypes.string_at(0)", "dies"),
        Kind("import os; os.execvp('true', ['true'])", "dies"),
        Kind("import os; os.closerange(0, 1000); print('gone')", "dies"),
        Kind("import subprocess; _ = subprocess.Popen(['sleep', '{mark}'])", "background"),
        Kind("while True: pass", "endless"),
        Kind("import time; time.sleep(60)", "endless"),
        Kind("import asyncio; await asyncio.sleep(60)", "endless"),
        Kind("!sleep {mark}", "endless"),
        Kind("import subprocess; subprocess.run(['sleep', '{mark}'])", "endless"),
        Kind("while True: print('tag {n}.')", "endless"),
        Kind("import itertools; sum(itertools.repeat(1, 10 ** 12))", "stubborn"),
        Kind("while True:\n  try:\n    while True: pass\n  except BaseException: pass", "stubborn"),
    ),
)  # fmt: skip

SHELL = Tongue(
    28,
    "kept={n}",
    'echo "kept ${kept-none}."',
    (
        Kind("echo tag {n}.", prints="tag {n}."),
        Kind("false"),
        Kind('echo "open'),
        Kind("cat <<END\ntag {n}.", prints="tag {n}."),
        Kind("if true; then", prints=""),
        Kind("no_such_command_{n}", prints="not found"),
        Kind(r"printf '\377\376\303(\n'; echo tag {n}.", prints="tag {n}."),
        Kind(r"printf '\033[2J\033]0;t\007\033[31mtag {n}.\033'", prints="tag {n}."),
        Kind(r"for i in $(seq 200); do printf '\r%3d%%' $i; done; echo tag {n}.", prints="tag {n}."),
        Kind("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo tag {n}.", prints="tag {n}."),
        Kind("seq 20000", prints="20000"),
        Kind("set -eu; true"),
        Kind("(exit 3)"),
        Kind("cat; read x; echo tag {n}.", prints="tag {n}."),
        Kind("trap 'echo bye' EXIT; trap - EXIT"),
        Kind("exit 3", "dies"),
        Kind("kill $$; sleep 5", "dies"),
        Kind("kill -9 $$", "dies"),
        Kind("exec true", "dies"),
        Kind("set -e; false; echo never", "dies"),
        Kind("(sleep {mark}; true) &", "background"),
        Kind("setsid sleep {mark} &", "background"),
        Kind("while :; do :; done", "endless"),
        Kind("sleep {mark}", "endless"),
        Kind("sleep {mark} | cat", "endless"),
        Kind("yes tag {n}.", "endless"),
        Kind("trap '' INT TERM URG HUP; while :; do :; done", "stubborn"),
    ),
)

JAVASCRIPT = Tongue(
    14,
    "var kept = {n}",
    "console.log(`kept ${typeof kept === 'undefined' ? 'none' : kept}.`)",
    (
        Kind("console.log('tag {n}.')", prints="tag {n}."),
        Kind("nope.nope", prints="ReferenceError"),
        Kind("let x = [", prints="SyntaxError"),
        Kind("console.log(`open", prints="SyntaxError"),
        Kind("process.stdout.write(Buffer.from([255, 254, 195, 40, 10])); console.log('tag {n}.')", prints="tag {n}."),
        Kind("console.log('x'.repeat(3000000)); console.log('tag {n}.')", prints="tag {n}."),
        Kind("for (let i = 0; i < 20000; i++) console.log(i)", prints="19999"),
        Kind("await new Promise(r => setTimeout(r, 20)); console.log('tag {n}.')", prints="tag {n}."),
        Kind("setTimeout(() => { throw new Error('late {n}') }, 5)", prints="late {n}"),
        Kind("Promise.reject(new Error('lost {n}'))", prints="lost {n}"),
        Kind("throw null", prints="null"),
        Kind("process.kill(process.pid, 'SIGKILL'); while (true) {}", "dies"),
        Kind("process.abort()", "dies"),
        Kind("require('child_process').spawn('sleep', ['{mark}'], { stdio: 'ignore', detached: true }).unref()",
             "background"),
        Kind("while (true) {}", "endless"),
        Kind("while (true) console.log('tag {n}.')", "endless"),
        Kind("await new Promise(() => setInterval(() => 0, 1000))", "endless"),
        Kind("require('child_process').execSync('sleep {mark}')", "endless"),
    ),
)  # fmt: skip

RUBY = Tongue(
    12,
    "kept = {n}",
    "puts \"kept #{binding.local_variable_defined?(:kept) && kept || 'none'}.\"",
    (
        Kind("puts 'tag {n}.'", prints="tag {n}."),
        Kind("1 / 0", prints="ZeroDivisionError"),
        Kind("puts (", prints="SyntaxError"),
        Kind("puts 'open", prints="SyntaxError"),
        Kind("exit 2"),
        Kind("abort 'tag {n}.'", prints="tag {n}."),
        Kind("$stdout.write(\"\\xff\\xfe\\xc3(\\n\"); puts 'tag {n}.'", prints="tag {n}."),
        Kind("puts 'x' * 3_000_000; puts 'tag {n}.'", prints="tag {n}."),
        Kind("20000.times { |i| puts i }", prints="19999"),
        Kind("Thread.new { raise 'in a thread' }.join", prints="in a thread"),
        Kind("def deep = deep\ndeep", prints="SystemStackError"),
        Kind("Process.kill(:KILL, $$); sleep", "dies"),
        Kind("exit!(4)", "dies"),
        Kind("exec 'true'", "dies"),
        Kind("spawn('sleep {mark}')", "background"),
        Kind("loop {}", "endless"),
        Kind("sleep", "endless"),
        Kind("system('sleep {mark}')", "endless"),
        Kind("loop { begin; loop {}; rescue Exception; end }", "stubborn"),
    ),
)

SQL = Tongue(
    9,
    "drop table if exists temp.kept; create temp table kept as select {n} as n",
    "select 'kept ' || coalesce((select n from temp.kept), 'none') || '.' as said",
    (
        Kind("select 'tag {n}.' as t", prints="tag {n}."),
        Kind("selec 1", prints="Error"),
        Kind("select 'open", prints="Error"),
        Kind("select 1; select * from nothing_here; select 2", prints="no such table"),
        Kind("with recursive c(n) as (select 1 union all select n + 1 from c limit 3000) select n from c",
             prints="3000"),
        Kind("select cast(x'fffec328' as text) as broken, 'tag {n}.' as t", prints="tag {n}."),
        Kind("with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c where n < 0",
             "endless"),
    ),
)  # fmt: skip

R = Tongue(
    7,
    "kept <- {n}",
    "cat(sprintf('kept %s.\\n', if (exists('kept')) kept else 'none'))",
    (
        Kind("cat('tag {n}.\\n')", prints="tag {n}."),
        Kind("stop('boo {n}')", prints="boo {n}"),
        Kind("x = (", prints="unexpected end"),
        Kind("cat('open", prints="Error"),
        Kind("cat(strrep('x', 3e6), '\\n'); cat('tag {n}.\\n')", prints="tag {n}."),
        Kind("for (i in 1:5000) cat(i, '\\n'); cat('tag {n}.\\n')", prints="tag {n}."),
        Kind("quit(status = 3)", "dies"),
        Kind("tools::pskill(Sys.getpid(), 9); Sys.sleep(60)", "dies"),
        Kind("system('sleep {mark}', wait = FALSE)", "background"),
        Kind("repeat {}", "endless"),
        Kind("Sys.sleep(60)", "endless"),
        Kind("system('sleep {mark}')", "endless"),
        Kind("repeat tryCatch(repeat {}, interrupt = function(e) 0)", "stubborn"),
    ),
)

JAVA = Tongue(
    2,
    "System.out.println(1);",  # nothing is kept
    'System.out.println("kept none.");',
    (
        Kind('System.out.println("tag {n}.");', prints="tag {n}."),
        Kind("int y = ;", prints="illegal start"),
        Kind('class A { public static void main(String[] a) { throw new RuntimeException("boo {n}"); } }',
             prints="boo {n}"),
        Kind("class A { public static void main(String[] a) { while (true) {} } }", "endless"),
    ),
)  # fmt: skip

TONGUES = {
    "python": PYTHON, "shell": SHELL, "javascript": JAVASCRIPT, "ruby": RUBY, "sql": SQL, "r": R, "java": JAVA,
}  # fmt: skip
