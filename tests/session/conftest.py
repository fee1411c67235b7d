"""A page of the web on this machine, for the harnesses' tools."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def page() -> Iterator[str]:
    """A page on loopback with 60,000 characters of text; below /search a search engine's answer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = {"results": [{"title": "T", "url": "http://t/", "content": "words"}]}
            searched = self.path.startswith("/search")
            body = (
                json.dumps(found) if searched else f"<html><body><h1>Hello</h1><p>{'word ' * 12_000}</p></body></html>"
            )
            self.send_response(200)
            self.send_header("Content-Type", "application/json" if searched else "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()
