"""What the executors that change files share: contents as text, their diff for the person, and making the change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import FileChanged
from oi_tui.tools import changes, diffs
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument, failure
from oi_tui.tools.places import read_regular, shown, writable
from oi_tui.tools.text_files import Form, NotText, decode
from oi_tui.tools.undo_stack import stack_of

_KEPT_PREVIEWS = 32
_LONGEST_DIFF = 20_000  # characters kept with the history


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it is: `data` None where there is none; `text` None where it is not text."""

    data: bytes | None
    text: str | None
    form: Form = field(default_factory=Form)


@dataclass(frozen=True, slots=True)
class Edit:
    """One file that is to change. moved_from: the path it had, for a move (`before` is then what the old path held)."""

    path: str
    before: bytes | None
    after: bytes | None
    diff: str
    moved_from: str = ""
    mode: int | None = None

    @property
    def kind(self) -> Literal["add", "update", "delete"]:
        if self.after is None:
            return "delete"
        return "add" if self.before is None else "update"

    def changes(self) -> list[changes.Change]:
        if self.moved_from:
            return [
                changes.Change(self.path, None, self.after, self.mode),
                changes.Change(self.moved_from, self.before, None, self.mode),
            ]
        return [changes.Change(self.path, self.before, self.after, self.mode)]


def check_known(ctx: Context, resolved: str, path: str, read_first: bool) -> None:
    """Raise BadArgument when an existing file changed on disk since this session last read or wrote it, or, with
    `read_first`, when it never did."""
    known = ctx.memory.get("read", {}).get(resolved)
    if known is None:
        if read_first:
            raise BadArgument(f"{path} has not been read in this session; read it before changing it", "not_read")
        return
    status = Path(resolved).stat()
    if known != (status.st_mtime_ns, status.st_size):
        raise BadArgument(f"{path} has changed on disk since you read it; read it again before changing it", "changed")


def target(ctx: Context, path: str) -> str:
    """`places.writable`, also checked for a file in the way of its folders. Raises BadArgument."""
    resolved = writable(ctx, path)
    in_the_way = parent_is_file(resolved)
    if in_the_way:
        raise BadArgument(f"{shown(ctx, in_the_way)} is a file, so {path} cannot lie in it", "kind")
    return resolved


def content(resolved: str) -> Content:
    """What a path holds now. Raises OSError, BadArgument as `read_regular` does."""
    try:
        data = read_regular(resolved)
    except (FileNotFoundError, NotADirectoryError):
        return Content(None, None)
    return as_content(data)


def as_content(data: bytes) -> Content:
    """Bytes with their text, if they are text."""
    try:
        text, form = decode(data)
    except NotText:
        return Content(data, None)
    return Content(data, text, form)


def diff_of(ctx: Context, old: Content, new: Content, path: str, moved_from: str = "") -> str:
    """The unified diff a person decides on. Bytes that are no text are told by their number."""
    name, old_name = shown(ctx, path), shown(ctx, moved_from or path)
    move = f"rename from {old_name}\nrename to {name}\n" if moved_from else ""
    if (old.data is not None and old.text is None) or (new.data is not None and new.text is None):
        sizes = [f"{len(one.data):,} bytes" if one.data is not None else "no file" for one in (old, new)]
        return f"{move}Binary file {name}: {sizes[0]} before, {sizes[1]} after\n"
    text = diffs.unified(old.text, new.text, old_name, name)
    if not text and not move and old.data != new.data:
        return (
            f"--- a/{name}\n+++ b/{name}\n(line ends or byte order mark change: {old.form.name} -> {new.form.name})\n"
        )
    return move + text


def preview_of(ctx: Context, edits: Sequence[Edit]) -> Preview:
    """The preview of some edits; remembered under the call's id, so that `make` can tell if the files changed since."""
    text = "".join(edit.diff for edit in edits)
    previews: dict[str, str] = ctx.memory.setdefault("previews", {})
    previews[ctx.call_id] = text
    while len(previews) > _KEPT_PREVIEWS:  # those that were turned down are never fetched
        del previews[next(iter(previews))]
    writes = tuple(path for edit in edits for path in (edit.path, edit.moved_from) if path)
    reads = tuple(edit.moved_from or edit.path for edit in edits if edit.before is not None)
    return Preview("file", "diff", text, _what(ctx, edits), writes, reads)


