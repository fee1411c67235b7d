"""Thoughts in tags, cut anywhere."""

import pytest

from oi_tui.models.wires.think_tags import ThinkTags


def _read(pieces: list[str]) -> tuple[str, str]:
    tags, thought, answer = ThinkTags(), "", ""
    for is_thought, text in [pair for piece in pieces for pair in tags.feed(piece)] + tags.flush():
        assert text
        thought, answer = (thought + text, answer) if is_thought else (thought, answer + text)
    return thought, answer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>\nlet me < see </thin k</think>\n\nThe answer", ("let me < see </thin k", "The answer")),
        ("  <thinking>a</thinking>b", ("a", "b")),
        ("<think>only", ("only", "")),
        ("<think></think>x", ("", "x")),
        ("Use <think> tags</think>", ("", "Use <think> tags</think>")),
        ("<thin", ("", "<thin")),
        ("  plain", ("", "  plain")),
        ("", ("", "")),
        ("<think>a</think>b<think>c</think>", ("a", "b<think>c</think>")),
    ],
)
def test_every_split(text: str, expected: tuple[str, str]) -> None:
    assert _read([text]) == expected
    assert _read(list(text)) == expected
    for cut in range(len(text)):
        assert _read([text[:cut], text[cut:]]) == expected


def test_nothing_is_held_back_in_an_answer() -> None:
    tags = ThinkTags()
    assert tags.feed("a") == [(False, "a")]
    assert tags.feed("<think>") == [(False, "<think>")]
