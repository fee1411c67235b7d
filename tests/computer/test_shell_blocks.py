"""Shell blocks: state, status, bytes, and what must never hang."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench, eventually


def block(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


async def test_state_stays(bench: Bench) -> None:
    """UR-015."""
    await bench.run(
        "shell", "mkdir -p 'd 1' && cd 'd 1' && export FOO='a b'; f() { echo in-f; }; alias ll='echo aliased'"
    )
    ran = await bench.run("bash", 'pwd; echo "$FOO"; f; ll')
    folder = Path(bench.computer.cwd)
    assert folder.name == "d 1"
    assert ran.text == f"{folder}\na b\nin-f\naliased\n"


async def test_two_computers_share_nothing(bench: Bench, tmp_path: Path) -> None:
    from oi_tui.computer.computer import Computer

    other = Bench(Computer(str(tmp_path), env=dict(os.environ)))
    try:
        await bench.run("shell", "mkdir sub; cd sub; X=1")
        assert (await other.run("shell", 'pwd; echo "[$X]"')).text == f"{tmp_path}\n[]\n"
    finally:
        await other.computer.close()


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [
        ("false", 1, ""),
        ("true", 0, ""),
        ("no_such_cmd_zz; echo after", 0, "after\n"),
        ("(exit 7)", 7, ""),
        ("return 4; echo no", 4, ""),
        ("printf '    indented\\n  second\\nno newline'", 0, "    indented\n  second\nno newline"),
        ("printf 'a\\r\\nb'", 0, "a\r\nb"),
        ("printf '\\xff\\xe2\\x82'; printf '\\xac|'", 0, "\ufffd€|"),
        ("test -t 1 && test -t 2 && echo terminal", 0, "terminal\n"),
    ],
)
async def test_status_and_bytes(bench: Bench, code: str, status: int, text: str) -> None:
    """UR-025, UR-032."""
    ran = await bench.run("shell", code)
    assert ran.result.exit_code == status and ran.result.ok is (status == 0) and ran.result.note is None
    assert ran.text.endswith(text) if "no_such" in code else ran.text == text


async def test_error_output_comes_in_order(bench: Bench) -> None:
    ran = await bench.run("shell", "ls /nonexistent-zz; echo out")
    assert ran.text.index("nonexistent-zz") < ran.text.index("out")


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [
        ("echo a; exit 3", 3, "a\n"),
        ("echo a; kill $$; echo b", 143, "a\n"),
        ("echo a; kill -9 $$; echo b", 137, "a\n"),
        ("exec echo replaced", 0, "replaced\n"),
        ("set -e; echo a; false; echo b", 1, "a\n"),
    ],
)
async def test_a_shell_that_ends_ends_its_block(bench: Bench, code: str, status: int, text: str) -> None:
    """UR-003: the next block gets a fresh shell in the old folder."""
    await bench.run("shell", "mkdir -p here; cd here; GONE=1")
    ran = await bench.run("shell", code)
    assert (ran.result.exit_code, ran.text) == (status, text)
    assert ran.result.note and "variables and functions are lost" in ran.result.note
    after = await bench.run("shell", 'basename "$PWD"; echo "[$GONE]"')
    assert after.text == "here\n[]\n" and after.result.note is None


async def test_unfinished_commands_are_errors(bench: Bench) -> None:
    """UR-004."""
    for code in ("if true; then echo one", 'echo "unclosed', ") echo x", "cat <<EOT\nno end"):
        ran = await bench.run("shell", code)
        assert "syntax error" in ran.text or "unexpected" in ran.text or "here-document" in ran.text
    assert (await bench.run("shell", "echo fine")).text == "fine\n"


async def test_heredocs_arrive_byte_for_byte(bench: Bench) -> None:
    """UR-005."""
    ran = await bench.run("shell", "cat > notes.txt <<'EOT'\none\n  two $HOME\n\tthree\\\nEOT\nwc -l < notes.txt")
    assert ran.text.strip() == "3"
    assert (Path(bench.computer.cwd) / "notes.txt").read_bytes() == b"one\n  two $HOME\n\tthree\\\n"


async def test_blocks_of_many_lines(bench: Bench) -> None:
    """UR-006."""
    ran = await bench.run(
        "shell",
        block("""
        echo "first
        second"
        x=b
        case $x in
          a) echo A ;;
          b) echo B ;;
        esac
        echo long \\
          tail
        f() {
          echo in-f
        }
        f
        """),
    )
    assert ran.text == "first\nsecond\nB\nlong tail\nin-f\n"


async def test_nothing_waits_for_a_key(bench: Bench) -> None:
    """Standard input is empty, the terminal cannot be read, and there is no controlling terminal to ask on."""
    ran = await bench.run(
        "shell", 'read x; echo "[$x] $?"; cat; cat <&1; cat </dev/tty; less /etc/passwd </dev/null | head -1'
    )
    assert (
        "nobody can type here" in ran.text
        and "\n[] 1\n" in ran.text
        and "Bad file descriptor" in ran.text
        and "/dev/tty" in ran.text
    )


async def test_a_program_cannot_forge_the_end_of_its_block(bench: Bench) -> None:
    write = "printf '\\000x\\0001\\0000\\000/\\000' >&$fd"
    code = f"for fd in $(ls /proc/self/fd); do [ $fd -gt 2 ] && {write}; done 2>/dev/null; sleep 0.1; echo end"
    ran = await bench.run("shell", code)
    assert ran.text.endswith("end\n") and ran.result.exit_code == 0


async def test_a_redirected_shell_still_shows_the_next_block(bench: Bench) -> None:
    await bench.run("shell", "exec >/dev/null 2>&1; set -x; echo hidden")
    assert (await bench.run("shell", "echo shown")).text == "shown\n"


async def test_options_that_would_end_the_shell_last_one_block(bench: Bench) -> None:
    await bench.run("shell", "set -eu; true")
    ran = await bench.run("shell", 'false; echo "[$nope]"')
    assert ran.text == "[]\n" and ran.result.note is None


async def test_background_jobs_do_not_hold_the_block(bench: Bench) -> None:
    late: list[tuple[str, int, str]] = []
    bench.computer.on_late = lambda *told: late.append(told)
    ran = await bench.run("shell", "(until [ -e go ]; do sleep 0.02; done; echo late) & echo now")
    assert ran.text == "now\n" and "still running in the background" in (ran.result.note or "")
    (left,) = bench.computer.in_background()
    (Path(bench.computer.cwd) / "go").touch()
    await eventually(lambda: bool(late))
    assert late == [("shell", left.block, "late\n")]
    assert (await bench.run("shell", "echo next")).text == "next\n"


@pytest.mark.parametrize("language", ["shell", "sh", "zsh"])
async def test_what_jobs_print_is_never_part_of_another_block(bench: Bench, language: str) -> None:
    if language == "zsh" and bench.computer.why_not("zsh"):
        pytest.skip("zsh is not installed")
    name = bench.computer.canonical(language) or ""
    late: dict[int, str] = {}
    bench.computer.on_late = lambda _, block, text: late.update({block: late.get(block, "") + text})
    for word in "one", "two":
        job = f"while [ ! -e stop ]; do echo {word}; sleep 0.01; done"
        assert set((await bench.run(language, f"({job}) & echo on")).text.split()) <= {"on", word}
    first, second = (left.block for left in bench.computer.in_background() if left.language == name)
    await eventually(lambda: {first, second} <= set(late))
    assert (await bench.run(language, "sleep 0.1; echo mine")).text == "mine\n"
    task = await bench.start(language, "echo go; sleep 60", until="go")
    await bench.computer.interrupt()
    assert "one" not in (await task).text
    before = len(late[second])
    await eventually(lambda: len(late[second]) > before)  # an interrupted block takes nothing from the jobs of others
    await bench.run(language, "touch stop; wait")
    assert set(late[first].split()) == {"one"} and set(late[second].split()) == {"two"}


async def test_output_streams_while_the_command_runs(bench: Bench) -> None:
    """UR-031: the first line is seen while the command waits for us to have seen it."""
    task = await bench.start("shell", "echo tick1; until [ -e seen ]; do sleep 0.02; done; echo tick2", until="tick1\n")
    assert not task.done()
    (Path(bench.computer.cwd) / "seen").touch()
    assert (await task).text == "tick1\ntick2\n"


async def test_much_output_comes_whole_and_in_few_pieces(bench: Bench) -> None:
    ran = await bench.run("shell", "seq 200000")
    assert ran.text == "".join(f"{n}\n" for n in range(1, 200001))
    assert len(ran.chunks) < 400


async def test_an_escape_sequence_is_never_cut(bench: Bench) -> None:
    ran = await bench.run("shell", "for i in $(seq 300); do printf '\\033[3'; printf '1mred\\033[0m\\n'; done")
    outputs = [one["content"] for one in ran.chunks if one.get("format") == "output"]
    assert "".join(outputs) == "\x1b[31mred\x1b[0m\n" * 300
    assert not [one for one in outputs if one.endswith(("\x1b", "\x1b[", "\x1b[3"))]


async def test_zsh_where_it_is_installed(bench: Bench) -> None:
    if "zsh" not in bench.computer.languages():
        ran = await bench.run("zsh", "echo x")
        assert ran.result.note is not None and "zsh is not installed" in ran.result.note
        return
    ran = await bench.run("zsh", "x=5; a=(one two); print -r -- $a[1]; false")
    assert ran.text == "one\n" and ran.result.exit_code == 1
    assert (await bench.run("zsh", "echo $x; exit 4")).result.exit_code == 4
    task = await bench.start("zsh", "echo go; while true; do sleep 0.05; done; echo never", until="go")
    await bench.computer.interrupt()
    stopped = await task
    assert stopped.result.interrupted and "never" not in stopped.text
    assert (await bench.run("zsh", "echo fine")).text == "fine\n"


@pytest.fixture
async def plain(tmp_path: Path) -> AsyncIterator[Bench]:
    """A computer that has no shell but a plain sh."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "sleep", "true"):
        (tools / name).symlink_to(shutil.which("dash" if name == "sh" and shutil.which("dash") else name) or name)
    other = Bench(Computer(str(tmp_path), env={"PATH": str(tools), "HOME": str(tmp_path)}))
    yield other
    await other.computer.close()


