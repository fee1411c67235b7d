"""Executor `notebook`: one cell of a Jupyter notebook replaced, put in or taken out."""

from __future__ import annotations

import hashlib
from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools import changes, file_edits, notebooks
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.edit import encoded

MODES = ("replace", "insert", "delete")
KINDS = ("code", "markdown", "raw")


def preview(
    ctx: Context, path: str, source: str = "", cell: str = "", kind: str = "", mode: str = "replace"
) -> Preview:
    """cell: id, or number from 0; for `insert` the one before, none for the top. kind: one of KINDS. See README.md."""
    return file_edits.preview_of(ctx, [_edit(ctx, path, source, cell, kind, mode)[0]])


async def run(
    ctx: Context, path: str, source: str = "", cell: str = "", kind: str = "", mode: str = "replace"
) -> Result:
    """Change it. Text as `file_edits.make`; meta also `cell` (id or number) and `cells` (how many there are now)."""
    edit, facts = _edit(ctx, path, source, cell, kind, mode)
    result = await file_edits.make(ctx, [edit])
    if result.ok:
        result.meta.update(facts)
    return result


def _edit(
    ctx: Context, path: str, source: str, cell: str, kind: str, mode: str
) -> tuple[file_edits.Edit, dict[str, Any]]:
    if mode not in MODES:
        raise BadArgument(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if kind and kind not in KINDS:
        raise BadArgument(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    resolved = file_edits.target(ctx, path)
    was = file_edits.content(resolved)
    if was.data is None:
        raise BadArgument(f"{path} does not exist", "missing")
    book = notebooks.load(was.text) if was.text is not None else None
    if book is None or was.text is None:
        raise BadArgument(f"{path} is no notebook", "kind")
    file_edits.check_known(ctx, resolved, path, read_first=False)
    cells: list[dict[str, Any]] = book["cells"]
    name = _changed(book, cells, source, cell, kind, mode, ctx.call_id)
    data = encoded(notebooks.dump(book, was.text), was.form, path)
    if data == was.data:
        raise BadArgument(f"{path} would stay as it is", "unchanged")
    diff = file_edits.diff_of(ctx, was, file_edits.as_content(data), resolved)
    edit = file_edits.Edit(resolved, was.data, data, diff, mode=changes.mode_of(resolved))
    return edit, {"cell": name, "cells": len(cells)}


def _changed(
    book: dict[str, Any], cells: list[dict[str, Any]], source: str, cell: str, kind: str, mode: str, seed: str
) -> str:
    """Change `cells` in place; the id or number of the cell. seed: what a new id is made from: the preview and the
    change must agree on it."""
    if mode == "insert":
        at = _index(cells, cell) + 1 if cell else 0
        made: dict[str, Any] = {"cell_type": kind or "code", "metadata": {}, "source": notebooks.lines_of(source)}
        if (book.get("nbformat", 4), book.get("nbformat_minor", 0)) >= (4, 5):
            made = {"cell_type": made.pop("cell_type"), "id": _new_id(cells, seed + source), **made}
        _dress(made)
        cells.insert(at, made)
    else:
        at = _index(cells, cell)
        if mode == "delete":
            return str(cells.pop(at).get("id", at))
        if kind:
            cells[at]["cell_type"] = kind
        cells[at]["source"] = notebooks.lines_of(source)
        _dress(cells[at])
    return str(cells[at].get("id", at))


def _new_id(cells: list[dict[str, Any]], seed: str) -> str:
    taken = {one.get("id") for one in cells}
    made = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()
    return next(made[at : at + 8] for at in range(56) if made[at : at + 8] not in taken)


def _dress(cell: dict[str, Any]) -> None:
    """The keys that a cell of its kind must have and may have; old output says nothing of new code."""
    if cell["cell_type"] == "code":
        cell.update(execution_count=None, outputs=[])
    else:
        cell.pop("execution_count", None)
        cell.pop("outputs", None)


def _index(cells: list[dict[str, Any]], cell: str) -> int:
    if not cell:
        raise BadArgument("say which cell")
    for index, one in enumerate(cells):
        if one.get("id") == cell:
            return index
    number = cell.removeprefix("cell-")
    if number.isdecimal() and int(number) < len(cells):
        return int(number)
    raise BadArgument(f"there is no cell {cell!r}; the notebook has {len(cells)}", "missing", cells=len(cells))
