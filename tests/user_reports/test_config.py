"""Reports on set-up: faulty config files, connections nobody asked for, odd paths, start without anything."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mock_model import MockModel, call, code, say
from tests.user_reports.driver import Running, broken_config, home, output, run_exec

ROOT = Path(__file__).resolve().parents[2]

_CONFIGS: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    # name: bytes, words that the message must hold, the model that is asked
    "not closed": (b"\nllm = {temperature = 1\n", ("config.toml", "line 2", "defaults"), "x"),
    "dotted": (b'llm.model = "dotted-model"\n', (), "dotted-model"),
    "unknown key": (b'\n\nmodle = "y"\n', ("config.toml:3", "modle", "did you mean model?"), "x"),
    "wrong type": (b'max_output = "lots"\n', ("config.toml:1", "max_output", "'lots'", "not a number"), "x"),
    "a list of tables": (b"[[llm]]\ntemperature = 1\n", ("config.toml", "llm"), "x"),
    "a list for a text": (b'model = ["y"]\n', ("config.toml:1", "model"), "x"),
    "tab indent": (b'\tmodel = "tabbed"\n', (), "tabbed"),
    "empty": (b"", (), "x"),
    "mark and CRLF": (b'\xef\xbb\xbfmodel = "marked"\r\nmax_output = 900\r\n', (), "marked"),
    "not UTF-8": (b'model = "\xff\xfe"\n', ("config.toml", "cannot be read", "defaults"), "x"),
}


@pytest.mark.parametrize(("data", "words", "model"), _CONFIGS.values(), ids=_CONFIGS)
def test_ur_085_config_files(data: bytes, words: tuple[str, ...], model: str) -> None:
    with broken_config(data), MockModel([say("ok")]) as mock:
        flags = ("-m", "x") if model == "x" else ()
        done = run_exec(mock, "hello", "-ab", mock.url, *flags, model="")
    assert (done.code, done.out) == (0, "ok\n"), done.err
    assert done.requests[0]["model"] == model
    for word in words:
        assert word in done.err
    if not words:
        assert done.err.splitlines() == ["ok"]


_IN_NAMESPACE = """
import fcntl, json, socket, struct, subprocess, sys
with socket.socket() as one:  # bring the loopback interface up: IFF_UP
    fcntl.ioctl(one, 0x8914, struct.pack("16sh", b"lo", 1))
sys.path.append(sys.argv[1])
from tests.mock_model import MockModel, code, http, say

def counters():
    found = {}
    lines = [line.split() for line in open("/proc/net/snmp")]
    for names, values in zip(lines[::2], lines[1::2]):
        found.update({names[0] + name: int(value) for name, value in zip(names[1:], values[1:])})
    return found

codes = []
with MockModel([code("python", "print(1)"), say("ok"), *[http(500)] * 9, say("ok")]) as mock:
    for extra in ("run", "fails", "last"):
        argv = [sys.executable, "-m", "oi_tui", "exec", "-y", "-m", "x", "-ab", mock.url, extra]
        codes.append(subprocess.run(argv, capture_output=True).returncode)
        mock.script = [one for one in mock.script if extra == "run" or one.steps[0].__class__.__name__ != "Http"]
    seen = counters()
    print(json.dumps({"codes": codes, "connections": mock.connections, **seen}))
"""


def _namespaces() -> bool:
    return shutil.which("unshare") is not None and subprocess.run(["unshare", "-n", "true"]).returncode == 0


@pytest.mark.skipif(not _namespaces(), reason="needs a network namespace: root and unshare")
@pytest.mark.parametrize("off", [{}, {"DO_NOT_TRACK": "1"}])
def test_ur_087_nothing_but_the_model_is_connected_to(off: dict[str, str]) -> None:
    """In a namespace of its own, the kernel's counters tell of every attempt, also of those that found no way."""
    done = subprocess.run(
        ["unshare", "-n", sys.executable, "-c", _IN_NAMESPACE, str(ROOT)],
        capture_output=True,
        env={**os.environ, **off},
        cwd=os.environ["HOME"],
        timeout=60,
        check=True,
    )
    seen = json.loads(done.stdout)
    assert seen["codes"] == [0, 1, 0]
    assert seen["Tcp:ActiveOpens"] == seen["connections"] > 0
    assert seen["Udp:OutDatagrams"] == 0
    assert seen["Ip:OutNoRoutes"] == 0


@pytest.fixture
def odd_place(tmp_path: Path) -> Path:
    folder = tmp_path / "a b'\u00e9\u4f60 (x)" / "-p"
    folder.mkdir(parents=True)
    return folder


def test_ur_090_odd_characters_in_all_paths(odd_place: Path) -> None:
    venv = odd_place / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    (site / "installed.pth").write_text("\n".join([*(one for one in sys.path if "site-packages" in one), str(ROOT)]))
    project = odd_place / "project"
    project.mkdir()
    (project / "crlf.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    patch = "*** Begin Patch\n*** Update File: crlf.txt\n@@\n one\n-two\n+zwei\n three\n*** End Patch"
    script = [
        code("python", "import os, sys; print(os.getcwd()); print(sys.prefix)"),
        code("shell", "pwd; cat 'my pic \u00e9.txt'"),
        call("apply_patch", {"input": patch}),
        call("read_file", {"path": "my pic \u00e9.txt"}),
    ]
    (project / "my pic \u00e9.txt").write_text("picture\n")
    with MockModel([*script, say("ok")]) as mock:
        done = Running(
            mock, "exec", "-y", "-m", "x", "-ab", mock.url, "go",
            program=(str(venv / "bin" / "python"), "-m", "oi_tui"),
            cwd=project,
            env={"INTERPRETER_HOME": str(odd_place / "home"), "VIRTUAL_ENV": str(venv)},
        ).end()  # fmt: skip
    assert (done.code, done.out) == (0, "ok\n"), done.err
    python, shell, patched, read = done.results
    assert output(python).splitlines() == [str(project), str(venv)]
    assert output(shell).splitlines() == [str(project), "picture"]
    assert (project / "crlf.txt").read_bytes() == b"one\r\nzwei\r\nthree\r\n", patched
    assert "picture" in read


def _scripts() -> list[tuple[str, ...]]:
    found = shutil.which("oi", path=str(Path(sys.executable).parent))
    return [(sys.executable, "-m", "oi_tui"), *([(found,)] if found else [])]


@pytest.mark.parametrize("flags", [("--version",), ("--help",), ("exec", "--help"), ("models", "--help")])
@pytest.mark.parametrize("program", _scripts(), ids=len)
def test_ur_091_start_without_anything(program: tuple[str, ...], flags: tuple[str, ...]) -> None:
    env = {"INTERPRETER_HOME": str(home() / "none"), "PYTHONWARNINGS": "default"}
    done = Running(None, *flags, program=program, env=env).end(10)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^oi \d|^usage: oi", done.out)
    assert not (home() / "none").exists()


def test_ur_091_version_imports_nothing_of_others() -> None:
    done = Running(None, "--version", program=(sys.executable, "-X", "importtime", "-m", "oi_tui")).end(10)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.err.splitlines()}
    assert "oi_tui" in imported
    foreign = {"textual", "rich", "httpx", "litellm", "yaml", "asyncio", "platformdirs", "pexpect", "tomlkit"}
    assert not imported & foreign
