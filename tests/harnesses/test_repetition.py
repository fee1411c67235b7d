"""The watch over sentences that come again and again."""

from __future__ import annotations

import pytest

from harnesses.repetition import Repetition

SENTENCE = "Let me look at the file once more to see what is wrong. "
OTHER = " ".join(f"and {number}" for number in range(1000))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SENTENCE * 12, True),
        ("A word before.\n\n" + (SENTENCE + "\n") * 12, True),
        (SENTENCE * 9, False),
        ("```\n" + SENTENCE * 12 + "\n```\n", False),
        ("```\ncode\n```\n" + SENTENCE * 12, True),
        (("- " + SENTENCE + "\n") * 12, False),
        (("| " + SENTENCE + "|\n") * 12, False),
        ("-" * 2000 + "=" * 2000 + "ab " * 2000, False),
        ("".join(SENTENCE + OTHER[at * 300 : at * 300 + 300] for at in range(12)), False),  # a refrain
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_watch(text: str, found: bool, size: int) -> None:
    watch = Repetition()
    assert any(watch.feed(text[at : at + size]) for at in range(0, len(text), size)) == found
