"""Executor `write`: the whole content of one file, or more at its end.

An existing file keeps its encoding, byte order mark, line ends and permission bits; missing folders are made. A file
that changed on disk since this session last read it is not overwritten unseen.
"""

from __future__ import annotations

from pathlib import Path

from oi_tui.protocol.calls import Result
from oi_tui.tools import changes, file_edits
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.text_files import CannotEncode, Form, encode

MODES = ("overwrite", "append", "create")


def preview(
    ctx: Context, path: str, content: str, mode: str = "overwrite", read_first: bool = False, make_folders: bool = True
) -> Preview:
    """path: relative to the workspace or absolute. content: the whole new text, or what is added. mode: one of MODES;
    `create` refuses a file that exists. read_first: refuse to overwrite what was not read. See `base.Executor`."""
    return file_edits.preview_of(ctx, [_edit(ctx, path, content, mode, read_first, make_folders)])


async def run(
    ctx: Context, path: str, content: str, mode: str = "overwrite", read_first: bool = False, make_folders: bool = True
) -> Result:
    """Write it. Text of the result: `A path` or `M path`; see `file_edits.make` for meta; meta["bytes"] of `content` as
    it lies on the disk, meta["created"]."""
    edit = _edit(ctx, path, content, mode, read_first, make_folders)
    result = await file_edits.make(ctx, [edit])
    added = edit.after or b""
    if mode == "append" and edit.before:
        added = added[len(edit.before) :]
    result.meta.update(bytes=len(added), created=edit.before is None)
    return result


def _edit(ctx: Context, path: str, text: str, mode: str, read_first: bool, make_folders: bool) -> file_edits.Edit:
    if mode not in MODES:
        raise BadArgument(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    resolved = file_edits.target(ctx, path)
    if not make_folders and not Path(resolved).parent.is_dir():
        raise BadArgument(f"the folder of {path} does not exist", "missing")
    old = file_edits.content(resolved)
    if old.data is not None:
        if mode == "create":
            raise BadArgument(f"{path} exists already; it is not overwritten", "exists")
        if mode == "overwrite":
            file_edits.check_known(ctx, resolved, path, read_first)
    data = _added(old, text, path) if mode == "append" and old.data else _encoded(text, old.form)
    if data == old.data:
        raise BadArgument(f"{path} already has exactly this content; nothing to change", "unchanged")
    diff = file_edits.diff_of(ctx, old, file_edits.as_content(data), resolved)
    return file_edits.Edit(resolved, old.data, data, diff, mode=changes.mode_of(resolved))


def _added(old: file_edits.Content, text: str, path: str) -> bytes:
    """The bytes of a file with `text` at its end; what was there stays byte for byte."""
    if old.text is None:
        raise BadArgument(f"{path} is not text; nothing is added to it", "kind")
    form = old.form
    try:
        more = encode(text, Form(form.encoding, b"", form.errors, form.crlf))
    except CannotEncode as error:
        raise BadArgument(f"nothing was added to {path}: {error}") from error
    return (old.data or b"") + more


def _encoded(text: str, form: Form) -> bytes:
    """In the file's own form; in UTF-8 if that form lacks a character (the diff then shows what becomes of it)."""
    try:
        return encode(text, form)
    except CannotEncode:
        pass
    try:
        return encode(text, Form(crlf=form.crlf))
    except CannotEncode as error:
        raise BadArgument(f"content is not valid text: {error}") from error
