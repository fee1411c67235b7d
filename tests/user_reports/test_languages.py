"""Reports on languages: spellings, absent programs, plain text, packages of the session, cells as they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.mock_model import call, code
from tests.user_reports.driver import output, run_steps, work_folder

_PYTHON = ("python ", "py", "python3", "Python3", "ipython")
_SHELL = ("bash", "sh", "shell", "Shell")
_SCRIPT = ("js", "node", "javascript", "JavaScript")
_OTHER = {
    "zsh": ("echo 'zsh'", "zsh"),
    "powershell": ("Write-Output 'powershell'", "pwsh"),
    "pwsh": ("Write-Output 'pwsh'", "pwsh"),
    "ps1": ("Write-Output 'ps1'", "pwsh"),
    "r": ("cat('r')", "Rscript"),
    "R": ("cat('R')", "Rscript"),
}


def test_ur_017_spellings_of_languages() -> None:
    blocks = [(tag, f"print({tag!r})") for tag in _PYTHON]
    blocks += [(tag, f"echo {tag}") for tag in _SHELL]
    blocks += [(tag, text) for tag, (text, _) in _OTHER.items()]
    done = run_steps(*(call("execute", {"language": tag, "code": text}) for tag, text in blocks))
    for (tag, _), result in zip(blocks, done.results, strict=True):
        if tag in _OTHER and output(result).rstrip("\n") != tag:
            assert "\n" not in result
            assert _OTHER[tag][1] in result and "is not installed" in result
        else:
            assert output(result).rstrip("\n") == tag, result


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_ur_017_spellings_of_javascript() -> None:
    done = run_steps(*(call("execute", {"language": tag, "code": f"console.log({tag!r})"}) for tag in _SCRIPT))
    assert [one.rstrip("\n") for one in done.outputs] == list(_SCRIPT)


def test_ur_018_a_language_without_a_runner_is_told() -> None:
    done = run_steps(
        call("execute", {"language": "fortran", "code": "print *, 'x'"}),
        call("execute", {"language": "text", "code": "hello"}),
        call("execute", {"language": "", "code": "ls"}),
    )
    for result in done.results:
        assert "python" in result, result
        assert "shell" in result, result
        assert "Output:" not in result
    assert "shown, not run" in done.results[1]


def test_ur_019_an_absent_program_is_named() -> None:
    folder = Path(shutil.which("bash") or "/bin/bash").parent
    bare = work_folder().parent / "bare"
    bare.mkdir()
    for name in ("bash", "sh", "ls", "cat", "env", "uname"):
        if (folder / name).exists():
            (bare / name).symlink_to(folder / name)
    done = run_steps(
        code("javascript", "console.log(1)"),
        code("r", "cat(1)"),
        code("java", "class A{}"),
        code("shell", "echo ok"),
        env={"PATH": str(bare)},
    )
    script, r, java, shell = done.results
    assert "node is not installed (looked in PATH)" in script
    assert "Rscript is not installed (looked in PATH)" in r
    assert "java is not installed (looked in PATH)" in java
    assert output(shell).strip() == "ok"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_ur_020_javascript_of_several_lines() -> None:
    text = "const o = {\n    a: 1,\n    b: [2,\n        3] };\n"
    text += "  const r = await Promise.resolve(o.b.length); console.log(r)"
    done = run_steps(code("javascript", text), code("javascript", text))
    assert output(done.results[0]).strip() == "2"
    assert output(done.results[1]).strip() == "2" or "already been declared" in done.results[1]


@pytest.fixture
def venv() -> Path:
    folder = work_folder() / "v"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder


def _wheel(folder: Path) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "tinypkg-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinypkg.py", "X = 'tiny value'\n")
        wheel.writestr("tinypkg-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tinypkg\nVersion: 1.0\n")
        wheel.writestr("tinypkg-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tinypkg-1.0.dist-info/RECORD", "")


@pytest.mark.parametrize("order", [("python", "shell"), ("shell", "python")])
def test_ur_021_packages_installed_in_the_session_can_be_imported(venv: Path, order: tuple[str, str]) -> None:
    _wheel(work_folder() / "wheels")
    install = "pip install --no-index --find-links=./wheels tinypkg"
    steps = {"python": code("python", f"!{install}"), "shell": code("shell", install)}
    path = f"{venv}/bin:/usr/local/bin:/usr/bin:/bin"
    done = run_steps(
        code("python", "1"),
        *(steps[one] for one in order),
        code("python", "import tinypkg,sys; print(tinypkg.X, sys.prefix)"),
        env={"VIRTUAL_ENV": str(venv), "PATH": path},
        timeout=60,
    )
    assert output(done.results[3]) == f"tiny value {venv}\n", done.results
    assert "Successfully installed" in done.results[1]
    assert "already satisfied: tinypkg in ./v/lib" in done.results[2]


_CELL = '''from __future__ import annotations
@staticmethod
def f(): return """a
  b"""
try:
    1/0
except ZeroDivisionError:
    print(repr(f()))
if True:
    pass
else: print('no')
print(__name__)'''


def test_ur_023_a_cell_runs_as_it_is() -> None:
    done = run_steps(code("python", _CELL), code("python", "%%time\nsum(range(10))"), code("python", "7 * 6"))
    first, second, third = done.outputs
    assert first == "'a\\n  b'\n__main__\n"
    assert "Wall time" in second
    assert "45" in second.splitlines()
    assert third == "42\n"
