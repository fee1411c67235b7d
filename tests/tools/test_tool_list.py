# ruff: noqa: ASYNC221 - tests may wait for git
from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from oi_tui.tools import Context, get
from oi_tui.tools import list as listing
from tests.tools.disk import as_nobody

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


async def lines(ctx: Context, **arguments: object) -> list[str]:
    result = await get("list").run(ctx, **arguments)
    assert result.ok, result.text
    return result.text.split("\n") if result.text else []


async def test_two_levels_sorted_with_folders_before_their_content(ctx: Context, work: Path) -> None:
    files(work, "b.txt", "a/one", "a/deep/er/x", "a.txt", ".hidden")
    (work / "empty").mkdir()
    assert await lines(ctx) == [".hidden", "a/", "a/deep/", "a/one", "a.txt", "b.txt", "empty/"]
    assert await lines(ctx, depth=1) == [".hidden", "a/", "a.txt", "b.txt", "empty/"]
    assert await lines(ctx, path="a", depth=9) == ["deep/", "deep/er/", "deep/er/x", "one"]
    assert (await get("list").run(ctx, path="empty")).note == "the folder is empty"


@needs_git
async def test_in_a_repository_git_says_what_is_ignored(ctx: Context, work: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=work, check=True)
    files(work, "src/a.py", "src/b.pyc", "dist/x", "build/y", "sub/nested/z", "naïve\nname")
    (work / ".gitignore").write_text("*.pyc\n/dist/\n")
    subprocess.run(["git", "init", "-q", "sub/nested"], cwd=work, check=True)
    assert await lines(ctx, path="dist") == ["x"]  # asked for by name
    assert await lines(ctx, depth=3) == [
        ".gitignore", "build/", "build/y", "naïve\\nname", "src/", "src/a.py", "sub/",
        "sub/nested/ (a repository of its own)",
    ]  # fmt: skip


@needs_git
async def test_a_repository_cannot_make_git_run_anything(ctx: Context, work: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=work, check=True)
    hook = work / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch {work}/ran\n")
    hook.chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(hook)], cwd=work, check=True)
    files(work, "a")
    await lines(ctx)
    await get("grep").run(ctx, pattern="a")
    assert not (work / "ran").exists()


async def test_elsewhere_heavy_folders_are_named_but_not_entered(ctx: Context, work: Path) -> None:
    files(work, "node_modules/left-pad/index.js", "src/x", "src/.venv/bin/python")
    assert await lines(ctx, depth=5) == [
        "node_modules/ (not looked into)",
        "src/",
        "src/.venv/ (not looked into)",
        "src/x",
    ]


async def test_links_are_shown_and_never_followed(ctx: Context, work: Path) -> None:
    files(work, "d/f")
    (work / "d/loop").symlink_to("..")
    (work / "broken").symlink_to("nowhere")
    assert await lines(ctx, depth=20) == ["broken -> nowhere", "d/", "d/f", "d/loop -> .."]


async def test_odd_names_stay_on_their_line(ctx: Context, work: Path) -> None:
    (work / "new\nline").touch()
    (work / "esc\x1b[31m").touch()
    (work / "日本 ü").touch()
    os.close(os.open(os.fsencode(work) + b"/bad\xff", os.O_CREAT | os.O_WRONLY))
    found = await lines(ctx)
    assert sorted(found) == sorted(["bad\\udcff", "esc\\x1b[31m", "new\\nline", "日本 ü"])
    assert "\x1b" not in "".join(found)


async def test_pipes_are_listed_without_waiting(ctx: Context, work: Path) -> None:
    os.mkfifo(work / "pipe")
    assert await lines(ctx) == ["pipe"]


async def test_too_much_is_said(ctx: Context, work: Path) -> None:
    (work / "many").mkdir()
    for number in range(listing.MOST_ENTRIES + 50):
        (work / "many" / f"{number:04}").touch()
    files(work, "near")
    result = await get("list").run(ctx)
    assert result.meta["left_out"] == 52
    assert len(result.text.split("\n")) == listing.MOST_ENTRIES
    assert result.note == "52 more entries are not shown; list a folder inside"
    assert "near" in result.text


async def test_a_closed_folder_is_a_note(ctx: Context) -> None:
    with as_nobody() as folder:
        files(folder, "open/x", "shut/x")
        (folder / "shut").chmod(0)
        result = await get("list").run(replace(ctx, cwd=str(folder)))
        alone = await get("list").run(replace(ctx, cwd=str(folder)), path="shut")
        (folder / "shut").chmod(0o755)
    assert result.text == "open/\nopen/x\nshut/"
    assert "cannot look into shut: permission denied" in (result.note or "")
    assert (alone.ok, "permission denied" in alone.text) == (False, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"path": "f"}, "f is a file, not a folder"),
        ({"path": "gone"}, "gone does not exist"),
        ({"depth": 0}, "depth must be between 1 and 20, not 0"),
        ({"depth": "deep"}, "depth must be a whole number"),
        ({"path": "a\0"}, "NUL"),
    ],
)
async def test_what_cannot_be_listed(ctx: Context, work: Path, arguments: dict[str, object], says: str) -> None:
    files(work, "f")
    result = await get("list").run(ctx, **arguments)
    assert (result.ok, says in result.text) == (False, True)
    assert says in get("list").preview(ctx, **arguments).error
