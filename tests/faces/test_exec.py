"""`oi exec` as a process: exit codes, standard input, what is written where, ends by signal and by time."""

from __future__ import annotations

import base64
import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.mock_model import MockModel, answer, code, http, say, wait
from tests.user_reports.driver import (
    Running,
    home,
    output,
    run_exec,
    saved_messages,
    sessions,
    start_exec,
)


def test_done_gives_the_answer_on_stdout_and_the_rest_on_stderr() -> None:
    with MockModel([answer(say("I compute. "), code("python", "2380*3875")), say("It is 9222500.")]) as mock:
        done = run_exec(mock, "what is 2380*3875?")
    assert (done.code, done.out) == (0, "It is 9222500.\n")
    assert "I compute." in done.err
    assert "2380*3875" in done.err
    assert "9222500" in output(done.results[0])
    assert "\x1b" not in done.err


def test_words_need_no_quotes() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "count", "-m", "x", "-ab", mock.url, "the", "lines", model="")
    assert done.requests[0]["messages"][-1]["content"] == "the lines count"


def test_refused_by_the_policy_is_told_to_the_model() -> None:
    with MockModel([code("shell", "touch x"), say("I may not.")]) as mock:
        done = run_exec(mock, "make x", "--approval", "read-only", auto=False)
    assert (done.code, done.out) == (0, "I may not.\n")
    assert "read-only" in done.results[0]
    assert not (done.cwd / "x").exists()


def test_nobody_to_approve_is_3() -> None:
    with MockModel([code("shell", "touch x")]) as mock:
        done = run_exec(mock, "make x", auto=False)
    assert (done.code, done.out) == (3, "")
    assert not (done.cwd / "x").exists()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("busy", ["running", "streaming", "waiting"])
def test_ends_by_a_signal(number: signal.Signals, status: int, busy: str) -> None:
    scripts = {
        "running": code("shell", "echo begun; sleep 600"),
        "streaming": answer(say("begun "), wait(600)),
        "waiting": http(503, {"error": {"message": "begun"}}, {"retry-after": "60"}),
    }
    with MockModel([scripts[busy]]) as mock:
        running = start_exec(mock, "go")
        running.wait_for({"running": "\nbegun", "waiting": "trying again"}.get(busy, "begun"), lambda: running.err)
        running.signal(number)
        done = running.end(10)
    assert done.code == status
    (file,) = sessions()
    assert saved_messages(file)[0]["content"] == "go"


def test_streamed_text_is_kept_when_interrupted() -> None:
    with MockModel([answer(say("half an answer "), wait(600))]) as mock:
        running = start_exec(mock, "go")
        running.wait_for("half an answer", lambda: running.err)
        running.signal(signal.SIGINT)
        assert running.end(10).code == 130
        again = run_exec(mock, "go on", "--resume", sessions()[0].stem)
    said = [one["content"] for one in again.requests[0]["messages"] if one["role"] == "assistant"]
    assert said == ["half an answer "]


def test_a_time_limit() -> None:
    with MockModel([code("shell", "echo begun; sleep 600")]) as mock:
        done = run_exec(mock, "go", "--timeout", "1.5")
    assert done.code == 1
    assert "stopped after 1.5 s" in done.err
    assert "--timeout" in done.err


def test_a_time_limit_ends_code_that_ignores_interrupts() -> None:
    stubborn = "import time\nwhile True:\n  try:\n    time.sleep(600)\n  except KeyboardInterrupt: pass"
    with MockModel([code("python", stubborn)]) as mock:
        done = run_exec(mock, "go", "--timeout", "1.5")
    assert done.code == 1


def test_stdin_alone_is_the_task() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "-", stdin="count the lines \u4f60\n".encode())
    assert done.code == 0
    assert done.requests[0]["messages"][-1]["content"] == "count the lines \u4f60"


def test_stdin_after_a_task_belongs_to_it() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "-", "sum this up", stdin=b"one\ntwo\n")
    assert done.requests[0]["messages"][-1]["content"] == "sum this up\n\n<stdin>\none\ntwo\n</stdin>"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_stdin_in_other_encodings(encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    with MockModel() as mock:
        done = run_exec(mock, "-", stdin=mark + "z\u00e4hle \u4f60".encode(encoding))
    assert done.requests[0]["messages"][-1]["content"] == "z\u00e4hle \u4f60"


def test_stdin_that_is_empty_is_a_usage_error() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "-", stdin=subprocess.DEVNULL)
        assert mock.received == []
    assert done.code == 2
    assert "nothing to do" in done.err