async def test_a_plain_sh_does_where_bash_is_missing(plain: Bench) -> None:
    assert (await plain.run("bash", "x=5; cd /; false")).result.exit_code == 1
    task = await plain.start("sh", "echo go; while true; do sleep 0.05; done; echo never", until="go")
    await plain.computer.interrupt()
    assert (await task).result.interrupted
    assert (await plain.run("sh", 'echo "$x $PWD"')).text == "5 /\n"


async def test_names_that_the_person_takes_are_never_ours(bench: Bench) -> None:
    """An alias or function of the name of a built-in command breaks no block, here or in the other shells."""
    for shell in ("shell", "zsh", "sh"):
        if bench.computer.why_not(shell):
            continue
        ran = await bench.run(shell, "alias trap=false set=false\nprintf() { echo mine; }; cd() { echo mine; }; X=1")
        assert ran.result.ok, ran
        await bench.run("python", "import os; os.makedirs('below', exist_ok=True); os.chdir('below')")
        ran = await bench.run(shell, "pwd; printf x; echo $X")
        assert ran.result.ok and ran.text.endswith("/below\nmine\n1\n"), ran
        await bench.run("python", "os.chdir('..')")


async def test_an_alias_for_the_dot_hides_no_block(bench: Bench) -> None:
    await bench.run("shell", "alias .=false builtin=false")
    assert (await bench.run("shell", "echo here")).text == "here\n"


