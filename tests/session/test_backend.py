"""The place where a session's code runs: opened before the first request, named to model and person, or refused."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oi_tui.protocol.events import CodeStarted, Notice, Progress, TurnEnded
from oi_tui.session import backend
from oi_tui.session.backend import BackendUnusable
from oi_tui.settings import Settings
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import output, run_exec, work_folder
from tests.user_reports.in_process import Live

# Stands in for docker: runs the command of `run` on this machine.
DOCKER = """#!/bin/bash
[ "$1" = run ] || exit 0
while [ "$1" != IMAGE ]; do shift; done; shift
exec "$@"
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docker").write_text(DOCKER)
    (tmp_path / "docker").chmod(0o755)
    (tmp_path / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def _system(request: dict[str, Any]) -> str:
    return next(one["content"] for one in request["messages"] if one["role"] == "system")


async def test_a_container_runs_the_code_and_everybody_is_told(docker: None) -> None:
    with MockModel([code("python", "print(6 * 7)"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", backend="docker:IMAGE") as live:
            live.session.submit("count")
            request = await live.asked()
            assert request.where == "in a container of docker (IMAGE)"
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
            assert output(live.results[0]) == "42\n"
            assert "Code runs in a container" in _system(mock.requests[0])


async def test_a_missing_module_elsewhere_is_named_and_not_installed_here(docker: None) -> None:
    with MockModel([code("python", "import cv2"), say("ok")]) as mock:
        async with Live(mock, backend="docker:IMAGE") as live:
            assert (await live.turn()).reason == "done"
            assert "cv2 comes with the package opencv-python" in live.results[0]
            assert "installed" not in live.results[0].partition("Output:")[0]


async def test_python_in_a_jupyter_kernel() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("jupyter_client", "ipykernel")):
        pytest.skip("jupyter_client and ipykernel are not installed")
    with MockModel(
        [code("python", "get_ipython().__class__.__name__"), code("python", "import nobody_has"), say("ok")]
    ) as mock:
        async with Live(mock, backend="jupyter") as live:
            live.session.attended = False
            assert (await live.turn(seconds=60)).reason == "done"
            kind, missing = live.results
            assert "ZMQInteractiveShell" in kind
            assert "nobody-has, which may bring nobody_has, was not installed" in missing


@pytest.mark.parametrize("where", ["nowhere", "podman:x"])
def test_a_backend_that_cannot_be_used_is_one_line_and_usage(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with MockModel([say("never")]) as mock:
        done = run_exec(mock, "hello", "--backend", where, env={"PATH": str(work_folder())})
        assert mock.requests == []
    assert (done.code, done.out) == (2, "")
    cause, hint = done.err.strip().splitlines()
    assert cause.startswith("oi: ")
    assert where.partition(":")[0] in cause
    assert "--backend local" in hint


async def test_the_persons_own_command_is_refused_in_words() -> None:
    with MockModel([]) as mock:
        async with Live(mock, backend="nowhere") as live:
            await live.session.run_shell("echo hi")
            notice = await live.until(Notice)
            assert notice.level == "error"
            assert "nowhere" in notice.text
            assert live.all_of(CodeStarted) == []


async def _kernelspecs(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    body = json.dumps({"kernelspecs": {"python3": {"spec": {"language": "python"}}}}).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
    await writer.drain()
    writer.close()


async def test_a_server_is_asked_without_holding_up_the_loop(tmp_path: Path) -> None:
    """The server lives in this very loop: were the loop held up, it could not answer."""
    if importlib.util.find_spec("websockets") is None:
        pytest.skip("the package websockets is not installed")
    async with await asyncio.start_server(_kernelspecs, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        computer = await backend.opened(Settings(backend=f"http://127.0.0.1:{port}"), str(tmp_path), tmp_path)
        assert computer.languages() == ("python",)
        await computer.close()


async def test_a_server_that_is_silent_is_told_of_and_can_be_given_up() -> None:
    if importlib.util.find_spec("websockets") is None:
        pytest.skip("the package websockets is not installed")
    silent = socket.create_server(("127.0.0.1", 0))  # connections are made, and nobody answers
    with silent, MockModel([say("never")]) as mock:
        port = silent.getsockname()[1]
        async with Live(mock, backend=f"http://127.0.0.1:{port}/?token=secret") as live:
            live.session.submit("hello")
            told = await live.until(Progress)
            assert told.text == f"looking whether code can run on the server 127.0.0.1:{port}"
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason == "interrupted"
            assert live.all_of(Progress)[-1].text == "" and mock.requests == []


@pytest.mark.parametrize("url", ["http://", "http://[bad", "http://h:99999/", "https://a b/", "http://127.0.0.1:9"])
async def test_an_address_that_is_none_is_one_sentence(url: str, tmp_path: Path) -> None:
    with pytest.raises(BackendUnusable) as caught:
        await backend.opened(Settings(backend=url), str(tmp_path), tmp_path)
    assert str(caught.value).count("\n") == 0
    assert caught.value.hint


@pytest.mark.parametrize(
    ("given", "person", "model"),
    [
        ("", "", ""),
        ("local", "", ""),
        ("jupyter", "", ""),
        ("http://me:pass@host:8888/lab?token=secret", "on the server host:8888", "Jupyter server host:8888"),
        ("https://host/?token=secret", "on the server host", "Jupyter server host,"),
        ("docker", "in a container of docker", "/work"),
        ("podman:image:3", "in a container of podman (image:3)", "container"),
        ("e2b", "in a sandbox of e2b", "remote sandbox"),
    ],
)
def test_words_for_a_place_never_hold_a_token(given: str, person: str, model: str) -> None:
    assert backend.whereabouts(given) == person
    assert model in backend.told(given)
    assert bool(backend.told(given)) == bool(model)
    assert not {"secret", "pass"} & set(backend.told(given).replace(":", " ").replace("@", " ").split())


class Shout:
    name = "shout"
    system_message = "Shout repeats what it is given in capitals."

    def run(self, code: str) -> Iterator[dict[str, str]]:
        yield {"type": "console", "format": "output", "content": code.upper()}


async def test_what_a_language_says_of_itself_reaches_the_model() -> None:
    with MockModel([code("shout", "hey"), say("ok")]) as mock:
        async with Live(mock, custom_instructions="Be brief.") as live:
            live.session.engine.computer.languages.append(Shout)
            assert (await live.turn()).reason == "done"
            system = _system(mock.requests[0])
            assert Shout.system_message in system
            assert system.endswith("\n\nBe brief.")
            assert output(live.results[0]) == "HEY"
