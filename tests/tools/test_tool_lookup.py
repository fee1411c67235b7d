"""lookup: which of some named texts fit."""

from __future__ import annotations

from typing import Any

import pytest

from oi_tui import tools
from oi_tui.tools import Context

ENTRIES = [
    {"name": "git_log", "text": "Commits, newest first."},
    {"name": "read_file", "text": "Read a file, a picture or a page."},
    {"name": "write_file", "text": "Write a file."},
]


async def found(ctx: Context, query: str, **more: Any) -> list[str]:
    result = await tools.get("lookup").run(ctx, query=query, entries=ENTRIES, **more)
    assert result.ok
    return result.meta["found"]


async def test_by_words(ctx: Context) -> None:
    assert await found(ctx, "Newest commits") == ["git_log"]
    assert await found(ctx, "write FILE") == ["write_file", "read_file"]
    assert await found(ctx, "file", limit=1) == ["write_file"]
    assert await found(ctx, "nothing here is that") == []


async def test_by_pattern(ctx: Context) -> None:
    assert await found(ctx, "_(log|FILE): re", mode="regex") == ["read_file"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"query": " "}, "is empty"),
        ({"query": "(", "mode": "regex"}, "cannot be read"),
        ({"query": "a", "mode": "x"}, "mode"),
        ({"query": "a" * 201}, "at most 200"),
        ({"query": "a", "entries": [1]}, "name and text"),
    ],
)
async def test_what_is_refused(ctx: Context, given: dict[str, Any], says: str) -> None:
    assert says in tools.get("lookup").preview(ctx, **{"entries": ENTRIES, **given}).error
