"""What does one step of the loop cost? `python -m tests.benchmarks.loop [STEPS]`

A step is: the model has answered with code, the code has run, the next request is at the model server. The code does
nothing, so all of it is overhead. `oi exec` runs STEPS (default 30) steps against the mock model, which notes when it
had sent the last byte of an answer and when the next request had arrived. Medians in milliseconds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mock_model import Answer, MockModel, code, say

BARS = {"python": 5.0, "shell": 10.0}
NOTHING = {"python": "None", "shell": ":"}


def step(language: str, steps: int) -> tuple[float, float]:
    """(request to request, the server's own part of it: request to the end of its answer), medians in milliseconds."""
    arrived: list[float] = []
    answers: list[Answer | Callable[[dict[str, Any]], Answer]] = [code(language, NOTHING[language])] * steps
    with (
        tempfile.TemporaryDirectory() as home,
        MockModel([*answers, say("done")], on_request=lambda _: arrived.append(time.perf_counter())) as mock,
    ):
        env = {**os.environ, "INTERPRETER_HOME": home}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "oi_tui", "exec", "-y", "-m", "x", "-ab", mock.url]
        command += ["-c", "max_retries_per_code_block=1000", "go"]
        subprocess.run(command, env=env, cwd=home, capture_output=True, check=True)
        answering = _answer_time(mock.url, mock.requests[steps // 2])
    gaps = [(after - before) * 1000 for before, after in pairwise(arrived[2 : steps + 1])]
    return statistics.median(gaps), answering


def _answer_time(url: str, body: dict[str, Any]) -> float:
    """How long the server takes to check such a request and answer it, for a bare client, in milliseconds."""
    import json
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    text = json.dumps(body)
    taken: list[float] = []
    connection = HTTPConnection(parts.hostname or "", parts.port)
    for _ in range(30):
        began = time.perf_counter()
        connection.request("POST", f"{parts.path}/chat/completions", text, {"Content-Type": "application/json"})
        connection.getresponse().read()
        taken.append((time.perf_counter() - began) * 1000)
    connection.close()
    return statistics.median(taken)


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for language, bar in BARS.items():
        whole, answering = step(language, steps)
        ours = whole - answering
        print(f"{language:<8} step {whole:.2f} ms, the server's part {answering:.2f}, ours {ours:.2f} (bar {bar:g})")


if __name__ == "__main__":
    main()
