"""`python -m tests.mock_model --script FILE [--port N] [--log FILE]`: the mock as a process of its own.

Prints its base URL as the first line, then serves until it is told to end; with --log it adds the body of every model
request to that file as one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from tests.mock_model.script import load
from tests.mock_model.server import MockModel


def main() -> int:
    """Serve until SIGINT or SIGTERM; 2 if the script cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.mock_model", description="a scripted model on loopback")
    parser.add_argument("--script", type=Path, help="JSON file with the answers; without it every answer is `done`")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--log", type=Path, help="add request bodies to this file, one a line")
    given = parser.parse_args()
    try:
        options: dict[str, Any] = load(given.script) if given.script else {}
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if given.log:
        options["on_request"] = lambda body: _append(given.log, body)
    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    with MockModel(host=given.host, port=given.port, **options) as mock:
        sys.stdout.write(mock.url + "\n")
        sys.stdout.flush()
        ended.wait()
    return 0


def _append(path: Path, body: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as log:
        log.write(json.dumps(body, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