def test_a_terminal_is_not_read_as_a_task() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "-")
    assert done.code == 2
    assert "nothing is piped in" in done.err


def test_the_last_message_is_written_to_a_file() -> None:
    with MockModel([answer(say("working "), code("python", "1")), say("the answer \u00e9")]) as mock:
        done = run_exec(mock, "go", "--output-last-message", "last.txt")
    assert done.code == 0
    assert (done.cwd / "last.txt").read_text(encoding="utf-8") == "the answer \u00e9\n"


def test_a_last_message_that_cannot_be_written() -> None:
    with MockModel([say("the answer")]) as mock:
        done = run_exec(mock, "go", "-o", "no/such/folder/last.txt")
    assert done.out == "the answer\n"
    assert "no/such/folder/last.txt" in done.err
    assert done.code == 1


def test_resume_sends_the_whole_conversation() -> None:
    with MockModel([code("python", "print(1)"), say("first answer"), say("second answer")]) as mock:
        run_exec(mock, "first")
        again = run_exec(mock, "second", "--resume", sessions()[0].stem)
    assert again.out == "second answer\n"
    roles = [one["role"] for one in again.requests[0]["messages"] if one["role"] != "system"]
    assert roles[-5:-1] == ["assistant", "tool", "assistant", "user"]
    assert "first answer" in str(again.requests[0]["messages"])
    assert again.requests[0]["messages"][-1]["content"] == "second"
    assert len(sessions()) == 1


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--modle", "x"), ("--modle", "did you mean --model?")),
        (("--jsno",), ("--jsno", "did you mean --json?")),
        (("--zzzz",), ("--zzzz", "--help")),
        (("-c", "modle=x"), ("modle", "did you mean model?")),
        (("-c", "nothing"), ("-c takes key=value",)),
        (("--max_output", "lots"), ("max_output", "lots", "not a number")),
        (("--approval", "maybe"), ("maybe", "read-only, ask, auto-edit, auto, full")),
        (("--timeout", "soon"), ("--timeout", "soon")),
        (("--timeout", "-1"), ("--timeout",)),
        (("--harness", "nope"), ("nope", "native")),
    ],
)
def test_usage_errors(flags: tuple[str, ...], words: tuple[str, ...]) -> None:
    with MockModel() as mock:
        done = run_exec(mock, "go", *flags)
        assert mock.received == []
    assert (done.code, done.out) == (2, "")
    for word in words:
        assert word in done.err


def test_no_task_is_a_usage_error() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "")
    assert done.code == 2
    assert "oi exec" in done.err


def test_a_folder_that_is_gone() -> None:
    gone = home().parent / "gone"
    gone.mkdir()
    with MockModel() as mock:
        line = f'rmdir {gone}; exec "$@"'
        done = Running(
            mock, "exec", "-y", "-m", "x", "-ab", mock.url, "go",
            program=("sh", "-c", line, "sh", sys.executable, "-m", "oi_tui"), cwd=gone,
        ).end()  # fmt: skip
        assert mock.received == []
    assert done.code == 2
    assert "no longer exists" in done.err


def test_pictures_go_with_the_task(tmp_path: Path) -> None:
    Image.new("RGB", (9, 7), "red").save(tmp_path / "a b.png")
    vision = ("-c", "llm.supports_vision=true")
    with MockModel([say("red")]) as mock:
        done = run_exec(mock, "what colour?", "--image", str(tmp_path / "a b.png"), *vision)
    assert (done.code, done.out) == (0, "red\n")
    sent = [part for one in done.requests[0]["messages"] if isinstance(one["content"], list) for part in one["content"]]
    (url,) = [part["image_url"]["url"] for part in sent if part["type"] == "image_url"]
    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as shown:
        assert (shown.size, shown.getpixel((0, 0))) == ((9, 7), (255, 0, 0))


def test_a_picture_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("words")
    with MockModel() as mock:
        done = run_exec(mock, "what is it?", "--image", str(tmp_path / "a.png"))
    assert (done.code, done.requests) == (2, [])
    assert done.err == f"oi: {tmp_path}/a.png is not a picture that can be shown\n"
