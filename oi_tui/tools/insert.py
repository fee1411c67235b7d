"""Executor `insert`: lines put into a text file after a given line."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools import changes, file_edits
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.edit import encoded
from oi_tui.tools.replacing import around


def preview(ctx: Context, path: str, line: int, text: str) -> Preview:
    """line: after which the text comes, from 1; 0 for the top. See `base.Executor`."""
    return file_edits.preview_of(ctx, [_edit(ctx, path, line, text)[0]])


async def run(ctx: Context, path: str, line: int, text: str) -> Result:
    """Insert it. Text as `file_edits.make`; meta also `line`, `total`, `snippet`, `snippet_first`."""
    edit, facts = _edit(ctx, path, line, text)
    result = await file_edits.make(ctx, [edit])
    if result.ok:
        result.meta.update(facts)
    return result


def _edit(ctx: Context, path: str, line: int, text: str) -> tuple[file_edits.Edit, dict[str, Any]]:
    resolved = file_edits.target(ctx, path)
    was = file_edits.content(resolved)
    if was.data is None:
        raise BadArgument(f"{path} does not exist", "missing")
    if was.text is None:
        raise BadArgument(f"{path} is not text; change it with code", "kind")
    file_edits.check_known(ctx, resolved, path, read_first=False)
    rows = was.text.split("\n")
    ended = rows[-1] == ""
    total = len(rows) - ended
    if not 0 <= line <= total:
        raise BadArgument(f"line must be between 0 and {total}, the lines of {path}, not {line}", "end", total=total)
    if not text:
        raise BadArgument("there is no text to insert")
    ending = "\r\n" if "\r\n" in was.text and not was.form.crlf else "\n"
    added = text.replace("\r\n", "\n").removesuffix("\n").replace("\n", ending)
    if ending == "\r\n" and (line < total or ended):
        added += "\r"
    now = "\n".join([*rows[:line], added, *rows[line:]])
    data = encoded(now, was.form, path)
    diff = file_edits.diff_of(ctx, was, file_edits.as_content(data), resolved)
    edit = file_edits.Edit(resolved, was.data, data, diff, mode=changes.mode_of(resolved))
    return edit, {**around(was.text, now), "line": line + 1}
