"""Reports on saved conversations: reset, many at once, a full disk, resuming."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable
from pathlib import Path

from oi_tui.protocol.events import HistoryChanged, Notice
from oi_tui.session import store
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import (
    Running,
    results,
    run_exec,
    saved_messages,
    sessions,
    start_exec,
    work_folder,
)
from tests.user_reports.in_process import Live


def _said(file: Path) -> list[str]:
    """What the person said, according to a session file."""
    return [one["content"] for one in saved_messages(file) if one["role"] == "user" and "recipient" not in one]


async def test_ur_093_reset_begins_another_conversation() -> None:
    with MockModel([say("first"), say("second"), say("third")]) as mock:
        async with Live(mock) as live:
            await live.turn("message A")
            first = live.session.id
            live.session.reset()
            await live.turn("message B")
            second = live.session.id
            assert first != second
        async with Live(mock, saved=store.find(first)) as live:
            await live.turn("message C")
        assert {one["model"] for one in mock.requests} == {"x"}
        assert len({headers["host"] for headers in mock.headers}) == 1
        assert "message A" not in json.dumps(mock.requests[1])
        assert "message B" not in json.dumps(mock.requests[2])
    files = {one.stem: _said(one) for one in sessions()}
    assert files == {first: ["message A", "message C"], second: ["message B"]}


async def test_ur_093_variables_are_gone_after_a_reset() -> None:
    with MockModel([code("python", "x = 5"), say("a"), code("python", "print('x' in globals())"), say("b")]) as mock:
        async with Live(mock) as live:
            await live.turn()
            live.session.reset()
            await live.turn()
            assert "False" in live.results[0]


def test_ur_094_eight_at_once_in_one_home() -> None:
    with MockModel() as mock:
        all_at_once = [start_exec(mock, f"prompt {number}.0") for number in range(8)]
        for one in all_at_once:
            assert one.end(60).code == 0
        assert len(sessions()) == 8
        for step in (1, 2):
            again = [start_exec(mock, f"more {step}", "--resume", file.stem) for file in sessions()]
            for one in again:
                assert one.end(60).code == 0
        ninth = run_exec(mock, "ninth")
    assert ninth.code == 0
    files = sessions()
    assert len(files) == 9
    first = {_said(one)[0] for one in files}
    assert first == {*(f"prompt {number}.0" for number in range(8)), "ninth"}
    assert sorted(len(_said(one)) for one in files) == [1, *[3] * 8]


def test_ur_094_one_conversation_is_written_by_one_process() -> None:
    with MockModel([say("a"), code("shell", "echo begun; while [ ! -e go ]; do sleep 0.05; done"), say("b")]) as mock:
        run_exec(mock, "first")
        (file,) = sessions()
        holder = start_exec(mock, "second", "--resume", file.stem)
        holder.wait_for("\nbegun", lambda: holder.err)
        refused = run_exec(mock, "third", "--resume", file.stem)
        (holder.cwd / "go").touch()
        assert holder.end().code == 0
    assert refused.code == 1
    assert "open in another" in refused.err
    assert _said(file) == ["first", "second"]


def _file_limit(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_ur_095_a_full_disk_keeps_what_was_saved() -> None:
    long = "word " * 8000
    with MockModel([say(long), say(long), code("python", "print(6 * 7)"), say("end")]) as mock:
        assert run_exec(mock, "first", "-cw", "200000").code == 0
        (file,) = sessions()
        before = file.read_bytes()
        limit = _file_limit(65536)
        torn = start_exec(mock, "second", "-cw", "200000", "--resume", file.stem, before=limit).end(orderly=False)
        assert torn.code == 0
        assert torn.out.strip() == long.strip()
        assert torn.err.count("cannot be saved") == 1
        on = start_exec(mock, "third", "-cw", "200000", "--resume", file.stem, before=limit).end(orderly=False)
        assert (on.code, on.out) == (0, "end\n")
        assert "42" in on.results[0]
    assert file.read_bytes().startswith(before)
    said = [one["content"] for one in store.load(file).messages if one["role"] == "user"]
    assert said[0] == "first"
    assert [one["content"] for one in on.requests[0]["messages"] if one["role"] == "user"][-1] == "third"


def test_ur_095_start_with_a_full_disk() -> None:
    with MockModel([say("ok")]) as mock:
        done = start_exec(mock, "first", before=_file_limit(0)).end(orderly=False)
    assert (done.code, done.out) == (0, "ok\n")
    assert done.err.count("cannot be saved") == 1


def _long_session(turns: int) -> store.Saved:
    """A saved session of many turns, each with one block."""
    one = store.Store(store.new_id())
    one.begin(cwd=str(work_folder()), model="x", harness="auto")
    for number in range(turns):
        key = {"id": f"c_{number}", "name": "execute", "arguments": '{"language":"python","code":"1"}'}
        one.message({"role": "user", "type": "message", "content": f"question {number}"})
        one.message({"role": "assistant", "type": "code", "format": "python", "content": "1", "call": key})
        result = {"id": f"c_{number}", "name": "execute", "result": {"ok": True}}
        one.message({"role": "computer", "type": "console", "format": "output", "content": "1\n", "call": result})
        one.message({"role": "assistant", "type": "message", "content": f"reply {number}"})
    one.title("my title")
    one.close()
    return store.find(one.id)


async def test_ur_097_resume_asks_nothing_and_runs_nothing() -> None:
    saved = _long_session(100)
    with MockModel([say("a")]) as mock:
        async with Live(mock, saved=saved, model="other") as live:
            await live.until(HistoryChanged)
            assert mock.received == []
            assert live.processes() == []
            assert live.session.messages[-1]["content"] == "reply 99"
            assert any("variables" in one.text for one in live.all_of(Notice))
            await live.turn("go on")
            request = mock.requests[0]
            assert request["model"] == "other"
            asked = [one["content"] for one in request["messages"] if one["role"] == "user"]
            assert [one for one in asked if one.startswith("question")] == [f"question {one}" for one in range(100)]
            assert len(results(request)) == 100
            assert any("variables" in one for one in asked)
    assert store.find(saved.id).title == "my title"
    assert store.find("my title").id == saved.id


def test_ur_097_sessions_belong_to_real_folders() -> None:
    folder, other = work_folder() / "real", work_folder() / "other"
    folder.mkdir()
    other.mkdir()
    (work_folder() / "link").symlink_to(folder)
    with MockModel() as mock:
        run_exec(mock, "in the folder", cwd=folder)
        run_exec(mock, "in another", cwd=other)
    link = str(work_folder() / "link")
    assert store.find(cwd=link).preview == "in the folder"
    here = {**os.environ, "PWD": link}
    listed = Running(None, "sessions", cwd=Path(link), env=here).end()
    assert "in the folder" in listed.out
    assert "in another" not in listed.out


def test_ur_097_a_session_that_is_not_there() -> None:
    with MockModel() as mock:
        done = run_exec(mock, "go on", "--resume", "nothing-such")
        assert mock.received == []
    assert done.code == 2
    assert "nothing-such" in done.err
