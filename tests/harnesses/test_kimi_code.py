"""kimi-code: its bodies, ids and reminders, the guard, and how results are worded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import harnesses
from harnesses.data import Entry, Made, Options, SkillInfo
from harnesses.kimi_code import KimiCodeHarness, KimiReader
from harnesses.kimi_context import REMINDER, project_docs, tree
from oi_tui.protocol.calls import Call, Image, Result
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import CallDelta, Stop
from tests.harnesses.golden import ENV
from tests.mock_model.strict import check_chat

HARNESS = KimiCodeHarness()


def body(history: list[Message] | None = None, model: str = "kimi-k2.6", **more: Any) -> dict[str, Any]:
    options = Options(model, session_id="s", **more)
    made = HARNESS.build([message("user", "message", "hi")] if history is None else history, ENV, options)
    check_chat(made)
    return made


def called(id: str, name: str = "Read", arguments: str = '{"path": "a"}') -> list[Message]:
    key = {"id": id, "name": name}
    return [
        message("assistant", "message", "", call={**key, "arguments": arguments}),
        message("computer", "console", "out", "output", call={**key, "result": Result(True).facts()}),
    ]


def word(name: str, result: Result, **arguments: Any) -> str:
    return HARNESS.word(name, result, arguments, ENV)


def test_the_first_request() -> None:
    made = body()
    assert set(made) == {
        "model", "messages", "max_completion_tokens", "prompt_cache_key", "stream", "stream_options", "tools",
        "thinking",
    }  # fmt: skip
    assert (made["max_completion_tokens"], made["prompt_cache_key"]) == (32_768, "session_s")
    assert made["thinking"] == {"type": "enabled", "keep": "all"}
    # 25 in the original; what nothing here can carry out (goals, cron, swarms) is left out, see
    # harnesses/README.md.
    assert [one["function"]["name"] for one in made["tools"]] == [
        "Agent", "AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "ExitPlanMode", "FetchURL", "Glob", "Grep", "Read",
        "ReadMediaFile", "Skill",
        "TaskList", "TaskOutput", "TaskStop", "TodoList", "Write",
    ]  # fmt: skip


def test_effort_is_told_by_thinking_where_the_model_has_it() -> None:
    assert body(effort="none")["thinking"] == {"type": "disabled"}
    assert "reasoning_effort" not in body(effort="high")
    other = body(model="gpt-9", effort="high")
    assert "thinking" not in other
    assert other["reasoning_effort"] == "high"


def test_ids_are_plain_and_distinct() -> None:
    history = [message("user", "message", "a"), *called("Read:0"), *called("Read:0"), *called("Read_0")]
    sent = body(history)["messages"]
    ids = [call["id"] for one in sent for call in one.get("tool_calls", ())]
    assert ids == ["Read_0", "Read_0_2", "Read_0_3"]
    assert [one["tool_call_id"] for one in sent if one["role"] == "tool"] == ids


def test_an_answer_with_calls_alone_has_no_content_but_a_thought() -> None:
    sent = body([message("user", "message", "a"), *called("x")])["messages"]
    (answer,) = (one for one in sent if one["role"] == "assistant")
    assert "content" not in answer
    assert answer["reasoning_content"] == ""
    assert answer["tool_calls"][0]["function"]["arguments"] == '{"path":"a"}'


def test_text_and_calls_are_one_answer_and_calls_without_results_are_dropped() -> None:
    history = [message("user", "message", "a"), message("assistant", "message", "I look."), *called("x")]
    history.append(message("assistant", "message", "", call={"id": "y", "name": "Read", "arguments": "{}"}))
    answers = [one for one in body(history)["messages"] if one["role"] == "assistant"]
    assert answers[0]["content"] == "I look."
    assert [one["id"] for one in answers[0]["tool_calls"]] == ["x"]
    assert len(answers) == 1


def test_the_reminder_follows_the_person_once() -> None:
    said = message("user", "message", "a")
    first = body([said])["messages"]
    assert [one["content"] for one in first[1:]] == ["a", REMINDER]
    again = body([said, message("user", "message", REMINDER, recipient="assistant")])["messages"]
    assert [one["content"] for one in again[1:]] == ["a", REMINDER]
    news = message("user", "message", "<background>it ended</background>", recipient="assistant")
    assert [one["content"] for one in body([said, news])["messages"][1:]] == ["a", REMINDER, news["content"]]


def test_the_system_prompt() -> None:
    text = HARNESS.system(ENV)
    heads = [line for line in text.splitlines() if line.startswith("# ")]
    assert heads == [
        "# Language",
        "# Prompt and Tool Use",
        "# General Guidelines for Coding",
        "# General Guidelines for Research and Data Processing",
        "# Context Management",
        "# Working Environment",
        "# Project Information",
        "# Skills",
        "# Ultimate Reminders",
    ]
    assert text.startswith("You are oi,")
    assert "```````\nUse tabs.\n```````" in text
    assert "├── b/\n│   └── c.txt\n" in text
    assert "## Built-in\n\n- charts: Draw charts." in text
    assert ENV.now in text
    assert "{" not in text
    later = replace(ENV, missing=frozenset({"skill"}))
    assert HARNESS.system(later) != text  # there it has to read the file
    assert HARNESS.system(replace(ENV, system_message="Be brief.", custom_instructions="In French.")) == (
        "Be brief.\n\nIn French."
    )
    assert "another agent gave a task to" in HARNESS.system(replace(ENV, missing=frozenset({"agent", "ask"})))


def test_skills_are_listed_by_scope() -> None:
    skills = tuple(SkillInfo(name, "x", scope) for name, scope in (("b", "built-in"), ("u", "user"), ("p", "project")))
    text = HARNESS.system(replace(ENV, skills=skills))
    assert text.index("## Project") < text.index("## User") < text.index("## Built-in")


def test_trees_are_cut_and_folders_told_apart() -> None:
    inner = tuple(Entry(f"f{number}") for number in range(4))
    folders = (Entry("d", True, inner, 2), Entry("e", True, ()), Entry("s", True, readable=False))
    folder = Entry("x", True, (*folders, *inner), 5)
    assert tree(folder, 4, 3).splitlines() == [
        "├── d/",
        "│   ├── f0",
        "│   ├── f1",
        "│   ├── f2",
        "│   └── ... and 3 more",
        "├── e/ (empty directory)",
        "├── s/ [not readable]",
        "├── f0",
        "└── ... and 8 more",
    ]
    assert tree(Entry("x", True, ()), 1, 1) == "(empty directory)"
    assert tree(None, 1, 1) == tree(Entry("x", True, readable=False), 1, 1) == "[not readable]"


def test_nothing_in_a_project_file_closes_its_fence() -> None:
    text = project_docs(replace(ENV, project_docs=(("/a", "x\n" + "`" * 9),)), 7, named=False)
    assert text.splitlines()[0] == text.splitlines()[-1] == "`" * 10


@pytest.mark.parametrize(("times", "kind"), [(2, None), (3, "note"), (4, None), (5, "note"), (8, "note"), (12, "stop")])
def test_the_same_call_again_and_again(times: int, kind: str | None) -> None:
    call = Call("x", "Read", {"path": "a"})
    made = [Made("Glob", "{}"), *[Made("Read", '{"path":"a"}')] * (times - 1)]
    guard = HARNESS.guard(made, call)
    assert (guard.kind if guard else None) == kind
    assert HARNESS.guard([*made, Made("Glob", "{}")], call) is None


def parsed(name: str, arguments: str) -> Call:
    reader = KimiReader(HARNESS.tools(ENV))
    reader.feed(CallDelta(0, "x", name, arguments))
    reader.feed(Stop("tool_calls"))
    return reader.finish()[1].calls[0]


def test_bad_calls_are_said_in_its_words() -> None:
    assert parsed("Nope", "{}").error == 'Tool "Nope" not found'
    assert parsed("Bash", "{}").error == 'Invalid args for tool "Bash": the argument command is missing'
    assert str(parsed("Bash", '{"command": ').error).startswith('Invalid args for tool "Bash": command missing')
    assert parsed("TaskList", '{"limit": ').error is None
    assert parsed("TodoList", '{"todos": null}').error is None


def test_commands() -> None:
    assert word("Bash", Result(True, "", exit_code=0)) == "Command executed successfully."
    assert word("Bash", Result(True, "hi\n", exit_code=0)) == "hi"
    error = "<system>ERROR: Tool execution failed.</system>\n"
    assert word("Bash", Result(False, "", exit_code=1)) == f"{error}Process exited with code 1"
    assert word("Bash", Result(False, "no\n", exit_code=2)) == f"{error}no\nCommand failed with exit code: 2."
    late = Result(False, "", exit_code=137, timed_out=True, timeout_s=60.0)
    assert word("Bash", late) == f"{error}Command killed by timeout (60s)"
    assert word("Bash", Result(False, "declined", rejected=True)) == f"{error}declined"


def test_long_commands_keep_both_ends() -> None:
    cut = "a" * 1990 + "\n[... 70000 characters left out, all in /o/job-1.txt ...]\n" + "z" * 30_000
    text = word("Bash", Result(True, cut, exit_code=0, cut=70_000, path="/o/job-1.txt", meta={"printed": 101_990}))
    assert "\n[...truncated]\n" in text
    assert "z" * 2000 + "[...truncated]\n" in text
    assert "[Full output saved]\noutput_path: /o/job-1.txt\noutput_size_chars: 101990\nnext_step: " in text
    assert text.endswith("<system>Command executed successfully. Output is truncated to fit in the message.</system>")


def test_reading() -> None:
    meta = {"kind": "text", "first": 8, "lines": 3, "total": 10, "more": False}
    text = word("Read", Result(True, "h\ni\nj\n", meta=meta), path="a", line_offset=-3)
    assert text == (
        "8\th\n9\ti\n10\tj\n<system>3 lines read from file starting from line 8. Total lines in file: 10. "
        "End of file reached.</system>"
    )
    wide = Result(True, "x" * 2000 + " […5 more characters]\n", meta={"first": 1, "total": 1})
    assert word("Read", wide).startswith("1\t" + "x" * 2000 + "...\n<system>1 line read")
    assert "Lines [1] were truncated." in word("Read", wide)
    long = Result(True, "\n" * 1000, meta={"first": 1, "total": 1500, "more": True})
    assert "Max 1000 lines reached." in word("Read", long)
    heavy = Result(True, ("é" * 1000 + "\n") * 80, meta={"first": 1, "total": 80})
    told = "51 lines read from file starting from line 1. Total lines in file: 80. Max 102400 bytes reached."
    assert told in word("Read", heavy)
    beyond = Result(False, "ends", meta={"error": "end", "total": 10})
    assert "No lines read from file. Total lines in file: 10." in word("Read", beyond)


def test_results_without_anything() -> None:
    assert word("FetchURL", Result(True, "")) == "<system>Tool output is empty.</system>"
    assert word("Glob", Result(True, "", meta={"paths": []})) == "No matches found"
    assert HARNESS.observe("x", Result(True, "")) == "<system>Tool output is empty.</system>"


def test_a_stored_result_shows_its_beginning() -> None:
    stored = {"path": "/o/result-c1.txt", "characters": 60_000, "bytes": 60_001, "call_id": "f:1"}
    text = word("FetchURL", Result(True, "p" * 60_000, meta={"stored": stored}))
    assert text.startswith(
        "tool_name: FetchURL\ntool_call_id: f:1\noutput_size_chars: 60000\noutput_size_bytes: 60001\n"
        "output_path: /o/result-c1.txt\nnext_step: "
    )
    assert text.endswith("[preview]\n" + "p" * 2000)


def test_a_picture_is_shown_after_its_result() -> None:
    key = {"id": "m", "name": "ReadMediaFile"}
    facts = Result(True, images=(Image("QQ=="),)).facts()
    history = [
        message("user", "message", "look"),
        message("assistant", "message", "", call={**key, "arguments": '{"path":"a.png"}'}),
        message("computer", "console", "a.png: png picture", "output", call={**key, "result": facts}),
        message("computer", "image", "QQ==", "base64.png", call=key),
    ]
    sent = body(history)["messages"]
    assert sent[-2]["content"] == "a.png: png picture"
    assert sent[-1]["content"][1]["image_url"]["url"] == "data:image/png;base64,QQ=="


def test_it_is_chosen_for_its_models() -> None:
    assert harnesses.choose("kimi-k2.6") == "kimi-code"
    assert harnesses.choose("x", "moonshot", "https://api.moonshot.ai/v1") == "kimi-code"
    assert harnesses.choose("kimi-k2.6", wire="messages") == "claude-code"
