"""Executor `note`: something to be known in later sessions, added to a file of the person's: about this project, or for
all of them. `noted` gives it back."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from oi_tui import paths
from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

SCOPES = ("project", "user")
LONGEST = 4000  # characters of one note
MOST = 256 * 1024  # bytes of a file
TOLD = 12_000  # characters of all notes that a model is told


def preview(ctx: Context, text: str, scope: str = "project") -> Preview:
    """text: what is to be known. scope: one of SCOPES."""
    _check(text, scope)
    what = "remember this for this project" if scope == "project" else "remember this for every project"
    return Preview("tool", "", text, what, writes=(str(file_of(ctx.cwd, scope)),))


async def run(ctx: Context, text: str, scope: str = "project") -> Result:
    """Add it. meta["path"]."""
    _check(text, scope)
    path = file_of(ctx.cwd, scope)
    paths.private_dir(path.parent)
    line = f"- {' '.join(text.split())}\n"
    if path.exists() and path.stat().st_size + len(line.encode()) > MOST:
        raise BadArgument(f"{path} is full; shorten it first", "size")
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as file:
        file.write(line)
    return Result(ok=True, text="noted", meta={"path": str(path), "summary": "noted"})


def file_of(cwd: str, scope: str) -> Path:
    """Where the notes of a scope lie. A project is a folder: its name and a mark of its whole path."""
    folder = paths.home() / "memory"
    if scope == "user":
        return folder / "user.md"
    root = os.path.realpath(cwd)
    name = re.sub(r"[^\w.-]+", "-", Path(root).name)[:40].strip(".-") or "root"
    return folder / "projects" / f"{name}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:10]}.md"


def noted(cwd: str) -> str:
    """What was noted for every project and for this one, newest last, cut to TOLD characters; "" if nothing."""
    parts: list[str] = []
    for scope in ("user", "project"):
        try:
            parts.append(file_of(cwd, scope).read_text(encoding="utf-8", errors="replace").strip())
        except OSError:
            continue
    return "\n".join(part for part in parts if part)[-TOLD:]


def _check(text: str, scope: str) -> None:
    if not text.strip() or len(text) > LONGEST:
        raise BadArgument("the note is empty" if not text.strip() else f"a note has at most {LONGEST:,} characters")
    if scope not in SCOPES:
        raise BadArgument(f"scope must be one of {', '.join(SCOPES)}, not {scope!r}")
