"""swe-agent and mini-swe-agent in real turns: text actions, corrections, sentinels, observations."""

from __future__ import annotations

import json
from typing import Any

import harnesses
from oi_tui.protocol.events import Notice, TurnEnded
from tests.mock_model import MockModel, answer, call, say, usage
from tests.session.harness_matrix import got, put, told
from tests.user_reports.in_process import Live


def _act(command: str) -> Any:
    return say(f"DISCUSSION\nI do it.\n\n```\n{command}\n```")


async def _run(mock: MockModel, harness: str = "swe-agent", **settings: Any) -> tuple[TurnEnded, Live]:
    live = Live(mock, harness=harness, **settings)
    async with live:
        return await live.turn("fix the bug", 60), live


def _said(mock: MockModel, request: int = -1) -> list[str]:
    return [one["content"] for one in mock.requests[request]["messages"]]


async def test_commands_the_editor_and_submit() -> None:
    put("a.py", "one\ntwo\n")
    commands = [
        "true",
        "echo hi",
        "cd / && X=1",
        'echo "$PWD $X"; cd - >/dev/null',
        "str_replace_editor view a.py --view_range 2 2",
        "str_replace_editor str_replace a.py --old_str two --new_str 'two and\na half'",
        "str_replace_editor str_replace a.py --old_str nowhere --new_str x",
        "str_replace_editor insert a.py --insert_line 0 --new_str zero",
        "str_replace_editor undo_edit a.py",
        "str_replace_editor create b.py --file_text 'new text'",
        "str_replace_editor create b.py --file_text again",
        "submit",
        "submit",
    ]
    with MockModel([_act(one) for one in commands]) as mock:
        ended, _ = await _run(mock)
    assert ended == TurnEnded("done", "submitted")
    assert len(mock.requests) == len(commands)
    seen = _said(mock)[3::2]
    assert seen[0] == "Your last command ran successfully and did not produce any output."
    assert seen[1] == "OBSERVATION:\nhi\n"
    assert seen[3] == "OBSERVATION:\n/ 1\n"
    assert seen[4] == "OBSERVATION:\nHere's the result of running `cat -n` on a.py:\n     2\ttwo"
    assert "     2\ttwo and\n     3\ta half" in seen[5]
    assert seen[6].endswith("No replacement was performed, old_str `nowhere` did not appear verbatim in a.py.")
    assert "     1\tzero\n     2\tone" in seen[7]
    assert seen[8] == "OBSERVATION:\nLast edit to a.py undone successfully."
    assert seen[9] == "OBSERVATION:\nFile created successfully at: b.py"
    assert seen[10].startswith("OBSERVATION:\nFile already exists at: b.py.")
    assert "<diff>" in seen[11]
    assert "submit again" in seen[11]
    assert (got("a.py"), got("b.py")) == ("one\ntwo and\na half\n", "new text")


async def test_the_first_request() -> None:
    with MockModel([_act("submit"), _act("submit")]) as mock:
        await _run(mock)
        first = mock.requests[0]
    assert [one["role"] for one in first["messages"]] == ["system", "user"]
    assert set(first) == {"model", "messages", "temperature", "top_p"}
    assert (first["temperature"], first["top_p"]) == (1.0, 0.95)
    text = first["messages"][1]["content"]
    assert text.startswith("<uploaded_files>\n/")
    assert "<pr_description>\nfix the bug\n</pr_description>" in text


async def test_a_bad_answer_is_forgotten_once_it_is_right() -> None:
    with MockModel([say("no command here"), _act("vim x"), _act("echo hi"), _act("submit"), _act("submit")]) as mock:
        ended, _ = await _run(mock)
    assert ended.reason == "done"
    assert "no command here" in _said(mock, 1)
    assert "no command here" not in _said(mock, 2)
    assert _said(mock, 2)[-1] == "Operation 'vim x' is not supported by this environment."
    assert "vim" not in " ".join(_said(mock, 3))
    assert len(_said(mock, 3)) == 4


async def test_three_bad_answers_in_one_step_end_the_turn() -> None:
    with MockModel([say("a"), say("b"), _act("echo 1"), say("c"), say("d"), say("e"), say("f")]) as mock:
        ended, live = await _run(mock)
    assert (ended.reason, len(mock.requests)) == ("failed", 6)
    assert len([one for one in live.all_of(Notice) if "asking again" in one.text]) == 4


async def test_a_slow_command_is_told() -> None:
    with MockModel([_act("echo a; sleep 60"), _act("submit"), _act("submit")]) as mock:
        await _run(mock, block_timeout=0.3)
    assert "took more than" in _said(mock, 1)[-1]


