"""The publisher's copy: a real hub client against a small hub on loopback, and quick about one that is not there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from oi_tui.models.embedded import official
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.models.embedded.fetch import fetch
from tests.models.embedded import wheels

pytest.importorskip("huggingface_hub", reason="huggingface_hub comes with litellm")

CONTENT = wheels.content()
TINY = replace(wheels.weights(), repo="test/tiny-gguf", packages=())


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for one file: metadata in headers, ranges."""

    protocol_version = "HTTP/1.1"
    content: ClassVar[bytes] = CONTENT
    etag: ClassVar[str] = TINY.sha256
    asked: ClassVar[list[str]] = []

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        self.asked.append(f"{self.command} {self.path}")
        known = self.path.split("?")[0] == "/test/tiny-gguf/resolve/main/tiny.gguf"
        data = self.content if known else b""
        first = 0
        if known and (wanted := self.headers.get("Range", "")).startswith("bytes="):
            first = int(wanted[6:].split("-")[0] or 0)
        self.send_response((206 if first else 200) if known else 404)
        self.send_header("ETag", f'"{self.etag}"')
        self.send_header("X-Repo-Commit", "c" * 40)
        self.send_header("Accept-Ranges", "bytes")
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        if body:
            self.wfile.write(data[first:])

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test's own output stays readable."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    class Fresh(Hub):
        asked: ClassVar[list[str]] = []

    server = ThreadingHTTPServer(("127.0.0.1", 0), Fresh)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield Fresh
    server.shutdown()
    server.server_close()
    thread.join()


async def test_the_publisher_comes_first(hub: type[Hub], tmp_path: Path) -> None:
    seen: list[str] = []
    path = await fetch(TINY, tmp_path / "models", lambda done, total, text: seen.append(text))
    assert path.read_bytes() == CONTENT
    assert any(line.startswith("GET ") for line in hub.asked)
    assert [one.name for one in (tmp_path / "models").iterdir()] == ["tiny.gguf"]
    assert seen[0] == "asking the publisher"


async def test_a_replaced_file_is_not_even_fetched(hub: type[Hub], tmp_path: Path) -> None:
    hub.etag = "f" * 64
    assert await official.fetch(TINY, tmp_path, lambda _: None) is None
    assert not any(line.startswith("GET ") for line in hub.asked)


async def test_a_publisher_who_is_not_there_costs_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    started = time.monotonic()
    with pytest.raises(EmbeddedError, match="its publisher does not answer") as caught:
        await fetch(TINY, tmp_path / "models")
    assert time.monotonic() - started < 60
    assert caught.value.retryable


@pytest.mark.parametrize("said", ["1", "true", "YES"])
def test_offline_is_respected(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert official.possible(TINY)
    monkeypatch.setenv("HF_HUB_OFFLINE", said)
    assert not official.possible(TINY)


def test_no_publisher_no_try() -> None:
    assert not official.possible(wheels.weights())
