"""Unified diffs through the executor `patch`, against `git apply` and `patch` as people know them."""

# ruff: noqa: ASYNC221 - tests may wait for git
from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from oi_tui.protocol.calls import Result
from oi_tui.tools import Context, get
from tests.tools.disk import snapshot

LINES = "".join(f"line {one}\n" for one in range(1, 31))


async def patch(ctx: Context, text: str, **arguments: Any) -> Result:
    preview = get("patch").preview(ctx, patch=text, **arguments)
    result = await get("patch").run(ctx, patch=text, **arguments)
    assert (preview.error == "") == result.ok, (preview.error, result.text)
    return result


@pytest.mark.parametrize("seed", range(6))
async def test_what_git_makes_is_applied(ctx: Context, work: Path, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        (folder / "a dir").mkdir(parents=True)
    rows = [dice.choice("abcd") + "\n" for _ in range(80)]
    changed = list(rows)
    for _ in range(6):
        at = dice.randrange(len(changed))
        changed[at : at + dice.randrange(3)] = [f"new {dice.random()}\n"] * dice.randrange(3)
    end = dice.choice(["", "x"])
    for folder, text in ((old, rows), (new, changed)):
        (folder / "a dir" / "ü.txt").write_text("".join(text) + end)
    (old / "gone").write_text("1\n")
    (new / "made").write_text("2\n3" + dice.choice(["", "\n"]))
    for path in (p for p in old.rglob("*") if p.is_file()):
        (work / path.relative_to(old)).parent.mkdir(exist_ok=True)
        (work / path.relative_to(old)).write_bytes(path.read_bytes())
    made = subprocess.run(
        ["git", "-c", "core.quotepath=off", "diff", "--no-index", "--no-renames", "old", "new"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    ).stdout.replace("a/old/", "a/").replace("b/new/", "b/")  # fmt: skip
    result = await patch(ctx, made)
    assert result.ok, result.text
    assert snapshot(work) == snapshot(new)


async def test_numbers_are_hints(ctx: Context, work: Path) -> None:
    (work / "f").write_text("head\n" * 5 + "x\ny\nz\n" * 8)
    text = "--- a/f\n+++ b/f\n@@ -15,3 +15,3 @@\n x\n-y\n+Y\n z\n"
    assert (await patch(ctx, text)).ok
    assert (work / "f").read_text().split("\n").index("Y") == 15  # the place nearest to the number, not the first
    (work / "g").write_text(LINES)
    bare = "@@ -3,9 +3,9 @@\n line 20\n-line 21\n+LINE 21\n"  # wrong numbers, no headers
    assert (await patch(ctx, bare, path="g")).ok
    assert "LINE 21" in (work / "g").read_text()


async def test_outer_context_may_be_wrong_within_the_fuzz(ctx: Context, work: Path) -> None:
    (work / "f").write_text(LINES)
    text = "--- f\n+++ f\n@@ -9,5 +9,5 @@\n other\n line 10\n-line 11\n+eleven\n line 12\n different\n"
    refused = await patch(ctx, text, fuzz=0)
    assert (refused.ok, refused.meta["error"]) == (False, "patch")
    assert "failed to find expected lines in f" in refused.text
    assert (await patch(ctx, text, fuzz=1)).ok
    assert (work / "f").read_text() == LINES.replace("line 11\n", "eleven\n")


async def test_moves_and_line_ends(ctx: Context, work: Path) -> None:
    (work / "old.txt").write_bytes(b"a\r\nb\r\nc\r\n")
    text = (
        "diff --git a/old.txt b/new.txt\nsimilarity index 90%\nrename from old.txt\nrename to new.txt\n"
        "--- a/old.txt\n+++ b/new.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )
    result = await patch(ctx, text)
    assert result.meta["changes"][0]["moved_from"] == "old.txt"
    assert snapshot(work) == {"new.txt": (b"a\r\nB\r\nc\r\n", (work / "new.txt").stat().st_mode & 0o7777)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("--- a/f\n+++ b/f\n", "changes no file"),
        ("--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n", "there is no such file"),
        ("@@ -1 +1 @@\n-a\n+b\n", "before the line that names its file"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n", "it has no lines"),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "binary file"),
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "it exists already"),
        ("--- a/../out\n+++ b/../out\n@@ -1 +1 @@\n-a\n+b\n", "outside the workspace"),
    ],
)
async def test_what_does_not_fit_changes_nothing(ctx: Context, work: Path, text: str, says: str) -> None:
    (work / "f").write_text("a\n")
    before = snapshot(work)
    result = await patch(ctx, text)
    assert (result.ok, says in result.text) == (False, True), result.text
    assert snapshot(work) == before


async def test_no_new_files_if_not_wanted(ctx: Context) -> None:
    result = await patch(ctx, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", create=False)
    assert "none is to be made" in result.text
