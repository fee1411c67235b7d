"""What holds for every test: a home of its own, no keys of the person who runs it, no network beyond this machine.

Tests import the program as it is installed (in an editable install: as it lies in the checkout). The checkout comes
last on the path, only so that `tests.mock_model` and its neighbours can be imported.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

# Taken before any test moves HOME: downloaded weights are too large to fetch once a test.
_REAL_HOME = Path(os.environ.get("INTERPRETER_HOME") or Path.home() / ".openinterpreter").expanduser()

_PRIVATE = re.compile(
    r".*(_API_KEY|_API_TOKEN|_AUTH_TOKEN|_ACCESS_TOKEN|_API_BASE|_BASE_URL)$"
    r"|(AWS|AZURE|VERTEX|VERTEXAI|OPENAI|ANTHROPIC|GOOGLE|GEMINI|HF|OLLAMA|LITELLM|INTERPRETER|OI|XDG|GIT|TMUX)_.*"
    r"|OLLAMA_HOST|TMUX|NO_COLOR|FORCE_COLOR|CLICOLOR.*|TERM_PROGRAM.*|COLUMNS|LINES|EDITOR|VISUAL|PAGER|VIRTUAL_ENV"
    r"|PYTHONPATH|PYTHONSTARTUP|BASH_ENV|ENV"
)
_KEPT = re.compile(r"OI_TEST_.*")  # switches of the test-suite itself

_ENVIRONMENT = {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "NO_PROXY": "127.0.0.1,localhost,::1",
    "no_proxy": "127.0.0.1,localhost,::1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@localhost",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@localhost",
}


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home folder and a neutral environment, for the test and the programs it starts. Gives the home."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if _PRIVATE.fullmatch(name) and not _KEPT.fullmatch(name)]:
        monkeypatch.delenv(name)
    for name, value in _ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("INTERPRETER_HOME", str(home / ".openinterpreter"))
    time.tzset()
    yield home
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def weights_folder() -> Path:
    """Where weights of the embedded model are looked for and kept between runs.

    $OI_TEST_WEIGHTS, else the `models` folder of the person who runs the tests.
    """
    named = os.environ.get("OI_TEST_WEIGHTS")
    return Path(named).expanduser() if named else _REAL_HOME / "models"


@pytest.fixture(scope="session")
def _semgrep_folder() -> Path:
    from tests.semgrep import folder_of_semgrep

    found = folder_of_semgrep()
    if found is None:
        pytest.skip("semgrep is not here: uv tool install semgrep, or set OI_TEST_FETCH=1 to fetch it")
    return found


@pytest.fixture
def semgrep(_semgrep_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real semgrep is on the PATH."""
    monkeypatch.setenv("PATH", f"{_semgrep_folder}{os.pathsep}{os.environ['PATH']}")
    return _semgrep_folder / "semgrep"


class NetworkUsed(AssertionError):
    """A test without the mark `network` reached for another machine."""


_open_network = True  # until the first test starts


def _is_local(host: object) -> bool:
    if host is None or not isinstance(host, str | bytes):
        return True
    name = (host.decode("ascii", "replace") if isinstance(host, bytes) else host).rstrip(".").lower()
    if name in {"", "localhost", socket.gethostname().lower()} or name.endswith((".localhost", ".invalid")):
        return True  # .invalid never resolves (RFC 6761): tests of a server that is not there may use it
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _watch_sockets(event: str, args: tuple[Any, ...]) -> None:
    if _open_network or event not in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        return
    # A name that is looked up, or (host, port, …); the address of a Unix socket is a path.
    where = args[:1] if event == "socket.getaddrinfo" else args[1]
    host = where[0] if isinstance(where, tuple) else None
    if not _is_local(host):
        raise NetworkUsed(f"{event} to {host!r}: mark the test `network`, or use a server on 127.0.0.1")


sys.addaudithook(_watch_sockets)


@pytest.fixture(autouse=True)
def fenced_network(request: pytest.FixtureRequest) -> Iterator[None]:
    """Stop connections of the test process to other machines, unless the test is marked `network` or `embedded`."""
    global _open_network
    marked = request.node.get_closest_marker
    _open_network = marked("network") is not None or marked("embedded") is not None
    yield
    _open_network = True
