"""Histories as Chat Completions bodies: every call answered once, nothing empty, harness switches translated."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from harnesses.data import Env, Options
from harnesses.native import NativeHarness
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message, message
from tests.mock_model import strict

ENV = Env(cwd="/w", now="2026-11-29T12:00:00+0000", languages=("python", "shell"))
OPTIONS = Options("m")


def user(text: str) -> Message:
    return message("user", "message", text)


def code(id: str, text: str, language: str = "python", name: str = "execute") -> Message:
    arguments = json.dumps({"language": language, "code": text})
    return message("assistant", "code", text, language, call={"id": id, "name": name, "arguments": arguments})


def result(id: str, text: str, name: str = "execute", **facts: Any) -> Message:
    facts = Result(**{"ok": True, "exit_code": 0, **facts}).facts()
    return message("computer", "console", text, "output", call={"id": id, "name": name, "result": facts})


def messages(history: list[Message], text: bool = False, vision: bool = True) -> list[dict[str, Any]]:
    body = NativeHarness(text=text).build(history, ENV, Options("m", vision=vision))
    strict.check_chat(body)
    return [one for one in body["messages"] if "<environment_context>" not in str(one.get("content"))][1:]


def test_calls_are_grouped_with_their_results_in_order() -> None:
    history = [
        user("go"),
        message("assistant", "message", "Two looks.", reasoning="hm"),
        code("a", "1"),
        code("b", "ls", "shell"),
        result("b", "file"),
        result("a", "1"),
        message("assistant", "message", "Done."),
        user("more"),
    ]
    made = messages(history)
    assert [one["role"] for one in made] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert made[1]["content"] == "Two looks."
    assert made[1]["reasoning_content"] == "hm"
    assert [call["id"] for call in made[1]["tool_calls"]] == [one["tool_call_id"] for one in made[2:4]] == ["a", "b"]
    assert made[2]["content"] == "Exit code: 0\nOutput:\n1"


def test_what_a_person_says_between_call_and_result_comes_after() -> None:
    made = messages([user("go"), code("a", "1"), user("wait"), result("a", "1"), user("and?")])
    assert [one["role"] for one in made] == ["user", "assistant", "tool", "user", "user"]
    assert "content" not in made[1]


def test_a_call_without_a_result_is_aborted() -> None:
    made = messages([user("go"), code("a", "1"), user("next")])
    assert made[2] == {"role": "tool", "tool_call_id": "a", "content": "aborted"}


def test_unreadable_arguments_go_back_as_valid_json() -> None:
    call = {"id": "a", "name": "execute", "arguments": "{'x': "}
    history = [
        user("go"),
        message("assistant", "message", "", call=call),
        result("a", "cannot read", ok=False, exit_code=None),
    ]
    arguments = messages([*history, user("next")])[1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"unreadable": "{'x': "}


def test_a_name_that_a_model_made_up_goes_back_as_a_valid_one() -> None:
    call = {"id": "a", "name": "file system.read", "arguments": "{}"}
    made = messages([user("go"), message("assistant", "message", "", call=call), user("more")])
    assert made[1]["tool_calls"][0]["function"]["name"] == "file_system_read"


def test_code_of_a_fence_harness_becomes_a_native_call() -> None:
    history = [user("go"), code("block_1", "print(1)", name="run"), result("block_1", "1", name="run"), user("next")]
    function = messages(history)[1]["tool_calls"][0]["function"]
    assert function["name"] == "execute"
    assert json.loads(function["arguments"]) == {"language": "python", "code": "print(1)"}


def test_text_mode_writes_fences_longer_than_any_inside() -> None:
    history = [
        user("go"),
        message("assistant", "message", "See:"),
        code("a", 'print("```")'),
        result("a", "```"),
        user("next"),
    ]
    made = messages(history, text=True)
    assert made[1]["content"] == 'See:\n\n````python\nprint("```")\n````'
    assert made[2]["role"] == "user"
    assert "tools" not in NativeHarness(text=True).build(history, ENV, OPTIONS)


def test_pictures_go_to_models_that_see() -> None:
    picture = message("computer", "image", "QUJD", "base64.png", call={"id": "a", "name": "execute"})
    history = [user("plot"), code("a", "plot()"), result("a", "[picture]"), picture]
    assert messages(history)[-1]["content"][1]["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert [one["role"] for one in messages(history, vision=False)] == ["user", "assistant", "tool"]
    assert "QUJD" not in json.dumps(messages(history, vision=False))


def test_messages_for_others_are_left_out() -> None:
    history = [
        user("go"),
        message("computer", "code", "<p>", "html", recipient="user"),
        message("assistant", "message", "ok"),
    ]
    assert [one["role"] for one in messages([*history, user("x")])] == ["user", "assistant", "user"]


def test_a_failure_never_looks_like_success() -> None:
    observe = NativeHarness().observe
    assert observe("execute", Result(False, "", exit_code=1)) == "Exit code: 1\nNo output."
    assert observe("execute", Result(True, "", exit_code=0)) == "Exit code: 0\nNo output."
    assert "interrupted" in observe("execute", Result(False, "x", interrupted=True))
    assert observe("execute", Result(False, "The person declined this. use mkdir", rejected=True)).endswith("use mkdir")


def test_building_from_a_long_history_is_valid() -> None:
    history: list[Message] = []
    for n in range(200):
        history += [
            user(f"q{n}"),
            code(f"c{n}", f"{n}"),
            result(f"c{n}", f"{n}"),
            message("assistant", "message", f"a{n}"),
        ]
    assert len(messages([*history, user("last")])) == 200 * 4 + 1


def test_lines_of_a_file_come_numbered_and_end_where_the_file_ends() -> None:
    observe = NativeHarness().observe
    meta = {"first": 7, "total": 9, "more": True}
    assert observe("read_file", Result(True, "a\n\nb\n", note="lines 7-9 of 20", meta=meta)) == (
        "[lines 7-9 of 20]\n7\ta\n8\t\n9\tb"
    )
    assert observe("read_file", Result(True, "", note="the file is empty", meta={"first": 1})) == "[the file is empty]"
    assert observe("read_file", Result(False, "x does not exist")) == "x does not exist"


def test_what_was_rendered_before_is_made_anew_where_something_changed() -> None:
    harness = NativeHarness()
    options = Options("m")
    history = [user("go"), code("c1", "one"), result("c1", "first")]
    before = harness.build(history, ENV, options)
    longer = harness.build([*history, user("on")], ENV, options)
    assert longer["messages"][: len(before["messages"])] == before["messages"]
    changed = [*history[:2], result("c1", "second")]
    assert harness.build(changed, ENV, options) == NativeHarness().build(changed, ENV, options)
    told = replace(ENV, cwd="/elsewhere")
    assert harness.build(changed, told, options) == NativeHarness().build(changed, told, options)
    blind = replace(options, vision=False)
    seen = [*changed, message("computer", "image", "AAAA", "base64.png", call={"id": "c1", "name": "execute"})]
    assert harness.build(seen, ENV, options) == NativeHarness().build(seen, ENV, options)
    assert harness.build(seen, ENV, blind) == NativeHarness().build(seen, ENV, blind)
