"""`oi sandbox` and `oi doctor`, as a person runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.safety.caged import needs_bubblewrap


def oi(*words: str, path: str = "", stdin: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **({"PATH": path} if path else {})}
    folder = Path.home() / "work"
    folder.mkdir(exist_ok=True)
    argv = [sys.executable, "-m", "oi_tui", *words]
    return subprocess.run(argv, cwd=folder, env=env, input=stdin, capture_output=True, text=True, timeout=120)


@needs_bubblewrap
def test_a_command_runs_in_the_sandbox() -> None:
    ran = oi("sandbox", "--", "sh", "-c", "cat; touch here; touch /usr/there; exit 7", stdin="fed")
    assert (ran.returncode, ran.stdout) == (7, "fed") and "Read-only file system" in ran.stderr
    assert (Path.home() / "work" / "here").exists()
    assert oi("sandbox", "--", "sh", "-c", "kill -9 $$").returncode == 137
    assert oi("sandbox", "--approval", "read-only", "--", "touch", "new").returncode == 1
    assert oi("sandbox", "--", "no-such-program").returncode == 127
    ran = oi("sandbox", "--", "sh", "-c", "echo $OI_SANDBOX $OI_SANDBOX_NETWORK; curl -sS http://example.com")
    assert ran.stdout.startswith("bubblewrap off\n") and "does not allow connections to example.com" in ran.stdout


def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    kind = ("-c", "sandbox.kind=bubblewrap")
    ran = oi("sandbox", *kind, "--", "touch", "made", path=str(tmp_path))
    assert ran.returncode == 3 and "bubblewrap is not installed" in ran.stderr
    assert oi("sandbox", "--sandbox", "off", "--", "touch", "made").returncode == 3
    assert oi("sandbox").returncode == 2
    assert not (Path.home() / "work" / "made").exists()


@needs_bubblewrap
def test_the_doctor_tries_it(monkeypatch: object) -> None:
    (Path.home() / ".ssh").mkdir()
    os.environ["OPENAI_API_KEY"] = "sk-not-to-be-shown"
    try:
        ran = oi("doctor", "--json")
    finally:
        del os.environ["OPENAI_API_KEY"]
    told = json.loads(ran.stdout)
    assert "sk-not" not in ran.stdout + ran.stderr
    about = {one["about"]: one for one in told["findings"]}
    for name in ("changing our settings", "reading secrets", "connecting", "ending this program", "making a namespace"):
        assert about[f"sandbox: {name}"]["state"] == "ok", told
    assert about["program"]["what"].startswith("oi ") and "python" in about["languages"]["what"]
    assert ran.returncode == (0 if told["ok"] else 1)


def test_the_doctor_says_what_is_broken(tmp_path: Path) -> None:
    (Path.home() / ".openinterpreter").mkdir()
    (Path.home() / ".openinterpreter" / "config.toml").write_text("nonsense = 1\n")
    server = ("-m", "openai/x", "--api_base", "http://127.0.0.1:9/v1", "--api_key", "sk-not-to-be-shown")
    ran = oi("doctor", "-c", "sandbox.kind=bubblewrap", *server, path=str(tmp_path))
    assert ran.returncode == 1 and "sk-not" not in ran.stdout
    for told in ("unknown setting nonsense", "none can start", "nothing answers"):
        assert told in ran.stdout
