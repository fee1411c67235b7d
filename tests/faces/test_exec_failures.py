"""`oi exec` when something is wrong: no model, no server, refusals, broken answers, a kill in the middle."""

from __future__ import annotations

import json
import signal
import socket

import pytest

from tests.mock_model import Answer, MockModel, answer, code, cut, http, raw, say, wait
from tests.user_reports.driver import (
    broken_config,
    results,
    run_exec,
    saved_messages,
    sessions,
    start_exec,
    work_folder,
)

_NOTHING_THERE = {"OLLAMA_HOST": "http://127.0.0.1:9"}


def _kept(prompt: str) -> None:
    """The one conversation on disk holds the prompt."""
    (file,) = sessions()
    assert saved_messages(file)[0]["content"] == prompt


def test_no_model_at_all() -> None:
    hidden = "import sys\nfor name in ('xllamacpp', 'llama_cpp'): sys.modules[name] = None\n"
    folder = _site(hidden)
    done = run_exec(None, "hello", auto=False, model="", env={**_NOTHING_THERE, "PYTHONPATH": folder})
    assert (done.code, done.out) == (2, "")
    cause, hint = done.err.strip().splitlines()
    assert cause.startswith("oi: ")
    assert "OPENAI_API_KEY" in hint or "oi models pull" in hint


def _site(text: str) -> str:
    """A folder for PYTHONPATH whose sitecustomize runs `text` at the start of every Python."""
    folder = work_folder().parent / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(text)
    return str(folder)


def test_a_model_that_no_provider_is_known_for() -> None:
    done = run_exec(None, "hello", model="frobnicator-9")
    assert done.code == 2
    assert "frobnicator-9" in done.err
    assert "--api_base" in done.err


def test_no_server_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = run_exec(None, "hello", "-m", "x", "-ab", f"http://127.0.0.1:{port}/v1", model="")
    assert done.code == 1
    assert f"cannot reach http://127.0.0.1:{port}/v1: is the server running?" in done.err
    _kept("hello")


_REFUSALS: dict[str, tuple[Answer, tuple[str, ...]]] = {
    "wrong key": (http(401, {"error": {"message": "Incorrect API key provided"}}), ("401", "Incorrect API key", "key")),
    "wrong model": (
        http(404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}),
        ("404", "does not exist", "name of the model"),
    ),
    "not JSON": (http(400, "<html><title>Bad gateway</title></html>"), ("400", "Bad gateway")),
    "empty body": (http(418), ("418", "no reason given")),
}


@pytest.mark.parametrize(("refusal", "words"), _REFUSALS.values(), ids=_REFUSALS)
def test_refusals(refusal: Answer, words: tuple[str, ...]) -> None:
    with MockModel([refusal]) as mock:
        done = run_exec(mock, "hello")
    assert (done.code, done.out) == (1, "")
    assert len(done.requests) == 1
    for word in words:
        assert word in done.err
    assert len(done.err.strip().splitlines()) == 2  # cause and next step
    _kept("hello")


def test_retry_after_is_honoured() -> None:
    with MockModel([http(429, {"error": {"message": "slow"}}, {"retry-after": "1"}), say("ok")]) as mock:
        done = run_exec(mock, "hello")
        assert mock.times[1] - mock.times[0] >= 1.0
    assert (done.code, done.out) == (0, "ok\n")


def test_a_retry_after_of_hours_is_not_waited_for() -> None:
    with MockModel([http(429, {"error": {"message": "slow"}}, {"retry-after": "7200"})] * 3) as mock:
        done = run_exec(mock, "hello")
    assert done.code == 1
    assert len(done.requests) == 1
    _kept("hello")


def test_a_server_that_fails_once_is_asked_again() -> None:
    with MockModel([http(500, {"error": {"message": "out of order"}}), say("ok")]) as mock:
        done = run_exec(mock, "hello")
    assert (done.code, done.out) == (0, "ok\n")
    assert "out of order" in done.err


