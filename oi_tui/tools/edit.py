"""Executor `edit`: exact text in a file replaced by other text; several replacements at once, all or none.

Nothing is guessed: a text that is not there, or there more than once, is refused with where it nearly is or where it
is. Line ends are the file's: a text with LF fits a file with CR LF.
"""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.calls import Result
from oi_tui.tools import changes, file_edits
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.replacing import Replacement, around, replaced
from oi_tui.tools.text_files import CannotEncode, Form, encode


def preview(
    ctx: Context,
    path: str,
    old: str = "",
    new: str = "",
    replace_all: bool = False,
    edits: list[Any] = [],  # noqa: B006 - read only
    first_only: bool = False,
    create: bool = False,
    read_first: bool = False,
) -> Preview:
    """old, new: exact texts; or edits: objects with `old`, `new` and perhaps `replace_all`, applied in order. See
    README.md and `base.Executor`."""
    wanted = _wanted(old, new, replace_all, edits)
    return file_edits.preview_of(ctx, [_edit(ctx, path, wanted, first_only, create, read_first)[0]])


async def run(
    ctx: Context,
    path: str,
    old: str = "",
    new: str = "",
    replace_all: bool = False,
    edits: list[Any] = [],  # noqa: B006 - read only
    first_only: bool = False,
    create: bool = False,
    read_first: bool = False,
) -> Result:
    """Make it. Text as `file_edits.make`; meta also `replaced`, `line`, `total`, `snippet`, `snippet_first`."""
    wanted = _wanted(old, new, replace_all, edits)
    edit, facts = _edit(ctx, path, wanted, first_only, create, read_first)
    result = await file_edits.make(ctx, [edit])
    if result.ok:
        result.meta.update(facts)
    return result


def _wanted(old: str, new: str, replace_all: bool, edits: list[Any]) -> list[Replacement]:
    if not edits:
        return [Replacement(old, new, replace_all)]
    if old or new:
        raise BadArgument("give old and new, or edits, not both")
    wanted: list[Replacement] = []
    for number, one in enumerate(edits, 1):
        every = one.get("replace_all", False) if isinstance(one, dict) else None
        if every is None or not isinstance(one.get("old"), str) or not isinstance(one.get("new"), str):
            raise BadArgument(f"edit {number} must be an object with old and new, both text")
        wanted.append(Replacement(one["old"], one["new"], every is True or every == "true"))
    return wanted


def _edit(
    ctx: Context, path: str, wanted: list[Replacement], first_only: bool, create: bool, read_first: bool
) -> tuple[file_edits.Edit, dict[str, Any]]:
    resolved = file_edits.target(ctx, path)
    was = file_edits.content(resolved)
    makes = create and not wanted[0].old
    if was.data is None:
        if not makes:
            raise BadArgument(f"{path} does not exist", "missing")
        text, count = wanted[0].new, 1
        if len(wanted) > 1:
            text, more = replaced(text, wanted[1:], path, first_only)
            count += more
    elif was.text is None:
        raise BadArgument(f"{path} is not text; change it with code", "kind")
    elif makes and was.text:
        raise BadArgument(f"{path} exists already; say which text in it is to be replaced", "exists")
    else:
        file_edits.check_known(ctx, resolved, path, read_first)
        rest = wanted[1:] if makes else wanted
        text, count = replaced(wanted[0].new if makes else was.text, rest, path, first_only)
    data = encoded(text, was.form, path)
    if data == was.data:
        raise BadArgument(f"{path} would stay as it is: old and new are the same", "unchanged")
    diff = file_edits.diff_of(ctx, was, file_edits.as_content(data), resolved)
    edit = file_edits.Edit(resolved, was.data, data, diff, mode=changes.mode_of(resolved))
    return edit, {"replaced": count, **around(was.text or "", text)}


def encoded(text: str, form: Form, path: str) -> bytes:
    """The bytes of a changed text in the file's own form. Raises BadArgument where that lacks a character."""
    try:
        return encode(text, form)
    except CannotEncode as error:
        raise BadArgument(f"cannot change {path}: {error}; write the whole file to change its encoding") from error
