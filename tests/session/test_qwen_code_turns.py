"""qwen-code in real turns: every tool does what it says, in the words that Qwen models know."""

from __future__ import annotations

import re
from typing import Any

import pytest

from oi_tui.protocol.events import QuestionAsked, TurnEnded
from oi_tui.settings import WebSettings
from tests.mock_model import MockModel, call, say
from tests.mock_model.script import Answer
from tests.session.harness_matrix import got, put, text_of, told
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live


async def test_commands() -> None:
    folder = put("d/x", "")[:-2]
    results = await told(
        "qwen-code",
        ("run_shell_command", {"command": "true", "description": "Do nothing"}),
        ("run_shell_command", {"command": "pwd; echo no >&2; exit 3", "directory": folder}),
        ("run_shell_command", {"command": "echo begun; sleep 60", "timeout": 300}),
        ("run_shell_command", {"command": ": ; sleep 1", "timeout": 100}),
        ("run_shell_command", {"command": "sleep 30 && echo x"}),
        ("run_shell_command", {"command": " "}),
        ("run_shell_command", {"command": "x", "timeout": 600_001}),
        ("run_shell_command", {"command": "x", "directory": "d"}),
    )
    lines = results[0].split("\n")
    assert lines[:6] == [
        "Command: true", "Directory: (root)", "Output: (empty)", "Error: (none)", "Exit Code: 0", "Signal: (none)",
    ]  # fmt: skip
    assert re.fullmatch(r"Process Group PGID: \d+", lines[6])
    assert len(lines) == 7
    assert f"Directory: {folder}\nOutput: {folder}\nno\nError: (none)\nExit Code: 3\n" in results[1]
    assert results[2].startswith("Command timed out after 300ms before it could complete. Below is the output")
    assert results[2].endswith("timed out:\nbegun\n")
    assert results[3] == (
        "Command timed out after 100ms before it could complete. There was no output before it timed out."
    )
    assert "sleep 30" in results[4]
    assert "Command cannot be empty." in results[5]
    assert "at most 600000 ms" in results[6]
    assert "File path must be absolute: d" in results[7]


async def test_a_long_output_is_cut_and_saved() -> None:
    results = await told(
        "qwen-code",
        ("run_shell_command", {"command": "seq 1 1500"}),
        (
            "run_shell_command",
            {"command": "head -c 26000 /dev/zero | tr '\\0' x; echo; head -c 60000 /dev/zero | tr '\\0' y"},
        ),
    )
    for text, first, last, size in (
        (results[0], "1\n2", "1500", 6_000),
        (results[1], "x" * 5000, "y" * 20_000, 25_000),
    ):
        saved = re.search(r"saved in (\S+):", text)
        assert saved is not None
        output = text[text.index("Output: ") : text.index("\nError: ")]
        assert f"Truncated part of the output:\n{first}" in output
        assert output.rstrip().endswith(last)
        assert "\n\n---\n... [CONTENT TRUNCATED] ...\n---\n\n" in output
        assert len(output) < size + 500


async def test_the_saved_output_can_be_read() -> None:
    def reading(body: dict[str, Any]) -> Answer:
        saved = re.search(r"saved in (\S+):", body["messages"][-1]["content"][0]["text"])
        assert saved is not None
        return call("read_file", {"file_path": saved[1], "offset": 700, "limit": 2})

    with MockModel([call("run_shell_command", {"command": "seq 1 1500"}), reading, say("done")]) as mock:
        async with Live(mock, harness="qwen-code") as live:
            await live.turn()
        text = mock.requests[-1]["messages"][-1]["content"][0]["text"]
    assert text == "Showing lines 701-702 of 1500 total lines.\n\n---\n\n701\n702"