def test_an_answer_that_breaks_off_is_gone_on_with() -> None:
    with MockModel([cut("one two "), say("three")]) as mock:
        done = run_exec(mock, "count")
    assert (done.code, done.out) == (0, "one two three\n")
    messages = done.requests[1]["messages"]
    assert [one["content"] for one in messages if one["role"] == "assistant"] == ["one two "]
    assert "broke" in messages[-1]["content"]


def test_an_answer_that_always_breaks_off_ends_the_turn() -> None:
    with MockModel([cut("piece ")] * 60) as mock:
        done = run_exec(mock, "count", timeout=60)
    assert done.code == 1
    assert 2 <= len(done.requests) <= 10
    assert "broke off" in done.err
    (file,) = sessions()
    assert saved_messages(file)[1]["content"] == "piece "


def test_a_connection_that_always_closes_at_once_ends_the_turn() -> None:
    with MockModel([cut()] * 60) as mock:
        done = run_exec(mock, "count", timeout=60)
    assert done.code == 1
    assert len(done.requests) <= 10


def test_a_call_that_breaks_off_is_not_run() -> None:
    arguments = json.dumps({"language": "shell", "code": "touch made"})
    head = {"index": 0, "id": "c_1", "type": "function", "function": {"name": "execute", "arguments": arguments}}
    broken = answer(raw([{"tool_calls": [head]}], end=False), cut())
    with MockModel([broken, say("ok")]) as mock:
        done = run_exec(mock, "make it")
    assert (done.code, done.out) == (0, "ok\n"), done.err
    assert not (done.cwd / "made").exists()


def test_an_error_in_the_stream() -> None:
    stream = raw([{"content": "half "}, {"error": {"message": "overloaded", "code": 400}}], end=False)
    with MockModel([stream]) as mock:
        done = run_exec(mock, "go")
    assert done.code == 1
    assert "overloaded" in done.err
    (file,) = sessions()
    assert saved_messages(file)[-1]["content"] == "half "


def test_a_broken_config_file_starts_on_defaults() -> None:
    with broken_config(b"model = \n"), MockModel([say("ok")]) as mock:
        done = run_exec(mock, "hello")
    assert (done.code, done.out) == (0, "ok\n")
    assert "config.toml: line 1" in done.err
    assert "defaults" in done.err


@pytest.mark.parametrize("layer", ["file", "environment"])
def test_an_unknown_harness_in_the_settings_starts_on_the_default(layer: str) -> None:
    data = b'harness = "nope"\n' if layer == "file" else b""
    env = {"OI_HARNESS": "nope"} if layer == "environment" else {}
    with broken_config(data), MockModel([say("ok")]) as mock:
        done = run_exec(mock, "hello", env=env)
    assert (done.code, done.out) == (0, "ok\n")
    assert "there is no harness 'nope'" in done.err


@pytest.mark.parametrize("busy", ["running", "streaming"])
def test_resume_after_a_kill_in_the_middle(busy: str) -> None:
    block = code("shell", "echo begun; while [ ! -e go ]; do sleep 0.05; done")
    script = [block] if busy == "running" else [answer(say("begun "), wait(600))]
    with MockModel([code("python", "x = 1"), *script]) as mock:
        running = start_exec(mock, "first")
        running.wait_for("\nbegun", lambda: running.err)
        running.signal(signal.SIGKILL)
        assert running.end(10, orderly=False).code == -signal.SIGKILL
        mock.script[:] = [say("on again")]
        again = run_exec(mock, "second", "--resume", sessions()[0].stem)
    assert (again.code, again.out) == (0, "on again\n")
    messages = again.requests[0]["messages"]
    assert messages[-1]["content"] == "second"
    assert "first" in [one["content"] for one in messages if one["role"] == "user"]
    assert len(results(again.requests[0])) == (2 if busy == "running" else 1)
