"""Executors `edit`, `insert`, `undo_edit`, `notebook` and the modes of `write`, on files as they really are."""

from __future__ import annotations

import codecs
import json
import os
from pathlib import Path
from typing import Any

import pytest

from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import Event, FileChanged
from oi_tui.tools import Context, get
from tests.tools.disk import as_nobody, snapshot


async def do(ctx: Context, name: str, **arguments: Any) -> Result:
    """Preview, then run, as the session does; insists that it worked."""
    preview = get(name).preview(ctx, **arguments)
    assert preview.error == "", preview.error
    result = await get(name).run(ctx, **arguments)
    assert result.ok, result.text
    return result


async def refused(ctx: Context, work: Path, name: str, **arguments: Any) -> Result:
    """Insists that nothing is changed, and that preview and run say the same."""
    before = snapshot(work)
    preview = get(name).preview(ctx, **arguments)
    result = await get(name).run(ctx, **arguments)
    assert not result.ok
    assert (preview.error, preview.facts["error"]) == (result.text, result.meta["error"])
    assert snapshot(work) == before
    return result


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "A\nB", b"A\r\nB\r\nc\r\n"),
        (b"a\r\nb\nc\r\nd\n", "b\nc", "B\nC\nX", b"a\r\nB\nC\nX\r\nd\n"),
        (b"a\r\nb\r\nc\n", "a\nb", "A\nB", b"A\r\nB\r\nc\n"),
        (codecs.BOM_UTF8 + b"a b", "a", "c", codecs.BOM_UTF8 + b"c b"),
        ("x\ny\n".encode("utf-16"), "y", "é", codecs.BOM_UTF16_LE + "x\né\n".encode("utf-16-le")),
        (b"no end", "end", "line end", b"no line end"),
        (b"caf\xe9 1\n", "1", "2", b"caf\xe9 2\n"),
        (b"ok \xff\n\xc3\xa9\xc3\xa9 1\n", "1", "2", b"ok \xff\n\xc3\xa9\xc3\xa9 2\n"),
        (b"a\n", "a\n", "", b""),
        (b"\\1 \\g<0> $1", "$1", "\\1", b"\\1 \\g<0> \\1"),
    ],
)
async def test_all_else_stays(ctx: Context, work: Path, before: bytes, old: str, new: str, after: bytes) -> None:
    file = work / "my ü file.txt"
    file.write_bytes(before)
    file.chmod(0o640)
    await do(ctx, "edit", path="sub/../my ü file.txt", old=old, new=new)
    assert snapshot(work) == {"my ü file.txt": (after, 0o640)}
    await do(ctx, "undo_edit", path="my ü file.txt")
    assert snapshot(work) == {"my ü file.txt": (before, 0o640)}


async def test_what_is_told_of_an_edit(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "f").write_text("".join(f"{one}\n" for one in range(1, 21)))
    result = await do(ctx, "edit", path="f", old="10\n", new="ten\nand\n")
    meta = result.meta
    assert (meta["replaced"], meta["line"], meta["total"], meta["path"]) == (1, 10, 21, "f")
    assert (meta["snippet_first"], meta["snippet"]) == (6, "6\n7\n8\n9\nten\nand\n11\n12\n13\n14")
    assert meta["diff"].startswith("--- a/f\n+++ b/f\n@@ -7,7 +7,8 @@\n")
    assert [one.kind for one in events if isinstance(one, FileChanged)] == ["update"]


async def test_several_edits_all_or_none(ctx: Context, work: Path) -> None:
    (work / "f").write_text("a b a\n")
    edits = [{"old": "a", "new": "x", "replace_all": True}, {"old": "x b", "new": "y"}]
    assert (await do(ctx, "edit", path="f", edits=edits)).meta["replaced"] == 3
    assert (work / "f").read_text() == "y x\n"
    bad = await refused(ctx, work, "edit", path="f", edits=[{"old": "y", "new": "z"}, {"old": "nope", "new": ""}])
    assert (bad.meta["error"], bad.meta["edit"]) == ("no_match", 2)
    assert "edit 2: " in bad.text
    for edits in ([1], [{"old": "a"}], [{"old": 1, "new": "x"}]):
        assert (await refused(ctx, work, "edit", path="f", edits=edits)).meta["error"] == "argument"


