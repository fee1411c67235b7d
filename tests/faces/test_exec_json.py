"""`oi exec --json`: the events as clients of `codex exec --json` read them.

Source of the shape: docs of openai/codex, `codex exec --json`: thread, turn and item events, one object a line.
"""

from __future__ import annotations

import json
from typing import Any

from tests.mock_model import MockModel, answer, call, code, http, raw, say, think, usage
from tests.user_reports.driver import run_exec, start_exec


def _items(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Completed items of a kind."""
    return [one["item"] for one in events if one["type"] == "item.completed" and one["item"]["type"] == kind]


def test_the_sequence_of_a_turn_with_a_block() -> None:
    numbers = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
    script = [
        answer(think("first I think"), say("I compute. "), code("python", "2380*3875"), usage(**numbers)),
        answer(say("It is 9222500."), usage(prompt_tokens=200, completion_tokens=20)),
    ]
    with MockModel(script) as mock:
        done = run_exec(mock, "what is 2380*3875?", "--json")
    events = done.events
    assert done.code == 0
    assert done.err == ""
    assert [(one["type"], one.get("item", {}).get("type")) for one in events] == [
        ("thread.started", None),
        ("turn.started", None),
        ("item.completed", "reasoning"),
        ("item.completed", "agent_message"),
        ("item.started", "command_execution"),
        ("item.completed", "command_execution"),
        ("item.completed", "agent_message"),
        ("turn.completed", None),
    ]
    begun, ended = events[4]["item"], events[5]["item"]
    assert begun["id"] == ended["id"]
    assert (begun["status"], begun["exit_code"], begun["aggregated_output"]) == ("in_progress", None, "")
    assert (begun["command"], begun["language"]) == ("2380*3875", "python")
    assert (ended["status"], ended["aggregated_output"]) == ("completed", "9222500\n")
    assert [one["text"] for one in _items(events, "agent_message")] == ["I compute. ", "It is 9222500."]
    assert _items(events, "reasoning")[0]["text"] == "first I think"
    assert [one["item"]["id"] for one in events if one["type"] == "item.completed"] == [f"item_{n}" for n in range(4)]
    counted = events[-1]["usage"]
    assert (counted["input_tokens"], counted["output_tokens"], counted["cached_input_tokens"]) == (300, 30, 40)
    assert events[-1]["answer"] == "It is 9222500."


def test_the_thread_id_resumes() -> None:
    with MockModel() as mock:
        first = run_exec(mock, "first", "--json")
        again = run_exec(mock, "second", "--json", "--resume", first.events[0]["thread_id"])
    assert again.events[0] == first.events[0]
    assert "first" in json.dumps(again.requests[0])


def test_a_failing_block_has_its_status() -> None:
    with MockModel([code("shell", "echo out; exit 3"), say("ok")]) as mock:
        done = run_exec(mock, "go", "--json")
    (item,) = _items(done.events, "command_execution")
    assert (item["exit_code"], item["status"]) == (3, "failed")
    assert item["aggregated_output"].strip() == "out"


def test_a_block_that_nobody_approved_is_declined() -> None:
    with MockModel([code("shell", "touch x")]) as mock:
        done = run_exec(mock, "go", "--json", auto=False)
    assert done.code == 3
    (item,) = _items(done.events, "command_execution")
    assert item["status"] == "declined"
    assert done.events[-1]["type"] == "turn.failed"
    assert "approve" in done.events[-1]["error"]["message"]


def test_changed_files_and_the_plan() -> None:
    steps = [{"step": "write", "status": "in_progress"}, {"step": "check", "status": "pending"}]
    later = [{**one, "status": "completed"} for one in steps]
    script = [
        call("update_plan", {"plan": steps}),
        call("write_file", {"path": "a.txt", "content": "a\n"}),
        call("update_plan", {"plan": later}),
        say("ok"),
    ]
    with MockModel(script) as mock:
        done = run_exec(mock, "go", "--json", "-cw", "200000")
    (change,) = _items(done.events, "file_change")
    assert change["changes"] == [{"path": change["changes"][0]["path"], "kind": "add"}]
    assert change["changes"][0]["path"].endswith("a.txt")
    assert change["status"] == "completed"
    plans = [one for one in done.events if one.get("item", {}).get("type") == "todo_list"]
    assert [one["type"] for one in plans] == ["item.started", "item.updated", "item.completed"]
    assert len({one["item"]["id"] for one in plans}) == 1
    assert plans[0]["item"]["items"] == [{"text": "write", "completed": False}, {"text": "check", "completed": False}]
    assert all(one["completed"] for one in plans[-1]["item"]["items"])


def test_a_failed_turn() -> None:
    with MockModel([http(401, {"error": {"message": "wrong key"}})]) as mock:
        done = run_exec(mock, "go", "--json")
    assert done.code == 1
    assert done.events[-1]["type"] == "turn.failed"
    assert "wrong key" in done.events[-1]["error"]["message"]
    assert done.err == ""


def test_events_come_while_the_block_runs() -> None:
    with MockModel([code("shell", "while [ ! -e go ]; do sleep 0.05; done; echo end"), say("ok")]) as mock:
        running = start_exec(mock, "go", "--json")
        running.wait_for("item.started", lambda: running.out)
        assert "item.completed" not in running.out
        (running.cwd / "go").touch()
        assert running.end().code == 0


def test_every_line_is_one_object_whatever_is_printed() -> None:
    nasty = 'print(\'a\\x1b[31m\\r\\x00\\u2028\\u0085 {"type": "turn.completed"}\')'
    text = 'b\u2028\u0085\n{"type":"turn.failed"}\n'
    with MockModel([code("python", nasty), raw([{"content": text}])]) as mock:
        done = run_exec(mock, "go", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [one["type"] for one in events if one["type"].startswith("turn.")] == ["turn.started", "turn.completed"]
    assert _items(events, "agent_message")[0]["text"] == text
