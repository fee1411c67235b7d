"""The fence reader: which blocks run, what their code is, and that no way of cutting the answer changes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnesses.data import CodeOpen, CodeText, Parsed, Piece, Say, Think
from harnesses.fences import FenceReader, language_of
from oi_tui.protocol.stream import Stop, TextDelta, ThoughtDelta

LANGUAGES = ("python", "shell", "javascript")


def merged(pieces: Iterable[Piece]) -> list[tuple[str, int, str]]:
    """Pieces with neighbours of one kind joined: what the screen shows in the end."""
    out: list[tuple[str, int, str]] = []
    for piece in pieces:
        index = piece.index if isinstance(piece, CodeOpen | CodeText) else -1
        kind, text = type(piece).__name__, piece.language if isinstance(piece, CodeOpen) else piece.text
        if out and kind != "CodeOpen" and out[-1][:2] == (kind, index):
            out[-1] = (kind, index, out[-1][2] + text)
        else:
            out.append((kind, index, text))
    return out


def read(chunks: Sequence[str], all_blocks: bool = True) -> tuple[list[tuple[str, int, str]], Parsed]:
    reader = FenceReader(LANGUAGES, all_blocks=all_blocks)
    pieces = [piece for chunk in chunks for piece in reader.feed(TextDelta(chunk))]
    rest, parsed = reader.finish()
    return merged([*pieces, *rest]), parsed


def codes(text: str, all_blocks: bool = True) -> list[tuple[str, str]]:
    return [(call.args["language"], call.args["code"]) for call in read([text], all_blocks)[1].calls]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```python\nprint(1)\n```", [("python", "print(1)")]),
        ("``` python \nprint(2)\r\n```\r\n", [("python", "print(2)")]),
        ("```python\r\na = 1\r\nb = 2\r\n```\r\n", [("python", "a = 1\nb = 2")]),
        ("```PYTHON\nprint(1)\n```", [("python", "print(1)")]),
        ("```py\nprint(1)\n```\n```bash\nls\n```", [("python", "print(1)"), ("shell", "ls")]),
        ("```{python}\nprint(1)\n```", [("python", "print(1)")]),
        ("```{.python .numberLines}\nprint(1)\n```", [("python", "print(1)")]),
        ("```python title=x.py\nprint(1)\n```", [("python", "print(1)")]),
        ("~~~python\nprint('```')\n~~~", [("python", "print('```')")]),
        ("````python\nx = '''\n```\n'''\n````", [("python", "x = '''\n```\n'''")]),
        ("```python\n`print(3)`\n```", [("python", "print(3)")]),
        ("```shell\n`which python` -V\n```", [("shell", "`which python` -V")]),
        ("```shell\necho `date`\n```", [("shell", "echo `date`")]),
        ("```python\nprint(1 &lt; 2)\n```", [("python", "print(1 &lt; 2)")]),
        ("```python\nprint('<')\n```", [("python", "print('<')")]),
        ("```python\n\n\nprint(1)\n\n\n```", [("python", "print(1)")]),
        ("- do it:\n  ```python\n  if 1:\n      print(1)\n  ```", [("python", "if 1:\n    print(1)")]),
        ("```python\nprint(3)```", [("python", "print(3)")]),
        ("```markdown\nprint(1)\n```", []),
        ("```\nls\n```", []),
        ("```text\nls\n```\n```json\n{}\n```\n```output\n1\n```\n```console\n$ ls\n```", []),
        ("````markdown\n```python\nprint(1)\n```\n````", []),
        ("> ```python\n> open('inj', 'w')\n> ```", []),
        ("Use ```python``` fences.\n", []),
        ("```python\n```", []),
        ("```python\n  \n\n```", []),
        ("no code at all", []),
        ("", []),
    ],
)  # fmt: skip
def test_which_blocks_run(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(text) == expected
    assert codes(text + "\n") == expected


def test_text_around_code_is_kept_apart_from_it() -> None:
    shown, parsed = read(["Here it is:\n\n```python\nprint(1)\n```\n\nDone.\n"])
    assert shown == [
        ("Say", -1, "Here it is:"),
        ("CodeOpen", 0, "python"),
        ("CodeText", 0, "print(1)"),
        ("Say", -1, "Done."),
    ]
    assert parsed.text == "Here it is:\n\nDone."
    assert parsed.calls[0].id == "block_1"
    assert parsed.calls[0].name == "run"
    assert not parsed.unclosed


def test_text_blocks_are_shown_with_their_fences() -> None:
    text = "The file:\n\n```json\n{\n  1\n}\n```\nand so on"
    assert read([text])[1].text == text


def test_only_the_first_block_runs_when_asked_so() -> None:
    text = "```text\nx\n```\n```python\na\n```\nthen\n```python\nb\n```"
    assert codes(text, all_blocks=False) == [("python", "a")]
    assert read([text], all_blocks=False)[1].text == "```text\nx\n```\n\nthen\n```python\nb\n```"
    assert codes(text) == [("python", "a"), ("python", "b")]


@pytest.mark.parametrize(
    ("text", "code", "unclosed"),
    [
        ("```python\nprint(4)", "print(4)", True),
        ("```python\nprint(4)\n", "print(4)", True),
        ("```python\nprint(4)\n``", "print(4)", True),
        ("```python\nprint(4)\n```", "print(4)", False),
        ("```python\nprint(4)```\n", "print(4)", False),
        ("```shell\necho `date`", "echo `date`", True),
    ],
)
def test_an_unclosed_block_is_marked(text: str, code: str, unclosed: bool) -> None:
    parsed = read([text])[1]
    assert (parsed.calls[0].args["code"], parsed.unclosed) == (code, unclosed)


def test_thoughts_and_stop_are_passed_on() -> None:
    reader = FenceReader(LANGUAGES)
    assert list(reader.feed(ThoughtDelta("hm", "sig"))) == [Think("hm")]
    assert list(reader.feed(TextDelta("yes"))) == [Say("yes")]
    reader.feed(Stop("length"))
    parsed = reader.finish()[1]
    assert (parsed.reasoning, parsed.signature, parsed.stop) == ("hm", "sig", "length")


def test_code_is_given_out_while_it_arrives() -> None:
    reader = FenceReader(LANGUAGES)
    assert list(reader.feed(TextDelta("```python\nx"))) == [CodeOpen(0, "python"), CodeText(0, "x")]
    assert list(reader.feed(TextDelta(" = 1"))) == [CodeText(0, " = 1")]


def test_tags() -> None:
    assert language_of("Py", LANGUAGES) == "python"
    assert language_of("node", LANGUAGES) == "javascript"
    assert language_of("rb", LANGUAGES) is None
    assert language_of("", LANGUAGES) is None
    assert language_of("html", ("html",)) == "html"


_BITS = st.lists(
    st.sampled_from(
        [
            "```", "````", "~~~", "`", "``", "~", "python", "bash", "text", "\n", "\n", "\r\n", " ", "  ", "\t", ">",
            "print(1)", "x", "{", "\u2028", "é",
        ]
    ),
    max_size=40,
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(_BITS, st.lists(st.integers(1, 9), min_size=1, max_size=30), st.booleans())
def test_any_chunking_gives_the_same(bits: list[str], widths: list[int], all_blocks: bool) -> None:
    text = "".join(bits)
    chunks, at, turn = [], 0, 0
    while at < len(text):
        width = widths[turn % len(widths)]
        chunks.append(text[at : at + width])
        at, turn = at + width, turn + 1
    whole = read([text], all_blocks)
    assert read(chunks, all_blocks) == whole
    assert read(list(text), all_blocks) == whole


@settings(max_examples=200, deadline=None)
@given(_BITS)
def test_what_streams_is_what_is_called(bits: list[str]) -> None:
    shown, parsed = read(list("".join(bits)))
    streamed = {index: text for kind, index, text in shown if kind == "CodeText"}
    assert [streamed[number] for number in sorted(streamed)] == [call.args["code"] for call in parsed.calls]
    assert all(call.args["code"].strip() for call in parsed.calls)
