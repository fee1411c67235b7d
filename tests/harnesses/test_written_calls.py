"""Calls that models write as JSON text: taken as blocks, whole or in pieces; other JSON stays text."""

from __future__ import annotations

import json

import pytest

from harnesses.data import CodeOpen, Env, Piece, Say
from harnesses.native import NativeHarness
from harnesses.written_calls import WrittenCallReader
from oi_tui.protocol.stream import TextDelta

CALL = '{"name": "execute", "arguments": {"language": "shell", "code": "echo ran-35"}}'


def read(text: str, size: int) -> tuple[str, str, list[tuple[str, str]]]:
    """(what was shown, the text of the answer, its blocks) for an answer that comes `size` characters at a time."""
    reader = WrittenCallReader(("python", "shell"))
    pieces: list[Piece] = []
    for at in range(0, len(text), size):
        pieces += reader.feed(TextDelta(text[at : at + size]))
    rest, parsed = reader.finish()
    shown = "".join(one.text for one in [*pieces, *rest] if isinstance(one, Say))
    return shown, parsed.text, [(call.args["language"], call.args["code"]) for call in parsed.calls]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("answer", "text", "block"),
    [
        (CALL, "", ("shell", "echo ran-35")),
        (f"```json\n{CALL}\n```\n", "", ("shell", "echo ran-35")),
        (f"```\n{CALL}\n```", "", ("shell", "echo ran-35")),
        (f"<tool_call>\n{CALL}\n</tool_call>", "", ("shell", "echo ran-35")),
        (f"I will run it.\n{CALL}", "I will run it.", ("shell", "echo ran-35")),
        (f"I will run it.\n\n```json\n{CALL}\n```", "I will run it.", ("shell", "echo ran-35")),
        (CALL.replace("arguments", "parameters"), "", ("shell", "echo ran-35")),
        (json.dumps({"type": "function", "function": json.loads(CALL)}), "", ("shell", "echo ran-35")),
        (json.dumps({"name": "execute", "arguments": '{"code": "print(1)"}'}), "", ("python", "print(1)")),
        ('{"name": "bash", "arguments": {"command": "ls"}}', "", ("shell", "ls")),
        ('{"name": "python", "arguments": {"code": "a = 1\nprint(a)"}}', "", ("python", "a = 1\nprint(a)")),
        ('{"language": "python", "code": "print(2)"}', "", ("python", "print(2)")),
    ],
)
def test_a_written_call_is_a_block(answer: str, text: str, block: tuple[str, str], size: int) -> None:
    shown, said, blocks = read(answer, size)
    assert blocks == [block]
    assert (shown.strip(), said) == (text, text)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "answer",
    [
        'Here is sample JSON: {"name":"Bob"}',
        '{"name": "Bob"}',
        '```json\n{"name": "Bob", "arguments": {"code": "x"}}\n```',
        '{"name": "execute"}',
        '{"name": "execute", "arguments": {"code": ""}}',
        '{"name": "execute", "arguments": {"language": "cobol", "code": "x"}}',
        '{"name": "execute", "arguments": 3}',
        "{not json at all",
        "{" * 3000,
        "a < b\n<to",
        "The set {1, 2} is small.",
    ],
)
def test_other_text_is_shown_whole_and_not_run(answer: str, size: int) -> None:
    shown, said, blocks = read(answer, size)
    assert blocks == []
    assert shown == said == answer


@pytest.mark.parametrize("size", [1, 10_000])
def test_a_fenced_block_wins(size: int) -> None:
    answer = '{"a": 1}\n```python\nprint(1)\n```\nthen\n' + CALL
    shown, said, blocks = read(answer, size)
    assert blocks == [("python", "print(1)")]
    assert '{"a": 1}' in said
    assert "ran-35" in shown


def test_text_that_cannot_be_a_call_is_not_held_back() -> None:
    reader = WrittenCallReader(("python",))
    assert list(reader.feed(TextDelta("Hello there, "))) == [Say("Hello there,")]
    reader.feed(TextDelta("\n```python\nprint(1)"))
    assert any(isinstance(one, CodeOpen) for one in reader.feed(TextDelta("\n"))) or reader.finish()[1].calls


def test_models_without_tools_are_read_so_too() -> None:
    reader = NativeHarness(text=True).reader(Env(cwd="/"))
    reader.feed(TextDelta(CALL))
    assert [call.args["code"] for call in reader.finish()[1].calls] == ["echo ran-35"]
