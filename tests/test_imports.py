"""Start-up is a feature: what may be loaded when, looked up in `sys.modules` of fresh interpreters."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import oi_tui

PACKAGE = Path(oi_tui.__file__).parent
OWN = {"oi_tui", "harnesses", "interpreter"}
CHILD_ONLY = {"litellm", "xllamacpp", "semgrep", "mcp"}  # never in the app's own process


def _loaded(program: str) -> set[str]:
    """Top-level names of all modules that are loaded at the end of `program`, run by a fresh interpreter."""
    report = (
        "\nimport sys as _s\n"
        "_s.stderr.write('\\nLOADED ' + ' '.join({name.partition('.')[0] for name in _s.modules}) + '\\n')"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program + report], capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("LOADED ")]
    assert done.returncode == 0 and lines, done.stderr
    return set(lines[-1].split()[1:])


def _third_party(program: str) -> set[str]:
    """As `_loaded`, less the standard library, our own packages and what the environment itself loads at start."""
    return _loaded(program) - _loaded("pass") - set(sys.stdlib_module_names) - OWN


def _run(*argv: str) -> str:
    """A program that runs `oi` with `argv` and goes on when it exits."""
    return (
        f"import sys\nsys.argv = {['oi', *argv]!r}\nfrom oi_tui.cli import main\n"
        "try:\n    code = main()\nexcept SystemExit as end:\n    code = end.code\n"
        "assert code in (0, None), code"
    )


def test_version_loads_the_standard_library_only() -> None:
    assert _third_party(_run("--version")) == set()


def test_version_of_the_installed_command() -> None:
    command = Path(sysconfig.get_path("scripts")) / "oi"
    done = subprocess.run([str(command), "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert oi_tui.__version__ in done.stdout


def test_help_loads_the_standard_library_only() -> None:
    assert _third_party(_run("--help")) == set()


def test_command_line_module_loads_the_standard_library_only() -> None:
    assert _third_party("import oi_tui.cli") == set()


def test_protocol_and_harness_types_load_the_standard_library_only() -> None:
    names = sorted(file.stem for file in (PACKAGE / "protocol").glob("*.py") if file.stem != "__init__")
    program = "".join(f"import oi_tui.protocol.{name}\n" for name in names) + "import harnesses.base"
    assert _third_party(program) == set()


def test_headless_face_loads_no_screen() -> None:
    loaded = _loaded("import oi_tui.faces.exec, oi_tui.session.session")
    assert not loaded & (CHILD_ONLY | {"textual", "rich", "pyautogui", "mss", "PIL", "openai", "pydantic"})


def test_app_loads_no_heavy_runtime() -> None:
    assert not _loaded("import oi_tui.app.app") & (CHILD_ONLY | {"openai", "pyautogui", "PIL", "pydantic"})
