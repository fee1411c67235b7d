# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

import codecs
import os
from dataclasses import replace
from pathlib import Path

import pytest

from oi_tui.protocol.events import Event, FileChanged
from oi_tui.tools import Context, get, undo_stack
from oi_tui.tools.undo import UndoRefused, undo_last
from tests.tools.disk import as_nobody, file_size_limit, snapshot


async def write(ctx: Context, path: str, content: str) -> str:
    """Write with a preview first, as the session does; gives the result's text and insists that it worked."""
    preview = get("write").preview(ctx, path=path, content=content)
    assert preview.error == ""
    result = await get("write").run(ctx, path=path, content=content)
    assert result.ok, result.text
    return result.text


async def test_a_new_file_in_a_new_folder(ctx: Context, work: Path, events: list[Event]) -> None:
    preview = get("write").preview(ctx, path="a/b/ü n.txt", content="hi\n")
    assert (preview.subject, preview.language) == ("file", "diff")
    assert preview.text == "--- /dev/null\n+++ b/a/b/ü n.txt\n@@ -0,0 +1 @@\n+hi\n"
    assert preview.what == "create a/b/ü n.txt (+1)"
    assert preview.writes == (str(work / "a/b/ü n.txt"),)
    assert not (work / "a").exists()
    old_mask = os.umask(0o027)
    try:
        assert await write(ctx, "a/b/ü n.txt", "hi\n") == "A a/b/ü n.txt"
    finally:
        os.umask(old_mask)
    assert snapshot(work) == {"a/b/ü n.txt": (b"hi\n", 0o640)}
    assert events == [FileChanged("c1", str(work / "a/b/ü n.txt"), "add", preview.text)]
    assert undo_last(ctx.memory, ctx.cwd) == ["a/b/ü n.txt"]
    assert list(work.iterdir()) == []
    assert undo_last(ctx.memory, ctx.cwd) == []


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc\r\n"),
        (codecs.BOM_UTF8 + b"a", "b", codecs.BOM_UTF8 + b"b"),
        ("a\n".encode("utf-16"), "é\n", codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le")),
        (b"caf\xe9\n", "caf\xe8\n", b"caf\xe8\n"),
        (b"caf\xe9\n", "5 €\n", "5 €\n".encode()),  # latin-1 has no euro: the file becomes UTF-8
        (b"\0\1\2", "text\n", b"text\n"),
        (b"a", "", b""),
    ],
)
async def test_the_form_of_a_file_is_kept_and_undone(
    ctx: Context, work: Path, before: bytes, content: str, after: bytes
) -> None:
    target = work / "f"
    target.write_bytes(before)
    target.chmod(0o751)
    assert await write(ctx, "f", content) == "M f"
    assert snapshot(work) == {"f": (after, 0o751)}
    assert undo_last(ctx.memory, ctx.cwd) == ["f"]
    assert snapshot(work) == {"f": (before, 0o751)}


async def test_a_link_stays_a_link(ctx: Context, work: Path) -> None:
    (work / "real").write_text("1")
    (work / "link").symlink_to("real")
    assert await write(ctx, "link", "2") == "M real"
    assert (work / "link").is_symlink()
    assert (work / "real").read_text() == "2"


@pytest.mark.parametrize(
    "path",
    ["../out", "a/../../out", "/etc/oi-test", "~/oi-test", "way/out", "way", "deep/way/x/y", "./../work2/x"],
)
async def test_nothing_leaves_the_workspace(ctx: Context, work: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "work2").mkdir()  # its name begins with the workspace's
    (work / "way").symlink_to(tmp_path)
    (work / "deep").mkdir()
    (work / "deep/way").symlink_to("../../work2")
    before = snapshot(tmp_path)
    preview = get("write").preview(ctx, path=path, content="x")
    assert "lies outside the workspace" in preview.error
    result = await get("write").run(ctx, path=path, content="x")
    assert not result.ok
    assert snapshot(tmp_path) == before
    ctx.memory["outside_ok"] = True
    if path == "../out":
        assert (await get("write").run(ctx, path=path, content="x")).text == f"A {tmp_path / 'out'}"
        assert (tmp_path / "out").read_text() == "x"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("folder", "folder is a folder, not a file"),
        ("new/", "new/ names a folder"),
        ("file/below", "file is a file, so file/below cannot lie in it"),
        ("pipe", "a named pipe"),
        ("circle", "circle of symbolic links"),
        ("a\0b", "NUL"),
        ("", "path is empty"),
        ("file", "already has exactly this content"),
        ("n" * 300, "name too long"),
        ("a\ud800", "is no path"),
    ],
)
async def test_what_cannot_be_written(ctx: Context, work: Path, path: str, says: str) -> None:
    (work / "folder").mkdir()
    (work / "file").write_text("x")
    os.mkfifo(work / "pipe")
    (work / "circle").symlink_to("circle")
    result = await get("write").run(ctx, path=path, content="x")
    assert not result.ok
    assert says in result.text
    assert ctx.memory.get("undo") is None
    assert sorted(one.name for one in work.iterdir()) == ["circle", "file", "folder", "pipe"]