async def test_mini_speaks_json_and_ends_at_its_sentinel() -> None:
    sentinel = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    steps = [
        ("bash", {"command": "cd /; X=1"}),
        ("bash", {"command": 'basename "$PWD"; echo "[$X]"; exit 3'}),
        ("bash", {"command": "printf '%012000d' 7"}),
        ("bash", {"command": f"echo no; echo {sentinel}"}),
        ("bash", {"command": f"echo {sentinel}; exit 1"}),
        ("bash", {"command": 'echo "$PAGER $TQDM_DISABLE"'}),
        ("bash", {"command": f"echo {sentinel}; echo the answer"}),
    ]
    with MockModel([call(name, args) for name, args in steps]) as mock:
        ended, _ = await _run(mock, "mini-swe-agent")
        told_of = [json.loads(one["content"]) for one in mock.requests[-1]["messages"] if one["role"] == "tool"]
    assert ended == TurnEnded("done", "the answer")
    assert told_of[0] == {"returncode": 0, "output": ""}
    assert told_of[1]["returncode"] == 3
    assert told_of[1]["output"].endswith("[]\n")
    assert not told_of[1]["output"].startswith("/")
    long = told_of[2]
    assert (long["elided_chars"], len(long["output_head"]), len(long["output_tail"])) == (2000, 5000, 5000)
    assert "output" not in long
    assert told_of[5]["output"] == "cat 1\n"


