"""Histories as Messages bodies: turns, results first and in order, thoughts with their seals, cache marks, pictures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harnesses.data import Env, Options, WirePolicy
from harnesses.native import NativeHarness
from oi_tui.protocol.lmc import Message, message
from tests.harnesses.test_rendering import code, result, user
from tests.mock_model.seals import seal
from tests.mock_model.strict_messages import check_messages

ENV = Env(cwd="", languages=("python", "shell"))  # no working directory: no context message


def body(history: list[Message], text: bool = False, **options: Any) -> dict[str, Any]:
    made = NativeHarness(text=text).build(history, ENV, Options("m", wire="messages", **options))
    check_messages(made)
    return made


def messages(history: list[Message], **options: Any) -> list[dict[str, Any]]:
    return body(history, **options)["messages"]


def mark(block: dict[str, Any], *spans: tuple[int, int], text: int = 0, calls: int = 0, **other: Any) -> str:
    place = {"spans": spans, "text": text, "calls": calls, "block": block}
    return json.dumps({"wire": "messages", "model": "m", **place, **other}) + "\n"


def thought(said: str, start: int = 0, **place: Any) -> str:
    return mark({"type": "thinking", "signature": seal(said)}, (start, start + len(said)), **place)


def kinds(one: dict[str, Any]) -> list[str]:
    return [part["type"] for part in one["content"]] if isinstance(one["content"], list) else ["plain"]


def test_the_first_request() -> None:
    made = body([user("go")], max_tokens=None, temperature=0.5)
    assert list(made) == ["model", "max_tokens", "messages", "stream", "system", "tools", "temperature"]
    assert made["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert made["tools"][0].keys() == {"name", "description", "input_schema"}
    assert made["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]}
    ]
    assert body([user("go")], max_tokens=77)["max_tokens"] == 77


def test_results_come_first_in_the_order_of_the_calls() -> None:
    history = [
        user("go"),
        message("assistant", "message", "Two looks."),
        code("a", "1"),
        code("b", "ls", "shell"),
        result("b", "file"),
        user("wait"),
        result("a", "boom", ok=False, exit_code=1),
        user("more"),
    ]
    made = messages(history)
    assert [one["role"] for one in made] == ["user", "assistant", "user"]
    assert made[0]["content"][0]["text"] == "go"
    assert kinds(made[1]) == ["text", "tool_use", "tool_use"]
    assert made[1]["content"][1]["input"] == {"language": "python", "code": "1"}
    assert kinds(made[2]) == ["tool_result", "tool_result", "text", "text"]
    first, second = made[2]["content"][:2]
    assert (first["tool_use_id"], first["is_error"], first["content"]) == ("a", True, "Exit code: 1\nOutput:\nboom")
    assert "is_error" not in second
    assert [part["text"] for part in made[2]["content"][2:]] == ["wait", "more"]


def _steps(number: int) -> list[Message]:
    """A conversation of that many steps, each of which asks, calls and answers."""
    made: list[Message] = []
    for step in range(number):
        made += [user(f"ask {step}"), code(f"c{step}", "1"), result(f"c{step}", "1")]
        made.append(message("assistant", "message", f"said {step}"))
    return [*made, user("go on")]


def _without_marks(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_marks(one) for one in value]
    if isinstance(value, dict):
        return {key: _without_marks(one) for key, one in value.items() if key != "cache_control"}
    return value


def _marked(body: dict[str, Any]) -> list[str]:
    """Where the marks are: `system`, `tools`, or the number of a message."""
    names = [name for name in ("system", "tools") if "cache_control" in json.dumps(body[name])]
    return names + [str(at) for at, one in enumerate(body["messages"]) if "cache_control" in json.dumps(one)]


def test_what_was_sent_once_stays_the_same_to_the_byte() -> None:
    history, before, cached = _steps(4), "", -1
    asked = [size for size in range(1, len(history) + 1) if history[size - 1]["role"] != "assistant"]
    for size in asked:
        made = body(history[:size])
        now = json.dumps(_without_marks([made["tools"], made["system"], *made["messages"]]))[:-1]
        assert now.startswith(before)
        marks = _marked(made)
        assert marks[0] == "system"
        assert cached in {-1, int(marks[-2]) if len(marks) > 2 else -1}, "what the last request cached is looked up"
        before, cached = now, int(marks[-1])
        assert cached == len(made["messages"]) - 1
    assert len(asked) == 9


@pytest.mark.parametrize(
    ("cache", "marks"),
    [
        (("system", "last"), ["system", "6"]),
        (("last",), ["6"]),
        (("tools", "system", "previous", "last"), ["system", "tools", "4", "6"]),
        ((), []),
    ],
)
def test_the_policy_says_what_is_marked(cache: Any, marks: list[str]) -> None:
    class Other(NativeHarness):
        policy = WirePolicy(cache=cache)

    history = [*_steps(2)]
    made = Other().build(history, ENV, Options("m", wire="messages"))
    check_messages(made)
    last = len(made["messages"]) - 1
    assert _marked(made) == [{"6": str(last), "4": str(last - 2)}.get(one, one) for one in marks]
    assert made["messages"][0]["content"] == "ask 0", "plain where no mark ever was"


def test_never_more_marks_than_are_allowed() -> None:
    class Blocks(NativeHarness):
        def system_blocks(self, env: Env) -> list[str]:
            return ["one", "two", "three"]

    made = Blocks().build(_steps(2), ENV, Options("m", wire="messages"))
    check_messages(made)
    assert ["cache_control" in one for one in made["system"]] == [False, True, True]


@pytest.mark.parametrize(
    ("effort", "fields"),
    [
        ("", {}),
        ("none", {"thinking": {"type": "disabled"}}),
        ("low", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
    ],
)
def test_effort(effort: str, fields: dict[str, Any]) -> None:
    made = body([user("go")], effort=effort)
    assert {key: made[key] for key in ("thinking", "output_config") if key in made} == fields


def test_blocks_of_another_system_prompt() -> None:
    class Blocks(NativeHarness):
        def system_blocks(self, env: Env) -> list[str]:
            return ["one", " ", "two"]

    made = Blocks().build([user("go")], ENV, Options("m", wire="messages"))
    check_messages(made)
    assert [(one["text"], "cache_control" in one) for one in made["system"]] == [("one", True), ("two", True)]


def test_speakers_take_turns_from_the_user_on() -> None:
    made = messages([message("assistant", "message", "hi"), user("a"), user(" "), user("b")])
    assert [one["role"] for one in made] == ["user", "assistant", "user"]
    assert kinds(made[2]) == ["text", "text"]


def test_a_call_without_a_result() -> None:
    made = messages([user("go"), code("a", "1"), user("next")])
    assert made[2]["content"][0] == {"type": "tool_result", "tool_use_id": "a", "content": "aborted", "is_error": True}


@pytest.mark.parametrize("id", ["Read:0", "a.b/c", "x" * 200, "\u4f60", ""])
def test_ids_and_names_of_other_providers(id: str) -> None:
    call = {"id": id, "name": "no such.tool", "arguments": "{'x': "}
    history = [user("go"), message("assistant", "message", "", call=call), result(id, "x"), user("on")]
    made = messages([*history, code("Read_0", "1"), result("Read_0", "1"), user("on")])
    assert made[1]["content"][0]["name"] == "no_such_tool"
    assert made[1]["content"][0]["input"] == {"unreadable": "{'x': "}
    assert made[1]["content"][0]["id"] == made[2]["content"][0]["tool_use_id"] != "Read_0"


def test_thoughts_stand_where_they_were() -> None:
    signature = (
        thought("one")
        + mark({"type": "redacted_thinking", "data": "x"}, text=3)
        + thought("two", 5, text=7, calls=1)
        + thought("last", 10, text=7, calls=2)
    )
    said = message("assistant", "message", "Hi you.", reasoning="one\n\ntwo\n\nlast", signature=signature)
    made = messages([user("go"), said, code("a", "1"), code("b", "2"), result("a", "1"), result("b", "2"), user("x")])
    assert kinds(made[1]) == ["thinking", "text", "redacted_thinking", "text", "tool_use", "thinking", "tool_use"]
    assert [part.get("text") for part in made[1]["content"] if part["type"] == "text"] == ["Hi ", "you."]
    assert made[1]["content"][0] == {"type": "thinking", "thinking": "one", "signature": seal("one")}


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "a signature of some other kind",
        thought("hm", model="another"),
        thought("hm", wire="responses"),
        thought("hm", 40),
        '{"wire": "messages", "model": "m"}\n[]\n5\n',
    ],
)
def test_thoughts_that_cannot_be_sent_back_are_left_out(signature: str) -> None:
    said = message("assistant", "message", "Hi", reasoning="hm", signature=signature)
    assert messages([user("go"), said, user("x")])[1] == {"role": "assistant", "content": "Hi"}


def test_pictures_stand_in_the_result() -> None:
    picture = message("computer", "image", "QUJD", "base64.jpg", call={"id": "a", "name": "execute"})
    seen = message("user", "image", "QUJD", "base64.png")
    history = [user("plot"), seen, code("a", "plot()"), result("a", "[picture]"), picture]
    made = messages(history)
    assert kinds(made[0]) == ["text", "image"]
    content = made[2]["content"][0]["content"]
    assert content[1]["source"] == {"type": "base64", "media_type": "image/jpeg", "data": "QUJD"}
    assert "QUJD" not in json.dumps(messages(history, vision=False))


def test_text_mode() -> None:
    history = [user("go"), message("assistant", "message", "See:"), code("a", "1"), result("a", "1"), user("next")]
    made = body(history, text=True)
    assert "tools" not in made
    assert made["messages"][1] == {"role": "assistant", "content": "See:\n\n```python\n1\n```"}
    assert kinds(made["messages"][2]) == ["text", "text"]
