"""claude-code, claude-code-bare and zcode in real turns: every tool does what it says, in the words they know."""

from __future__ import annotations

import json

from tests.session.harness_matrix import got, put, told

_ASKED = [
    {
        "question": "Which?",
        "header": "Choice",
        "multiSelect": False,
        "options": [{"label": "a", "description": "one"}, {"label": "b", "description": "two"}],
    }
]


async def test_bash_keeps_the_folder_but_no_variables() -> None:
    results = await told(
        "claude-code",
        ("Bash", {"command": "mkdir -p d && cd d && X=1 && echo hi  "}),
        ("Bash", {"command": 'basename $PWD; echo "[$X]"'}),
        ("Bash", {"command": "true"}),
        ("Bash", {"command": "echo out; exit 3"}),
        ("Bash", {"command": "echo before; sleep 60", "timeout": 300}),
        ("Bash", {"command": "x", "timeout": 700_000}),
    )
    assert results[:3] == ["hi", "d\n[]", "(Bash completed with no output)"]
    assert results[3] == "<tool_use_error>Exit code 3\nout</tool_use_error>"
    assert results[4] == "<tool_use_error>Command timed out after 0.3s\nbefore</tool_use_error>"
    assert "at most 600000 ms" in results[5]


async def test_files_are_read_before_they_are_changed() -> None:
    path = put("a.py", "one\ntwo\ntwo\n")
    edit = {"file_path": path, "old_string": "one", "new_string": "1"}
    results = await told(
        "claude-code",
        ("Edit", edit),
        ("Read", {"file_path": path}),
        ("Edit", edit),
        ("Edit", {**edit, "old_string": "two", "new_string": "2"}),
        ("Edit", {**edit, "old_string": "two", "new_string": "2", "replace_all": True}),
        ("Edit", {**edit, "old_string": "three"}),
        ("Write", {"file_path": put("old", "x"), "content": "y"}),
        ("Write", {"file_path": path.replace("a.py", "n/b.py"), "content": "new\n"}),
        ("Read", {"file_path": path, "offset": 2, "limit": 1}),
    )
    unread = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    assert results[0] == results[6] == unread
    assert results[1] == "1\tone\n2\ttwo\n3\ttwo"
    assert results[2] == f"The file {path} has been updated successfully."
    assert "Found 2 matches of the string to replace, but replace_all is false." in results[3]
    assert results[4].startswith(f"The file {path} has been updated. All 2 occurrences")
    assert results[5] == "<tool_use_error>String to replace not found in file.\nString: three</tool_use_error>"
    assert results[7].startswith("File created successfully at: ")
    assert results[8] == "2\t2"
    assert (got("a.py"), got("n/b.py"), got("old")) == ("1\n2\n2\n", "new\n", "x")


async def test_searching() -> None:
    put("a.py", "import os\nx = 1\nprint(x)\n")
    put("d/b.txt", "x = 2\n")
    results = await told(
        "claude-code",
        ("Glob", {"pattern": "**/*.py"}),
        ("Glob", {"pattern": "*.rs"}),
        ("Grep", {"pattern": "x ="}),
        ("Grep", {"pattern": "x =", "output_mode": "content", "type": "py", "-A": 1}),
        ("Grep", {"pattern": "X =", "output_mode": "content", "-i": True, "-n": False, "glob": "*.txt"}),
        ("Grep", {"pattern": "x", "output_mode": "count", "path": "a.py"}),
        ("Grep", {"pattern": "x", "output_mode": "content", "head_limit": 1, "path": "a.py"}),
        ("Grep", {"pattern": "1\\nprint", "output_mode": "content", "multiline": True}),
        ("Grep", {"pattern": "nowhere"}),
    )
    assert results[0] == "a.py"
    assert results[1] == results[8] == "No files found"
    assert results[2].splitlines()[0] == "Found 2 files"
    assert results[3] == "a.py:2:x = 1\na.py-3-print(x)"
    assert results[4] == "d/b.txt:x = 2"
    assert results[5].startswith("a.py:2\n")
    assert results[6] == "a.py:2:x = 1\n\n[Showing results with pagination = limit: 1]"
    assert "a.py:2:x = 1" in results[7]


