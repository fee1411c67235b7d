# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from oi_tui.protocol.events import Event, FileChanged
from oi_tui.tools import Context, changes, get
from oi_tui.tools.undo import undo_last
from tests.tools.disk import file_size_limit, snapshot


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


async def test_several_files_at_once_and_back(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "keep.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    (work / "keep.py").chmod(0o755)
    (work / "gone.txt").write_text("bye\n")
    (work / "old name").write_text("x\ny\n")
    before = snapshot(work)
    text = patch(
        "*** Add File: new/n.txt", "+hello",
        "*** Delete File: gone.txt",
        "*** Update File: keep.py", "@@", " a = 1", "-b = 2", "+b = 3",
        "*** Update File: old name", "*** Move to: sub/new name", "@@", "-x", "+X",
    )  # fmt: skip
    preview = get("patch").preview(ctx, patch=text)
    assert preview.error == ""
    assert preview.what == "create new/n.txt (+1), delete gone.txt (-1), 2 more files"
    assert "rename from old name\nrename to sub/new name\n" in preview.text
    assert set(preview.writes) == {
        str(work / one) for one in ("new/n.txt", "gone.txt", "keep.py", "old name", "sub/new name")
    }
    assert snapshot(work) == before
    result = await get("patch").run(ctx, patch=text)
    assert result.text == "A new/n.txt\nD gone.txt\nM keep.py\nM sub/new name"
    assert result.note == "made 2 folders"
    assert result.meta["summary"] == "+3 -3"
    assert result.meta["changes"][3] == {
        "kind": "update", "path": "sub/new name", "added": 1, "removed": 1, "moved_from": "old name",
    }  # fmt: skip
    assert snapshot(work) == {
        "keep.py": (b"a = 1\r\nb = 3\r\n", 0o755),
        "new/n.txt": (b"hello\n", before["gone.txt"][1]),
        "sub/new name": (b"X\ny\n", before["old name"][1]),
    }
    kinds = [(event.kind, Path(event.path).name) for event in events if isinstance(event, FileChanged)]
    assert kinds == [("add", "n.txt"), ("delete", "gone.txt"), ("update", "keep.py"), ("update", "new name")]
    undone = undo_last(ctx.memory, ctx.cwd)
    assert set(undone) == {"new/n.txt", "gone.txt", "keep.py", "sub/new name", "old name"}
    assert snapshot(work) == before
    assert not (work / "new").exists()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (["*** Update File: b", "@@", "-nope", "+x"], "failed to find expected lines in b:\nnope"),
        (["*** Delete File: nothing"], "cannot delete nothing: there is no such file"),
        (["*** Update File: nothing", "-x"], "cannot update nothing"),
        (["*** Add File: b", "+x"], "cannot add b: it exists already; use '*** Update File: b'"),
        (["*** Update File: b", "*** Move to: a", "-two", "+x"], "cannot move b to a: that file exists already"),
        (["*** Update File: bin", "-x"], "cannot update bin: it is not text"),
        (["*** Update File: l1", "-caf\xe9", "+5 €"], "latin-1 has no '€'"),
        (["*** Delete File: link"], "cannot delete link: it is a symbolic link"),
        (["*** Update File: link", "*** Move to: z", "-two", "+x"], "cannot move link: it is a symbolic link"),
        (["*** Update File: b", "-two", "+two"], None),
        (["*** Add File: a/b", "+x"], "a is a file, so a/b cannot lie in it"),
        (["*** Add File: ../x", "+x"], "outside the workspace"),
        (["*** Update File: b", "*** Move to: /tmp/oi-x", "-two", "+x"], "outside the workspace"),
        (["*** Delete File: folder"], "folder is a folder, not a file"),
        (["*** Delete File: a\0b"], "NUL"),
        (["nonsense"], "invalid hunk at line 4"),
    ],
)
async def test_a_bad_part_spoils_the_whole(
    ctx: Context, work: Path, events: list[Event], body: list[str], says: str | None
) -> None:
    (work / "a").write_text("one\n")
    (work / "b").write_text("two\n")
    (work / "bin").write_bytes(b"\0\1")
    (work / "l1").write_bytes(b"caf\xe9\n")
    (work / "link").symlink_to("b")
    (work / "folder").mkdir()
    before = snapshot(work)
    text = patch("*** Delete File: a", *body) if says and "a:" not in says and "a/b" not in says else patch(*body)
    text = text if "line 4" not in (says or "") else patch("*** Update File: a", "-one", *body)
    result = await get("patch").run(ctx, patch=text)
    assert not result.ok
    assert (says or "changes nothing") in result.text
    assert get("patch").preview(ctx, patch=text).error == result.text
    assert snapshot(work) == before
    assert events == []
    assert "undo" not in ctx.memory


