"""The computer as a whole: languages, the shared folder, the environment, interpreters, starting and closing."""

from __future__ import annotations

import ast
import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oi_tui.computer import environment, interpreters, languages
from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench, descriptors, eventually, parent_of, running

CHILD = Path(environment.__file__).parent / "kernels" / "python_child.py"


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("bash", "shell"), ("sh", "shell"), ("Shell", "shell"), ("zsh", "zsh"), ("python ", "python"), ("py", "python"),
        ("Python3", "python"), ("ipython", "python"), ("node", "javascript"), ("JavaScript", "javascript"),
        ("js", "javascript"), ("pwsh", "powershell"), ("ps1", "powershell"), ("R", "r"), ("ts", "typescript"),
        ("rb", "ruby"), ("fortran", None), ("text", None), ("", None),
    ],
)  # fmt: skip
def test_names_of_languages(spelled: str, name: str | None) -> None:
    """UR-017, UR-018."""
    assert languages.canonical(spelled) == name


@pytest.mark.parametrize("tag", ["bash", "sh", "Shell", " shell\n"])
async def test_spellings_share_one_state(bench: Bench, tag: str) -> None:
    await bench.run("shell", "X=kept")
    assert (await bench.run(tag, "echo $X")).text == "kept\n"


@pytest.mark.parametrize("tag", ["fortran", "text", "", "markdown", "<x>"])
async def test_what_cannot_run_is_said_in_one_sentence(bench: Bench, tag: str) -> None:
    """UR-018."""
    ran = await bench.run(tag, "print *, 'x'")
    assert not ran.result.ok and ran.chunks == [] and ran.result.note is not None
    assert "python" in ran.result.note and "\n" not in ran.result.note
    assert (await bench.run("python", "1")).text == "1\n"


async def test_missing_programs_are_named(tmp_path: Path) -> None:
    """UR-019."""
    bench = Bench(Computer(str(tmp_path), python=sys.executable, env={"PATH": str(tmp_path)}))
    for language, program in (("javascript", "node"), ("r", "Rscript"), ("java", "java"), ("ruby", "ruby")):
        ran = await bench.run(language, "1")
        assert ran.result.note is not None
        assert f"{program} is not installed" in ran.result.note
    assert bench.computer.languages() == ("python", "sql")
    assert (await bench.run("python", "1")).text == "1\n"
    await bench.computer.close()


async def test_all_languages_share_the_folder(bench: Bench) -> None:
    start = bench.computer.cwd
    await bench.run("shell", "mkdir -p 'a b/c'; cd 'a b'")
    assert (await bench.run("python", "import os; print(os.getcwd())")).text == f"{start}/a b\n"
    await bench.run("python", "os.chdir('c')")
    assert bench.computer.cwd == f"{start}/a b/c"
    assert (await bench.run("shell", "pwd")).text == f"{start}/a b/c\n"


async def test_a_folder_that_is_gone_is_told(bench: Bench) -> None:
    start = bench.computer.cwd
    await bench.run("shell", "mkdir gone; cd gone")
    shutil.rmtree(Path(start) / "gone")
    ran = await bench.run("python", "import os; print(os.getcwd())")
    assert ran.text == f"{start}\n" and ran.result.note and "is gone" in ran.result.note


async def test_provider_keys_stay_out(tmp_path: Path) -> None:
    """UR-103."""
    env = {**os.environ, "OPENAI_API_KEY": "sk-SECRET-1", "ANTHROPIC_API_KEY": "sk-SECRET-2", "MY_OWN_NAME": "mine"}
    bench = Bench(Computer(str(tmp_path), python=sys.executable, env=env))
    shell = await bench.run("shell", "env")
    python = await bench.run("python", "import os; print(dict(os.environ))")
    assert "SECRET" not in shell.text + python.text
    assert "MY_OWN_NAME=mine" in shell.text and "'MY_OWN_NAME': 'mine'" in python.text
    await bench.computer.close()


def test_the_environment_of_the_project_comes_first(tmp_path: Path) -> None:
    for name in (".venv", "active", "conda"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin" / "python").symlink_to(sys.executable)
    env = {"VIRTUAL_ENV": str(tmp_path / "active"), "CONDA_PREFIX": str(tmp_path / "conda"), "PATH": "/bin"}
    assert interpreters.choose(str(tmp_path), env).path == str(tmp_path / "active/bin/python")
    env["VIRTUAL_ENV"] = "/not/there"
    chosen = interpreters.choose(str(tmp_path), env)
    assert chosen.path == str(tmp_path / ".venv/bin/python") and chosen.from_folder
    assert interpreters.choose("/", env).path == str(tmp_path / "conda/bin/python")
    assert interpreters.choose("/", {}).path == sys.executable
    assert interpreters.choose("/", env, "/my/python").path == "/my/python"
    made = environment.for_code({"PATH": "/bin"}, "c", tmp_path / "active" / "bin")
    assert made["PATH"] == f"{tmp_path}/active/bin:/bin"


def make_environment(path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(path)], check=True)


