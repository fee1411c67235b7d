"""Executors `glob`, `view` and the options of `list`."""

# ruff: noqa: ASYNC221 - tests may wait for git
from __future__ import annotations

import io
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from oi_tui.tools import Context, get


def files(work: Path, *names: str) -> None:
    """Files, each a minute older than the one before."""
    for age, name in enumerate(names):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("")
        os.utime(work / name, (time.time() - 60 * age,) * 2)


async def found(ctx: Context, pattern: str, **arguments: Any) -> list[str]:
    result = await get("glob").run(ctx, pattern=pattern, **arguments)
    assert result.ok, result.text
    assert result.text.split("\n") == (result.meta["paths"] or [""])
    return list(result.meta["paths"])


async def test_patterns_and_orders(ctx: Context, work: Path) -> None:
    files(work, "b.py", "src/ü x.py", "src/deep/c.ts", "a.py", ".hidden.py", "node_modules/d.py")
    assert await found(ctx, "*.py") == ["b.py", "src/ü x.py", "a.py", ".hidden.py"]
    assert await found(ctx, "*.py", order="name") == [".hidden.py", "a.py", "b.py", "src/ü x.py"]
    assert await found(ctx, "src/**/*.{py,ts}") == ["src/ü x.py", "src/deep/c.ts"]
    assert await found(ctx, "*.ts", path="src") == ["src/deep/c.ts"]
    assert await found(ctx, f"{work}/src/*.py") == ["src/ü x.py"]
    assert await found(ctx, "d.py", ignored=True) == ["node_modules/d.py"]
    assert await found(ctx, "s*", folders=True) == ["src/"]
    assert await found(ctx, "nothing") == []
    os.utime(work / "a.py", (1, 1))
    os.utime(work / "b.py", (2, 2))
    assert await found(ctx, "*.py", order="recent") == ["src/ü x.py", ".hidden.py", "a.py", "b.py"]
    some = await get("glob").run(ctx, pattern="*.py", limit=1)
    assert (some.meta["total"], some.meta["more"]) == (4, True)


async def test_what_git_ignores_is_left_out(ctx: Context, work: Path) -> None:
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    files(work, "a.log", "a.txt", "gone.txt")
    (work / ".gitignore").write_text("*.log\n")
    subprocess.run(["git", "-C", str(work), "add", "gone.txt"], check=True)
    (work / "gone.txt").unlink()
    assert await found(ctx, "a.*") == ["a.txt"]
    assert sorted(await found(ctx, "a.*", ignored=True)) == ["a.log", "a.txt"]
    assert await found(ctx, "gone*") == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"pattern": " "}, "argument"),
        ({"pattern": "*", "path": "no"}, "missing"),
        ({"pattern": "*", "path": "f"}, "kind"),
        ({"pattern": "*", "order": "x"}, "argument"),
        ({"pattern": "*", "limit": 0}, "argument"),
        ({"pattern": "/somewhere/*"}, "outside"),
    ],
)
async def test_what_cannot_be(ctx: Context, work: Path, arguments: dict[str, Any], error: str) -> None:
    (work / "f").touch()
    assert get("glob").preview(ctx, **arguments).facts["error"] == error
    assert (await get("glob").run(ctx, **arguments)).meta["error"] == error


async def test_a_listing_with_wishes(ctx: Context, work: Path) -> None:
    files(work, "a.py", "b.pyc", ".env.x", "node_modules/x/y", "sub/c.py")
    (work / "a.py").write_text("12345")
    (work / "link").symlink_to("a.py")
    listed = await get("list").run(ctx, ignore=["*.pyc", "sub"], hidden=False)
    assert listed.text == "a.py\nlink -> a.py\nnode_modules/ (not looked into)"
    assert listed.meta["items"][0] == {"path": "a.py", "kind": "file", "size": 5}
    assert [one["kind"] for one in listed.meta["items"]] == ["file", "link", "folder"]
    assert "node_modules/x/y" in (await get("list").run(ctx, depth=3, ignored=True)).text


async def test_pictures_are_made_to_fit(ctx: Context, work: Path) -> None:
    Pillow.new("RGB", (4000, 1000), "red").save(work / "wide.bmp")
    whole = await get("view").run(ctx, path="wide.bmp")
    assert (whole.meta["width"], whole.meta["height"], whole.meta["original"]) == (1568, 392, [4000, 1000])
    part = await get("view").run(ctx, path="wide.bmp", region=[3900, 0, 500, 50])
    assert (part.images[0].width, part.images[0].height, part.images[0].format) == (100, 50, "png")
    small = io.BytesIO()
    Pillow.new("L", (10, 20)).save(small, "JPEG")
    (work / "s.jpg").write_bytes(small.getvalue())
    as_it_is = await get("view").run(ctx, path="s.jpg")
    assert (as_it_is.images[0].format, as_it_is.meta["width"]) == ("jpeg", 10)
    (work / "no.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    assert (await get("view").run(ctx, path="no.png")).meta["error"] == "kind"
    assert (await get("view").run(ctx, path="s.jpg", region=[50, 0, 1, 1])).meta["error"] == "end"
    assert (await get("view").run(ctx, path="s.jpg", region=[1, 2])).meta["error"] == "argument"
    assert (await get("view").run(ctx, path="gone")).meta["error"] == "missing"