@pytest.mark.parametrize(
    ("body", "after", "rows"),
    [
        (["*** Add File: n", "+1", "*** Update File: n", "-1", "+2"], {"f": b"x\n", "n": b"2\n"}, "A n"),
        (["*** Update File: f", "-x", "+y", "*** Update File: f", "-y", "+z"], {"f": b"z\n"}, "M f"),
        (["*** Delete File: f", "*** Add File: f", "+new"], {"f": b"new\n"}, "M f"),
        (["*** Update File: f", "*** Move to: g"], {"g": b"x\n"}, "M g"),
        (
            ["*** Update File: f", "*** Move to: g", "*** Update File: g", "*** Move to: h", "-x", "+y"],
            {"h": b"y\n"},
            "M h",
        ),
        (["*** Update File: f", "*** Move to: g", "*** Delete File: g"], {}, "D f"),
        (["*** Update File: f", "*** Move to: g", "*** Add File: f", "+n"], {"f": b"n\n", "g": b"x\n"}, "M f\nA g"),
        (["*** Update File: f", "*** Move to: f", "-x", "+y"], {"f": b"y\n"}, "M f"),
    ],
)
async def test_operations_see_each_other(
    ctx: Context, work: Path, body: list[str], after: dict[str, bytes], rows: str
) -> None:
    (work / "f").write_text("x\n")
    result = await get("patch").run(ctx, patch=patch(*body))
    assert result.ok, result.text
    assert result.text == rows
    assert {name: data for name, (data, _) in snapshot(work).items()} == after
    undo_last(ctx.memory, ctx.cwd)
    assert {name: data for name, (data, _) in snapshot(work).items()} == {"f": b"x\n"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1", "utf-8"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
async def test_the_form_of_files_is_kept(ctx: Context, work: Path, encoding: str, ending: str) -> None:
    (work / "f").write_bytes(f"é1{ending}zwei{ending}drei{ending}".encode(encoding))
    result = await get("patch").run(ctx, patch=patch("*** Update File: f", " é1", "-zwei", "+zwö"))
    assert result.ok, result.text
    assert (work / "f").read_bytes() == f"é1{ending}zwö{ending}drei{ending}".encode(encoding)


async def test_lenient_comparison_is_told(ctx: Context, work: Path) -> None:
    (work / "f").write_text("say “hi”\n")
    result = await get("patch").run(ctx, patch=patch("*** Update File: f", ' say "hi"', "+x"))
    assert result.meta["fuzz"] == 3
    assert (work / "f").read_text() == "say “hi”\nx\n"


async def test_a_disk_that_fails_half_way_leaves_everything(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "a").write_text("1\n")
    (work / "b").write_text("2\n")
    before = snapshot(work)
    text = patch("*** Update File: a", "-1", "+one", "*** Add File: x/y/z", "+" + "z" * 5000, "*** Delete File: b")
    with file_size_limit(2000):
        result = await get("patch").run(ctx, patch=text)
    assert (result.ok, "too large" in result.text) == (False, True)
    assert snapshot(work) == before
    assert sorted(one.name for one in work.iterdir()) == ["a", "b"]
    assert events == []


def test_replacing_that_fails_half_way_is_taken_back(work: Path) -> None:
    (work / "a").write_text("1")
    (work / "b").write_text("2")
    (work / "folder").mkdir()
    group = [
        changes.Change(str(work / "a"), b"1", b"one", 0o640),
        changes.Change(str(work / "b"), b"2", None),
        changes.Change(str(work / "new/f"), None, b"f"),
        changes.Change(str(work / "folder"), None, b"cannot replace a folder"),
    ]
    with pytest.raises(OSError):
        changes.apply(group)
    assert {name: data for name, (data, _) in snapshot(work).items()} == {"a": b"1", "b": b"2"}
    assert sorted(one.name for one in work.iterdir()) == ["a", "b", "folder"]


async def test_a_cancelled_change_is_told_and_undoable(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "f").write_text("x\n")
    task = asyncio.ensure_future(get("patch").run(ctx, patch=patch("*** Update File: f", "-x", "+y")))
    await asyncio.sleep(0)  # it has begun
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (work / "f").read_text() == "y\n"
    assert len(events) == 1
    assert undo_last(ctx.memory, ctx.cwd) == ["f"]
    assert (work / "f").read_text() == "x\n"
