"""The backend of E2B: its own package, speaking to a server on loopback that answers as a sandbox does."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import threading
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("e2b_code_interpreter") is None, reason="the package of E2B is not installed"
)


class Sandbox(BaseHTTPRequestHandler):
    """Answers `/execute` with the lines that lie for a piece of code."""

    answers: ClassVar[dict[str, list[dict[str, Any]]]] = {}
    asked: ClassVar[list[dict[str, Any]]] = []
    hold = threading.Event()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(body)
        if body["code"] == "gone":
            self.send_error(502)
            return
        self.send_response(200)
        self.end_headers()
        for line in self.answers.get(body["code"], []):
            self.wfile.write(json.dumps(line).encode() + b"\n")
            self.wfile.flush()
        if body["code"] == "endless":
            self.hold.wait(30)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def out(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, "text": text, "timestamp": 0}


@pytest.fixture
async def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sandbox)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("E2B_DEBUG", "true")  # the package takes a sandbox at hand instead of asking for one
    monkeypatch.setenv("E2B_SANDBOX_URL", f"http://127.0.0.1:{server.server_port}")
    Sandbox.asked.clear()
    Sandbox.hold.clear()
    bench = Bench(Computer(str(tmp_path), backend="e2b"))
    yield bench
    await bench.computer.close()
    Sandbox.hold.set()
    await asyncio.to_thread(server.shutdown)
    server.server_close()


async def test_output_and_results_come_in_order(sandbox: Bench) -> None:
    Sandbox.answers["show"] = [
        out("stdout", "a\n"), out("stderr", "b\n"),
        {"type": "result", "png": "iVBORw==", "text": "<Figure>", "is_main_result": False},
        {"type": "result", "html": "<b>1</b>", "text": "one", "is_main_result": True},
    ]  # fmt: skip
    ran = await sandbox.run("python", "show")
    assert ran.result.ok and ran.text == "a\nb\none\n"
    assert ran.of_type("image")[0]["content"] == "iVBORw==" and ran.of_type("code")[0]["content"] == "<b>1</b>"
    await sandbox.run("js", "1")
    await sandbox.run("bash", "ls")
    assert [one["language"] for one in Sandbox.asked] == ["python", "javascript", "bash"]


async def test_errors_are_results_and_a_sandbox_that_is_gone_is_told(sandbox: Bench) -> None:
    error = {"type": "error", "name": "ValueError", "value": "no", "traceback": "\x1b[31mValueError\x1b[0m: no\n"}
    Sandbox.answers["fail"] = [out("stdout", "a\n"), error]
    ran = await sandbox.run("python", "fail")
    assert not ran.result.ok and ran.text == "a\nValueError: no\n" and ran.result.meta["error"] == "ValueError: no"
    ran = await sandbox.run("python", "gone")
    assert not ran.result.ok and "sandbox is gone" in ran.text


async def test_an_interrupt_gives_the_sandbox_up(sandbox: Bench) -> None:
    Sandbox.answers["endless"] = [out("stdout", "go\n")]
    task = await sandbox.start("python", "endless", until="go")
    await sandbox.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "state is lost" in str(ran.result.note)