async def make(ctx: Context, edits: Sequence[Edit], *, undid: bool = False) -> Result:
    """Make the edits, all or none; publish them and put them on the undo stack.

    The result's text has one line a file (`A path`, `M path`, `D path`); meta["changes"] the same as objects with
    kind, path, added, removed and moved_from; meta["path"] the first of them, meta["diff"] the diff, cut if it is very
    long; meta["summary"] the lines in all (`+3 -1`). undid: they take back earlier ones. Raises OSError if the disk
    refuses.
    """
    text = "".join(edit.diff for edit in edits)
    if ctx.memory.get("previews", {}).pop(ctx.call_id, text) != text:
        return failure(
            "nothing was changed: the file is no longer as it was when the change was shown; read it again", "changed"
        )
    work = asyncio.ensure_future(asyncio.to_thread(_apply, ctx, edits, undid))
    try:
        group = await asyncio.shield(work)
    except asyncio.CancelledError:
        # What is on the disk must be told and undoable even when the turn was cancelled meanwhile.
        await work
        _publish(ctx, edits)
        raise
    _publish(ctx, edits)
    rows: list[str] = []
    facts: list[dict[str, object]] = []
    plus = minus = 0
    for edit in edits:
        added, removed = diffs.count(edit.diff)
        name = shown(ctx, edit.path)
        plus, minus = plus + added, minus + removed
        rows.append(f"{edit.kind[0].upper().replace('U', 'M')} {name}")
        fact: dict[str, object] = {"kind": edit.kind, "path": name, "added": added, "removed": removed}
        if edit.moved_from:
            fact["moved_from"] = shown(ctx, edit.moved_from)
        facts.append(fact)
    note = f"made {len(group.made)} folder{'s' * (len(group.made) > 1)}" if group.made else None
    summary = " ".join(f"{sign}{total}" for sign, total in (("+", plus), ("-", minus)) if total) or "ok"
    meta = {"path": facts[0]["path"], "changes": facts, "diff": text[:_LONGEST_DIFF], "summary": summary}
    return Result(ok=True, text="\n".join(rows), note=note, meta=meta)


def _publish(ctx: Context, edits: Sequence[Edit]) -> None:
    for edit in edits:
        ctx.publish(FileChanged(ctx.call_id, edit.path, edit.kind, edit.diff))


def _apply(ctx: Context, edits: Sequence[Edit], undid: bool) -> changes.Group:
    group = changes.apply([change for edit in edits for change in edit.changes()])
    group = replace(group, undid=undid, exchange=int(ctx.memory.get("exchange", 0)))
    stack_of(ctx.memory).push(group)
    for change in group.changes:
        changes.note_state(ctx.memory, change.path)
    return group


def _what(ctx: Context, edits: Sequence[Edit]) -> str:
    verbs = {"add": "create", "update": "change", "delete": "delete"}
    parts: list[str] = []
    for edit in edits:
        added, removed = diffs.count(edit.diff)
        counts = " ".join(f"{sign}{number}" for sign, number in (("+", added), ("-", removed)) if number)
        name = shown(ctx, edit.path)
        verb = f"move {shown(ctx, edit.moved_from)} to" if edit.moved_from else verbs[edit.kind]
        parts.append(f"{verb} {name} ({counts})" if counts else f"{verb} {name}")
    if len(parts) > 3:
        parts = [*parts[:2], f"{len(parts) - 2} more files"]
    return ", ".join(parts)


def parent_is_file(resolved: str) -> str:
    """The part of a path that ought to be a folder and is not, "" if there is none."""
    folder = Path(resolved).parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return "" if folder.is_dir() else str(folder)
