"""Executor `patch`: several files changed by one `*** Begin Patch` text or one unified diff, all of them or none.

Later operations see what earlier ones of the same patch did, so a file may be added and updated, or updated twice.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from oi_tui.protocol.calls import Result
from oi_tui.tools import changes, file_edits
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.patch_fit import fit
from oi_tui.tools.patch_grammar import Add, Delete, Operation, PatchError, Update, parse
from oi_tui.tools.patch_unified import is_unified, parse_unified
from oi_tui.tools.places import shown, writable
from oi_tui.tools.text_files import CannotEncode, encode


def preview(ctx: Context, patch: str, path: str = "", fuzz: int = 2, create: bool = True) -> Preview:
    """patch: text of the grammar in `patch_grammar`, or a unified diff. path: of the file, for hunks of a diff without
    headers. fuzz: lines of context that a hunk of a diff may lose to fit. create: new files may be made. See
    `base.Executor`."""
    return file_edits.preview_of(ctx, _Plan(ctx, fuzz, create).edits(patch, path))


async def run(ctx: Context, patch: str, path: str = "", fuzz: int = 2, create: bool = True) -> Result:
    """Apply it. Text: `A`, `M` or `D` and a path a line; meta["fuzz"] 1 to 3 if lines had to be compared leniently."""
    plan = _Plan(ctx, fuzz, create)
    result = await file_edits.make(ctx, plan.edits(patch, path))
    if plan.fuzz:
        result.meta["fuzz"] = plan.fuzz
    return result


@dataclass(slots=True)
class _Plan:
    """The files as they will be: operations are applied here first, the disk comes later."""

    ctx: Context
    fuzz_lines: int = 0
    create: bool = True
    fuzz: int = 0
    original: dict[str, file_edits.Content] = field(default_factory=dict)
    planned: dict[str, file_edits.Content] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)  # new path -> path it has on disk

    def edits(self, text: str, path: str = "") -> list[file_edits.Edit]:
        """What the patch changes. Raises BadArgument with a sentence for the model, OSError from reading."""
        if not 0 <= self.fuzz_lines <= 50:
            raise BadArgument(f"fuzz must be between 0 and 50, not {self.fuzz_lines}")
        try:
            operations = parse_unified(text, path) if is_unified(text) else parse(text)
            for operation in operations:
                self._apply(operation)
        except PatchError as error:
            raise BadArgument(str(error), "patch") from error
        edits = [edit for path in self.planned if (edit := self._edit(path)) is not None]
        if not edits:
            raise BadArgument("the patch changes nothing: every file would stay as it is", "unchanged")
        return edits

    def _apply(self, operation: Operation) -> None:
        path = self._writable(operation.path)
        now = self._now(path)
        if isinstance(operation, Add):
            self._add(operation, path, now)
            return
        if now.data is None:
            verb = "delete" if isinstance(operation, Delete) else "update"
            raise PatchError(f"cannot {verb} {operation.path}: there is no such file")
        if isinstance(operation, Delete) or operation.move_to:
            verb = "delete" if isinstance(operation, Delete) else "move"
            if os.path.islink(os.path.join(self.ctx.cwd, operation.path)):  # noqa: PTH114, PTH118
                raise PatchError(f"cannot {verb} {operation.path}: it is a symbolic link; do that with code")
        if isinstance(operation, Delete):
            self.planned[path] = file_edits.Content(None, None)
            return
        self._update(operation, path, now)

    def _writable(self, path: str) -> str:
        resolved = writable(self.ctx, path)
        in_the_way = file_edits.parent_is_file(resolved)
        if in_the_way:
            raise PatchError(f"{shown(self.ctx, in_the_way)} is a file, so {path} cannot lie in it")
        return resolved

    def _now(self, path: str) -> file_edits.Content:
        if path not in self.planned:
            self.original[path] = self.planned[path] = file_edits.content(path)
        return self.planned[path]

    def _add(self, operation: Add, path: str, now: file_edits.Content) -> None:
        if not self.create:
            raise PatchError(f"cannot add {operation.path}: there is no such file, and none is to be made")
        if now.data is not None:
            raise PatchError(f"cannot add {operation.path}: it exists already; use '*** Update File: {operation.path}'")
        self.planned[path] = file_edits.as_content(_bytes(operation.text, now, operation.path))

    def _update(self, operation: Update, path: str, now: file_edits.Content) -> None:
        if now.text is None:
            raise PatchError(f"cannot update {operation.path}: it is not text")
        fitted = fit(now.text, operation.chunks, operation.path, self.fuzz_lines)
        self.fuzz = max(self.fuzz, fitted.fuzz)
        text = fitted.text.removesuffix("\n") if operation.no_newline else fitted.text
        data = _bytes(text, now, operation.path)
        new = file_edits.Content(data, text, now.form)
        target = self._writable(operation.move_to) if operation.move_to else path
        if target == path:
            self.planned[path] = new
            return
        if self._now(target).data is not None:
            raise PatchError(f"cannot move {operation.path} to {operation.move_to}: that file exists already")
        self.planned[path] = file_edits.Content(None, None)
        self.planned[target] = new
        self.moves[target] = self.moves.pop(path, path)

    def _edit(self, path: str) -> file_edits.Edit | None:
        old, new = self.original[path], self.planned[path]
        source = self.moves.get(path, "")
        if source and new.data is not None and old.data is None and self._left(source):
            old = self.original[source]
            diff = file_edits.diff_of(self.ctx, old, new, path, source)
            return file_edits.Edit(path, old.data, new.data, diff, source, changes.mode_of(source))
        if old.data == new.data or any(path == self.moves.get(one) and self._moved(one) for one in self.moves):
            return None
        diff = file_edits.diff_of(self.ctx, old, new, path)
        return file_edits.Edit(path, old.data, new.data, diff, mode=changes.mode_of(path))

    def _left(self, source: str) -> bool:
        """True if a path that held a file on disk will hold none: only then is a move shown as one."""
        return self.original[source].data is not None and self.planned[source].data is None

    def _moved(self, target: str) -> bool:
        return (
            self._left(self.moves[target])
            and self.original[target].data is None
            and (self.planned[target].data is not None)
        )


def _bytes(text: str, now: file_edits.Content, path: str) -> bytes:
    try:
        return encode(text, now.form)
    except CannotEncode as error:
        raise PatchError(f"cannot change {path}: {error}; write the whole file to change its encoding") from error
