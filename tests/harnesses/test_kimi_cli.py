"""kimi-cli: bodies, notes as parts of their own, its words for bad calls, patterns that it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harnesses.data import Options
from harnesses.kimi_cli import KimiCliHarness
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import message
from oi_tui.protocol.stream import CallDelta, Stop
from tests.harnesses.golden import ENV
from tests.mock_model.strict import check_chat

HARNESS = KimiCliHarness()


def body(*history: Any, model: str = "kimi-k2.6", **more: Any) -> dict[str, Any]:
    made = HARNESS.build([message("user", "message", "hi"), *history], ENV, Options(model, session_id="s", **more))
    check_chat(made)
    return made


def word(name: str, result: Result, **arguments: Any) -> str:
    return HARNESS.word(name, result, arguments, ENV)


def test_the_first_request() -> None:
    made = body()
    assert set(made) == {
        "model", "messages", "max_tokens", "prompt_cache_key", "stream", "stream_options", "tools", "thinking",
    }  # fmt: skip
    assert (made["max_tokens"], made["prompt_cache_key"], made["thinking"]) == (32_000, "s", {"type": "enabled"})
    assert [one["function"]["name"] for one in made["tools"]] == [
        "Agent", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "SetTodoList", "Shell", "TaskList", "TaskOutput",
        "TaskStop", "ReadFile", "ReadMediaFile", "Glob", "Grep", "WriteFile", "StrReplaceFile", "SearchWeb", "FetchURL",
    ]  # fmt: skip
    assert len(made["messages"]) == 2, "no reminder after the person's words"


@pytest.mark.parametrize(
    ("effort", "sent"),
    [("minimal", "low"), ("low", "low"), ("medium", "medium"), ("high", "high"), ("xhigh", "high"), ("max", "high")],
)
def test_levels_of_effort(effort: str, sent: str) -> None:
    assert body(effort=effort)["reasoning_effort"] == sent


def test_no_effort() -> None:
    made = body(effort="none")
    assert "reasoning_effort" not in made
    assert made["thinking"] == {"type": "disabled"}
    assert "thinking" not in body(model="gpt-9")


def test_a_result_begins_with_its_note_as_a_part() -> None:
    key = {"id": "Shell:1", "name": "Shell"}
    history = [
        message("assistant", "code", "ls", "shell", call={**key, "arguments": '{"command":"ls"}'}),
        message("computer", "console", "a\n", "output", call={**key, "result": Result(True, exit_code=0).facts()}),
    ]
    (result,) = (one for one in body(*history)["messages"] if one["role"] == "tool")
    assert result["tool_call_id"] == "Shell_1"
    assert [part["text"] for part in result["content"]] == ["<system>Command executed successfully.</system>", "a"]


def test_the_system_prompt() -> None:
    text = HARNESS.system(ENV)
    assert text.startswith("<extra_instruction>")
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        "# Prompt and Tool Use",
        "# General Guidelines for Coding",
        "# General Guidelines for Research and Data Processing",
        "# Working Environment",
        "# Project Information",
        "# Skills",
        "# Ultimate Reminders",
    ]
    assert "`````````\n<!-- From: /w/project/AGENTS.md -->\nUse tabs.\n`````````" in text
    assert "charts: Draw charts. (read /s/charts/SKILL.md)" in text
    assert "{" not in text
    assert "extra_instruction" not in HARNESS.system(replace(ENV, guidance=False))
    assert HARNESS.system(replace(ENV, project_docs=(), tree=None)) != text


def test_results() -> None:
    assert word("Shell", Result(True, "", exit_code=0)) == "<system>Command executed successfully.</system>"
    failed = "<system>ERROR: Command failed with exit code: 1.</system>"
    assert word("Shell", Result(False, "", exit_code=1)) == failed
    assert word("Shell", Result(False, "no", exit_code=1)) == f"{failed}\nno"
    late = Result(False, "half", exit_code=137, timed_out=True, timeout_s=60.0)
    assert word("Shell", late) == "<system>ERROR: Command killed by timeout (60s)</system>\nhalf"
    meta = {"kind": "text", "first": 1, "total": 2}
    assert word("ReadFile", Result(True, "a\nb\n", meta=meta)) == (
        "<system>2 lines read from file starting from line 1. Total lines in file: 2. End of file reached.</system>\n"
        "     1\ta\n     2\tb"
    )
    assert word("FetchURL", Result(True, "")) == "<system>Tool output is empty.</system>"
    gone = Result(False, "there is no file a", meta={"error": "missing"})
    assert word("ReadFile", gone) == "<system>ERROR: there is no file a</system>"


def parsed(name: str, arguments: str) -> Call:
    reader = HARNESS.reader(ENV)
    reader.feed(CallDelta(0, "x", name, arguments))
    reader.feed(Stop("tool_calls"))
    return reader.finish()[1].calls[0]


def test_bad_calls_are_said_in_its_words() -> None:
    assert parsed("Nope", "{}").error == "Tool `Nope` not found"
    assert parsed("Shell", "{}").error == "Error validating JSON arguments: the argument command is missing"
    assert str(parsed("Shell", '{"command": ').error).startswith("Error parsing JSON arguments: ")


def test_a_pattern_that_looks_through_everything_gets_the_listing() -> None:
    glob = HARNESS.binding("Glob", ENV)
    assert glob is not None
    with pytest.raises(ValueError, match=r"begins with \*\*") as caught:
        glob.map_args({"pattern": "**/*.py"})
    assert "├── b/" in str(caught.value)
    assert glob.map_args({"pattern": "src/**/*.py"})["folders"] is True


def test_edits_are_one_or_several() -> None:
    tool = HARNESS.binding("StrReplaceFile", ENV)
    assert tool is not None
    one = {"old": "a", "new": "b"}
    for given in (one, [one], '{"old": "a", "new": "b"}'):
        assert tool.map_args({"path": "f", "edit": given}) == {"path": "f", "edits": [one], "first_only": True}
    with pytest.raises(ValueError, match="empty"):
        tool.map_args({"path": "f", "edit": []})
