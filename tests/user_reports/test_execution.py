"""Reports on running code, without a screen: blocks that ask, exit, are incomplete, fail or say nothing."""

from __future__ import annotations

from tests.mock_model import code
from tests.user_reports.driver import output, results, run_steps


def test_ur_001_input_fails_at_once() -> None:
    done = run_steps(code("python", 'name = input("Name? "); print("hi", name)'), code("python", "print('second')"))
    assert "EOFError" in results(done.requests[1])[0]
    assert done.outputs[1] == "second\n"


def test_ur_001_shell_read_fails_at_once() -> None:
    done = run_steps(code("shell", 'read -p "Name? " name; echo "status $?"'), code("shell", "echo second"))
    assert "status 1" in done.outputs[0]
    assert done.outputs[1].strip() == "second"


def test_ur_003_shell_exit_and_unknown_command() -> None:
    done = run_steps(code("shell", "echo a; exit 3"), code("shell", "no_such_cmd_zz; echo after"), code("shell", "pwd"))
    first, second, third = done.results
    assert output(first).strip() == "a"
    assert "Exit code: 3" in first
    assert "lost" in first or "afresh" in first
    assert "after" in output(second).splitlines()
    assert output(third).strip() == str(done.cwd)


def test_ur_003_unknown_command_gives_its_status() -> None:
    done = run_steps(code("shell", "no_such_cmd_zz"))
    assert "Exit code: 127" in done.results[0]


def test_ur_004_unfinished_commands() -> None:
    done = run_steps(
        code("shell", "if true; then echo one"),
        code("shell", 'echo "unclosed'),
        code("shell", ") echo x"),
        code("shell", "echo fine"),
    )
    for result in done.results[:3]:
        assert "syntax error" in result or "unexpected" in result, result
        assert "Exit code: 0" not in result
    assert done.outputs[3].rstrip("\n") == "fine"


def test_ur_005_here_document_is_written_byte_for_byte() -> None:
    done = run_steps(code("shell", "cat > notes.txt <<'EOT'\none\n  two $HOME\nthree\nEOT\nwc -l notes.txt"))
    assert (done.cwd / "notes.txt").read_bytes() == b"one\n  two $HOME\nthree\n"
    assert done.outputs[0].split() == ["3", "notes.txt"]


_COMPOUND = """echo "first
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
"""


def test_ur_006_compound_commands() -> None:
    done = run_steps(code("shell", _COMPOUND))
    assert done.outputs[0].splitlines() == ["first", "second", "B", "long tail", "in-f"]


def test_ur_016_an_exception_keeps_the_variables() -> None:
    done = run_steps(code("python", 'x=5; raise RuntimeError("boom")'), code("python", "print(x)"))
    told = results(done.requests[1])[0]
    assert "boom" in told
    assert "line 1" in told
    assert "python_child" not in told
    assert done.outputs[1] == "5\n"
    assert "boom" in done.err


def test_ur_022_invalid_escape_is_a_result() -> None:
    done = run_steps(code("python", "p = 'C:\\Users\\new\\x'; print(p)"), code("python", 'print("still here")'))
    assert "SyntaxError" in done.results[0]
    assert "line 1" in done.results[0]
    assert done.outputs[1] == "still here\n"


def test_ur_025_status_and_no_output_are_told() -> None:
    done = run_steps(code("shell", "false"), code("shell", "true"), code("shell", "ls /nonexistent-zz; echo out"))
    failed, fine, mixed = done.results
    assert "Exit code: 1" in failed
    assert "No output" in failed
    assert "Exit code: 0" in fine
    assert "No output" in fine
    first, second = output(mixed).splitlines()
    assert "nonexistent-zz" in first
    assert second == "out"


def test_ur_032_white_space_and_the_last_part_line_stay() -> None:
    done = run_steps(
        code("shell", "printf '    indented\\n  second\\nno newline'"),
        code("python", 'import sys; _=sys.stdout.write("tail")'),
    )
    assert done.outputs[0].removesuffix("\n") == "    indented\n  second\nno newline"
    assert done.outputs[1].removesuffix("\n") == "tail"
