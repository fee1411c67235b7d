"""LMC messages: shapes, framing of streams, accumulation."""

from __future__ import annotations

import pytest

from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import InvalidMessage, accumulate, check, frame, message

CHUNKS = [
    message("assistant", "message", "Sure."),
    message("assistant", "code", "a=3\n", "python"),
    message("assistant", "code", "", "python"),
    message("assistant", "code", "a*2", "python"),
    message("computer", "confirmation", {"type": "code", "format": "python", "content": "a=3\na*2"}, "execution"),
    message("computer", "console", 2, "active_line"),
    message("computer", "console", "6", "output"),
    message("computer", "console", None, "active_line"),
    message("computer", "image", "iVBOR", "base64.png"),
    message("assistant", "message", "It is 6."),
]


def test_streams_are_framed_as_classic_clients_expect() -> None:
    framed = list(frame(CHUNKS))
    flags = [(one["role"], one["type"], "start" if "start" in one else "end") for one in framed if "content" not in one]
    assert flags == [
        ("assistant", "message", "start"),
        ("assistant", "message", "end"),
        ("assistant", "code", "start"),
        ("assistant", "code", "end"),
        ("computer", "console", "start"),
        ("computer", "console", "end"),
        ("computer", "image", "start"),
        ("computer", "image", "end"),
        ("assistant", "message", "start"),
        ("assistant", "message", "end"),
    ]
    code_flag = next(one for one in framed if one["type"] == "code" and one.get("start"))
    assert code_flag == {"role": "assistant", "type": "code", "format": "python", "start": True}
    assert all("format" not in one for one in framed if one["type"] == "console" and "content" not in one)
    assert all(not ("content" in one and ("start" in one or "end" in one)) for one in framed)
    at = [one["type"] for one in framed].index("confirmation")
    assert framed[at - 1] == {"role": "assistant", "type": "code", "format": "python", "end": True}
    assert "" not in [one.get("content") for one in framed]


def test_accumulating_a_stream_stores_what_classic_stores() -> None:
    stored: list[dict] = []
    for chunk in frame(CHUNKS):
        accumulate(stored, chunk)
    assert [(one["role"], one["type"], one["content"]) for one in stored] == [
        ("assistant", "message", "Sure."),
        ("assistant", "code", "a=3\na*2"),
        ("computer", "console", "6"),
        ("computer", "image", "iVBOR"),
        ("assistant", "message", "It is 6."),
    ]
    assert CHUNKS[0]["content"] == "Sure."  # stored messages are copies


def test_check_accepts_every_known_shape() -> None:
    for chunk in CHUNKS:
        assert check(chunk) is chunk
    check(message("user", "image", "x", "base64.webp"))
    check(message("user", "file", "/a"))
    check(message("server", "status", "complete"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([], "an object"),
        ({"role": "robot", "type": "message", "content": ""}, "role 'robot'"),
        ({"role": "user", "type": "code", "content": ""}, "type 'code'"),
        ({"role": "user", "type": "message"}, "content is missing"),
        ({"role": "assistant", "type": "code", "content": "x"}, "format None"),
        ({"role": "computer", "type": "console", "format": "base64.png", "content": ""}, "format 'base64.png'"),
        ({"role": "user", "type": ["message"], "content": ""}, "type"),
    ],
)
def test_check_says_what_is_wrong(wrong: object, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words):
        check(wrong)


def test_result_facts_survive_the_history() -> None:
    result = Result(
        False, "out", exit_code=3, timed_out=True, timeout_s=2.0, cut=9, path="/p", note="n", meta={"a": 1}, seconds=1.5
    )
    assert Result.from_facts(result.facts(), "out") == result
    assert Result(True).facts() == {"ok": True}
    assert Result(True, exit_code=0).facts() == {"ok": True, "exit_code": 0}
    assert Result.from_facts({"from a": "newer file"}, "x") == Result(True, "x")
