"""Native calls out of streams, however they are cut; argument repair; calls written as text."""

from __future__ import annotations

import json
import random

import pytest

from harnesses.arguments import read_arguments, read_call
from harnesses.data import Binding, CodeOpen, CodeText, Env, Reader, Say
from harnesses.native import NativeHarness
from harnesses.parsing import FieldStream
from oi_tui.protocol.stream import CallDelta, Stop, TextDelta, ThoughtDelta

CODE = 'print("a\\tb")\n# \u4f60 \U0001f600 \\ "quoted"\n' * 3


def reader() -> Reader:
    return NativeHarness().reader(Env(cwd="/w"))


def test_read_arguments_repairs_what_models_get_wrong() -> None:
    raw_newlines = '{"language":"python","code":"print(1)\n\t#x\nprint(2)"}'
    assert read_arguments(raw_newlines)["code"] == "print(1)\n\t#x\nprint(2)"
    assert read_arguments("{'language':'python','code':'print(1)',}") == {"language": "python", "code": "print(1)"}
    assert read_arguments('{"a": [1, 2,], "b": true,}') == {"a": [1, 2], "b": True}
    assert read_arguments('{"a":1}{"a":1}') == {"a": 1}
    assert read_arguments('"{\\"a\\": 1}"') == {"a": 1}
    assert read_arguments("") == read_arguments("null") == read_arguments(" {} ") == {}


@pytest.mark.parametrize("raw", ["{", "[1]", '"text"', '{"a": ', "nonsense", "3"])
def test_read_arguments_says_what_is_wrong(raw: str) -> None:
    with pytest.raises(ValueError, match="failed to parse function arguments"):
        read_arguments(raw)


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ('{"path": "a"}', '{"path": "a"}'),
        ("{'path': 'a',}", '{"path":"a"}'),
        ('Here:\n```json\n{"path": "a"}\n```', '{"path":"a"}'),
        ('"{\\"path\\": \\"a\\"}"', '{"path":"a"}'),
    ],
)
def test_what_was_repaired_is_kept_as_it_was_meant(raw: str, kept: str) -> None:
    tools = {"read": Binding("read", "", {"properties": {"path": {"type": "string"}}}, "read")}
    call = read_call("c", "read", raw, tools)
    assert (call.args, call.raw, call.error) == ({"path": "a"}, kept, None)


@pytest.mark.parametrize("ascii", [True, False])
def test_code_streams_out_of_arguments_cut_anywhere(ascii: bool) -> None:
    arguments = json.dumps({"language": "python", "code": CODE, "other": {"code": "no"}}, ensure_ascii=ascii)
    for seed in range(50):
        cuts = random.Random(seed)
        stream, text, at = FieldStream("code"), "", 0
        while at < len(arguments):
            size = cuts.choice((1, 1, 2, 3, 7, 40))
            text += stream.feed(arguments[at : at + size])
            at += size
        assert text == CODE
        assert stream.fields["language"] == "python"


def test_parallel_calls_keep_their_order_and_ids() -> None:
    read = reader()
    read.feed(CallDelta(1, "b", "execute", '{"language":"shell",'))
    read.feed(CallDelta(0, "a", "execute", '{"language":"python","code":"1"}'))
    pieces = [*read.feed(CallDelta(1, arguments='"code":"echo 2"}'))]
    read.feed(Stop("tool_calls"))
    _, parsed = read.finish()
    assert pieces == [CodeOpen(1, "shell"), CodeText(1, "echo 2")]
    assert [(call.id, call.args["code"]) for call in parsed.calls] == [("a", "1"), ("b", "echo 2")]
    assert parsed.indexes == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("", "language"),
        ("{}", "language"),
        ("null", "language"),
        ('{"language":"python"}', "code"),
        ('{"code":"1"}', "language"),
    ],
)
def test_missing_arguments_are_named(arguments: str, names: str) -> None:
    read = reader()
    read.feed(CallDelta(0, "a", "execute", arguments))
    _, parsed = read.finish()
    assert parsed.calls[0].error == f"the argument {names} is missing"


def test_wrong_types_and_unknown_arguments_and_tools_are_errors() -> None:
    for name, arguments, words in (
        ("execute", '{"language":"python","code":7}', "code must be string"),
        ("read_file", '{"path":"a","offset":true}', "offset must be integer"),
        ("execute", '{"language":"python","code":"1","x":2}', "no argument x"),
        ("foo", "{}", "unsupported call: foo"),
    ):
        read = reader()
        read.feed(CallDelta(0, "a", name, arguments))
        _, parsed = read.finish()
        assert words in (parsed.calls[0].error or "")


CALL = {"name": "execute", "arguments": {"language": "shell", "code": "echo ran-35"}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(CALL),
        f"```json\n{json.dumps(CALL, indent=2)}\n```",
        f"I will run it.\n{json.dumps(CALL)}",
        json.dumps({"name": "execute", "parameters": CALL["arguments"]}),
        json.dumps({"function": CALL}),
        json.dumps({"name": "execute", "arguments": json.dumps(CALL["arguments"])}),
    ],
)
def test_a_call_written_as_json_text_is_a_call(text: str) -> None:
    for size in (1, 5, len(text)):
        read = reader()
        said = [piece for at in range(0, len(text), size) for piece in read.feed(TextDelta(text[at : at + size]))]
        pieces, parsed = read.finish()
        assert [call.args for call in parsed.calls] == [CALL["arguments"]]
        if text[0] in "{`":
            assert not [piece for piece in [*said, *pieces] if isinstance(piece, Say)]


@pytest.mark.parametrize(
    "text", ['Here is sample JSON: {"name":"Bob"}', '{"name":"Bob"}', "```json\n[1]\n```", "{", "plain"]
)
def test_json_that_is_no_call_is_shown_whole(text: str) -> None:
    read = reader()
    said = [piece for character in text for piece in read.feed(TextDelta(character))]
    pieces, parsed = read.finish()
    assert not parsed.calls
    assert "".join(piece.text for piece in [*said, *pieces] if isinstance(piece, Say)) == text == parsed.text


def test_thoughts_are_kept_with_their_signature() -> None:
    read = reader()
    read.feed(ThoughtDelta("let me "))
    read.feed(ThoughtDelta("see", "sig"))
    _, parsed = read.finish()
    assert (parsed.reasoning, parsed.signature, parsed.text) == ("let me see", "sig", "")
