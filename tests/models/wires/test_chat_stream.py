"""What servers send in the place of the textbook's chunks, and what comes of it."""

import json
from typing import Any

import pytest

from oi_tui.models.wires.chat_stream import ChatStream, ErrorInStream, read_usage
from oi_tui.protocol.stream import CallDelta, Delta, Stop, TextDelta, ThoughtDelta, Usage


def _chunk(delta: dict[str, Any] | None, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _call(
    arguments: Any = None, *, index: int | None = 0, id: str | None = None, name: str | None = None
) -> dict[str, Any]:
    function: dict[str, Any] = {}
    if name is not None:
        function["name"] = name
    if arguments is not None:
        function["arguments"] = arguments
    piece: dict[str, Any] = {"function": function}
    if index is not None:
        piece["index"] = index
    if id is not None:
        piece["id"] = id
    return {"tool_calls": [piece]}


def _read(*chunks: dict[str, Any]) -> list[Delta]:
    stream = ChatStream()
    found = [delta for chunk in chunks for delta in stream.feed(chunk)]
    return found + stream.finish()


def _calls(deltas: list[Delta]) -> list[tuple[str, str, str]]:
    """(id, name, arguments) of each call, put together as a reader does."""
    made: dict[int, list[str]] = {}
    for one in deltas:
        if isinstance(one, CallDelta):
            call = made.setdefault(one.index, ["", "", ""])
            call[0], call[1], call[2] = call[0] or one.id, call[1] or one.name, call[2] + one.arguments
    assert sorted(made) == list(range(len(made)))
    return [(id, name, arguments) for id, name, arguments in made.values()]


_CODE = '{"language": "python", "code": "print(1)"}'
_RUN = [("c1", "run", _CODE)]


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param([_call("", id="c1", name="run"), *(_call(one) for one in _CODE)], id="fragments"),
        pytest.param([_call(_CODE, id="c1", name="run")], id="one chunk"),
        pytest.param([_call(json.loads(_CODE), id="c1", name="run")], id="object"),
        pytest.param([_call(id="c1", name="run"), _call(_CODE)], id="no arguments key at first"),
        pytest.param([_call(_CODE, id="c1", name="run"), _call(_CODE, id="c1", name="run")], id="sent twice"),
        pytest.param([_call(_CODE[:9], id="c1", name="run"), _call(_CODE[9:]), _call(_CODE)], id="twice, at the end"),
        pytest.param([_call("", index=None, id="c1", name="run"), _call(_CODE, index=None)], id="no index"),
        pytest.param([_call(_CODE[:5], id="c1", name="run"), _call(_CODE[5:], id="c1", name="run")], id="id each time"),
        pytest.param(
            [_call(_CODE[:5], id="c1", name="run"), _call(_CODE[5:], id="c2", name="run")], id="new id each time"
        ),
        pytest.param([_call(_CODE[:5], id="c1", name="run"), _call(_CODE[5:], id="", name="")], id="empty id and name"),
        pytest.param([{"tool_calls": _call(_CODE, id="c1", name="run")["tool_calls"][0]}], id="not in a list"),
    ],
)
def test_one_call_however_it_is_cut(deltas: list[dict[str, Any]]) -> None:
    found = _read(*(_chunk(one) for one in deltas), _chunk({}, "tool_calls"))
    assert _calls(found) == _RUN
    assert found[-1] == Stop("tool_calls")


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param([_call("{}", id="a", name="x"), _call("{}", index=1, id="b", name="y")], id="indexes"),
        pytest.param([_call("{}", id="a", name="x"), _call("{}", index=0, id="b", name="y")], id="one index for all"),
        pytest.param([_call("{}", index=None, id="a", name="x"), _call("{}", index=None, id="b", name="y")], id="none"),
        pytest.param(
            [_call("{", id="a", name="x"), _call("{", index=1, id="b", name="y"), _call("}"), _call("}", index=1)],
            id="interleaved",
        ),
        pytest.param(
            [
                _call("{", index=None, id="a", name="x"), _call("}", index=None),
                _call("{", index=None, id="b", name="y"), _call("}", index=None, id="b"),
            ],
            id="no index, in fragments",
        ),
    ],
)  # fmt: skip
def test_two_calls(deltas: list[dict[str, Any]]) -> None:
    assert _calls(_read(*(_chunk(one) for one in deltas))) == [("a", "x", "{}"), ("b", "y", "{}")]


def test_same_tool_twice_with_one_index() -> None:
    found = _calls(_read(_chunk(_call('{"a": 1}', id="a", name="x")), _chunk(_call('{"a": 2}', id="b", name="x"))))
    assert [one[2] for one in found] == ['{"a": 1}', '{"a": 2}']


