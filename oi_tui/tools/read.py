"""Executor `read`: a range of lines of a text file, a picture, the text of a PDF, the cells of a notebook.

Only regular files are opened. What is none of these is refused with its type and size, since a model can
do nothing with the bytes but can open the file with code.
"""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from pathlib import Path

from oi_tui.protocol.calls import Image, Result
from oi_tui.tools import documents, notebooks, pictures
from oi_tui.tools import list as list_
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.changes import note_state
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.places import locate, odd_kind, read_regular, shown
from oi_tui.tools.text_files import NotText, decode, printable

MOST_BYTES = 64 * 1024 * 1024  # of a file; larger ones are for code
MOST_CHARACTERS = 100_000  # of text given back, about 25,000 tokens
MOST_COLUMNS = 2000  # of one line
MOST_IMAGE_BYTES = 5 * 1024 * 1024

_MAGIC = (
    (b"PK\x03\x04", "a ZIP archive (or an Office document)"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"PAR1", "a Parquet file"),
)


def preview(
    ctx: Context,
    path: str,
    offset: int = 1,
    limit: int = 2000,
    columns: int = MOST_COLUMNS,
    pages: str = "",
    folders: bool = False,
) -> Preview:
    """path: a file. offset: first line, from 1; negative counts from the end. limit: number of lines. columns: where
    longer lines are cut. pages: of a PDF, such as `1-5,8`. folders: a folder is listed, two levels deep."""
    resolved = locate(ctx, path)
    name = shown(ctx, resolved)
    _check(offset, limit, columns)
    if not Path(resolved).exists():
        raise BadArgument(f"{path} does not exist", "missing")
    kind = odd_kind(resolved)
    if kind and not (folders and kind == "a folder"):
        raise BadArgument(_odd(path, kind), "kind")
    if pages:
        documents.page_numbers(pages, documents.MOST_PAGES)
    lines = "" if (offset, limit) == (1, 2000) else f" (from line {offset}, {limit} lines)"
    lines += f" (pages {pages})" if pages else ""
    return Preview("tool", "", f"{name}{lines}", f"read {name}{lines}", reads=(resolved,))


async def run(
    ctx: Context,
    path: str,
    offset: int = 1,
    limit: int = 2000,
    columns: int = MOST_COLUMNS,
    pages: str = "",
    folders: bool = False,
) -> Result:
    """Read it. text: the lines, without numbers, the last one with its LF if it has one on disk.

    meta of text: path, kind, first (number of the first line), lines, total, encoding, bytes, and `more` (true if lines
    follow), `shortened` (number of lines cut to `columns`). A picture comes as an image with meta path, format, bytes;
    for documents see README.md.
    """
    preview(ctx, path, offset, limit, columns, pages, folders)
    resolved = locate(ctx, path)
    if odd_kind(resolved):
        listing = await list_.run(ctx, path, depth=2, hidden=False)
        listing.meta["kind"] = "folder"
        return listing
    return await asyncio.to_thread(_read, ctx, resolved, path, _Wish(offset, limit, columns, pages))


@dataclass(frozen=True, slots=True)
class _Wish:
    offset: int
    limit: int
    columns: int
    pages: str


def _check(offset: int, limit: int, columns: int) -> None:
    if offset == 0:
        raise BadArgument("offset counts lines from 1 (negative: from the end), it cannot be 0")
    if limit < 1:
        raise BadArgument("limit must be 1 or more")
    if columns < 1:
        raise BadArgument("columns must be 1 or more")


def _odd(path: str, kind: str) -> str:
    return (
        f"{path} is a folder; list shows what is in it" if kind == "a folder" else f"{path} is {kind}; it is not opened"
    )


def _read(ctx: Context, resolved: str, path: str, wish: _Wish) -> Result:
    size = Path(resolved).stat().st_size
    data = read_regular(resolved, MOST_BYTES + 1)
    picture = pictures.kind_and_size(data[: 1024 * 1024])
    if picture is not None:
        return _picture(ctx, resolved, data, *picture)
    if len(data) > MOST_BYTES:
        raise BadArgument(
            f"{path} has {size:,} bytes, too many to read at once; use code to take a part of it", "size", bytes=size
        )
    if data.startswith(b"%PDF-"):
        return documents.pdf(shown(ctx, resolved), data, wish.pages, MOST_CHARACTERS)
    try:
        text, form = decode(data)
    except NotText:
        kind = next((name for magic, name in _MAGIC if data.startswith(magic)), "a binary file")
        raise BadArgument(f"{path} is {kind} of {len(data):,} bytes, not text; use code to open it", "kind") from None
    note_state(ctx.memory, resolved)
    if resolved.endswith(".ipynb"):
        cells = notebooks.parse(text)
        if cells is not None:
            return _notebook(ctx, resolved, cells)
    excerpt = _excerpt(text, wish)
    if excerpt.lines == 0 and excerpt.total:
        raise BadArgument(
            f"{path} ends at line {excerpt.total:,}; line {wish.offset} is beyond its end", "end", total=excerpt.total
        )
    return _lines(shown(ctx, resolved), excerpt, form.name, len(data), wish.columns, empty=not text)


