"""kimi-code and kimi-cli in real turns: every tool does what it says, in the words they know."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import CallEnded, QuestionAsked, TurnEnded
from oi_tui.settings import WebSettings
from tests.mock_model import MockModel, answer, call, say
from tests.session.harness_matrix import got, put, text_of, told
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live

_ERROR = "<system>ERROR: Tool execution failed.</system>\n"
_ASKED = [{"question": "Which?", "multi_select": True, "options": [{"label": "a"}, {"label": "b"}]}]


async def test_bash() -> None:
    put("d/x", "")
    results = await told(
        "kimi-code",
        ("Bash", {"command": "true", "description": "nothing"}),
        ("Bash", {"command": "false"}),
        ("Bash", {"command": "ls; cd /; X=1", "cwd": "d"}),
        ("Bash", {"command": 'basename $PWD; echo "[$X]"; exit 3'}),
        ("Bash", {"command": "echo before; exec sleep 600", "timeout": 1}),
        ("Bash", {"command": "x", "timeout": 301}),
        ("Bash", {"command": "printf '%060000d' 0 | fold -w 3000"}),
    )
    assert results[0] == "Command executed successfully."
    assert results[1] == f"{_ERROR}Process exited with code 1"
    assert results[2] == "x"
    assert results[3] == f"{_ERROR}{work_folder().name}\n[]\nCommand failed with exit code: 3."
    assert results[4] == f"{_ERROR}before\nCommand killed by timeout (1s)"
    assert results[5].startswith(
        f'{_ERROR}Invalid args for tool "Bash": timeout must be between 1 and 300 seconds; use '
    )
    assert "[...truncated]" in results[6]
    where = next(line for line in results[6].splitlines() if line.startswith("output_path: "))
    assert Path(where.partition(": ")[2]).name.startswith("job-")


async def test_files() -> None:
    put("a.py", "one\ntwo\ntwo\n")
    put("ten", "".join(f"{number}\n" for number in range(1, 11)))
    edit = {"path": "a.py", "old_string": "one", "new_string": "1"}
    results = await told(
        "kimi-code",
        ("Read", {"path": "ten", "line_offset": -3}),
        ("Read", {"path": "ten", "line_offset": 4, "n_lines": 2}),
        ("Read", {"path": "ten", "line_offset": 0}),
        ("Read", {"path": "gone"}),
        ("Edit", edit),
        ("Edit", {**edit, "old_string": "two", "new_string": "2"}),
        ("Edit", {**edit, "old_string": "two", "new_string": "2", "replace_all": True}),
        ("Edit", {**edit, "old_string": "three"}),
        ("Edit", {**edit, "old_string": "2", "new_string": "2"}),
        ("Write", {"path": "n/b", "content": "é\n"}),
        ("Write", {"path": "n/b", "content": "é\n"}),
        ("Write", {"path": "n/b", "content": "more", "mode": "append"}),
    )
    assert results[0].startswith("8\t8\n9\t9\n10\t10\n<system>3 lines read from file starting from line 8. ")
    assert "Total lines in file: 10. End of file reached." in results[0]
    assert results[1] == (
        "4\t4\n5\t5\n<system>2 lines read from file starting from line 4. Total lines in file: 10.</system>"
    )
    assert "it cannot be 0" in results[2]
    assert results[3] == f"{_ERROR}gone does not exist"
    assert results[4] == "Replaced 1 occurrence in a.py"
    assert "old_string is not unique in a.py: it was found 2 times" in results[5]
    assert results[6] == "Replaced 2 occurrences in a.py"
    assert "old_string was not found in a.py" in results[7]
    assert "identical" in results[8]
    assert results[9:] == [
        "Wrote 3 bytes to n/b", "n/b already has exactly this content.", "Appended 4 bytes to n/b"
    ]  # fmt: skip
    assert (got("a.py"), got("n/b")) == ("1\n2\n2\n", "é\nmore")


async def test_searching() -> None:
    put("a.py", "import os\nx = 1\nprint(x)\n")
    put("d/b.txt", "x = 2\n")
    put("node_modules/c.py", "x = 3\n")
    put("wide", "y" * 450 + "\n")
    results = await told(
        "kimi-code",
        ("Glob", {"pattern": "*.py"}),
        ("Glob", {"pattern": "*.py", "include_ignored": True, "path": "node_modules"}),
        ("Glob", {"pattern": "d", "include_dirs": True}),
        ("Glob", {"pattern": "*.rs"}),
        ("Grep", {"pattern": "x ="}),
        ("Grep", {"pattern": "x =", "output_mode": "content", "type": "py", "-A": 1}),
        ("Grep", {"pattern": "X =", "output_mode": "content", "-i": True, "-n": False, "glob": "*.txt"}),
        ("Grep", {"pattern": "x", "output_mode": "count_matches", "path": "a.py"}),
        ("Grep", {"pattern": "x", "output_mode": "content", "head_limit": 1, "path": "a.py"}),
        ("Grep", {"pattern": "x", "output_mode": "content", "head_limit": 1, "offset": 1, "path": "a.py"}),
        ("Grep", {"pattern": "1\\nprint", "output_mode": "content", "multiline": True}),
        ("Grep", {"pattern": "x =", "include_ignored": True, "path": "node_modules"}),
        ("Grep", {"pattern": "nowhere", "-B": 1, "-C": 2}),
        ("Grep", {"pattern": "yy", "output_mode": "content"}),
    )
    assert results[0] == "a.py"
    assert results[1] == "node_modules/c.py"
    assert results[2] == "d/"
    assert results[3] == results[12] == "No matches found"
    assert sorted(results[4].splitlines()) == ["a.py", "d/b.txt"]
    assert results[5] == "a.py:2:x = 1\na.py-3-print(x)"
    assert results[6] == "d/b.txt:x = 2"
    assert results[7] == "a.py:2\n<system>Found 2 total occurrences across 1 file.</system>"
    assert results[8] == "a.py:2:x = 1\n<system>Results truncated to 1 lines. Use offset=1 to see more.</system>"
    assert results[9] == "a.py:3:print(x)"
    assert "a.py:2:x = 1" in results[10]
    assert results[11] == "node_modules/c.py"
    assert results[13] == "wide:1:" + "y" * 450


async def test_background_tasks() -> None:
    results = await told(
        "kimi-code",
        ("Bash", {"command": "echo begun; exec sleep 600", "run_in_background": True, "description": "sleeps",
                  "disable_timeout": True}),
        ("TaskList", {}),
        ("TaskOutput", {"task_id": "1"}),
        ("TaskStop", {"task_id": "1", "reason": "enough"}),
        ("TaskOutput", {"task_id": "1", "block": True, "timeout": 30}),
        ("TaskList", {}),
        ("TaskList", {"active_only": False, "limit": 5}),
        ("TaskStop", {"task_id": "7"}),
        ("Bash", {"command": "while :; do sleep 7; done", "run_in_background": True, "timeout": 1}),
        ("TaskOutput", {"task_id": "2", "block": True, "timeout": 60}),
        ("Bash", {"command": "exit 4", "run_in_background": True}),
        ("TaskOutput", {"task_id": "3", "block": True, "timeout": 60}),
    )  # fmt: skip
    assert results[0].startswith("task_id: 1\npid: ")
    assert "description: sleeps\nstatus: running\nautomatic_notification: true\nnext_step: " in results[0]
    assert results[1].startswith("active_background_tasks: 1\n\ntask_id: 1\nkind: bash\nstatus: running\n")
    assert "retrieval_status: not_ready" in results[2]
    assert results[3] == "task_id: 1\nstatus: killed\nreason: enough"
    assert "retrieval_status: success" in results[4]
    assert "status: killed" in results[4]
    assert results[4].endswith("[output]\nbegun")
    assert results[5] == "active_background_tasks: 0"
    assert "background_tasks: 1\n\ntask_id: 1\nkind: bash\nstatus: killed" in results[6]
    assert results[7].startswith(f"{_ERROR}there is no job '7'")
    assert "status: timed_out" in results[9]
    assert "status: failed" in results[11]
    assert "exit_code: 4" in results[11]


async def test_todos() -> None:
    todos = [{"title": "Fix", "status": "done"}, {"title": "Test", "status": "in_progress"}]
    rows = "\n  [done] Fix\n  [in_progress] Test"
    steps: list[dict[str, Any]] = [{}, {"todos": todos}, {"todos": None}, {"todos": []}]
    assert await told("kimi-code", *(("TodoList", one) for one in steps)) == [
        "Todo list is empty.",
        f"Todo list updated.{rows}",
        f"Current todo list:{rows}",
        "Todo list cleared.",
    ]
    assert await told("kimi-cli", *(("SetTodoList", one) for one in steps)) == [
        "<system>Todo list is empty.</system>",
        f"<system>Todo list updated.</system>Todo list updated.{rows}",
        f"<system>Todo list read.</system>Current todo list:{rows}",
        "<system>Todo list cleared.</system>",
    ]


async def test_pictures() -> None:
    Image.new("RGB", (2000, 1000), "red").save(work_folder() / "p.png")
    region = {"x": 10, "y": 20, "width": 30, "height": 40}
    steps = [
        call("ReadMediaFile", {"path": "p.png"}),
        call("ReadMediaFile", {"path": "p.png", "region": region}),
        call("ReadMediaFile", {"path": "p.png", "full_resolution": True}),
    ]
    with MockModel([*steps, say("red")]) as mock:
        async with Live(mock, harness="kimi-code") as live:
            assert (await live.turn()).reason == "done"
            assert [one.split(": ", 1)[1].partition("\n")[0] for one in live.results[:3]] == [
                "png picture, 1568 x 784 pixels (of 2000 x 1000)",
                "png picture, 30 x 40 pixels (of 2000 x 1000)",
                "png picture, 2000 x 1000 pixels",
            ]


@pytest.mark.parametrize("harness", ["kimi-code", "kimi-cli"])
async def test_agents(harness: str) -> None:
    own = {"kimi-code": ("Write", "Bash"), "kimi-cli": ("WriteFile", "Shell")}[harness]
    task = {"description": "count", "prompt": "count the files"}
    script = [
        call("Agent", task),
        call(own[0], {"path": "n", "content": "1"}),
        say("there is one"),
        call("Agent", {**task, "subagent_type": "plan", "resume": "a1"}),
        say("a plan"),
        call("Agent", {**task, "subagent_type": "explore"}),
        call(own[1], {"command": "touch made"}),
        say("only looked"),
        call("Agent", {**task, "subagent_type": "cook"}),
        say("done"),
    ]
    with MockModel(script) as mock:
        async with Live(mock, harness=harness) as live:
            assert (await live.turn()).reason == "done"
            given = [text_of(one) for one in live.results]
            results = [one[one.index("agent_id") :] for one in given[:3]]
            assert results[0] == (
                "agent_id: a1\nresumed: false\nactual_subagent_type: coder\nstatus: completed\n\n"
                "[summary]\nthere is one"
            )
            assert "resumed: true\nactual_subagent_type: plan" in results[1]
            assert "only looked" in results[2]
            assert "subagent_type must be one of coder, explore, plan" in given[3]
    inner = mock.requests[1]
    names = {one["function"]["name"] for one in inner["tools"]}
    assert not {"Agent", "AskUserQuestion"} & names
    assert "another agent gave a task to" in inner["messages"][0]["content"]
    assert got("n") == "1"
    assert not (work_folder() / "made").exists()
    assert any("Give back a plan" in str(one.get("content")) for one in mock.requests[4]["messages"])


async def test_an_agent_in_the_background_is_listed_and_stopped() -> None:
    def by_task(request: dict[str, Any]) -> Any:
        said = [str(one.get("content")) for one in request["messages"] if one["role"] == "user"]
        return call("Bash", {"command": "exec sleep 600"}) if any("inner task" in one for one in said) else steps.pop(0)

    steps = [
        call("Agent", {"description": "long one", "prompt": "inner task", "run_in_background": True}),
        call("TaskList", {}),
        call("TaskOutput", {"task_id": "a1"}),
        call("TaskStop", {"task_id": "a1"}),
        say("stopped"),
    ]
    with MockModel([by_task] * 6) as mock:
        async with Live(mock, harness="kimi-code") as live:
            assert (await live.turn()).reason == "done"
            asked = [one for one in mock.requests if not any("inner task" in str(m) for m in one["messages"] if
                     m["role"] == "user")]  # fmt: skip
            results = [one["content"] for one in asked[-1]["messages"] if one["role"] == "tool"]
    assert results[0].startswith("task_id: a1\nkind: agent\ndescription: long one\nstatus: running\n")
    assert "task_id: a1\nkind: agent\nstatus: running\ndescription: long one" in results[1]
    assert "kind: agent\nstatus: running" in results[2]
    assert results[3].startswith("task_id: a1\nstatus: killed")


@pytest.mark.parametrize("harness", ["kimi-code", "kimi-cli"])
async def test_questions(harness: str) -> None:
    with MockModel([call("AskUserQuestion", {"questions": _ASKED}), say("thanks")]) as mock:
        async with Live(mock, harness=harness) as live:
            live.session.submit("ask me")
            assert (await live.until(QuestionAsked)).question.several
            live.session.submit("1, 2")
            assert (await live.until(TurnEnded)).reason == "done"
            assert '{"answers": {"Which?": "a, b"}}' in text_of(live.results[0])


async def test_the_web(page: str) -> None:
    web = WebSettings(search="searxng", search_url=page, private=True)
    with MockModel([call("FetchURL", {"url": page}), call("SearchWeb", {"query": "it"}), say("read")]) as mock:
        async with Live(mock, harness="kimi-cli", web=web) as live:
            assert (await live.turn()).reason == "done"
            assert "# Hello" in text_of(live.results[0])
            assert "1. T\n   http://t/\n   words" in text_of(live.results[1])
    with MockModel([call("FetchURL", {"url": page}), say("read")]) as mock:
        live = Live(mock, harness="kimi-code", web=web)
        async with live:
            assert (await live.turn()).reason == "done"
            (result,) = live.results
            facts = dict(line.split(": ", 1) for line in result.partition("\n\n")[0].splitlines())
            assert facts["tool_name"] == "FetchURL"
            whole = await asyncio.to_thread(Path(facts["output_path"]).read_text, "utf-8")
            assert len(whole) == int(facts["output_size_chars"]) > 50_000
            assert result.endswith(whole[:2000])


class TestKimiCli:
    async def test_shell_and_files(self) -> None:
        put("a", "x x\ny\n")
        edit = {"old": "x", "new": "1"}
        results = await told(
            "kimi-cli",
            ("Shell", {"command": "true"}),
            ("Shell", {"command": "echo no; exit 2", "timeout": 5, "description": "fails"}),
            ("ReadFile", {"path": "a", "line_offset": 2, "n_lines": 1}),
            ("StrReplaceFile", {"path": "a", "edit": edit}),
            ("StrReplaceFile", {"path": "a", "edit": [{"old": "x", "new": "2"}, {"old": "y", "new": "3"}]}),
            ("StrReplaceFile", {"path": "a", "edit": [{"old": "2", "new": "9"}, {"old": "gone", "new": "3"}]}),
            ("WriteFile", {"path": "n/b", "content": "x"}),
            ("WriteFile", {"path": "b", "content": "x"}),
            ("WriteFile", {"path": "b", "content": "y", "mode": "append"}),
            ("Glob", {"pattern": "**/*"}),
            ("Glob", {"pattern": "*", "directory": ".", "include_dirs": False}),
            ("Grep", {"pattern": "3", "output_mode": "content"}),
            ("Nope", {}),
        )
        assert results[0] == "<system>Command executed successfully.</system>"
        assert results[1] == "<system>ERROR: Command failed with exit code: 2.</system>no"
        assert results[2].endswith("</system>     2\ty")
        assert "Applied 1 edit with 1 replacement in total." in results[3]
        assert "Applied 2 edits with 2 replacements in total." in results[4]
        assert "the old text was not found in a" in results[5]
        assert "ERROR: the folder of n/b does not exist" in results[6]
        assert results[7:9] == ["<system>Wrote 1 bytes to b</system>", "<system>Appended 1 bytes to b</system>"]
        assert results[9].startswith(
            "<system>ERROR: Error validating JSON arguments: the pattern '**/*' begins with **"
        )
        assert "└── a" in results[9]
        assert results[10].startswith("<system>Found 2 matches.</system>")
        assert results[11].endswith("a:2:3")
        assert results[12] == "<system>ERROR: Tool `Nope` not found</system>"
        assert (got("a"), got("b")) == ("1 2\n3\n", "xy")

    async def test_tasks_and_pictures(self) -> None:
        Image.new("RGB", (8, 8), "red").save(work_folder() / "p.png")
        results = await told(
            "kimi-cli",
            ("Shell", {"command": "exec sleep 600", "run_in_background": True, "timeout": 900, "description": "s"}),
            ("TaskList", {}),
            ("TaskStop", {"task_id": "1"}),
            ("TaskOutput", {"task_id": "1"}),
            ("ReadMediaFile", {"path": "p.png"}),
        )
        assert results[0].startswith("<system>Background task started.</system>task_id: 1\n")
        assert "active_background_tasks: 1" in results[1]
        assert results[2].startswith("<system>Task stopped.</system>")
        assert "status: killed" in results[3]
        assert results[4].startswith("<system>Tool returned non-text content.</system>")

    async def test_its_own_instructions_and_no_advice(self) -> None:
        put(".kimi/AGENTS.md", "Use tabs.")
        with MockModel([say("hi")]) as mock:
            async with Live(mock, harness="kimi-cli", harness_guidance=False) as live:
                await live.turn()
        system = mock.requests[0]["messages"][0]["content"]
        assert f"<!-- From: {work_folder()}/.kimi/AGENTS.md -->\nUse tabs.\n" in system
        assert "<extra_instruction>" not in system

    async def test_no_without_a_reason_ends_the_turn(self) -> None:
        script = [answer(call("Shell", {"command": "touch a"}), call("Shell", {"command": "touch b"})), say("ok")]
        with MockModel(script) as mock:
            async with Live(mock, harness="kimi-cli", approval_policy="ask") as live:
                live.session.submit("go")
                live.session.answer((await live.asked()).approval_id, Decision("reject"))
                assert (await live.until(TurnEnded)).reason == "refused"
                await live.turn("go on")
                assert len(live.results) == 1

    async def test_no_with_a_reason_is_told(self) -> None:
        with MockModel([call("Shell", {"command": "touch a"}), say("ok")]) as mock:
            async with Live(mock, harness="kimi-cli", approval_policy="ask") as live:
                live.session.submit("go")
                live.session.answer((await live.asked()).approval_id, Decision("reject", reason="use b"))
                assert (await live.until(TurnEnded)).reason == "done"
                assert "use b" in text_of(live.results[0])

    async def test_an_agent_that_takes_too_long_is_stopped(self) -> None:
        task = {"description": "d", "prompt": "p", "timeout": 10}
        with MockModel([call("Agent", task), say("ok")]) as mock:
            async with Live(mock, harness="kimi-cli") as live:
                await live.turn()
                assert "timeout must be between 30 and 3600 seconds" in text_of(live.results[0])


async def test_the_same_call_is_stopped_at_the_twelfth() -> None:
    with MockModel([call("Glob", {"pattern": "*"})] * 14) as mock:
        async with Live(mock, harness="kimi-code") as live:
            ended = await live.turn("go", 60)
    assert (ended.reason, len(mock.requests)) == ("limit", 12)
    assert ended.text == "the model made the same call of Glob 12 times in a row"
    results = [one["content"] for one in mock.requests[-1]["messages"] if one["role"] == "tool"]
    assert [number for number, one in enumerate(results, 1) if "<system-reminder>" in one] == [3, 5, 8]


async def test_the_same_call_twice_in_an_answer_runs_once() -> None:
    twice = [call("Bash", {"command": "echo x >>a"}, id=one) for one in ("b:1", "b:2")]
    with MockModel([answer(*twice), say("ok")]) as mock:
        async with Live(mock, harness="kimi-code") as live:
            await live.turn()
            assert live.results == ["Command executed successfully."] * 2
            assert [one.ok for one in live.all_of(CallEnded)] == [True, True]
    assert got("a") == "x\n"


async def test_the_system_prompt_stays_the_same_and_ids_are_plain() -> None:
    with MockModel([call("Bash", {"command": "touch new"}, id="Bash:0"), say("a"), say("b")]) as mock:
        async with Live(mock, harness="kimi-code") as live:
            await live.turn("one")
            await live.turn("two")
    first, *_, last = (one["messages"] for one in mock.requests)
    assert first[0] == last[0]
    assert [one["tool_call_id"] for one in last if one["role"] == "tool"] == ["Bash_0"]


async def test_a_harness_with_a_shell_alone_is_told_nothing_of_blocks() -> None:
    for harness, there in (("kimi-code", False), ("native", True)):
        with MockModel([say("hi")]) as mock:
            async with Live(mock, harness=harness, custom_instructions="Use tabs.") as live:
                await live.turn()
                system = str(mock.requests[0]["messages"][0]["content"])
                assert ("html blocks" in system, system.endswith("Use tabs.")) == (there, True)
