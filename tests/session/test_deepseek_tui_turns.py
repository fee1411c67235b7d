"""deepseek-tui in real turns: every tool does what it says, in the words that DeepSeek models know."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest

from harnesses.deepseek_tui import DeepSeekTuiHarness
from oi_tui.protocol.events import QuestionAsked, TurnEnded
from oi_tui.settings import WebSettings
from tests.mock_model import MockModel, call, say
from tests.mock_model.script import Answer
from tests.session.harness_matrix import got, put, told
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live

NAME = DeepSeekTuiHarness.id


async def test_commands() -> None:
    put("d/x", "")
    results = await told(
        NAME,
        ("exec_shell", {"command": "true"}),
        ("exec_shell", {"command": "exit 3"}),
        ("exec_shell", {"command": "echo out; echo no >&2; basename $PWD", "cwd": "d"}),
        ("exec_shell", {"command": "echo no >&2; false"}),
        ("exec_shell", {"command": "cat; echo no >&2", "stdin": "typed\n", "combined_output": True}),
        ("exec_shell", {"command": "test -t 1 && echo terminal", "tty": True}),
        ("exec_shell", {"command": "echo begun; sleep 60", "timeout_ms": 300}),
        ("exec_shell", {"command": "seq 1 20000"}),
        ("exec_shell", {"command": "ls", "cwd": "nowhere"}),
        ("exec_shell", {}),
    )
    assert results[0] == "(no output)"
    assert results[1] == "Command failed (exit code: Some(3))\n\nSTDOUT:\n\n\nSTDERR:\n"
    assert results[2] == "out\nd\n\nSTDERR:\nno"
    assert results[3] == "Command failed (exit code: Some(1))\n\nSTDOUT:\n\n\nSTDERR:\nno"
    assert results[4] == "typed\nno"
    assert results[5] == "terminal"
    assert results[6].startswith("Command timed out after 300ms; process killed.\n")
    assert "STDOUT:\nbegun\n" in results[6]
    head, tail = results[7].split("\n[Output tail]\n")
    assert head.startswith("1\n2\n")
    assert re.search(r"\[Output truncated: \d+ characters left out; all of it is in /\S+\]$", head)
    assert (len(head.rpartition("\n")[0]), len(tail)) == (22_000, 7_999)
    assert results[8].startswith("Error: ")
    assert results[9] == "Error: Tool 'exec_shell' is missing required field 'command'"


async def test_commands_in_the_background() -> None:
    results = await told(
        NAME,
        ("exec_shell", {"command": "echo begun; read x; echo got $x; exit 4", "background": True}),
        ("exec_shell_interact", {"task_id": "1", "input": "tea\n", "timeout_ms": 20_000}),
        ("exec_shell_wait", {"task_id": "1", "timeout_ms": 60_000}),
        ("task_read", {"task_id": "1"}),
        ("task_shell_start", {"command": "cat"}),
        ("exec_interact", {"task_id": "2", "data": "more\n", "close_stdin": True, "timeout_ms": 20_000}),
        ("task_shell_wait", {"task_id": "2", "timeout_ms": 60_000}),
        ("task_shell_start", {"command": "exec sleep 600"}),
        ("exec_wait", {"task_id": "3", "wait": False}),
        ("task_cancel", {"task_id": "3"}),
        ("task_shell_start", {"command": "exec sleep 601"}),
        ("exec_shell_cancel", {"all": True}),
        ("task_list", {"limit": 2}),
        ("exec_shell_cancel", {"id": "9"}),
    )
    assert results[0] == "Background task started: 1"
    assert "got tea" in results[1] + results[2]
    assert results[2].endswith("[task 1 ended, exit code 4]")
    assert results[3].startswith("begun\ngot tea\n\n[task 1 ended")
    assert "more" in results[5] + results[6]
    assert results[6].endswith("[task 2 ended, exit code 0]")
    assert results[8] == "(no output)\n\n[task 3 is running]"
    assert (results[9], results[11]) == ("Cancelled: 3", "Cancelled: 4")
    assert [(one["task_id"], one["status"]) for one in json.loads(results[12])] == [("3", "stopped"), ("4", "stopped")]
    assert "there is no job '9'" in results[13]


async def test_files() -> None:
    put("a.txt", "one\ntwo\ntwo\n")
    put("long.txt", "".join(f"{n}\n" for n in range(1, 1001)))
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-1\n+first\n two\n"
    results = await told(
        NAME,
        ("read_file", {"path": "a.txt"}),
        ("edit_file", {"path": "a.txt", "search": "one", "replace": "1"}),
        ("edit_file", {"path": "a.txt", "search": "two", "replace": "2"}),
        ("apply_patch", {"patch": patch, "fuzz": 0}),
        (
            "apply_patch",
            {"path": "b.txt", "patch": "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n", "create_if_missing": False},
        ),
        ("write_file", {"path": "n/c.txt", "content": "c\n"}),
        ("write_file", {"path": "n/c.txt", "content": "new\n"}),
        ("read_file", {"path": "long.txt"}),
        ("read_file", {"path": "long.txt", "start_line": 999, "max_lines": 5}),
        ("read_file", {"path": "nowhere"}),
        ("write_file", {"path": "/etc/oi-test", "content": "x"}),
        ("ReadFile", {"path": "n/c.txt"}),
    )
    assert results[0] == "one\ntwo\ntwo\n"
    assert "-one\n+1\n" in results[1]
    assert results[1].endswith("\n\nReplaced 1 occurrence in a.txt")
    assert results[2].startswith("Error: ")
    assert "2 times" in results[2]
    assert "-1\n+first" in results[3]
    assert results[4].startswith("Error: ")
    assert results[5].endswith("\n\nCreated n/c.txt (2 bytes)")
    assert "-c\n+new" in results[6]
    assert results[6].endswith("Wrote 4 bytes to n/c.txt")
    assert results[7].startswith(
        '<file path="long.txt" total_lines="1000" shown_lines="1-200" truncated="true" next_start_line="201">\n'
        "     1│ 1\n"
    )
    assert results[8] == (
        '<file path="long.txt" total_lines="1000" shown_lines="999-1000" truncated="false">\n'
        "   999│ 999\n  1000│ 1000\n</file>"
    )
    assert results[9].startswith("Error: ")
    assert results[10].startswith("Error: Path escapes workspace: /etc/oi-test")
    assert results[11] == "new\n"
    assert (got("a.txt"), got("n/c.txt")) == ("first\ntwo\ntwo\n", "new\n")


async def test_looking() -> None:
    put("src/main.py", "import os\n\nX = 1\nprint(X)\n")
    put("src/Helper_main.js", "x = 2\n")
    put("docs/main.md", "x = 3\n")
    results = await told(
        NAME,
        ("list_dir", {}),
        ("project_map", {"max_depth": 2}),
        ("grep_files", {"pattern": "x =", "case_insensitive": True, "context_lines": 1, "include": ["*.py", "*.js"]}),
        ("grep_files", {"pattern": "x", "exclude": ["*.py", "docs/**"], "context_lines": 0, "max_results": 1}),
        ("file_search", {"query": "MAIN"}),
        ("file_search", {"query": "main", "extensions": ["py", ".js"], "limit": 1}),
        ("file_search", {"query": "main", "exclude": ["docs", "*.js"]}),
        ("tool_search_tool_bm25", {"query": "who changed a line"}),
        ("tool_search_tool_regex", {"query": "^git_(log|show)"}),
        ("tool_search_tool_regex", {"query": "("}),
    )
    assert json.loads(results[0]) == [{"name": "docs", "is_dir": True}, {"name": "src", "is_dir": True}]
    assert results[1].split("\n") == ["docs/", "docs/main.md", "src/", "src/Helper_main.js", "src/main.py"]
    found = json.loads(results[2])
    assert (found["total_matches"], found["truncated"]) == (2, False)
    assert {
        "file": "src/main.py", "line_number": 3, "line": "X = 1", "context_before": [""], "context_after": ["print(X)"],
    } in found["matches"]  # fmt: skip
    assert [one["file"] for one in json.loads(results[3])["matches"]] == ["src/Helper_main.js"]
    assert json.loads(results[4])["matches"] == ["docs/main.md", "src/Helper_main.js", "src/main.py"]
    assert json.loads(results[5]) == {"query": "main", "matches": ["src/Helper_main.js"], "truncated": True}
    assert json.loads(results[6])["matches"] == ["src/main.py"]
    names = [[one["tool_name"] for one in json.loads(text)["tool_references"]] for text in results[7:9]]
    assert names[0][0] == "git_blame"
    assert names[1] == ["git_log", "git_show"]
    assert results[9].startswith("Error: the pattern cannot be read")


def _repository() -> None:
    put("a.txt", "one\n")
    put("b.txt", "b\n")
    for words in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "First"]):
        subprocess.run(("git", *words), cwd=work_folder(), check=True)
    put("a.txt", "two\n")
    put("b.txt", "c\n")
    subprocess.run(("git", "add", "b.txt"), cwd=work_folder(), check=True)


async def test_git_and_checks() -> None:
    _repository()
    put("Makefile", "test:\n\t@echo tested $(with)\n")
    results = await told(
        NAME,
        ("git_status", {"path": "a.txt"}),
        ("git_diff", {"unified": 0}),
        ("git_diff", {"cached": True}),
        ("git_log", {"author": "Test", "since": "2000-01-01", "max_count": 1}),
        ("git_log", {"until": "2000-01-01"}),
        ("git_show", {"rev": "HEAD", "patch": False, "path": "a.txt"}),
        ("git_show", {"rev": "--output=x"}),
        ("git_blame", {"path": "a.txt", "rev": "HEAD", "max_lines": 1}),
        ("git_blame", {"path": "nowhere; touch x"}),
        ("diagnostics", {}),
        ("run_tests", {"args": "with='a b'"}),
        ("task_gate_run", {"gate": "test", "command": "echo bad; exit 2"}),
    )
    assert results[0] == "## main\n M a.txt"
    assert "a.txt" in results[1]
    assert "b.txt" not in results[1]
    assert "-b\n+c" in results[2]
    assert re.fullmatch(r"[0-9a-f]+ .* Test\n    First", results[3])
    assert results[4] == "(no output)"
    assert "a.txt | 1 +" in results[5]
    assert "+one" not in results[5]
    assert "must name a commit" in results[6]
    assert "one" in results[7]
    assert results[8].startswith("Command failed (exit code: Some(128))")
    assert f"git root: {work_folder()}" in results[9]
    assert "python3: Python 3" in results[9]
    assert results[10] == "tested a b"
    assert json.loads(results[11]) == {
        "gate": "test", "command": "echo bad; exit 2", "passed": False, "exit_code": 2, "timed_out": False,
        "output": "bad",
    }  # fmt: skip
    assert not (work_folder() / "x").exists()


async def test_lists() -> None:
    todos = [{"content": "Fix", "status": "in_progress"}, {"content": "Test", "status": "pending"}]
    results = await told(
        NAME,
        ("checklist_write", {"todos": todos}),
        ("checklist_add", {"content": "Tell"}),
        ("checklist_update", {"id": 1, "status": "completed"}),
        ("checklist_list", {}),
        ("todo_write", {"todos": todos[:1]}),
        ("todo_add", {"content": "Test", "status": "completed"}),
        ("todo_update", {"id": 1, "status": "pending"}),
        ("todo_list", {}),
        ("todo_update", {"id": 7, "status": "pending"}),
        ("update_plan", {"plan": [{"step": "All", "status": "completed"}], "explanation": "why"}),
        ("note", {"content": "Uses tabs."}),
        ("code_execution", {"code": "x = 6"}),
        ("code_execution", {"code": "print(x * 7)"}),
        ("code_execution", {"code": "1 / 0"}),
    )
    said, _, rest = results[0].partition("\n")
    assert said == "Todo list updated (2 items, 0% complete)"
    assert json.loads(rest) == {
        "items": [
            {"id": 1, "content": "Fix", "status": "in_progress"},
            {"id": 2, "content": "Test", "status": "pending"},
        ],
        "completion_pct": 0,
        "in_progress_id": 1,
    }
    assert results[1].startswith("Todo list updated (3 items, 0% complete)")
    assert results[2].startswith("Updated todo #1 to completed\n")
    assert '"completion_pct": 33' in results[3]
    assert results[5].startswith("Todo list updated (2 items, 50% complete)")
    assert results[6].startswith("Updated todo #1 to pending\n")
    assert '"in_progress_id": null' in results[7]
    assert results[8].startswith("Error: ")
    assert results[9].startswith("Plan updated: 0 pending, 0 in progress, 1 completed (100% done)\n{")
    assert results[10] == "noted"
    assert results[12] == "42"
    assert results[13].startswith("Command failed (exit code: ")
    assert "ZeroDivisionError" in results[13]


async def test_agents() -> None:
    answers = {
        "go": call("tool_agent", {"prompt": "Say seven.", "name": "seven"}),
        "Say seven.": say("seven"),
        "seven": call("agent_open", {"prompt": "Say nine.", "agent_type": "explorer"}),
        "Say nine.": say("nine"),
        "a2": call("agent_eval", {"agent_id": "a2", "timeout_ms": 60_000}),
        "nine": call("task_create", {"prompt": "Wait."}),
        "Wait.": call("exec_shell", {"command": "sleep 600"}),
        "a3": call("agent_close", {"agent_id": "a3"}),
        "Cancelled: a3": say("done"),
    }

    def answered(body: dict[str, Any]) -> Answer:
        """What the model says, by what it was last told: the session and its agents ask in no certain order."""
        told_last = [one for one in body["messages"] if "<background>" not in str(one["content"])][-1]
        last = str(told_last["content"]).rpartition("</turn_meta>")[2].strip().partition("\n\n[task")[0]
        started = re.search(r'_id": "(a\d)"', last)
        return answers.get(started[1] if started else last, say("ok"))

    with MockModel([answered] * 20) as mock:
        async with Live(mock, harness=NAME) as live:
            ended = await live.turn("go")
            assert ended == TurnEnded("done")
            results = [text for text in live.results if "<background>" not in text]
    assert results[0] == "seven"
    assert json.loads(results[1]) == {"agent_id": "a2", "status": "running"}
    assert results[2].startswith("nine\n\n[task a2 ended")
    assert json.loads(results[3]) == {"task_id": "a3", "status": "running"}
    assert results[4] == "Cancelled: a3"


async def test_the_web(page: str) -> None:
    script = [
        call("fetch_url", {"url": page, "format": "markdown", "max_bytes": 20, "timeout_ms": 20_000}),
        call("web_search", {"query": "it", "max_results": 1}),
        call("web.run", {"search_query": [{"q": "it", "domains": ["t"]}], "response_length": "short"}),
        call("web-x00002E-run", {"search_query": [{"q": "it", "domains": ["else"]}]}),
        call("web-x00002E-run", {"search_query": [{"q": "it"}, {"q": "that"}]}),
        say("done"),
    ]
    with MockModel(script) as mock:
        async with Live(mock, harness=NAME, web=WebSettings("searxng", page, private=True)) as live:
            assert (await live.turn()).reason == "done"
            results = live.results
        names = [
            one["tool_calls"][0]["function"]["name"] for one in mock.requests[-1]["messages"] if "tool_calls" in one
        ]
    assert names[2] == "web-x00002E-run"
    assert "# Hello" in results[0]
    found = [{"title": "T", "url": "http://t/", "text": "words"}]
    assert json.loads(results[1]) == {"query": "it", "count": 1, "results": found}
    assert json.loads(results[2])["results"] == found
    assert json.loads(results[3])["count"] == 0
    assert "one search a call" in results[4]


async def test_a_question_is_answered() -> None:
    asked = {
        "question": "Which?",
        "header": "Choice",
        "multiSelect": False,
        "options": [{"label": "a", "description": "one"}, {"label": "b", "description": "two"}],
    }
    with MockModel([call("request_user_input", {"questions": [asked]}), say("done")]) as mock:
        async with Live(mock, harness=NAME) as live:
            live.session.submit("go")
            await live.until(QuestionAsked)
            live.session.submit("b")
            assert (await live.until(TurnEnded)).reason == "done"
            assert json.loads(live.results[0]) == {"answers": {"Which?": ["b"]}}


async def test_the_third_same_call_does_not_run_and_printed_calls_do() -> None:
    printed = say(
        '<tool_call><invoke name="ExecShell"><parameter name="command">echo x >> log</parameter></invoke></tool_call>'
    )
    with MockModel([printed, printed, printed, say("done")]) as mock:
        async with Live(mock, harness=NAME) as live:
            assert (await live.turn()).reason == "done"
            results = live.results
    assert results[:2] == ["(no output)"] * 2
    assert "the same as 2 before it" in results[2]
    assert got("log") == "x\nx\n"


async def test_a_declined_call_is_blocked() -> None:
    with MockModel([call("exec_shell", {"command": "touch x"}), say("done")]) as mock:
        async with Live(mock, harness=NAME, approval_policy="read-only") as live:
            await live.turn()
            assert live.results[0].startswith("BLOCKED: ")
    assert not (work_folder() / "x").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
async def test_javascript_keeps_its_state() -> None:
    results = await told(
        NAME,
        ("js_execution", {"code": "let n = 6"}),
        ("js_execution", {"code": "console.log(n * 7)"}),
        ("js_execution", {"code": "nowhere()"}),
    )
    assert results[:2] == ["(no output)", "42"]
    assert results[2].startswith("Command failed (exit code: ")
    assert "nowhere is not defined" in results[2]
