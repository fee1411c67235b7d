"""Programs that ask a person while a block runs: who is noticed, what they are told, what is left behind."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from oi_tui.computer import keyboard, waiting
from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench, Ran, eventually

Answer = str | None


class Asked(Bench):
    """A computer whose questions are answered in order; a question too many stays open."""

    async def ask(self, language: str, code: str, *answers: Answer) -> Ran:
        waiting_answers = list(answers)
        chunks: list[dict[str, Any]] = []

        def take(chunk: dict[str, Any]) -> None:
            chunks.append(chunk)
            if chunk.get("format") == "asked" and waiting_answers:
                text = waiting_answers.pop(0)
                asyncio.get_running_loop().call_soon(self.computer.type_in, chunk["content"]["input_id"], text)

        result = await asyncio.wait_for(self.computer.run(language, code, take), 60)
        assert not waiting_answers, f"never asked for {waiting_answers}: {chunks}"
        return Ran(result, chunks)


def asked(ran: Ran) -> list[tuple[str, bool, str]]:
    """Prompt, secret, program of each question."""
    found = [one["content"] for one in ran.of_type("input") if one["format"] == "asked"]
    return [(one["prompt"], one["secret"], one["program"]) for one in found]


def given(ran: Ran) -> list[tuple[str, str]]:
    """How each question ended, and what is told of the answer."""
    return [(one["content"]["how"], one["content"]["text"]) for one in ran.of_type("input") if one["format"] == "given"]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Asked]:
    (tmp_path / "tmp").mkdir()
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    python = Path(sys.executable).with_name("python3")  # often there, and called so for the system
    computer = Computer(
        str(tmp_path), python=str(python) if python.exists() else sys.executable, env=env, takes_input=True
    )
    yield Asked(computer)
    await computer.close()


async def test_python_asks(desk: Asked) -> None:
    ran = await desk.ask("python", "name = input('Name? ')\nprint('hi', name)", "Ada ü")
    assert ran.text == "Name? Ada ü\nhi Ada ü\n" and ran.result.ok
    assert asked(ran) == [("Name? ", False, "python")]
    assert given(ran) == [("typed", "Ada ü")]
    ran = await desk.ask(
        "python", "import sys\nprint(repr(sys.stdin.readline()), repr(sys.stdin.read()))", "a", "b", None
    )
    assert ran.text.endswith(r"'a\n' 'b\n'" + "\n")


async def test_a_secret_is_told_nowhere(desk: Asked) -> None:
    ran = await desk.ask("python", "import getpass\nprint(len(getpass.getpass()))", "hunter2x")
    assert ran.text == "Password: \n8\n"
    assert [one[1] for one in asked(ran)] == [True] and given(ran) == [("typed", "")]
    ran = await desk.ask("python", "a, b = input('Password: '), input('Name: ')\nprint(len(a), b)", "hunter2x", "Ada")
    assert ran.text == "Password: \nName: Ada\n8 Ada\n", "a prompt that says so is enough, for one answer"
    assert [one[1] for one in asked(ran)] == [True, False]
    ran = await desk.ask("shell", "read -sp 'Token: ' x; echo; echo ${#x}", "hunter2x")
    assert ran.text == "Token: \n8\n" and asked(ran) == [("Token: ", True, "bash")]


async def test_the_end_of_the_input(desk: Asked) -> None:
    ran = await desk.ask("python", "input('? ')", None)
    assert "EOFError" in ran.text and given(ran) == [("end", "")]
    assert (await desk.ask("python", "print(input('? '))", "again")).text == "? again\nagain\n"
    assert (await desk.ask("shell", "cat; echo over", "one", None)).text == "one\none\nover\n"


async def test_shell_programs_ask_one_after_another(desk: Asked) -> None:
    ran = await desk.ask("shell", "read -p 'a? ' a; read -n1 -p 'b? ' b; echo; read c; echo $a-$b-$c", "1", "y", "3")
    assert ran.text == "a? 1\nb? y\n3\n1-y-3\n"
    code = "python3 -c 'import getpass; print(len(getpass.getpass()))'; sh -c 'read x </dev/tty; echo $x'"
    assert (await desk.ask("shell", code, "secret", "seen")).text == "Password: \n6\nseen\nseen\n"
    ran = await desk.ask(
        "python", "import os, subprocess\nos.system('read x; echo $x')\nsubprocess.run(['head', '-1'])", "1", "2"
    )
    assert "1\n1\n2\n2\n" in ran.text


async def test_an_editor_of_lines(desk: Asked) -> None:
    """Python's own prompt reads single keys through `select`, and echoes by itself."""
    ran = await desk.ask("shell", "python3 -i -q", "x = 20", "x + 1", None)
    assert "\n21\n" in ran.text and all(prompt.endswith(">>> ") for prompt, _, _ in asked(ran))


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("ruby", "print 'n? '; $stdout.flush; puts gets"),
        ("r", "cat(readline('n? '), '\\n', sep = '')"),
        (
            "javascript",
            "const rl = require('readline/promises').createInterface({input: process.stdin, output: process.stdout});"
            "console.log(await rl.question('n? ')); rl.close()",
        ),
    ],
)
async def test_other_languages_ask(desk: Asked, language: str, code: str) -> None:
    if reason := desk.computer.why_not(language):
        pytest.skip(reason)
    ran = await desk.ask(language, code, "abc")
    assert [one[0] for one in asked(ran)] == ["n? "]
    assert "n? abc" in ran.text and ran.text.endswith("abc\n")