async def test_line_ends_of_windows(bench: Bench) -> None:
    """A script that has them throughout runs; in one that has some of both they are meant."""
    assert (await bench.run("shell", "if true; then\r\necho a\r\nfi\r\n")).text == "a\n"
    assert (await bench.run("shell", "cat <<E\na\r\nb\nE")).text == "a\r\nb\n"


async def test_a_shell_that_stopped_itself_can_be_interrupted(bench: Bench) -> None:
    await bench.run("shell", "KEPT=yes")
    task = await bench.start("shell", "echo go; kill -STOP $$; echo never", until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "never" not in ran.text
    assert (await bench.run("shell", "echo $KEPT")).text == "yes\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh"])
async def test_nobody_can_type_into_any_shell(bench: Bench, plain: Bench, shell: str) -> None:
    shells = plain if shell == "sh" else bench
    if reason := shells.computer.why_not(shell):
        pytest.skip(reason)
    ran = await shells.run(shell, "read x; echo rc $?; echo a b | { read x y; echo $y; }")
    assert ran.text == "read: standard input is empty, nobody can type here; put the value in the code\nrc 1\nb\n"
    for code in ("history", "fc -l") if shell == "bash" else ():
        assert "unset HISTFILE" not in (await shells.run(shell, code)).text
    ran = await shells.run(shell, "if true; then\n echo")
    assert not ran.result.ok and "block-" not in ran.text and shell in ran.text and ran.text.count(shell) == 1
