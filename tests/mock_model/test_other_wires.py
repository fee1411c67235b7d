"""The Messages and Responses wires of the mock: what they refuse, and that whole answers say what streams say."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.mock_model import MockModel, answer, call, code, finish, say, think, usage
from tests.mock_model.strict import Refused
from tests.mock_model.strict_messages import check_messages
from tests.mock_model.strict_responses import check_responses

_USER: dict[str, Any] = {"role": "user", "content": "hi"}
_HEAD: dict[str, Any] = {"model": "m", "max_tokens": 5}


def _use(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "x", "input": {}} for id in ids]}


def _results(*ids: str, **more: Any) -> dict[str, Any]:
    parts = [{"type": "tool_result", "tool_use_id": id, "content": "ok", **more} for id in ids]
    return {"role": "user", "content": parts}


def _says(*parts: dict[str, Any], role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": list(parts)}


_TEXT = {"type": "text", "text": "x"}
_FINE: list[list[Any]] = [
    [_USER],
    [_USER, {"role": "assistant", "content": "x"}, _USER],
    [_USER, _use("a", "b"), _results("a", "b")],
    [_USER, _use("a"), {"role": "user", "content": [*_results("a")["content"], _TEXT]}],
]
_BAD: list[list[Any]] = [
    [],
    [{"role": "system", "content": "x"}],
    [_USER, _USER],
    [{"role": "assistant", "content": "x"}],
    [_USER, {"role": "assistant", "content": "x"}],
    [{"role": "user", "content": " "}],
    [{"role": "user", "content": []}],
    [_USER, _use("a"), _USER],
    [_USER, _use("a", "b"), _results("b", "a")],
    [_USER, _use("a"), {"role": "user", "content": [_TEXT, *_results("a")["content"]]}],
    [_USER, _use("a", "a"), _results("a", "a")],
    [_USER, _use("a:1"), _results("a:1")],
    [_results("a")],
    [_USER, _use("a"), _results("a", content="")],
    [_USER, _says({"type": "thinking", "thinking": "x", "signature": "forged"}), _USER],
    [_USER, _says({"type": "redacted_thinking"}), _USER],
    [_USER, _says({"type": "tool_use", "id": "a", "name": "x", "input": "{}"}), _results("a")],
    [_says({"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": ""}}, role="user")],
    [_says({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "?"}}, role="user")],
    [_says(*[{**_TEXT, "cache_control": {}}] * 5, role="user")],
]


@pytest.mark.parametrize("messages", _FINE)
def test_valid_messages(messages: list[Any]) -> None:
    check_messages({**_HEAD, "messages": messages})


@pytest.mark.parametrize("messages", _BAD)
def test_invalid_messages(messages: list[Any]) -> None:
    with pytest.raises(Refused):
        check_messages({**_HEAD, "messages": messages})


_SCHEMA: dict[str, Any] = {"type": "object"}


@pytest.mark.parametrize(
    "more",
    [
        {"max_tokens": None}, {"model": ""}, {"stream_options": {}}, {"tools": []}, {"tool_choice": {"type": "auto"}},
        {"tools": [{"name": "a b", "input_schema": _SCHEMA}]}, {"tools": [{"name": "a", "input_schema": _SCHEMA}] * 2},
        {"tools": [{"type": "function", "function": {"name": "a"}}]}, {"system": [{"type": "text", "text": ""}]},
    ],
)  # fmt: skip
def test_invalid_messages_requests(more: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        check_messages({**_HEAD, "messages": [_USER], **more})


def _called(id: str, arguments: str = "{}", name: str = "x") -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": arguments}


def _output(id: str, output: Any = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": output}


@pytest.mark.parametrize("items", [[_USER], [_USER, _called("a"), _called("b"), _output("b"), _output("a")]])
def test_valid_input(items: list[Any]) -> None:
    check_responses({"model": "m", "store": False, "input": items})


@pytest.mark.parametrize(
    "items",
    [
        [],
        [{"role": "computer", "content": "x"}],
        [{"role": "user", "content": ""}],
        [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
        [_USER, {"role": "assistant", "content": "x"}],
        [_USER, _called("a")],
        [_USER, _called("a"), _USER, _output("a")],
        [_USER, _output("a")],
        [_USER, _called("a"), _called("a"), _output("a"), _output("a")],
        [_USER, _called("a" * 65), _output("a" * 65)],
        [_USER, _called("a", "["), _output("a")],
        [_USER, _called("a", name="a b"), _output("a")],
        [_USER, _called("a"), _output("a", None)],
        [_USER, {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "forged"}, _USER],
        [_USER, {"type": "brand_new"}],
    ],
)
def test_invalid_input(items: list[Any]) -> None:
    with pytest.raises(Refused):
        check_responses({"model": "m", "store": False, "input": items})


@pytest.mark.parametrize(
    "more", [{"store": True}, {"messages": []}, {"tools": []}, {"tool_choice": "auto"}, {"tools": [{"name": "a"}]}]
)
def test_invalid_responses_requests(more: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        check_responses({"model": "m", "store": False, "input": [_USER], **more})


def _post(url: str, body: Any, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_whole_answers() -> None:
    one = answer(think("t"), say("a"), call("x", {"k": 1}, id="c"), finish("length"), usage(input_tokens=3))
    with MockModel([one, one, code("python", "1")], api_key="k") as mock:
        body = {**_HEAD, "messages": [_USER]}
        assert _post(mock.url + "/messages", body)[0] == 400
        assert _post(mock.url + "/messages", body, **{"anthropic-version": "1"})[0] == 401
        head = {"anthropic-version": "1", "x-api-key": "k"}
        first = json.loads(_post(mock.url + "/messages", body, **head)[1])
        asked = {"model": "m", "store": False, "input": [_USER]}
        second = json.loads(_post(mock.url + "/responses", asked, authorization="Bearer k")[1])
        fenced = _post(mock.url + "/messages", {**body, "stream": True}, **head)[1]
    assert [part["type"] for part in first["content"]] == ["thinking", "text", "tool_use"]
    assert (first["stop_reason"], first["usage"]["input_tokens"]) == ("max_tokens", 3)
    assert [one["type"] for one in second["output"]] == ["reasoning", "message", "function_call"]
    assert (second["status"], second["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert "```" in fenced