@pytest.mark.parametrize(
    ("language", "code", "answers", "words"),
    [
        ("r", "f <- function(y) {\n  browser()\n  y + 3\n}\nf(2)", ("y * 10", "nope", "c"),
         ["Called from: f(2)\n", "[1] 20\n", "object 'nope' not found", "[1] 5\n"]),
        ("ruby", "z = 3\nbinding.irb\nz + 1", ("z * 10", "exit"), ["=> 30\n", "\n4\n"]),
    ],
)  # fmt: skip
async def test_a_debugger_can_be_talked_to(
    desk: Asked, language: str, code: str, answers: tuple[str, ...], words: list[str]
) -> None:
    if reason := desk.computer.why_not(language):
        pytest.skip(reason)
    ran = await desk.ask(language, code, *answers)
    assert ran.result.ok and all(word in ran.text for word in words), ran.text


async def test_node_is_done_with_its_terminal_when_it_says_so(desk: Asked) -> None:
    if reason := desk.computer.why_not("javascript"):
        pytest.skip(reason)
    made = "require('readline').createInterface({input: process.stdin, output: process.stdout})"
    ran = await desk.ask(
        "javascript", f"var rl = {made}; rl.question('n? ', (a) => {{ console.log(a); rl.close(); }})", "x"
    )
    assert ran.text == "n? x\nx\n", "a callback is waited for"
    ran = await desk.ask("javascript", f"for await (const line of {made}) console.log('got', line)", "a", None)
    assert "got a\n" in ran.text
    sleep = "await new Promise((done) => setTimeout(done, 900))"
    ran = await desk.ask("javascript", f"process.stdout.write('Loading: '); {sleep}")
    assert ran.of_type("input") == []
    assert (await desk.ask("javascript", f"rl = {made}; rl.question('n? ', () => rl.close())", "y")).result.ok


async def test_who_does_not_ask_is_left_alone(desk: Asked) -> None:
    """Sleeping after an open line, waiting for a child, a job in the background, a pipe: nobody waits for a person."""
    code = "printf 'Waiting: '; sleep 0.4; (sleep 0.2); cat & wait; python3 -c 'import time; time.sleep(0.3)' | cat"
    ran = await desk.ask("shell", code)
    assert ran.of_type("input") == [] and ran.result.ok


async def test_a_question_that_times_out_is_taken_back(desk: Asked) -> None:
    ran = await desk.ask("shell", "read -t 1 x; echo [$x]; sleep 0.6")
    assert given(ran) == [("gone", "")] and ran.text == "[]\n"


@pytest.mark.parametrize(("language", "code", "then"), [
    ("python", "x = 1\ninput('? ')", "print(x)"), ("shell", "x=1; read a; echo no", "echo $x"),
    ("shell", "x=1; cat; echo no", "echo $x"),
])  # fmt: skip
async def test_an_interrupt_ends_the_wait_and_keeps_the_state(desk: Asked, language: str, code: str, then: str) -> None:
    task = await desk.start(language, code)
    await eventually(lambda: any(one.get("format") == "asked" for one in desk.live))
    await desk.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "no\n" not in ran.text
    assert (await desk.ask(language, then)).text == "1\n"


async def test_what_was_typed_too_much_is_not_for_the_next_block(desk: Asked) -> None:
    await desk.ask("shell", "stty -echo; read -n1 x", "abcdef")
    ran = await desk.ask("shell", "read x; echo [$x]", "new")
    assert ran.text == "new\n[new]\n", "and its terminal echoes again"


async def test_answers_that_cannot_be_taken(desk: Asked) -> None:
    with pytest.raises(ValueError, match="no program waits"):
        desk.computer.type_in("input_1", "x")
    task = await desk.start("shell", "read x; echo ${#x}")
    await eventually(lambda: any(one.get("format") == "asked" for one in desk.live))
    with pytest.raises(ValueError, match="no longer waits"):
        desk.computer.type_in("input_99", "x")
    with pytest.raises(ValueError, match="at most"):
        desk.computer.type_in("input_1", "x" * 5000)
    desk.computer.type_in("input_1", "a\x03\x1bb\x00c\x04")  # keys that would do something else than be typed
    assert (await task).text == "abc\n3\n"


async def test_where_the_system_tells_nothing(desk: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open line that asks and then silence count; one that does not ask, and sleeps, does not."""

    def unknowable(*_: object) -> None:
        raise waiting.Unknowable

    monkeypatch.setattr(keyboard, "SILENT", 0.3)
    monkeypatch.setattr(waiting, "find", unknowable)
    ran = await desk.ask("shell", "printf 'working'; sleep 0.6; echo; read -p 'Go on? ' x; echo [$x]", "yes")
    assert asked(ran) == [("Go on? ", False, "")] and ran.text.endswith("[yes]\n")
    assert (await desk.ask("shell", "read -sp 'Passwort: ' x; echo ${#x}", "abc")).text.endswith("3\n")


async def test_nobody_can_type(bench: Bench) -> None:
    """Without a person every way to ask fails at once, and Python says why."""
    ran = await bench.run("python", "import getpass\ngetpass.getpass('PIN: ')")
    assert "PIN: " in ran.text and "getpass() cannot be answered here: nobody can type" in ran.text
    assert not ran.of_type("input")
    ran = await bench.run("bash", "IFS=, read -r a b <<< 'x,y'; echo $a-$b; read -p 'n? ' c; echo $?")
    assert ran.text.startswith("x-y\nread: standard input is empty, nobody can type here") and ran.text.endswith("1\n")
    assert (await bench.run("bash", "seq 2 | while read -r n; do echo $n; done")).text == "1\n2\n"
    if not bench.computer.why_not("r"):
        assert "nobody typed anything" in (await bench.run("r", "readline('x? ')")).text