async def test_python_and_shell_use_the_same_environment(tmp_path: Path) -> None:
    """UR-021, without a network: both see the same prefix."""
    make_environment(tmp_path / "env")
    bench = Bench(Computer(str(tmp_path), env={**os.environ, "VIRTUAL_ENV": str(tmp_path / "env")}))
    code = "import sys; print(sys.prefix)"
    assert (await bench.run("python", code)).text == f"{tmp_path}/env\n"
    assert (await bench.run("shell", f"python -c '{code}'")).text == f"{tmp_path}/env\n"
    await bench.computer.close()


async def test_a_python_that_does_not_start_is_a_result(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'libfoo is missing' >&2\nexit 3\n")
    broken.chmod(0o755)
    for path, words in ((str(broken), "exit code 3"), ("/no/such/python", "No such file")):
        bench = Bench(Computer(str(tmp_path), python=path))
        for _ in range(2):
            ran = await bench.run("python", "1")
            assert not ran.result.ok and ran.result.note is not None
            assert words in ran.result.note and path in ran.result.note
        await bench.computer.close()


async def test_prepare_starts_a_kernel_and_never_raises(bench: Bench) -> None:
    bench.computer.prepare("py")
    kernels = [pid for pid in running("python_child") if parent_of(pid) == os.getpid()]
    assert len(kernels) == 1
    for language in ("shell", "fortran", "", "r"):
        bench.computer.prepare(language)
    assert (await bench.run("python", "import os; print(os.getpid())")).text == f"{kernels[0]}\n"


async def test_prepare_does_not_run_what_the_folder_brings(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\ntouch {tmp_path}/PWNED\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    bench = Bench(Computer(str(tmp_path), env=env))
    bench.computer.prepare("python")
    await asyncio.sleep(0.1)
    assert not (tmp_path / "PWNED").exists()
    assert (await bench.run("python", "1")).text == "1\n"
    await bench.computer.close()


async def test_blocks_wait_for_each_other(bench: Bench) -> None:
    first = asyncio.create_task(bench.run("python", "import time; time.sleep(0.2); print('first'); x = 1"))
    await asyncio.sleep(0)
    second = await bench.run("python", "print(x)")
    assert second.text == "1\n" and (await first).text == "first\n"


async def test_two_hundred_thousand_lines(bench: Bench) -> None:
    ran = await bench.run("python", "for i in range(200000): print(i)")
    assert ran.text == "".join(f"{n}\n" for n in range(200000))
    assert len(ran.chunks) < 400


async def test_a_large_block_of_code_arrives(bench: Bench) -> None:
    text = "é" * 400_000
    assert (await bench.run("python", f"len('{text}')")).text == "400000\n"
    assert (await bench.run("shell", f"printf %s '{text}' | wc -m")).result.ok


async def test_nothing_is_left_after_close(tmp_path: Path) -> None:
    before = descriptors()
    (tmp_path / "tmp").mkdir()
    bench = Bench(Computer(str(tmp_path), python=sys.executable, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}))
    await bench.run("python", "1")
    await bench.run("shell", "exit 1")
    await bench.run("shell", "true")
    await bench.computer.close()
    await bench.computer.close()
    assert descriptors() == before
    assert list((tmp_path / "tmp").iterdir()) == []
    await eventually(lambda: not [pid for pid in running("oi-guard") if parent_of(pid) == os.getpid()])


def test_the_kernel_is_one_old_python_and_the_standard_library() -> None:
    tree = ast.parse(CHILD.read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)


async def test_another_python_is_taken_when_the_environment_is_deleted(tmp_path: Path) -> None:
    program = tmp_path / "venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.symlink_to(sys.executable)
    bench = Bench(Computer(str(tmp_path), env={**os.environ, "VIRTUAL_ENV": str(tmp_path / "venv")}))
    try:
        assert "venv/bin/python" in (await bench.run("python", "import sys; sys.executable")).text
        await bench.run("shell", "rm -r venv")
        assert (await bench.run("python", "import os; os._exit(1)")).result.exit_code == 1
        assert (await bench.run("python", "1 + 1")).text == "2\n"
        assert (await bench.run("sql", "select 2")).result.ok
    finally:
        await bench.computer.close()


ALIASES = [
    (("python", "py", "Python", "python3"), "x = 1", "print(x)"),
    (("javascript", "js", "node", "JS"), "var x = 1", "x"),
    (("typescript", "ts"), "const x: number = 1", "x"),
    (("shell", "sh", "bash", "Bash "), "x=1", "echo $x"),
    (("ruby", "rb"), "x = 1", "x"),
    (("r", "R", "Rscript"), "x <- 1", "cat(x)"),
    (("sql", "sqlite"), "create temp table t as select 1 as x", "select x from t"),
]


@pytest.mark.parametrize(("names", "first", "then"), ALIASES, ids=lambda one: one[0] if isinstance(one, tuple) else "")
async def test_all_spellings_of_a_language_share_its_state(
    bench: Bench, names: tuple[str, ...], first: str, then: str
) -> None:
    if reason := bench.computer.why_not(names[0]):
        pytest.skip(reason)
    await bench.run(names[-1], first)
    for name in names:
        assert "1" in (await bench.run(name, then)).text, name
