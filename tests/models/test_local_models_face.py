"""`oi models` and the models of local servers: listed with size and window, fetched with progress."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mock_model import MockModel
from tests.mock_model.local_servers import LocalModel


def _oi(*argv: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from oi_tui.faces.models import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, timeout=120)


def test_list_names_what_ollama_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with MockModel(models=[LocalModel("qwen3:8b", context=40960)]) as mock:
        monkeypatch.setenv("OLLAMA_HOST", mock.root)
        shown = _oi("list")
    assert shown.returncode == 0, shown.stderr
    line = next(one for one in shown.stdout.splitlines() if "ollama/qwen3:8b" in one)
    assert line.split()[1:] == ["4.66", "GB", "40,960", "tokens"]


def test_pull_through_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    with MockModel() as mock:
        monkeypatch.setenv("OLLAMA_HOST", mock.root)
        done = _oi("pull", "ollama/qwen3:8b")
        assert (done.returncode, done.stdout) == (0, "")
        assert "pulling 6a0746a1ec1a" in done.stderr
        assert done.stderr.endswith("ollama/qwen3:8b is ready\n")
        failed = _oi("pull", "ollama/nosuch")
        assert failed.returncode == 1
        assert "file does not exist" in failed.stderr
    gone = _oi("pull", "ollama/qwen3:8b")
    assert (gone.returncode, "is Ollama running?" in gone.stderr) == (1, True)
