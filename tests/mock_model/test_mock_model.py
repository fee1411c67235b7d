"""The mock itself: it has to refuse what a real server refuses, and speak what it says it speaks."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.mock_model import MockModel, answer, call, code, finish, http, load, raw, say, think, usage
from tests.mock_model.code_tool import code_call
from tests.mock_model.strict import Refused, check_chat

_USER = {"role": "user", "content": "hi"}


def _assistant(*ids: str, **more: Any) -> dict[str, Any]:
    calls = [{"id": id, "type": "function", "function": {"name": "x", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "tool_calls": calls, **more}


def _result(id: str, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def _bad_arguments(arguments: Any) -> dict[str, Any]:
    message = _assistant("a")
    message["tool_calls"][0]["function"]["arguments"] = arguments
    return message


@pytest.mark.parametrize(
    "messages",
    [
        [_USER],
        [{"role": "system", "content": ""}, _USER],
        [_USER, {"role": "assistant", "content": "x"}, _USER],
        [_USER, _assistant("a", "b"), _result("b"), _result("a")],
        [_USER, _assistant("a", content="text"), _result("a", ""), _USER],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "data:"}}],
            }
        ],
    ],
)
def test_valid_histories(messages: list[Any]) -> None:
    check_chat({"model": "m", "messages": messages})


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "computer", "content": "x"}],
        [{"role": "user", "content": ""}],
        [{"role": "user"}],
        [{"role": "user", "content": [{"type": "text", "text": ""}]}],
        [{"role": "user", "content": []}],
        [{"role": "user", "content": [{"type": "image_url"}]}],
        [_USER, {"role": "assistant", "content": "last"}],
        [_USER, {"role": "assistant", "content": ""}, _USER],
        [_USER, {"role": "assistant"}, _USER],
        [_USER, _assistant(), _USER],
        [_USER, _assistant("a")],
        [_USER, _assistant("a"), _USER],
        [_USER, _assistant("a", "b"), _result("a"), _USER, _result("b")],
        [_USER, _assistant("a"), _result("a"), _result("a")],
        [_USER, _assistant("a", "a"), _result("a"), _result("a")],
        [_USER, _assistant("a"), _result("a"), _assistant("a"), _result("a")],
        [_USER, _result("a")],
        [_USER, _assistant("a"), _result("b")],
        [_USER, _assistant("a"), _result("a", None)],
        [_USER, _bad_arguments("{"), _result("a")],
        [_USER, _bad_arguments("[]"), _result("a")],
        [_USER, _bad_arguments({}), _result("a")],
    ],
)
def test_invalid_histories(messages: list[Any]) -> None:
    with pytest.raises(Refused):
        check_chat({"model": "m", "messages": messages})


@pytest.mark.parametrize(
    "more", [{"tools": []}, {"tools": [{"type": "function", "function": {}}]}, {"tool_choice": "auto"}, {"model": ""}]
)
def test_invalid_requests(more: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        check_chat({"model": "m", "messages": [_USER], **more})


def _tool(name: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


_TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("tool", "language", "expected"),
    [
        (_tool("execute", language=_TEXT, code=_TEXT), "python", {"language": "python", "code": "X"}),
        (_tool("run", language={"enum": ["python", "bash"]}, code=_TEXT), "shell", {"language": "bash", "code": "X"}),
        (_tool("python", code=_TEXT), "python", {"code": "X"}),
        (_tool("Bash", ("command", "description"), command=_TEXT, description=_TEXT), "shell",
         {"command": "X", "description": "run it"}),
        (_tool("shell", command={"type": "array"}), "shell", {"command": ["bash", "-lc", "X"]}),
        (_tool("bash", command=_TEXT), "python", {"command": "python3 -c X"}),
    ],
)  # fmt: skip
def test_finds_the_tool_that_runs_code(tool: dict[str, Any], language: str, expected: dict[str, Any]) -> None:
    tools = [_tool("read", path=_TEXT), tool]
    assert code_call(tools, language, "X") == (tool["function"]["name"], expected)


def test_no_tool_runs_code() -> None:
    with pytest.raises(LookupError):
        code_call([_tool("read", path=_TEXT)], "python", "X")


def _post(url: str, body: Any) -> tuple[int, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + "/chat/completions", data)) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_whole_answers() -> None:
    script = [
        answer(think("t"), say("a"), call("x", {"k": 1}, id="c")),
        answer(say("b"), finish("length"), usage(total=3)),
    ]
    with MockModel(script) as mock:
        first = json.loads(_post(mock.url, {"model": "m", "messages": [_USER]})[1])
        second = json.loads(_post(mock.url, {"model": "m", "messages": [_USER]})[1])
    message = first["choices"][0]["message"]
    assert (message["content"], message["reasoning_content"]) == ("a", "t")
    assert message["tool_calls"] == [
        {"id": "c", "type": "function", "function": {"name": "x", "arguments": '{"k": 1}'}}
    ]
    assert (second["choices"][0]["finish_reason"], second["usage"]) == ("length", {"total": 3})


def test_answers_that_depend_on_the_request_and_the_end_of_the_script() -> None:
    with MockModel([lambda body: say(body["model"].upper())], after=say("over")) as mock:
        body = {"model": "m", "messages": [_USER]}
        assert '"content": "M"' in _post(mock.url, body)[1]
        assert '"content": "over"' in _post(mock.url, body)[1]
        assert [one["model"] for one in mock.requests] == ["m", "m"]


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b"[]", b'{"model": "m", "messages": [{"role": "user", "content": "\\ud800"}]}']
)
def test_bodies_that_are_none(body: bytes) -> None:
    with MockModel() as mock:
        assert _post(mock.url, body)[0] == 400
        assert len(mock.refused) == 1


def test_fenced_without_tools_and_refused_without_a_fitting_one() -> None:
    with MockModel([code("python", "print(1)"), code("python", "print(1)")]) as mock:
        body = {"model": "m", "messages": [_USER]}
        assert "```python\\nprint(1)\\n```" in _post(mock.url, body)[1]
        status, said = _post(mock.url, {**body, "stream": True, "tools": [_tool("read", path=_TEXT)]})
    assert (status, "no tool of the request runs code" in said) == (400, True)


def test_raw_bytes_and_deltas() -> None:
    items = [b": hi\n\n", {"content": "a"}, {"content": "b", "finish_reason": "stop"}, {"usage": {"n": 1}}]
    with MockModel([raw(items), raw([b"data:[DONE]\n\n"])]) as mock:
        body = {"model": "m", "messages": [_USER], "stream": True}
        text = _post(mock.url, body)[1]
        assert _post(mock.url, body)[1] == "data:[DONE]\n\n"
    assert text.startswith(": hi\n\n")
    assert text.count('"finish_reason": "stop"') == 2
    assert text.endswith("data: [DONE]\n\n")


def test_as_a_process(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(
        '{"answers": ["hi", [{"say": "x"}, {"call": ["read", {}]}], {"http": 500, "body": "no"}], "chunk": 2}'
    )
    command = [sys.executable, "-m", "tests.mock_model", "--script", str(script), "--log", str(log)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        body = {"model": "m", "messages": [_USER]}
        answers = [_post(url, body) for _ in range(4)]
        process.terminate()
    assert process.returncode == 0
    assert [one[0] for one in answers] == [200, 200, 500, 200]
    assert answers[2][1] == "no"
    assert [json.loads(line) for line in log.read_text().splitlines()] == [body] * 4


def test_script_files_that_cannot_be_read(tmp_path: Path) -> None:
    for text in ("{", '[{"sing": "x"}]', '{"answer": []}', "[5]"):
        path = tmp_path / "s.json"
        path.write_text(text)
        with pytest.raises(ValueError):
            load(path)


def test_key_and_model_are_asked_for() -> None:
    with MockModel(api_key="k", models=["m"], known_only=True) as mock:
        assert _post(mock.url, {"model": "m", "messages": [_USER]})[0] == 401
    with MockModel([http(200, {"x": 1})], models=["m"], known_only=True) as mock:
        assert _post(mock.url, {"model": "n", "messages": [_USER]})[0] == 404
        assert _post(mock.url, {"model": "m", "messages": [_USER]}) == (200, '{"x": 1}')
