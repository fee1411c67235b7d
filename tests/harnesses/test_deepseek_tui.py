"""deepseek-tui: its layout, names on the wire, printed calls, repaired arguments, its guard and budgets."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harnesses.data import Made, Options, Parsed, Say
from harnesses.deepseek_context import OLD, compacted
from harnesses.deepseek_results import read
from harnesses.deepseek_services import wire_name
from harnesses.deepseek_tui import OMITTED, DeepSeekTuiHarness
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import CallDelta, TextDelta
from tests.harnesses.golden import ENV, HISTORY

HARNESS = DeepSeekTuiHarness()


def _build(history: list[Message], env: Any = ENV, **options: Any) -> dict[str, Any]:
    return HARNESS.build(history, env, Options("deepseek-chat", **options))


def _round(number: int, name: str, arguments: dict[str, Any], text: str) -> list[Message]:
    key = {"id": f"c{number}", "name": name, "arguments": json.dumps(arguments)}
    result = Result(True, text, exit_code=0)
    return [
        message("assistant", "message", "", call=key),
        message("computer", "console", text, "output", call={**key, "result": result.facts()}),
    ]


def _read(text: str, size: int = 5) -> tuple[str, Parsed]:
    reader = HARNESS.reader(ENV)
    shown = [piece for at in range(0, len(text), size) for piece in reader.feed(TextDelta(text[at : at + size]))]
    rest, parsed = reader.finish()
    return "".join(one.text for one in [*shown, *rest] if isinstance(one, Say)), parsed


def _native(name: str, arguments: str) -> Call:
    reader = HARNESS.reader(ENV)
    reader.feed(CallDelta(0, "x", name, arguments))
    return reader.finish()[1].calls[0]


def test_the_first_request() -> None:
    body = _build([message("user", "message", "hi")])
    assert body.keys() == {"model", "messages", "max_tokens", "stream", "stream_options", "tools", "tool_choice"}
    assert (body["tool_choice"], body["max_tokens"]) == ("auto", 64_000)


def test_the_tools() -> None:
    """51 of the 84, with JavaScript: what something here can do. README.md says why the others are not there."""
    names = [one.name for one in HARNESS.tools(replace(ENV, languages=("python", "javascript", "shell")))]
    assert len(names) == len(set(names)) == 51
    last = ["code_execution", "js_execution", "tool_search_tool_regex", "tool_search_tool_bm25"]
    assert names[-4:] == last
    assert "web-x00002E-run" in names
    assert "web.run" not in names
    assert names[:-4] == sorted(names[:-4], key=lambda one: one.replace("-x00002E-", "."))
    fewer = [one.name for one in HARNESS.tools(replace(ENV, missing=frozenset({"web_search", "agent"})))]
    assert {"web_search", "web-x00002E-run", "agent_open", "js_execution"}.isdisjoint(fewer)


@pytest.mark.parametrize(("name", "sent"), [("web.run", "web-x00002E-run"), ("a-b_c", "a--b_c"), ("é", "-x0000E9-")])
def test_names_on_the_wire(name: str, sent: str) -> None:
    assert wire_name(name) == sent


@pytest.mark.parametrize(
    ("given", "tool"),
    [("web-x00002E-run", "web-x00002E-run"), ("web.run", "web-x00002E-run"), ("ExecShell", "exec_shell"),
     ("READ-FILE", "read_file"), ("list_dir", "list_dir")],
)  # fmt: skip
def test_a_tool_is_known_in_every_style(given: str, tool: str) -> None:
    assert _native(given, "{}").name == tool
    assert HARNESS.binding(given, ENV) is not None


@pytest.mark.parametrize(
    "arguments",
    [
        '{"path": "a"}',
        '```json\n{"path": "a"}\n```',
        '"{\\"path\\": \\"a\\"}"',
        'Here: {"path": "a"} .',
        '{"path": "a"}}',
        "{'path': 'a',}",
    ],
)
def test_arguments_are_repaired(arguments: str) -> None:
    call = _native("read_file", arguments)
    assert (call.args, call.error) == ({"path": "a"}, None)


def test_what_is_wrong_with_arguments() -> None:
    assert _native("edit_file", '{"path": "a", "search": "b"}').error == (
        "Tool 'edit_file' is missing required field 'replace'"
    )
    assert _native("read_file", "").error == "Tool 'read_file' is missing required field 'path'"
    assert (_native("read_file", "{").error or "").startswith("Invalid input for tool 'read_file': failed to parse")
    assert (_native("read_file", '{"path": 3}').error or "").startswith(
        "Invalid input for tool 'read_file': the argument"
    )
    assert (_native("fly", "{}").error or "").startswith("Tool 'fly' is not available")


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ('<tool_call><invoke name="list_dir"><parameter name="path">.</parameter></invoke></tool_call>', "xml_tool_1"),
        (
            '<deepseek:tool_call>\n<invoke name="list_dir">\n<parameter name="path">\n.\n</parameter>\n</invoke>\n'
            "</deepseek:tool_call>",
            "xml_tool_1",
        ),
        ('[TOOL_CALL]\n{"tool": "list_dir", "args": {"path": "."}}\n[/TOOL_CALL]', "text_tool_1"),
        ('[TOOL_CALL]\n{tool => "list_dir", args => {\n  --path "."\n}}\n[/TOOL_CALL]', "text_tool_1"),
        ('{"name": "list_dir", "input": {"path": "."}}', "text_tool_1"),
        ('```json\n{"function": "list_dir", "parameters": "{\\"path\\": \\".\\"}"}\n```', "text_tool_1"),
        ('{tool => "ListDir", args => {"path": "."}}', "text_tool_1"),
    ],
)
def test_printed_calls_are_read(text: str, id: str) -> None:
    for before in ("", "I look.\n\n"):
        shown, parsed = _read(before + text)
        assert [(one.id, one.name, one.args, one.error) for one in parsed.calls] == [
            (id, "list_dir", {"path": "."}, None)
        ]
        assert parsed.text.strip() == before.strip()
        if before == "" or text.startswith(("<", "[")):
            assert shown.strip() == before.strip()


def test_two_printed_calls_in_one_block() -> None:
    _, parsed = _read(
        '<tool_call><invoke name="list_dir"></invoke><invoke name="read_file"><parameter name="path">a</parameter>'
        '<parameter name="start_line">3</parameter></invoke></tool_call> done'
    )
    assert [(one.name, one.args) for one in parsed.calls] == [
        ("list_dir", {}),
        ("read_file", {"path": "a", "start_line": 3}),
    ]
    assert parsed.text == "done"


@pytest.mark.parametrize("text", ['{"name": "Bob", "input": {}}', "a [TOOL", "x => y", "1 < 2", "<tool_call>"])
def test_other_text_stays_text(text: str) -> None:
    shown, parsed = _read(text, 1)
    assert (shown, parsed.text, parsed.calls) == (text, text, ())


def test_an_answer_with_calls_always_has_reasoning() -> None:
    answers = [one for one in _build(HISTORY)["messages"] if one["role"] == "assistant"]
    assert answers[0]["reasoning_content"] == "Two files are named."
    assert "reasoning_content" not in answers[1]
    (answer,) = (
        one
        for one in _build([message("user", "message", "a"), *_round(1, "list_dir", {}, "[]")])["messages"]
        if one["role"] == "assistant"
    )
    assert (answer["reasoning_content"], answer["content"]) == (OMITTED, "")


def test_only_the_newest_request_has_the_facts_on_the_turn() -> None:
    history = [
        message("user", "message", "first"),
        *_round(1, "read_file", {"path": "/w/project/b/c.txt"}, "x"),
        *_round(2, "list_dir", {"path": "b"}, "[]"),
        message("user", "message", "second"),
        *_round(3, "read_file", {"path": "later"}, "x"),
    ]
    users = [one["content"] for one in _build(history)["messages"] if one["role"] == "user"]
    assert users == [
        "first",
        "<turn_meta>\nCurrent local date: 2026-03-04\n## Repo Working Set\nWorkspace: /w/project\n"
        "Active paths (prioritize these):\n- b (dir)\n- b/c.txt (file)\n</turn_meta>\n\nsecond",
    ]
    more = [
        *history[:1],
        *(one for n in range(20) for one in _round(n, "read_file", {"path": f"f{n}"}, "x")),
        *history[5:6],
    ]
    assert _build(more)["messages"][-1]["content"].count("(file)") == 8


def test_within_a_turn_what_was_sent_stays() -> None:
    history = [message("user", "message", "go"), *_round(1, "read_file", {"path": "a"}, "y" * 20_000)]
    before = _build(history)["messages"]
    after = _build([*history, *_round(2, "exec_shell", {"command": "ls"}, "z")])["messages"]
    assert after[: len(before)] == before


def test_results_keep_to_their_budgets() -> None:
    long, same = "a" * 6000 + "b" * 6001, "c" * 1024
    first = [*_round(1, "exec_shell", {"command": "1"}, long), *_round(2, "exec_shell", {"command": "2"}, same)]
    again = [*_round(3, "exec_shell", {"command": "3"}, same), *_round(4, "exec_shell", {"command": "4"}, "c" * 1023)]
    made = _build([message("user", "message", "a"), *first, message("user", "message", "b"), *again])["messages"]
    results = [one["content"] for one in made if one["role"] == "tool"]
    assert results[0].startswith("a" * 4000 + "\n[... 4001 characters")
    assert results[0].endswith("b" * 4000)
    assert len(results[0]) < OLD
    assert results[1] == same
    assert results[2].startswith('<TOOL_RESULT_REF sha="')
    assert 'original_message="5" chars="1024">' in results[2]
    assert made[5]["content"] == same
    assert results[3] == "c" * 1023
    shown = compacted("x\n" * 40_000)
    assert shown.startswith("[tool output compacted to protect context]\nSummary: 40001 lines")
    assert "Original size: 80000 chars" in shown
    assert len(shown) < 41_000


@pytest.mark.parametrize(
    ("effort", "thinking", "level"),
    [("none", "disabled", None), ("low", "enabled", "high"), ("high", "enabled", "high"), ("xhigh", "enabled", "max")],
)
def test_effort(effort: str, thinking: str, level: str | None) -> None:
    body = _build([message("user", "message", "a")], effort=effort)
    assert (body["thinking"]["type"], body.get("reasoning_effort")) == (thinking, level)


def _made(name: str, *, ok: bool = True, arguments: str = "{}") -> Made:
    return Made(name, arguments, ok)


def test_the_third_same_call_is_blocked_unless_something_changed() -> None:
    call = Call("c", "run_tests", {}, "{}")
    twice = [_made("run_tests"), _made("list_dir"), _made("run_tests")]
    assert HARNESS.guard(twice[:2], call) is None
    guard = HARNESS.guard(twice, call)
    assert guard is not None
    assert guard.kind == "block"
    assert HARNESS.guard([*twice, _made("edit_file")], call) is None
    assert HARNESS.guard([*twice, _made("edit_file", ok=False)], call) is not None
    waits = [_made("exec_wait", arguments='{"task_id":"1"}')] * 5
    assert HARNESS.guard(waits, Call("c", "exec_wait", {"task_id": "1"}, "")) is None


def test_a_tool_that_keeps_failing_is_warned_of_and_stops_the_turn() -> None:
    call = Call("c", "edit_file", {"path": "x"}, "")
    fails = [_made("edit_file", ok=False, arguments=str(n)) for n in range(8)]
    assert HARNESS.guard(fails[:2], call) is None
    kinds = [getattr(HARNESS.guard(fails[:n], call), "kind", "") for n in (3, 7, 8)]
    assert kinds == ["note", "note", "stop"]
    assert HARNESS.guard([*fails, _made("edit_file", arguments="9")], call) is None


@pytest.mark.parametrize(
    ("count", "head"), [(150, "1\n2\n"), (1000, '<file path="p" total_lines="1000" shown_lines="1-200"')]
)
def test_reading(count: int, head: str) -> None:
    lines = [f"{n}\n" for n in range(1, count + 1)][:200]
    meta = {"kind": "text", "first": 1, "total": count, "more": count > 200}
    text = read(Result(True, "".join(lines), meta=meta), {"path": "p"})
    assert text.startswith(head)
    assert ('next_start_line="201">' in text, "\n   200│ 200\n[TRUNCATED]" in text) == (count > 200, count > 200)


def test_the_prompt_in_its_order() -> None:
    env = replace(ENV, memory="- likes tea", custom_instructions="Be kind.")
    text = HARNESS.system(env)
    parts = [
        "## Language", "## Runtime Identity", "## Preamble Rhythm", "## Decomposition", "## Workspace Orientation",
        "## Verification", "## Composition Pattern", "## Sub-Agent Strategy", "## Parallel First", "## Context\n",
        "## Thinking Budget", "## Toolbox", "## Tool Selection Guide", "## Output formatting",
        "## Execution discipline", "## Tool use", "## Personality: calm", "## Mode: agent", "## Approval",
        '<project_instructions source="/w/project/AGENTS.md">\nUse tabs.', "## Project Context Pack", "## Environment",
        "## Skills", "## Context Management", "Next step", "## Memory", '<instructions source="person">\nBe kind.',
    ]  # fmt: skip
    places = [text.index(one) for one in parts]
    assert places == sorted(places)
    pack = json.loads(text.split("<project_context_pack>\n")[1].split("\n")[0])
    assert pack["entries"] == ["b/", "b/c.txt", "a.py"]
    assert pack["git"] == {"root": "/w/project", "branch": "work"}
