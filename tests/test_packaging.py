"""What is in the wheel, and that the files around the program agree with one another."""

from __future__ import annotations

import ast
import configparser
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this checkout, built without fetching anything."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file)


def _content(folder: str, *endings: str) -> list[Path]:
    """Files below `folder` of the checkout that have to be shipped."""
    files = (file for file in (ROOT / folder).rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return sorted(file.relative_to(ROOT) for file in files if not endings or file.suffix in endings)


def test_wheel_holds_every_module_and_its_data(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    wanted = [file for package in ("oi_tui", "harnesses", "interpreter") for file in _content(package)]
    missing = [file.as_posix() for file in wanted if file.suffix != ".pyc" and file.as_posix() not in names]
    assert not missing
    assert "oi_tui/cli.py" in names


def test_wheel_holds_prompts_providers_and_styles(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert "oi_tui/models/providers.toml" in names
    for pattern in (r"harnesses/prompts/.+\.md", r"oi_tui/app/styles/.+\.tcss"):
        assert any(re.fullmatch(pattern, name) for name in names), pattern


@pytest.mark.parametrize("room", ["themes", "skills", "profiles"])
def test_wheel_holds_content_inside_the_package(wheel: zipfile.ZipFile, room: str) -> None:
    names = set(wheel.namelist())
    files = _content(room)
    assert files, f"{room}/ is empty"
    assert not [file.as_posix() for file in files if f"oi_tui/{file.as_posix()}" not in names]


def test_wheel_ships_at_least_six_themes(wheel: zipfile.ZipFile) -> None:
    themes = [name for name in wheel.namelist() if re.fullmatch(r"oi_tui/themes/[\w-]+\.toml", name)]
    assert len(themes) >= 6
    for name in themes:
        tomllib.loads(wheel.read(name).decode("utf-8"))


def test_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"oi_tui", "harnesses", "interpreter"}


def test_wheel_installs_its_commands_and_the_licence(wheel: zipfile.ZipFile) -> None:
    (listed,) = [name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt")]
    entries = configparser.ConfigParser()
    entries.read_string(wheel.read(listed).decode("utf-8"))
    wanted = {**dict.fromkeys(("oi", "interpreter", "i"), "oi_tui.cli:main"), "wtf": "oi_tui.cli:main_wtf"}
    assert dict(entries["console_scripts"]) == wanted
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel.namelist())


def test_installed_program_finds_its_content() -> None:
    from oi_tui import paths

    for room in ("themes", "skills", "profiles"):
        assert paths.shipped(room).is_dir()


def test_locks_agree_and_name_no_host() -> None:
    pin = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s\\;]+)", re.MULTILINE)
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in constraints + lock
    assert "--hash" not in constraints
    locked, known = set(pin.findall(lock)), set(pin.findall(constraints))
    assert locked
    assert locked <= known
    blocks = re.split(r"\n(?=\S)", lock.strip())
    assert not [block for block in blocks if "--hash=sha256:" not in block]


def test_locks_cover_every_dependency() -> None:
    names = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    listed = [*PROJECT["project"]["dependencies"]]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        listed += extra
    wanted = {re.split(r"[\[<>=~! ;]", line)[0].lower().replace("_", "-") for line in listed} - {"oi-tui"}
    assert wanted <= names


def test_every_room_stands_on_a_floor() -> None:
    (floors,) = [one for one in PROJECT["tool"]["importlinter"]["contracts"] if one["id"] == "floors"]
    named = set(re.findall(r"[\w.]+", " ".join(floors["layers"])))
    rooms = {f"oi_tui.{file.stem}" for file in (ROOT / "oi_tui").glob("*.py") if file.stem != "__init__"}
    rooms |= {f"oi_tui.{file.parent.name}" for file in (ROOT / "oi_tui").glob("*/__init__.py")}
    assert rooms <= named


def test_pre_commit_runs_the_locked_ruff() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    pinned = set(re.findall(r"ruff==([\d.]+)", hooks))
    locked = set(re.findall(r"^ruff==(\S+)", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))
    assert len(locked) == 1
    assert pinned == locked


def test_readme_marks_each_set_up_command_once() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for mark in ("run", "test"):
        blocks = re.findall(rf"<!-- ci: {mark} -->\n```sh\n(.+)\n```", readme)
        assert len(blocks) == 1, mark
        assert blocks[0].startswith("python3 -m venv ")


def test_interpreter_shim_passes_on_the_version() -> None:
    import interpreter
    import oi_tui

    assert interpreter.__version__ == oi_tui.__version__
    with pytest.raises(AttributeError, match="it has AsyncInterpreter"):
        _ = interpreter.no_such_name


# Programs for the person's own interpreter: what they import is there or it is done without.
_OF_THE_PERSON = ("oi_tui/computer/kernels/",)
# Looked for and done without.
_OPTIONAL = {"IPython", "aifs"}


def _imported() -> dict[str, set[str]]:
    """Top-level packages of others that our modules import anywhere, with the files that do."""
    found: dict[str, set[str]] = {}
    for package in ("oi_tui", "harnesses", "interpreter"):
        for file in (ROOT / package).rglob("*.py"):
            place = file.relative_to(ROOT).as_posix()
            if place.startswith(_OF_THE_PERSON) and place.endswith("_child.py"):
                continue
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    names = [node.module]
                for name in names:
                    found.setdefault(name.partition(".")[0], set()).add(place)
    known = {*sys.stdlib_module_names, "oi_tui", "harnesses", "interpreter"}
    return {name: places for name, places in found.items() if name not in known}


def test_every_import_is_declared() -> None:
    project = PROJECT["project"]
    asked = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    declared = {re.split(r"[\[<>=!~; ]", one)[0].lower().replace("_", "-") for one in asked}
    offered_by = importlib.metadata.packages_distributions()
    undeclared = {
        name: sorted(places)
        for name, places in _imported().items()
        if name not in _OPTIONAL
        and not {one.lower().replace("_", "-") for one in offered_by.get(name, [name])} & declared
    }
    assert not undeclared
