"""claude-code and its bare form: what depends on the model, cache marks, reminders, echoes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import harnesses
from harnesses.claude_code import version
from harnesses.data import Options
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message, message
from tests.harnesses.golden import ENV
from tests.mock_model.strict_messages import check_messages


def body(
    model: str = "claude-opus-4-7", history: list[Message] | None = None, id: str = "claude-code", **more: Any
) -> Any:
    wire = more.pop("wire", "messages")
    options = Options(model, session_id="s", wire=wire, **more)
    made = harnesses.load(id).build(history or [message("user", "message", "hi")], ENV, options)
    if wire == "messages":
        check_messages(made)
    return made


def called(number: int, name: str = "Bash", arguments: str = '{"command":"ls"}', ok: bool = True) -> list[Message]:
    key = {"id": f"t{number}", "name": name}
    result = Result(ok, "out", exit_code=0 if ok else 1)
    return [
        message("assistant", "message", "", call={**key, "arguments": arguments}),
        message("computer", "console", "out", "output", call={**key, "result": result.facts()}),
    ]


def test_the_first_request() -> None:
    made = body()
    names = [one["name"] for one in made["tools"]]
    assert (names[0], names[2], names[-1]) == ("Agent", "Bash", "Write")
    assert names == sorted(names)
    assert all("cache_control" in one for one in made["system"])
    first = made["messages"][0]["content"]
    assert first[0]["text"].startswith("<system-reminder>")
    assert any("# currentDate\nToday's date is 2026-03-04." in one["text"] for one in first)
    assert made["metadata"] == {"user_id": "s"}
    assert "tool_choice" not in made
    told = made["system"][-1]["text"]
    for part in ("# System", "# Doing tasks", "# Executing actions with care", "# Using your tools", "# Environment"):
        assert part in told
    assert told.index("# Environment") < told.index("# Context management") < told.index("gitStatus:")


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("claude-opus-4-7", ("opus", 4, 7)),
        ("claude-sonnet-4-5-20250929", ("sonnet", 4, 5)),
        ("claude-opus-4-20250514", ("opus", 4, 0)),
        ("anthropic.claude-opus-4-6-v1:0", ("opus", 4, 6)),
        ("anthropic/claude-sonnet-4.6", ("sonnet", 4, 6)),
        ("claude-3-7-sonnet-20250219", ("sonnet", 3, 7)),
        ("claude-3-5-haiku-latest", ("haiku", 3, 5)),
        ("MiniMax-M2", None),
    ],
)
def test_versions(model: str, known: tuple[str, int, int] | None) -> None:
    assert version(model) == known


def test_thinking_fits_the_model() -> None:
    newest = body("claude-opus-4-7")
    assert (newest["max_tokens"], newest["thinking"]) == (64_000, {"type": "adaptive"})
    assert newest["context_management"]["edits"] == [{"type": "clear_thinking_20251015", "keep": "all"}]
    older = body("claude-sonnet-4-5")
    assert (older["max_tokens"], older["thinking"]) == (32_000, {"type": "enabled", "budget_tokens": 31_999})
    assert body("claude-sonnet-4-5", max_tokens=8000)["thinking"]["budget_tokens"] == 7999
    for model, more in (("claude-opus-4-7", {"effort": "none"}), ("claude-3-5-haiku-latest", {}), ("MiniMax-M2", {})):
        made = body(model, **more)
        assert "thinking" not in made
        assert "context_management" not in made
    assert body(effort="xhigh")["output_config"] == {"effort": "high"}
    assert body(effort="minimal")["output_config"] == {"effort": "low"}
    assert body(id="claude-code-bare")["output_config"] == {"effort": "high"}


def test_one_mark_on_the_newest_block() -> None:
    history = [message("user", "message", "a"), *called(1), message("user", "message", "b"), *called(2)]
    marks = [
        (number, part["type"])
        for number, one in enumerate(body(history=history)["messages"])
        if isinstance(one["content"], list)
        for part in one["content"]
        if "cache_control" in part
    ]
    assert marks == [(4, "tool_result")]


def test_an_edit_is_echoed_with_replace_all_and_without_blanks_at_ends() -> None:
    sent = '{"file_path":"/a","old_string":"x ","new_string":"y \\nz\\t"}'
    made = body(history=[message("user", "message", "a"), *called(1, "Edit", sent)])
    assert made["messages"][1]["content"][0]["input"] == {
        "file_path": "/a",
        "old_string": "x ",
        "new_string": "y\nz",
        "replace_all": False,
    }


def test_success_and_failure_are_marked() -> None:
    history = [message("user", "message", "a"), *called(1), *called(2, ok=False), *called(3, "Glob", '{"pattern":"*"}')]
    results = [one["content"][0] for one in body(history=history)["messages"] if one["role"] == "user"][1:]
    assert [one.get("is_error") for one in results] == [False, True, None]
    assert results[1]["content"] == "<tool_use_error>Exit code 1\nout</tool_use_error>"


def test_the_list_of_tasks_is_recalled_once() -> None:
    def reminders(steps: int, id: str = "claude-code") -> int:
        history = [message("user", "message", "a")]
        for number in range(steps):
            history += called(number)
        return str(body(history=history, id=id)["messages"]).count("has not been used for a while")

    assert [reminders(9), reminders(10), reminders(15)] == [0, 1, 1]
    assert reminders(15, "claude-code-bare") == 0


def test_on_the_chat_wire() -> None:
    made = body(wire="chat")
    assert made["messages"][0]["role"] == "system"
    assert "# Environment" in made["messages"][0]["content"]
    assert made["tools"][0]["type"] == "function"
    assert "cache_control" not in str(made)
    bare = body(wire="chat", id="claude-code-bare")
    assert bare["messages"][0]["content"].startswith("CWD: /w/project\nDate: 2026-03-04\n\ngitStatus:")
    assert [one["function"]["name"] for one in bare["tools"]] == ["Bash", "Edit", "Read"]


def test_outside_of_a_repository() -> None:
    env = replace(ENV, git=None, project_docs=(), skills=())
    made = harnesses.load("claude-code-bare").build([message("user", "message", "hi")], env, Options("deepseek"))
    assert made["messages"][0]["content"] == "CWD: /w/project\nDate: 2026-03-04"


@pytest.mark.parametrize(
    ("model", "provider", "url", "wire", "chosen"),
    [
        ("claude-sonnet-4-5", "anthropic", "https://api.anthropic.com", "messages", "claude-code"),
        ("anthropic/claude-opus-4", "openrouter", "https://openrouter.ai/api/v1", "chat", "claude-code"),
        ("MiniMax-M2", "minimax", "https://api.minimax.io/anthropic", "messages", "claude-code"),
        ("deepseek-chat", "deepseek", "https://api.deepseek.com", "chat", "claude-code-bare"),
        ("gpt-5", "openai", "https://api.openai.com/v1", "responses", "native"),
        ("gpt-5", "openai", "https://api.openai.com/v1", "chat", "native"),
        ("embedded/1.5b", "", "", "chat", "embedded"),
        ("my.gguf", "", "", "chat", "embedded"),
    ],
)
def test_automatic_choice(model: str, provider: str, url: str, wire: str, chosen: str) -> None:
    assert harnesses.choose(model, provider, url, wire) == chosen