async def test_mini_keeps_the_correction_but_not_the_bad_answer() -> None:
    done = call("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})
    with MockModel([say("just words"), call("python", {"code": "1"}), call("bash", {"command": "true"}), done]) as mock:
        ended, _ = await _run(mock, "mini-swe-agent")
        texts = [str(one.get("content")) for one in mock.requests[-1]["messages"]]
    assert ended.reason == "done"
    assert not any("just words" in text for text in texts)
    assert sum("<error>" in text for text in texts) == 2
    assert any("No tool calls found" in text for text in texts)
    assert any("unsupported call: python" in text for text in texts)


async def test_mini_gives_up_after_three_answers_without_a_call() -> None:
    with MockModel(
        [say("a"), say("b"), call("bash", {"command": "true"}), say("c"), say("d"), say("e"), say("f")]
    ) as mock:
        ended, _ = await _run(mock, "mini-swe-agent")
    assert (ended.reason, len(mock.requests)) == ("failed", 6)


async def test_mini_in_text_runs_the_one_labelled_block() -> None:
    """For a model without tool calls: the same commands as text, their outcomes in tags."""
    put("n", "1\n")
    script = [
        say("I look.\n\n```mswea_bash_command\ncat n; cd /tmp\n```"),
        say("Again.\n<mswea_bash_command>pwd; exit 3</mswea_bash_command>"),
        say("```mswea_bash_command\nprintf '%12000s' x\n```"),
        say("```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat n\n```"),
    ]
    with MockModel(script) as mock:
        live = Live(mock, harness="mini-swe-agent")
        live.settings.llm.supports_functions = False
        async with live:
            ended = await live.turn("fix the bug", 60)
        said = _said(mock)
        assert not any("tools" in one for one in mock.requests)
    assert (ended.reason, ended.text) == ("done", "1")
    assert "```mswea_bash_command\nls -la" in said[1] and "tool `bash`" not in said[1]
    assert said[2] == "I look.\n\n```mswea_bash_command\ncat n; cd /tmp\n```"
    assert said[3] == "<returncode>0</returncode>\n<output>\n1\n</output>"
    assert said[5].startswith("<returncode>3</returncode>\n<output>\n/") and "/tmp\n" not in said[5]
    assert said[7].startswith("<warning>Output too long.</warning>\n<returncode>0</returncode>\n<output_head>")
    assert "<elided_chars>2000</elided_chars>" in said[7]


async def test_mini_in_text_says_how_many_commands_it_found() -> None:
    block = "```mswea_bash_command\ntrue\n```"
    nested = "````mswea_bash_command\ncat <<'E'\n```mswea_bash_command\nx\n```\nE\n````"
    done = "```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"
    with MockModel([say(f"{block}\n{block}"), say(nested), say("```bash\nls\n```"), say(done)]) as mock:
        live = Live(mock, harness="mini-swe-agent")
        live.settings.llm.supports_functions = False
        async with live:
            assert (await live.turn("fix the bug", 60)).reason == "done"
        said = [_said(mock, number) for number in range(4)]
    assert "Expected exactly 1 action, found 2 actions." in said[1][-1]
    assert said[1][-2] != f"{block}\n{block}", "the bad answer is not kept"
    assert said[2][-1].endswith("<output>\n```mswea_bash_command\nx\n```\n</output>")
    assert "Expected exactly 1 action, found 0 actions." in said[3][-1]


async def test_minimal_has_natives_functions_without_the_patch_grammar() -> None:
    with MockModel([call("exec_command", {"cmd": "echo hi"}), say("done")]) as mock:
        ended, _ = await _run(mock, "minimal")
        body = mock.requests[1]
    assert ended.reason == "done"
    assert set(body) == {"model", "messages", "stream", "stream_options", "tools"}
    names = [one["function"]["name"] for one in body["tools"]]
    assert "apply_patch" not in names
    assert {"execute", "exec_command", "write_stdin", "read_file", "update_plan"} <= set(names)
    system = body["messages"][0]["content"]
    assert system.startswith("You are an expert engineer who works in the person's current directory. Get the ")
    assert [one["role"] for one in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][2]["content"] == ""


async def test_native_commands_have_sessions() -> None:
    results = await told(
        "native",
        ("exec_command", {"cmd": "printf hi"}),
        ("exec_command", {"cmd": "exec cat", "yield_time_ms": 250}),
        ("write_stdin", {"session_id": 2, "chars": "typed\n", "yield_time_ms": 250}),
        ("write_stdin", {"session_id": 2, "chars": "\u0003", "yield_time_ms": 30_000}),
        ("exec_command", {"cmd": "exit 3"}),
        ("exec_command", {"cmd": "seq 100000", "max_output_tokens": 100}),
        ("write_stdin", {"session_id": 77}),
        ("foo", {}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: n.txt\n+new\n*** End Patch"}),
        ("apply_patch", {"input": "nonsense"}),
        ("update_plan", {"plan": [{"step": "a", "status": "in_progress"}]}),
    )
    first = results[0].splitlines()
    assert first[0].startswith("Wall time: ")
    assert first[1:] == ["Process exited with code 0", "Original token count: 1", "Output:", "hi"]
    assert "Process running with session ID 2" in results[1]
    assert results[2].endswith("typed\n")
    assert "Process exited with code" in results[3]
    assert "Process exited with code 3" in results[4]
    assert results[5].count("tokens truncated") == 1
    assert "99999\n100000" in results[5]
    assert "\n1\n2\n" in results[5]
    assert len(results[5]) < 800
    assert "there is no job '77'" in results[6]
    assert results[7].startswith("unsupported call: foo")
    assert results[8] == "Success. Updated the following files:\nA n.txt"
    assert results[9].startswith("apply_patch verification failed: ")
    assert results[10] == "Plan updated"
    assert got("n.txt") == "new\n"


async def test_a_tour_through_the_harnesses_in_one_session() -> None:
    """Every answer is a turn of its own in another harness; the strict mock takes each history."""
    code = {"execute": {"language": "shell", "code": "echo 1 >> n; cat n"}}
    shell = {"command": "echo 1 >> n; cat n"}
    tour: list[tuple[str, list[Any]]] = [
        ("native", [call("execute", code["execute"]), say("ok")]),
        ("claude-code", [answer(say("I look."), call("Bash", shell), call("Glob", {"pattern": "*"})), say("ok")]),
        ("swe-agent", [_act("echo 1 >> n; cat n"), _act("submit"), _act("submit")]),
        ("mini-swe-agent", [call("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat n"})]),
        ("zcode", [call("Bash", shell), say("ok")]),
        ("minimal", [call("exec_command", {"cmd": shell["command"]}), say("ok")]),
        ("claude-code-bare", [call("Bash", shell), answer(say("all done"), usage())]),
        ("kimi-code", [call("Bash", shell), say("ok")]),
        ("kimi-cli", [call("Shell", shell), say("ok")]),
        ("qwen-code", [call("run_shell_command", shell), say("ok")]),
        ("deepseek-tui", [call("exec_shell", shell), say("ok")]),
        ("embedded", [say("```bash\necho 1 >> n; cat n\n```")]),
        ("native", [say("The end.")]),
    ]
    with MockModel([step for _, script in tour for step in script]) as mock:
        live = Live(mock, harness="native")
        async with live:
            for harness, _ in tour:
                live.session.use_harness(harness)
                ended = await live.turn("add one", 60)
                assert ended.reason == "done", (harness, ended)
        assert mock.refused == []
        last = json.dumps(mock.requests[-1])
    assert got("n") == "1\n" * 11
    assert {harness for harness, _ in tour} == set(harnesses.BUILT_IN)
    assert last.count("add one") == len(tour)