def _lines(name: str, excerpt: _Excerpt, encoding: str, size: int, columns: int, empty: bool) -> Result:
    """The result for a part of a text."""
    meta = {
        "path": name,
        "kind": "text",
        "first": excerpt.first,
        "lines": excerpt.lines,
        "total": excerpt.total,
        "encoding": encoding,
        "bytes": size,
        "more": excerpt.first - 1 + excerpt.lines < excerpt.total,
        "shortened": excerpt.shortened,
        "summary": "1 line" if excerpt.lines == 1 else f"{excerpt.lines:,} lines",
    }
    notes = [f"encoding {encoding}"] if encoding != "utf-8" else []
    if empty:
        notes.append("the file is empty")
    if excerpt.shortened:
        notes.append(f"{excerpt.shortened} lines were cut to {columns} characters")
    if meta["more"]:
        notes.append(f"lines {excerpt.first}-{excerpt.first - 1 + excerpt.lines} of {excerpt.total}")
    return Result(ok=True, text=printable(excerpt.text), note="; ".join(notes) or None, meta=meta)


def _notebook(ctx: Context, resolved: str, cells: list[notebooks.Cell]) -> Result:
    """Cells with what they printed; as many as fit."""
    name = shown(ctx, resolved)
    taken, length = 0, 0
    parts: list[str] = []
    for cell in cells:
        part = notebooks.as_text(cell)
        if parts and length + len(part) > MOST_CHARACTERS:
            break
        parts.append(part)
        length += len(part)
        taken += 1
    note = f"only the first {taken} of {len(cells)} cells are shown" if taken < len(cells) else None
    meta = {"path": name, "kind": "notebook", "cells": len(cells), "more": taken < len(cells)}
    meta["summary"] = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
    return Result(ok=True, text=printable("\n".join(parts)), note=note, meta=meta)


@dataclass(frozen=True, slots=True)
class _Excerpt:
    text: str
    first: int
    lines: int
    total: int
    shortened: int


def _excerpt(text: str, wish: _Wish) -> _Excerpt:
    """The lines asked for, as many of them as fit in MOST_CHARACTERS (at least one)."""
    lines = text.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    total = len(lines)
    first = wish.offset if wish.offset > 0 else max(1, total + wish.offset + 1)
    taken: list[str] = []
    length = shortened = 0
    for line in lines[first - 1 : first - 1 + wish.limit]:
        if len(line) > wish.columns:
            line, cut = f"{line[: wish.columns]} […{len(line) - wish.columns:,} more characters]", 1
        else:
            cut = 0
        if taken and length + len(line) > MOST_CHARACTERS:
            break
        taken.append(line)
        length += len(line) + 1
        shortened += cut
    reaches_end = first - 1 + len(taken) == total
    ending = "\n" if taken and (ended or not reaches_end) else ""
    return _Excerpt("\n".join(taken) + ending, first, len(taken), total, shortened)


def _picture(ctx: Context, resolved: str, data: bytes, kind: str, size: pictures.Size | None) -> Result:
    name = shown(ctx, resolved)
    if len(data) > MOST_IMAGE_BYTES:
        raise BadArgument(f"{name} is a {kind} picture of {len(data):,} bytes or more; view makes it smaller", "size")
    width, height = size if size else (None, None)
    image = Image(base64.b64encode(data).decode("ascii"), kind, resolved, width, height)
    pixels = f", {width} x {height} pixels" if size else ""
    note_state(ctx.memory, resolved)
    meta = {
        "path": name,
        "kind": "image",
        "format": kind,
        "bytes": len(data),
        "summary": f"{kind}{pixels.replace(',', '', 1)}",
    }
    return Result(ok=True, text=f"{name}: {kind} picture{pixels}, {len(data):,} bytes", images=(image,), meta=meta)