async def test_background_commands_and_tasks() -> None:
    results = await told(
        "claude-code",
        ("Bash", {"command": "echo begun; exec sleep 600", "run_in_background": True}),
        ("TaskOutput", {"task_id": "1", "block": True, "timeout": 0}),
        ("TaskStop", {"task_id": "1"}),
        ("TaskOutput", {"task_id": "1", "block": True, "timeout": 20_000}),
        ("TaskCreate", {"subject": "Fix it", "description": "All of it", "activeForm": "Fixing it"}),
        ("TaskCreate", {"subject": "Test it", "description": "Well"}),
        ("TaskUpdate", {"taskId": "2", "addBlockedBy": ["1"], "owner": "me"}),
        ("TaskUpdate", {"taskId": "1", "status": "in_progress"}),
        ("TaskGet", {"taskId": "2"}),
        ("TaskList", {}),
        ("TaskGet", {"taskId": "9"}),
    )
    assert results[0].startswith("Running in the background with ID: 1. Output is being written to: /")
    assert "<retrieval_status>not_ready</retrieval_status>" in results[1]
    assert "<status>running</status>" in results[1]
    assert json.loads(results[2])["command"] == "echo begun; exec sleep 600"
    assert "<retrieval_status>complete</retrieval_status>" in results[3]
    assert "begun" in results[3]
    assert results[4:6] == ["Task #1 created successfully: Fix it", "Task #2 created successfully: Test it"]
    assert results[6] == "Updated task #2: addBlockedBy, owner"
    assert results[8] == "Task #2: Test it\nStatus: pending\nDescription: Well\nOwner: me\nBlocked by: 1"
    assert results[9] == "#1 [in_progress] Fix it\n#2 [pending] Test it (me) [blocked by #1]"
    assert results[10] == "<tool_use_error>Task #9 not found</tool_use_error>"


async def test_notebooks() -> None:
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "execution_count": None, "source": "1"}
    path = put("n.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    results = await told(
        "claude-code",
        ("Read", {"file_path": path}),
        ("NotebookEdit", {"notebook_path": path, "cell_id": "one", "new_source": "2"}),
        (
            "NotebookEdit",
            {
                "notebook_path": path,
                "cell_id": "one",
                "new_source": "# hi",
                "cell_type": "markdown",
                "edit_mode": "insert",
            },
        ),
    )
    assert "1" in results[0]
    cells = json.loads(got("n.ipynb"))["cells"]
    assert ["".join(one["source"]) for one in cells] == ["2", "# hi"]


async def test_bare_has_three_tools_and_knows_no_others() -> None:
    path = put("a", "a\nb\nc\n")
    edit = {"file_path": path, "old_string": "a", "new_string": "A"}
    results = await told(
        "claude-code-bare",
        ("Edit", edit),
        ("Read", {"file_path": path}),
        ("Edit", edit),
        ("Edit", {**edit, "old_string": "b", "new_string": "B"}),
        ("Write", {"file_path": path, "content": "x"}),
        ("Bash", {"command": "cat a"}),
    )
    assert (
        results[0] == "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    )
    assert results[1] == "1\ta\n2\tb\n3\tc"
    assert results[2].startswith(f"The file {path} has been updated successfully. (file state is current")
    assert results[3] == results[2]
    assert "unsupported call: Write" in results[4]
    assert results[5] == "A\nB\nc"


async def test_zcode_writes_its_todos_whole() -> None:
    todo = {"content": "Fix", "status": "in_progress", "activeForm": "Fixing"}
    done = {**todo, "status": "completed"}
    results = await told(
        "zcode",
        ("TodoRead", {}),
        ("TodoWrite", {"todos": [todo]}),
        ("TodoWrite", {"todos": [done, {**todo, "content": "Test", "status": "pending"}]}),
        ("Bash", {"command": "exit 2"}),
    )
    first, second, third = map(json.loads, results[:3])
    assert first == {
        "oldTodos": [],
        "todos": [],
        "summary": {"total": 0, "pending": 0, "inProgress": 0, "completed": 0},
    }
    assert (second["oldTodos"], second["todos"]) == ([], [todo])
    assert third["oldTodos"] == [todo]
    assert third["summary"] == {"total": 2, "pending": 1, "inProgress": 0, "completed": 1}
    assert results[3] == "<tool_use_error>Exit code 2</tool_use_error>"
