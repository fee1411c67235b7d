"""Executor `undo_edit`: takes back the last change that this session made to one file; called again, the one before."""

from __future__ import annotations

from oi_tui.protocol.calls import Result
from oi_tui.tools import changes, file_edits
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.places import shown
from oi_tui.tools.undo_stack import stack_of


def preview(ctx: Context, path: str) -> Preview:
    """path: of the file. See `base.Executor`."""
    return file_edits.preview_of(ctx, [_edit(ctx, path)])


async def run(ctx: Context, path: str) -> Result:
    """Take it back; the result is that of `file_edits.make`."""
    return await file_edits.make(ctx, [_edit(ctx, path)], undid=True)


def _edit(ctx: Context, path: str) -> file_edits.Edit:
    resolved = file_edits.target(ctx, path)
    change = _last(ctx, resolved)
    if change is None:
        raise BadArgument(f"this session has no change of {shown(ctx, resolved)} to take back", "missing")
    now = file_edits.content(resolved)
    if now.data != change.after:
        raise BadArgument(f"{path} has changed since; undo would lose that", "changed")
    before = file_edits.Content(None, None) if change.before is None else file_edits.as_content(change.before)
    mode = changes.mode_of(resolved)
    diff = file_edits.diff_of(ctx, now, before, resolved)
    return file_edits.Edit(resolved, now.data, change.before, diff, mode=change.mode if mode is None else mode)


def _last(ctx: Context, resolved: str) -> changes.Change | None:
    """The newest change of the file that was not taken back."""
    taken_back = 0
    for group in reversed(stack_of(ctx.memory)):
        for change in group.changes:
            if change.path != resolved:
                continue
            if group.undid:
                taken_back += 1
            elif taken_back:
                taken_back -= 1
            else:
                return change
    return None