def test_call_without_id_gets_one() -> None:
    found = _calls(_read(_chunk(_call("{}", name="x")), _chunk(_call("{}", index=1, name="x"))))
    assert len({id for id, _, _ in found}) == 2
    assert all(id for id, _, _ in found)


def test_null_and_empty_arguments() -> None:
    for arguments in (None, ""):
        assert [one[1:] for one in _calls(_read(_chunk(_call(arguments, id="a", name="x"))))] == [("x", "")]


def test_nested_object_is_no_repetition() -> None:
    assert _calls(_read(_chunk(_call('{"a":', id="i", name="x")), _chunk(_call('{"a":{}}')), _chunk(_call("}")))) == [
        ("i", "x", '{"a":{"a":{}}}')
    ]


def test_legacy_function_call() -> None:
    found = _read(
        _chunk({"function_call": {"name": "run", "arguments": _CODE[:7]}}),
        _chunk({"function_call": {"arguments": _CODE[7:]}}),
        _chunk({}, "function_call"),
    )
    assert [one[1:] for one in _calls(found)] == [("run", _CODE)]
    assert found[-1] == Stop("tool_calls")


def test_finish_reason_on_every_chunk() -> None:
    found = _read(
        _chunk(_call("", id="c1", name="run"), "stop"),
        _chunk(_call(_CODE), "stop"),
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    )
    assert _calls(found) == _RUN
    assert found[-2:] == [Usage(5, 2), Stop("tool_calls")]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("stop", "stop"), ("length", "length"), ("max_tokens", "length"), ("content_filter", "content_filter")],
)
def test_reasons(reason: str, expected: str) -> None:
    assert _read(_chunk({"content": "x"}), _chunk({}, reason))[-1] == Stop(expected)


def test_length_in_the_middle_of_a_call_stays_length() -> None:
    assert _read(_chunk(_call('{"code": "pri', id="a", name="x")), _chunk({}, "length"))[-1] == Stop("length")


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        ({"content": "a\u2028b"}, [TextDelta("a\u2028b")]),
        ({"role": "assistant", "content": ""}, []),
        ({"content": None, "reasoning_content": "r"}, [ThoughtDelta("r")]),
        ({"reasoning": "r"}, [ThoughtDelta("r")]),
        ({"reasoning_content": "r", "reasoning": "r"}, [ThoughtDelta("r")]),
        ({"reasoning_content": "r", "content": "c"}, [ThoughtDelta("r"), TextDelta("c")]),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, [TextDelta("a"), TextDelta("b")]),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]}, [ThoughtDelta("t")]),
        ({"content": {"type": "text", "text": "a"}}, [TextDelta("a")]),
        ({"refusal": "no"}, [TextDelta("no")]),
        (None, []),
        ({}, []),
    ],
)
def test_content(delta: dict[str, Any] | None, expected: list[Delta]) -> None:
    assert _read(_chunk(delta, "stop")) == [*expected, Stop("stop")]


def test_think_tags_split_over_chunks_and_before_a_call() -> None:
    found = _read(*(_chunk({"content": one}) for one in "<think>hm</think>"), _chunk(_call("{}", id="a", name="x")))
    assert "".join(one.text for one in found if isinstance(one, ThoughtDelta)) == "hm"
    assert not [one for one in found if isinstance(one, TextDelta)]
    assert _calls(found) == [("a", "x", "{}")]


def test_error_object() -> None:
    with pytest.raises(ErrorInStream) as caught:
        _read(_chunk({"content": "x"}), {"error": {"message": "boom"}})
    assert caught.value.error == {"message": "boom"}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(9, 4, 3)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 3}, Usage(9, 4, 3)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "cached_tokens": 3}, Usage(9, 4, 3)),
        ({"completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 2}}, Usage(0, 4, 0, 2)),
        ({"prompt_tokens": None, "completion_tokens": 4, "prompt_tokens_details": None}, Usage(0, 4)),
    ],
)  # fmt: skip
def test_usage(usage: dict[str, Any], expected: Usage) -> None:
    assert read_usage(usage) == expected


def test_usage_of_groq_and_usage_on_every_chunk() -> None:
    found = _read(
        {**_chunk({"content": "a"}), "usage": {"completion_tokens": 1}}, {"x_groq": {"usage": {"completion_tokens": 2}}}
    )
    assert [one for one in found if isinstance(one, Usage)] == [Usage(0, 2)]


def test_whole_completion() -> None:
    message = {
        "role": "assistant",
        "content": "hi",
        "tool_calls": _call(_CODE, index=None, id="c1", name="run")["tool_calls"],
    }
    found = _read({"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1}})
    assert found[0] == TextDelta("hi")
    assert _calls(found) == _RUN