async def test_files() -> None:
    path = put("a.py", "one\ntwo\ntwo\n")
    long = put("long", "".join(f"{n}\n" for n in range(1, 1201)))
    edit = {"file_path": path, "old_string": "one", "new_string": "1"}
    new = path.replace("a.py", "n/b.py")
    results = await told(
        "qwen-code",
        ("read_file", {"file_path": path}),
        ("edit", edit),
        ("edit", {**edit, "old_string": "two", "new_string": "2"}),
        ("edit", {**edit, "old_string": "two", "new_string": "2", "replace_all": True}),
        ("edit", {**edit, "old_string": "nine"}),
        ("edit", {**edit, "old_string": "1"}),
        ("edit", {**edit, "old_string": ""}),
        ("edit", {**edit, "file_path": new, "old_string": "", "new_string": "new\n"}),
        ("write_file", {"file_path": new, "content": "newer\n"}),
        ("write_file", {"file_path": path.replace("a.py", "c"), "content": "c"}),
        ("read_file", {"file_path": "a.py"}),
        ("read_file", {"file_path": f"{path}x"}),
        ("read_file", {"file_path": long}),
        ("read_file", {"file_path": long, "offset": 1198, "limit": 9}),
        ("read_file", {"file_path": put("empty", "")}),
    )
    assert results[0] == "one\ntwo\ntwo\n"
    assert results[1] == (
        f"The file: {path} has been updated. Showing lines 1-3 of 3 from the edited file:\n\n---\n\n1\ntwo\ntwo"
    )
    assert "found 2 occurrences" in results[2]
    assert results[3].startswith(f"The file: {path} has been updated.")
    assert "0 occurrences" in results[4]
    assert "identical" in results[5]
    assert "already exists" in results[6]
    assert results[7] == f"Created new file: {new} with provided content."
    assert results[8] == f"Successfully overwrote file: {new}."
    assert results[9] == f"Successfully created and wrote to new file: {path.replace('a.py', 'c')}."
    assert "File path must be absolute: a.py" in results[10]
    assert results[11] == f"File not found: {path}x"
    assert results[12].startswith("Showing lines 1-1000 of 1200 total lines.\n\n---\n\n1\n2\n")
    assert results[13] == "Showing lines 1199-1200 of 1200 total lines.\n\n---\n\n1199\n1200"
    assert results[14] == "(the file is empty)"
    assert (got("a.py"), got("n/b.py"), got("c")) == ("1\n2\n2\n", "newer\n", "c")


async def test_looking() -> None:
    put("a.py", "import os\nX = 1\n")
    put("d/b.txt", "x = 2\n")
    put("d/c.log", "x\n" * 30)
    here = str(work_folder())
    results = await told(
        "qwen-code",
        ("grep_search", {"pattern": "x ="}),
        ("grep_search", {"pattern": "x", "path": "d", "glob": "*.log", "limit": 3}),
        ("grep_search", {"pattern": "nowhere"}),
        ("glob", {"pattern": "**/*.py"}),
        ("glob", {"pattern": "*.rs", "path": "d"}),
        ("list_directory", {"path": here}),
        ("list_directory", {"path": f"{here}/d", "ignore": ["*.log"]}),
        ("list_directory", {"path": f"{here}/e"}),
    )
    head, _, rows = results[0].partition("\n---\n")
    assert head == 'Found 2 matches for pattern "x =" in the workspace directory:'
    assert sorted(rows.split("\n")) == ["a.py:2:X = 1", "d/b.txt:1:x = 2"]
    assert results[1].startswith('Found 30 matches for pattern "x" in path "d" (filter: "*.log"):\n---\nd/c.log:1:x\n')
    assert results[1].endswith("d/c.log:3:x\n---\n[27 lines truncated] ...")
    assert results[2].startswith('No matches found for pattern "nowhere" in the workspace directory')
    assert results[3].startswith('Found 1 file matching "**/*.py" in the workspace directory, sorted by modification')
    assert results[3].endswith(f"---\n{here}/a.py")
    assert results[4] == 'No files found matching pattern "*.rs" within d'
    assert results[5] == f"Listed 2 item(s) in {here}:\n---\n[DIR] d\na.py"
    assert results[6].endswith("---\nb.txt")
    assert "not found" in results[7]