async def test_nothing_is_guessed(ctx: Context, work: Path) -> None:
    (work / "f").write_text("def a():\n    return 1\n\ndef b():\n    return 1\n")
    twice = await refused(ctx, work, "edit", path="f", old="return 1", new="return 2")
    assert (twice.meta["error"], twice.meta["count"], twice.meta["lines"]) == ("ambiguous", 2, [2, 5])
    near = await refused(ctx, work, "edit", path="f", old="def a():\n\treturn 1", new="x")
    assert near.meta["error"] == "no_match"
    assert "lines 1-2 differ from it only in white space" in near.text
    part = await refused(ctx, work, "edit", path="f", old="def b():\n    return 2", new="x")
    assert "its first line is at line 4" in part.text
    same = await refused(ctx, work, "edit", path="f", old="def a", new="def a")
    assert same.meta["error"] == "unchanged"
    assert (await refused(ctx, work, "edit", path="f", old="", new="x")).meta["error"] == "argument"
    assert (await refused(ctx, work, "edit", path="gone", old="a", new="x")).meta["error"] == "missing"
    await do(ctx, "edit", path="f", old="return 1", new="return 2", first_only=True)
    assert (work / "f").read_text().count("return 2") == 1


async def test_read_before_and_changed_since(ctx: Context, work: Path) -> None:
    (work / "f").write_text("a\n")
    asked = {"path": "f", "old": "a", "new": "b", "read_first": True}
    assert (await refused(ctx, work, "edit", **asked)).meta["error"] == "not_read"
    whole = {"path": "f", "content": "c", "read_first": True}
    assert (await refused(ctx, work, "write", **whole)).meta["error"] == "not_read"
    await do(ctx, "read", path="f")
    await do(ctx, "edit", **asked)
    await do(ctx, "edit", path="f", old="b", new="a", read_first=True)
    (work / "f").write_text("a, and more of it\n")
    assert (await refused(ctx, work, "edit", **asked)).meta["error"] == "changed"
    assert (await refused(ctx, work, "insert", path="f", line=0, text="x")).meta["error"] == "changed"
    assert (await refused(ctx, work, "undo_edit", path="f")).meta["error"] == "changed"


async def test_an_empty_old_text_makes_a_file(ctx: Context, work: Path) -> None:
    result = await do(ctx, "edit", path="new/f", old="", new="x\n", create=True)
    assert (result.text, (work / "new/f").read_text()) == ("A new/f", "x\n")
    there = await refused(ctx, work, "edit", path="new/f", old="", new="y", create=True)
    assert there.meta["error"] == "exists"
    await do(ctx, "undo_edit", path="new/f")
    assert not (work / "new/f").exists()


@pytest.mark.parametrize(
    ("before", "line", "text", "after"),
    [
        (b"a\nb\n", 0, "x", b"x\na\nb\n"),
        (b"a\nb\n", 1, "x\n", b"a\nx\nb\n"),
        (b"a\nb\n", 2, "x\ny\n", b"a\nb\nx\ny\n"),
        (b"a\nb", 2, "x", b"a\nb\nx"),
        (b"", 0, "x\n", b"x\n"),
        (b"a\r\nb\r\n", 1, "x\ny", b"a\r\nx\r\ny\r\nb\r\n"),
        (b"a\r\nb\nc\r\n", 1, "x", b"a\r\nx\r\nb\nc\r\n"),
    ],
)
async def test_insert(ctx: Context, work: Path, before: bytes, line: int, text: str, after: bytes) -> None:
    (work / "f").write_bytes(before)
    result = await do(ctx, "insert", path="f", line=line, text=text)
    assert (work / "f").read_bytes() == after
    assert result.meta["line"] == line + 1
    beyond = await refused(ctx, work, "insert", path="f", line=99, text="x")
    assert beyond.meta["error"] == "end"


async def test_undo_goes_back_step_by_step(ctx: Context, work: Path) -> None:
    (work / "f").write_text("1")
    (work / "g").write_text("other")
    for old, new in (("1", "2"), ("2", "3"), ("3", "4")):
        await do(ctx, "edit", path="f", old=old, new=new)
    await do(ctx, "edit", path="g", old="other", new="o")
    await do(ctx, "undo_edit", path="f")
    assert (work / "f").read_text() == "3"
    await do(ctx, "edit", path="f", old="3", new="5")
    for expected in ("3", "2", "1"):
        await do(ctx, "undo_edit", path="f")
        assert (work / "f").read_text() == expected
    assert (await refused(ctx, work, "undo_edit", path="f")).meta["error"] == "missing"
    assert (work / "g").read_text() == "o"


