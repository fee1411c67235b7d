"""qwen-code: its layout, its words, calls that a model prints as text, its guard."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harnesses.data import Entry, Made, Options, Parsed, Say
from harnesses.qwen_code import ACKNOWLEDGED, QwenCodeHarness
from harnesses.qwen_prompt import examples
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import CallDelta, Stop, TextDelta
from tests.harnesses.golden import ENV

HARNESS = QwenCodeHarness()
OPTIONS = Options("qwen3-coder-plus")


def _build(*history: Message, env: Any = ENV) -> dict[str, Any]:
    return HARNESS.build(history or [message("user", "message", "hi")], env, OPTIONS)


def _called(name: str, arguments: str, result: Result) -> list[Message]:
    key = {"id": "c1", "name": name, "arguments": arguments}
    return [
        message("user", "message", "go"),
        message("assistant", "message", "", call=key, reasoning="hm\n\n"),
        message("computer", "console", result.text, "output", call={**key, "result": result.facts()}),
    ]


def _read(text: str, *, size: int = 7) -> tuple[str, Parsed]:
    """An answer that comes in pieces: what was shown of it, and what was read."""
    reader = HARNESS.reader(ENV)
    shown = [piece for at in range(0, len(text), size) for piece in reader.feed(TextDelta(text[at : at + size]))]
    shown += reader.feed(Stop("stop"))
    rest, parsed = reader.finish()
    return "".join(one.text for one in [*shown, *rest] if isinstance(one, Say)), parsed


def test_the_first_request() -> None:
    body = _build()
    assert body.keys() == {"model", "messages", "max_tokens", "stream", "stream_options", "tools"}
    assert body["max_tokens"] == 8000
    assert [one["role"] for one in body["messages"]] == ["system", "user", "assistant", "user"]
    (part,) = body["messages"][1]["content"]
    assert part["type"] == "text"
    lines = part["text"].split("\n")
    assert "Today's date is Wednesday, March 4, 2026" in lines[1]
    assert lines[2:4] == ["My operating system is: linux", "I'm currently working in the directory: /w/project"]
    assert lines[4:] == ["Showing up to 20 items:", "", "/w/project/", "├───a.py", "└───b/"]
    assert body["messages"][2]["content"] == ACKNOWLEDGED == "Got it. Thanks for the context!"


def test_a_large_folder_is_listed_in_part() -> None:
    entries = (*(Entry(f"f{number:02}") for number in range(25)), Entry(".git", True), Entry(".env"))
    text = _build(env=replace(ENV, tree=Entry("project", True, entries)))["messages"][1]["content"][0]["text"]
    listed = [line for line in text.split("\n") if "───" in line]
    assert len(listed) == 20
    assert listed[0] == "├───f00"
    assert listed[-1] == "└───f19"
    assert ".git" not in text


def test_results_and_arguments_in_their_form() -> None:
    arguments = '{"timeout": 5, "directory": "/w", "command": "ls", "is_background": false, "description": "é"}'
    body = _build(*_called("run_shell_command", arguments, Result(True, "a\n", exit_code=0)))
    answer, result = body["messages"][-2:]
    assert answer["content"] == ""
    assert answer["reasoning_content"] == "hm"
    assert answer["tool_calls"][0]["function"]["arguments"] == (
        '{"command":"ls","description":"é","directory":"/w","is_background":false,"timeout":5}'
    )
    assert isinstance(result["content"], list)
    assert [one["type"] for one in result["content"]] == ["text"]


def test_other_tools_keep_their_order_of_arguments() -> None:
    body = _build(*_called("grep_search", '{"path": "a", "pattern": "b"}', Result(True, "")))
    assert body["messages"][-2]["tool_calls"][0]["function"]["arguments"] == '{"path":"a","pattern":"b"}'


def test_an_empty_result_is_said() -> None:
    body = _build(*_called("web_fetch", "{}", Result(True, "")))
    assert body["messages"][-1]["content"][0]["text"] == "(web_fetch completed with no output)"


def test_tools() -> None:
    """All of the reference but lsp, which nothing here could do; skill and web_search where there is
    something to load or to ask."""
    names = [one.name for one in HARNESS.tools(ENV)]
    assert names == [
        "agent", "ask_user_question", "edit", "exit_plan_mode", "glob", "grep_search", "list_directory", "read_file",
        "run_shell_command", "save_memory", "skill", "task_stop", "todo_write", "web_fetch", "web_search", "write_file",
    ]  # fmt: skip
    fewer = HARNESS.tools(replace(ENV, missing=frozenset({"web_search", "skill"})))
    assert {"skill", "web_search"}.isdisjoint(one.name for one in fewer)


def test_the_sections_stand_in_their_order() -> None:
    env = replace(ENV, custom_instructions="Be kind.", memory="- likes tea")
    text = HARNESS.system(env)
    titles = [line for line in text.split("\n") if line.startswith("# ") or line == "---"]
    assert titles == [
        "# Core Mandates", "# Task Management", "# Asking questions as you work", "# Primary Workflows",
        "# Operational Guidelines", "# Outside of Sandbox", "# Acting with care", "# Git Repository", "# Examples",
        "# Final Reminder", "---", "# Additional Developer Instructions",
    ]  # fmt: skip
    assert text.index("Use tabs.") < text.index("likes tea") < text.index("Be kind.")
    assert "{" not in text.split("# Examples")[0]


def test_the_prompt_depends_on_where_it_runs() -> None:
    boxed = HARNESS.system(replace(ENV, git=None, sandbox="container", project_docs=()))
    assert "# Sandbox" in boxed
    assert "# Git Repository" not in boxed
    assert not boxed.endswith("---")
    assert "# macOS Seatbelt" in HARNESS.system(replace(ENV, sandbox="seatbelt"))
    assert HARNESS.system(replace(ENV, system_message="Only this.", project_docs=(), memory="")) == "Only this."


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("qwen3-coder-plus", "<function=list_directory>\n<parameter=path>\n/home/ada/shop/docs\n</parameter>"),
        ("qwen/qwen2.5-vl-7b", '<tool_call>\n{"name": "list_directory", "arguments"'),
        ("qwq-32b", "[tool_call: list_directory for '/home/ada/shop/docs']"),
    ],
)
def test_examples_call_as_the_model_does(model: str, form: str) -> None:
    assert form in examples(model)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_printed_function_call_is_read(size: int) -> None:
    text = (
        "I write it.\n\n<tool_call>\n<function=write_file>\n<parameter=file_path>\n/w/a.py\n</parameter>\n"
        "<parameter=content>\n\nif x < 1:\n    print('</parameter> ')\n\n</parameter>\n</function>\n</tool_call>"
    )
    shown, parsed = _read(text, size=size)
    (call,) = parsed.calls
    assert (call.name, call.error) == ("write_file", None)
    assert call.args == {"file_path": "/w/a.py", "content": "\nif x < 1:\n    print('</parameter> ')\n"}
    assert shown.strip() == parsed.text == "I write it."


def test_values_are_fitted_and_several_calls_read() -> None:
    _, parsed = _read(
        "<function=read_file><parameter=file_path>/a</parameter><parameter=limit>3</parameter></function>\n"
        "<tool_call><function=todo_write><parameter=todos>[]</parameter></function></tool_call>"
    )
    assert [(one.name, one.args, one.error) for one in parsed.calls] == [
        ("read_file", {"file_path": "/a", "limit": 3}, None),
        ("todo_write", {"todos": []}, None),
    ]
    assert len({one.id for one in parsed.calls}) == 2


@pytest.mark.parametrize("arguments", ['{"pattern": "a}"}', '"{\\"pattern\\": \\"a}\\"}"'])
def test_a_printed_object_is_read(arguments: str) -> None:
    shown, parsed = _read(
        f'So:\n<tool_call>\n{{"name": "search_file_content", "arguments": {arguments}}}\n</tool_call>'
    )
    (call,) = parsed.calls
    assert (call.name, call.args) == ("grep_search", {"pattern": "a}"})
    assert shown.strip() == "So:"


@pytest.mark.parametrize("text", ["a < b", "use <tool", "1 <2 and <b>", '{"name": "Bob"}', "", "`x`"])
def test_text_is_shown_whole(text: str) -> None:
    shown, parsed = _read(text, size=1)
    assert (shown, parsed.text, parsed.calls) == (text, text, ())


def test_printed_calls_are_text_beside_a_native_one() -> None:
    reader = HARNESS.reader(ENV)
    reader.feed(TextDelta("<tool_call>{}"))
    reader.feed(CallDelta(0, "x", "replace", '{"file_path":"/a","old_string":"b","new_string":"c"}'))
    _, parsed = reader.finish()
    assert [(one.name, one.error) for one in parsed.calls] == [("edit", None)]
    assert parsed.text == "<tool_call>{}"


def test_an_unknown_tool_is_answered_with_the_nearest_names() -> None:
    _, parsed = _read("<tool_call><function=read_files></function></tool_call>")
    error = parsed.calls[0].error or ""
    assert 'Tool "read_files" not found in registry.' in error
    assert '"read_file"' in error
    assert error.count('"') <= 2 + 3 * 2


def test_the_fifth_same_call_in_a_row_stops() -> None:
    call = Call("c", "glob", {"pattern": "a"}, "")
    made = [Made("glob", '{"pattern":"a"}')] * 4
    assert HARNESS.guard(made[:3], call) is None
    assert HARNESS.guard([*made[:2], Made("edit", "{}"), *made[:2]], call) is None
    guard = HARNESS.guard(made, call)
    assert guard is not None
    assert guard.kind == "stop"


def test_reading_one_file_again_and_again_stops() -> None:
    made = [Made("read_file", json.dumps({"file_path": "/a", "offset": n}, separators=(",", ":"))) for n in range(7)]
    others = [Made("read_file", f'{{"file_path":"/b{n}"}}') for n in range(20)]
    guard = HARNESS.guard(made, Call("c", "read_file", {"file_path": "/a", "offset": 9}, ""))
    assert guard is not None
    assert guard.kind == "stop"
    assert HARNESS.guard(others, Call("c", "read_file", {"file_path": "/c"}, "")) is None
