"""Histories as Responses bodies: items, one output a call, sealed reasoning before what it led to, pictures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harnesses.data import Env, Options
from harnesses.native import NativeHarness
from oi_tui.protocol.lmc import Message, message
from tests.harnesses.test_rendering import code, result, user
from tests.mock_model.seals import seal
from tests.mock_model.strict_responses import check_responses

ENV = Env(cwd="/w", languages=("python", "shell"))


def body(history: list[Message], text: bool = False, **options: Any) -> dict[str, Any]:
    made = NativeHarness(text=text).build(history, ENV, Options("m", wire="responses", **options))
    check_responses(made)
    return made


def items(history: list[Message], **options: Any) -> list[dict[str, Any]]:
    """The input without what the program says about the machine."""
    return body(history, **options)["input"][1:]


def sealed(id: str, *texts: str, start: int = 0, **place: Any) -> str:
    spans, at = [], start
    for one in texts:
        spans.append([at, at + len(one)])
        at += len(one) + 2
    block = {"type": "reasoning", "id": id, "encrypted_content": seal(id, *texts)}
    mark = {"wire": "responses", "model": "m", "spans": spans, "text": 0, "calls": 0, "block": block}
    return json.dumps({**mark, **place}) + "\n"


def test_the_first_request() -> None:
    made = body([user("go")], session_id="s1", max_tokens=9, temperature=0.5)
    assert (made["store"], made["stream"], made["tool_choice"], made["parallel_tool_calls"]) == (
        False,
        True,
        "auto",
        True,
    )
    assert made["include"] == ["reasoning.encrypted_content"]
    assert (made["prompt_cache_key"], made["max_output_tokens"], made["temperature"]) == ("s1", 9, 0.5)
    assert made["input"][0]["content"][0]["text"].startswith("<environment_context>\n  <cwd>/w</cwd>")
    assert made["tools"][0]["name"] == "execute"
    assert not {"prompt_cache_key", "max_output_tokens", "temperature"} & set(body([user("go")]))


def test_calls_and_outputs() -> None:
    history = [
        user("go"),
        message("assistant", "message", "Two looks."),
        code("a", "1"),
        code("b:" + "x" * 100, "ls", "shell"),
        user("wait"),
        result("a", "1"),
        user("more"),
    ]
    made = items(history)
    assert [one.get("role") or one["type"] for one in made] == [
        "user", "assistant", "function_call", "function_call", "function_call_output", "function_call_output", "user",
        "user",
    ]  # fmt: skip
    assert made[1] == {"type": "message", "role": "assistant", "content": "Two looks."}
    assert json.loads(made[2]["arguments"]) == {"language": "python", "code": "1"}
    assert made[3]["call_id"] == made[5]["call_id"]
    assert [one["output"] for one in made[4:6]] == ["Exit code: 0\nOutput:\n1", "aborted"]


def test_reasoning_goes_back_before_what_it_led_to() -> None:
    signature = sealed("rs_1", "one", "two") + sealed("rs_2", "x", start=10, text=3, calls=1) + sealed("rs_3", calls=2)
    said = message("assistant", "message", "Hi.", reasoning="one\n\ntwo\n\nx", signature=signature)
    made = items([user("go"), said, code("a", "1"), code("b", "2"), result("a", "1"), result("b", "2"), user("on")])
    assert [one.get("id") or one["type"] for one in made[1:6]] == [
        "rs_1", "message", "function_call", "rs_2", "function_call"
    ]  # fmt: skip
    assert [one["text"] for one in made[1]["summary"]] == ["one", "two"]
    assert made[1]["encrypted_content"] == seal("rs_1", "one", "two")


@pytest.mark.parametrize(
    "signature", ["sig", sealed("rs_1", "hm", model="another"), sealed("rs_1", "hm", wire="messages")]
)
def test_reasoning_of_others_is_left_out(signature: str) -> None:
    said = message("assistant", "message", "Hi.", reasoning="hm", signature=signature)
    assert [one["type"] for one in items([user("go"), said, user("on")])] == ["message"] * 3


def test_pictures_stand_in_the_output() -> None:
    picture = message("computer", "image", "QUJD", "base64.png", call={"id": "a", "name": "execute"})
    history = [
        user("plot"),
        message("user", "image", "QUJD", "base64.png"),
        code("a", "plot()"),
        result("a", "x"),
        picture,
    ]
    made = items(history)
    assert made[1]["content"] == [{"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "auto"}]
    assert [part["type"] for part in made[-1]["output"]] == ["input_text", "input_image"]
    assert "QUJD" not in json.dumps(items(history, vision=False))


def test_text_mode() -> None:
    made = body([user("go"), code("a", "1"), result("a", "1"), user("next")], text=True)
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(made)
    assert made["input"][2]["content"] == "```python\n1\n```"
