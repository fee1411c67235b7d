"""Missing commands: what a shell said, which package brings them, and what an index knows about a name."""

from __future__ import annotations

import http.server
import json
import os
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from oi_tui.computer import package_index
from oi_tui.computer.system_packages import MANAGERS, PACKAGES, Offer, missing_command, offer
from tests.computer.conftest import Bench


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("bash: line 1: jq: command not found\n", "jq"),
        ("sh: 1: /tmp/x: not found\n", ""),
        ("/tmp/a/block-2.sh: 3: ffmpeg: not found\n", "ffmpeg"),
        ("zsh: command not found: rg\n", "rg"),
        ("bash: a: command not found\nbash: b: command not found\n", "b"),
        ("bash: $(evil): command not found\n", ""),
        ("bash: -y: command not found\n", ""),
        ("all is well\n", ""),
    ],
)
def test_which_command_is_missing(text: str, command: str) -> None:
    assert missing_command(text) == command


async def test_the_shell_here_says_it_like_that(bench: Bench) -> None:
    ran = await bench.run("shell", "no-such-command-here --x")
    assert ran.result.exit_code == 127 and missing_command(ran.text) == "no-such-command-here"


@pytest.mark.parametrize(
    ("manager", "command", "package"),
    [
        ("apt-get", "tesseract", "tesseract-ocr"), ("apt-get", "convert", "imagemagick"), ("pacman", "dig", "bind"),
        ("brew", "pdftotext", "poppler"), ("dnf", "jq", "/usr/bin/jq"), ("apk", "jq", "cmd:jq"),
        ("zypper", "pandoc", "/usr/bin/pandoc"),
    ],
)  # fmt: skip
async def test_each_manager_knows_its_package(tmp_path: Path, manager: str, command: str, package: str) -> None:
    for name in (manager, "sudo"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    root = "" if manager == "brew" or os.geteuid() == 0 else "sudo "
    assert await offer(command, {"PATH": str(tmp_path)}) == Offer(package, f"{root}{MANAGERS[manager]} {package}", True)


async def test_without_a_manager_it_is_said(tmp_path: Path) -> None:
    assert "no package manager is known" in str(await offer("jq", {"PATH": str(tmp_path)}))
    assert len(PACKAGES) > 70


@pytest.fixture
def index() -> Iterator[str]:
    """An index with one old project and one of yesterday."""
    new = (datetime.now(UTC) - timedelta(days=1)).isoformat()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            uploads = {"/old-one/": ["2015-02-03T00:00:00Z", new], "/new/": [new], "/plain/": []}.get(self.path)
            self.send_response(200 if uploads is not None else 404)
            self.end_headers()
            files = [{"filename": f"{n}", "upload-time": one} for n, one in enumerate(uploads or ())]
            if uploads is not None:
                self.wfile.write(json.dumps({"versions": ["1", "2"], "files": files}).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test's output stays readable."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_what_an_index_knows(index: str) -> None:
    env = {"PIP_INDEX_URL": index}
    there, words = await package_index.told("Old_One", env, sys.executable)
    assert there and words.startswith("it has 2 versions, the first of 2015-02-03;")
    there, words = await package_index.told("new", env, sys.executable)
    assert there and "NEW (" in words
    assert "how old it is" in (await package_index.told("plain", env, sys.executable))[1]
    assert (await package_index.told("absent", env, sys.executable))[0] is False


@pytest.mark.parametrize("env", [{"PIP_INDEX_URL": "http://127.0.0.1:9"}, {"UV_OFFLINE": "1"}, {"PIP_INDEX_URL": "::"}])
async def test_nothing_learned_is_said(env: dict[str, str]) -> None:
    there, words = await package_index.told("x", env, sys.executable)
    assert there and words.startswith("nothing could be learned about it")