async def test_links_binaries_folders_and_places_outside(ctx: Context, work: Path, tmp_path: Path) -> None:
    (work / "real").write_text("a")
    (work / "link").symlink_to("real")
    await do(ctx, "edit", path="link", old="a", new="b")
    assert ((work / "link").is_symlink(), (work / "real").read_text()) == (True, "b")
    (tmp_path / "out").write_text("a")
    (work / "way").symlink_to(tmp_path)
    for path in ("../out", "way/out", str(tmp_path / "out")):
        assert (await refused(ctx, work, "edit", path=path, old="a", new="b")).meta["error"] == "outside"
        assert (await refused(ctx, work, "insert", path=path, line=0, text="b")).meta["error"] == "outside"
    ctx.memory["outside_ok"] = True
    await do(ctx, "edit", path="../out", old="a", new="b")
    (work / "bin").write_bytes(b"\0\1a\2")
    assert (await refused(ctx, work, "edit", path="bin", old="a", new="b")).meta["error"] == "kind"
    assert (await refused(ctx, work, "edit", path=".", old="a", new="b")).meta["error"] == "kind"
    os.mkfifo(work / "pipe")
    assert (await refused(ctx, work, "edit", path="pipe", old="a", new="b")).meta["error"] == "kind"


async def test_a_file_that_may_not_be_written(ctx: Context) -> None:
    with as_nobody() as folder:
        (folder / "f").write_text("a")
        (folder / "f").chmod(0o444)
        ctx.cwd = str(folder)
        assert (await refused(ctx, folder, "edit", path="f", old="a", new="b")).meta["error"] == "protected"


async def test_a_character_that_the_file_cannot_hold(ctx: Context, work: Path) -> None:
    (work / "f").write_bytes(b"caf\xe9\n")
    assert "latin-1 has no '€'" in (await refused(ctx, work, "edit", path="f", old="caf", new="€")).text


async def test_writing_at_the_end_and_only_new_files(ctx: Context, work: Path) -> None:
    (work / "f").write_bytes(codecs.BOM_UTF8 + b"a\r\nb\r\n")
    result = await do(ctx, "write", path="f", content="c\n", mode="append")
    assert (work / "f").read_bytes() == codecs.BOM_UTF8 + b"a\r\nb\r\nc\r\n"
    assert (result.meta["bytes"], result.meta["created"]) == (3, False)
    made = await do(ctx, "write", path="new", content="é", mode="append")
    assert (made.meta["bytes"], made.meta["created"]) == (2, True)
    assert (await refused(ctx, work, "write", path="f", content="x", mode="create")).meta["error"] == "exists"
    assert (await refused(ctx, work, "write", path="f", content="x", mode="?")).meta["error"] == "argument"
    nowhere = {"path": "no/f", "content": "x", "make_folders": False}
    assert (await refused(ctx, work, "write", **nowhere)).meta["error"] == "missing"


async def test_cells_of_a_notebook(ctx: Context, work: Path) -> None:
    cells = [
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# ü\n"]},
        {"cell_type": "code", "id": "c", "metadata": {}, "source": ["1"], "execution_count": 3, "outputs": [{"x": 1}]},
    ]
    book = {"cells": cells, "metadata": {"k": 1}, "nbformat": 4, "nbformat_minor": 5}
    file = work / "n.ipynb"
    file.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    before = file.read_bytes()
    result = await do(ctx, "notebook", path="n.ipynb", cell="c", source="a\nb")
    now = json.loads(file.read_text())
    assert (now["cells"][1]["source"], now["cells"][1]["outputs"]) == (["a\n", "b"], [])
    assert (now["cells"][0], now["metadata"], result.meta["cell"]) == (cells[0], {"k": 1}, "c")
    assert len(result.meta["diff"].splitlines()) < 30  # nothing else of the file moves
    added = await do(ctx, "notebook", path="n.ipynb", cell="0", source="new", mode="insert", kind="markdown")
    now = json.loads(file.read_text())
    assert ([one["id"] for one in now["cells"]], added.meta["cells"]) == (["m", added.meta["cell"], "c"], 3)
    assert "outputs" not in now["cells"][1]
    await do(ctx, "notebook", path="n.ipynb", cell=added.meta["cell"], mode="delete")
    await do(ctx, "undo_edit", path="n.ipynb")
    await do(ctx, "undo_edit", path="n.ipynb")
    await do(ctx, "undo_edit", path="n.ipynb")
    assert file.read_bytes() == before
    assert (await refused(ctx, work, "notebook", path="n.ipynb", cell="9", source="x")).meta["error"] == "missing"
    (work / "t.ipynb").write_text("[]")
    assert (await refused(ctx, work, "notebook", path="t.ipynb", cell="0", source="x")).meta["error"] == "kind"