async def test_todos_memory_and_agents() -> None:
    todos = [
        {"content": "Fix", "status": "in_progress", "id": "1"},
        {"content": "Test", "status": "pending", "id": "2"},
    ]
    with MockModel(
        [
            call("todo_write", {"todos": todos}),
            call("save_memory", {"fact": "The person likes tea."}),
            call("agent", {"description": "Say it", "prompt": "Say seven.", "subagent_type": "Explore"}),
            say("seven"),
            say("done"),
        ]
    ) as mock:
        async with Live(mock, harness="qwen-code") as live:
            await live.turn()
        results = [one["content"][0]["text"] for one in mock.requests[-1]["messages"] if one["role"] == "tool"]
    assert '[{"content":"Fix","status":"in_progress","id":"1"},' in results[0]
    assert "<system-reminder>" in results[0]
    assert results[1] == 'Okay, I\'ve remembered that: "The person likes tea."'
    assert results[2] == "seven"
    with MockModel([say("ok")]) as mock:
        async with Live(mock, harness="qwen-code") as live:
            await live.turn()
        assert "The person likes tea." in mock.requests[-1]["messages"][0]["content"]


async def test_background_commands() -> None:
    results = await told(
        "qwen-code",
        ("run_shell_command", {"command": "exec sleep 600", "is_background": True}),
        ("task_stop", {"task_id": "1"}),
        ("task_stop", {"task_id": "9"}),
    )
    assert re.match(r"Background command started with id 1 \(PID: \d+, process group \d+\)\. Its output", results[0])
    assert results[1] == "Stopped background command 1."
    assert "there is no job '9'" in results[2]


async def test_a_question_is_answered() -> None:
    asked = {
        "question": "Which?",
        "header": "Choice",
        "multiSelect": False,
        "options": [{"label": "a", "description": "one"}, {"label": "b", "description": "two"}],
    }
    with MockModel([call("ask_user_question", {"questions": [asked]}), say("done")]) as mock:
        async with Live(mock, harness="qwen-code") as live:
            live.session.submit("go")
            await live.until(QuestionAsked)
            live.session.submit("b")
            assert (await live.until(TurnEnded)).reason == "done"
    assert "**Which?**: b" in str(mock.requests[-1])


async def test_a_call_printed_as_text_runs_and_the_same_one_is_stopped() -> None:
    printed = say(
        "Look:\n<tool_call>\n<function=glob>\n<parameter=pattern>\n*.py\n</parameter>\n</function>\n</tool_call>"
    )
    put("a.py", "")
    with MockModel([printed] * 6) as mock:
        async with Live(mock, harness="qwen-code") as live:
            ended = await live.turn()
    assert (ended.reason, len(mock.requests)) == ("limit", 5)
    assert "5 times in a row" in ended.text
    answer, result = mock.requests[1]["messages"][-2:]
    assert answer["content"] == "Look:"
    assert answer["tool_calls"][0]["function"] == {"name": "glob", "arguments": '{"pattern":"*.py"}'}
    assert result["content"][0]["text"].startswith('Found 1 file matching "*.py"')


@pytest.mark.parametrize(("name", "used"), [("QWEN.md", True), ("CLAUDE.md", False)])
async def test_the_projects_own_file_is_read(name: str, used: bool) -> None:
    put(name, "Always say herring.")
    put("AGENTS.md", "Always say mackerel.")
    with MockModel([say("ok")]) as mock:
        async with Live(mock, harness="qwen-code") as live:
            await live.turn()
    assert ("herring" in str(mock.requests[0]), "mackerel" in str(mock.requests[0])) == (used, True)


async def test_the_web(page: str) -> None:
    script = [
        call("web_fetch", {"url": page, "prompt": "What does it say?"}),
        say("It says hello."),
        call("web_search", {"query": "it"}),
        say("done"),
    ]
    with MockModel(script) as mock:
        live = Live(mock, harness="qwen-code", web=WebSettings("searxng", page, private=True))
        async with live:
            assert (await live.turn()).reason == "done"
            assert [text_of(one) for one in live.results] == ["It says hello.", "1. T\n   http://t/\n   words"]


async def test_an_answer_that_goes_round_in_circles_is_stopped() -> None:
    sentence = "Let me look at the file once more to see what is wrong. "
    with MockModel([say("I begin.\n" + sentence * 400), say("better")]) as mock:
        async with Live(mock, harness="qwen-code") as live:
            ended = await live.turn()
            assert (ended.reason, "again and again" in ended.text) == ("limit", True)
            kept = live.session.messages[-2]["content"]
            assert 9 <= kept.count(sentence.strip()) < 40
            assert (await live.turn("go on")).reason == "done"
            assert "was stopped" in str(mock.requests[-1]["messages"])
