"""Made-up answers of a model for the benchmarks: prose, code, a list, a table. The same text each time."""

from __future__ import annotations

import random
from collections.abc import Iterator

WORDS = [
    "the",
    "column",
    "file",
    "value",
    "group",
    "month",
    "result",
    "table",
    "chart",
    "model",
    "index",
    "query",
    "cache",
    "token",
    "frame",
    "window",
    "buffer",
    "output",
    "is",
    "are",
    "has",
    "can",
    "will",
    "should",
    "reads",
    "writes",
    "prints",
    "holds",
    "takes",
    "gives",
    "a",
    "an",
    "of",
    "to",
    "in",
    "on",
    "by",
    "with",
    "from",
    "and",
    "or",
    "so",
]


def _sentence(chance: random.Random) -> str:
    words = [chance.choice(WORDS) for _ in range(chance.randint(6, 18))]
    mark = chance.random()
    if mark < 0.2:
        words[2] = f"**{words[2]}**"
    elif mark < 0.4:
        words[3] = f"`{words[3]}`"
    return " ".join(words).capitalize() + "."


def prose(characters: int) -> str:
    """Paragraphs of four sentences."""
    chance = random.Random(1)
    parts: list[str] = []
    size = 0
    while size < characters:
        parts.append(" ".join(_sentence(chance) for _ in range(4)) + "\n\n")
        size += len(parts[-1])
    return "".join(parts)[:characters]


def fence(lines: int) -> str:
    """Python code in one fence."""
    body = "".join(
        f'    a = f({number}, "x")  # {number}\n' if number % 9 else f"\ndef step_{number}(a: int) -> int:\n"
        for number in range(lines)
    )
    return f"Here is the code:\n\n```python\n{body}```\n\nThat is all.\n"


def items(count: int) -> str:
    """A list, every fifth item with a nested one."""
    chance = random.Random(2)
    parts = ["The steps:\n\n"]
    for number in range(count):
        parts.append(f"- item {number}: {_sentence(chance)}\n")
        if number % 5 == 0:
            parts.append(f"  - {_sentence(chance)}\n")
    return "".join(parts)


def table(rows: int) -> str:
    """A table of five columns."""
    chance = random.Random(3)
    lines = ["| id | name | value | share | note |", "|---:|---|---:|---:|---|"]
    for number in range(rows):
        lines.append(
            f"| {number} | {chance.choice(WORDS)}_{number} | {chance.randint(1, 10**6):,} | "
            f"{chance.random():.1%} | {' '.join(chance.choices(WORDS, k=3))} |"
        )
    return "\n".join(lines) + "\n\nDone.\n"


def tokens(text: str, size: int = 4) -> Iterator[str]:
    """`text` in pieces of `size` characters."""
    return (text[place : place + size] for place in range(0, len(text), size))