async def test_lone_surrogates_are_no_text(ctx: Context, work: Path) -> None:
    result = await get("write").run(ctx, path="f", content="a\ud800")
    assert (result.ok, "not valid text" in result.text) == (False, True)
    assert not (work / "f").exists()


async def test_what_changed_since_it_was_read_is_not_overwritten(ctx: Context, work: Path) -> None:
    (work / "f").write_text("mine")
    await get("read").run(ctx, path="f")
    (work / "f").write_text("somebody else's")
    assert "has changed on disk since you read it" in get("write").preview(ctx, path="f", content="new").error
    await get("read").run(ctx, path="f")
    assert await write(ctx, "f", "new") == "M f"
    assert await write(replace(ctx, call_id="c2"), "f", "newer") == "M f"  # own changes are known


async def test_a_decision_holds_for_what_was_shown_only(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "f").write_text("one\n")
    assert get("write").preview(ctx, path="f", content="two\n").error == ""
    (work / "f").write_text("1\n")
    result = await get("write").run(ctx, path="f", content="two\n")
    assert (result.ok, "no longer as it was" in result.text) == (False, True)
    assert (work / "f").read_text() == "1\n"
    assert events == []


async def test_a_full_disk_changes_nothing(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "f").write_text("old")
    with file_size_limit(1000):
        result = await get("write").run(ctx, path="f", content="x" * 5000)
    assert (result.ok, "too large" in result.text) == (False, True)
    assert snapshot(work).keys() == {"f"}
    assert (work / "f").read_text() == "old"
    assert events == []
    assert "undo" not in ctx.memory


async def test_protected_files_and_folders_are_left_alone(ctx: Context) -> None:
    with as_nobody() as folder:
        (folder / "locked.txt").write_text("old")
        (folder / "locked.txt").chmod(0o444)
        (folder / "shut").mkdir()
        (folder / "shut/f").write_text("old")
        (folder / "shut").chmod(0o555)
        here = replace(ctx, cwd=str(folder))
        locked = await get("write").run(here, path="locked.txt", content="new")
        shut = await get("write").run(here, path="shut/f", content="new")
        fresh = await get("write").run(here, path="shut/g/h", content="new")
        texts = (folder / "locked.txt").read_text(), (folder / "shut/f").read_text()
        names = sorted(one.name for one in (folder / "shut").iterdir())
        (folder / "shut").chmod(0o755)
    assert "is write-protected" in locked.text
    assert "permission denied" in shut.text
    assert "permission denied" in fresh.text
    assert texts == ("old", "old")
    assert names == ["f"]


async def test_undo_refuses_what_would_lose_work(ctx: Context, work: Path) -> None:
    (work / "f").write_text("one")
    await write(ctx, "f", "two")
    (work / "f").write_text("three, by hand")
    with pytest.raises(UndoRefused, match=r"^f has changed since"):
        undo_last(ctx.memory, ctx.cwd)
    assert (work / "f").read_text() == "three, by hand"
    (work / "f").unlink()
    os.mkfifo(work / "f")
    with pytest.raises(UndoRefused, match="named pipe"):
        undo_last(ctx.memory, ctx.cwd)
    (work / "f").unlink()
    (work / "f").write_text("two")
    assert undo_last(ctx.memory, ctx.cwd) == ["f"]
    assert (work / "f").read_text() == "one"


async def test_undo_goes_back_step_by_step_but_not_for_ever(
    ctx: Context, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_stack, "KEPT_GROUPS", 10)
    for number in range(14):
        await write(replace(ctx, call_id=str(number)), "f", str(number))
    assert len(ctx.memory["undo"]) == 10
    assert len(ctx.memory["previews"]) == 0
    for number in range(13, 3, -1):
        assert (work / "f").read_text() == str(number)
        assert undo_last(ctx.memory, ctx.cwd) == ["f"]
    assert undo_last(ctx.memory, ctx.cwd) == []


async def test_extended_attributes_stay(ctx: Context, work: Path) -> None:
    (work / "f").write_text("old")
    try:
        os.setxattr(work / "f", "user.oi", b"kept")
    except (OSError, AttributeError):
        pytest.skip("this file system has no extended attributes")
    await write(ctx, "f", "new")
    assert os.getxattr(work / "f", "user.oi") == b"kept"
