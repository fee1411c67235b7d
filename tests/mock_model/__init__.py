"""A real HTTP server on loopback that plays a language model from a script.

In a test: `with MockModel([code("python", "print(1)"), say("ok")]) as mock: ...` with `mock.url` and `mock.requests`.
As a process: `python -m tests.mock_model --script FILE`. Every history it is sent is checked; see `strict.py`.
"""

from tests.mock_model.script import (
    Answer,
    answer,
    call,
    code,
    cut,
    finish,
    http,
    load,
    raw,
    say,
    think,
    usage,
    wait,
)
from tests.mock_model.server import MockModel

__all__ = [
    "Answer",
    "MockModel",
    "answer",
    "call",
    "code",
    "cut",
    "finish",
    "http",
    "load",
    "raw",
    "say",
    "think",
    "usage",
    "wait",
]
