"""`--conversations`: earlier conversations of every folder, those of classic versions among them, to go on with."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui.faces.choosing import choose as choose_row
from oi_tui.session.store import Saved

if TYPE_CHECKING:
    from oi_tui.session.cards import Card

_MOST = 50


def choose() -> Saved | None:
    """The conversation that the person takes, None if they leave or there is none."""
    from oi_tui.session import store
    from oi_tui.session.cards import Card, cards

    found: list[Card | Path] = list(itertools.islice(cards(), _MOST))
    found += classic_files()[: _MOST - len(found)]
    if not found:
        sys.stderr.write("there are no earlier conversations\n")
        return None
    index = choose_row("earlier conversations, the newest first:", [_row(one) for one in found])
    if index is None:
        return None
    taken = found[index]
    if isinstance(taken, Card):
        return store.load(taken.path)
    try:
        return opened(taken)
    except ValueError as error:
        sys.stderr.write(f"oi: {error}\n")
        return None


def classic_files() -> list[Path]:
    """Conversations that programs and classic versions saved as JSON, the newest first."""
    from oi_tui import paths
    from oi_tui.extensions.profile_migration import classic_folders

    places = [paths.home() / "conversations", *(one / "conversations" for one in classic_folders())]
    files = [file for place in places for file in place.glob("*.json") if file.is_file()]
    return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)


def classic(reference: str) -> Path | None:
    """The JSON file of that name, its beginning, or that path."""
    path = Path(reference).expanduser()
    if path.suffix == ".json" and path.is_file():
        return path
    return next((one for one in classic_files() if reference and one.name.startswith(reference)), None)


def opened(file: Path) -> Saved:
    """A JSON conversation as a session of its own; the file stays as it is. Raises ValueError with a sentence."""
    from oi_tui.export.files import ExportError, read
    from oi_tui.session import store

    try:
        messages = read(file)
    except ExportError as error:
        raise ValueError(str(error)) from error
    if not messages:
        raise ValueError(f"{file.name} is empty")
    new = store.Store(store.new_id())
    new.begin(cwd=str(Path.cwd()), model="", harness="auto")
    for one in messages:
        new.message(one)
    new.title(label(file))
    new.close()
    if new.broken:
        raise ValueError(new.broken)
    return store.load(new.path)


def label(file: Path) -> str:
    """How a classic file is listed: `Hello_there__November_29_2026_15-47-25.json` as `Hello there (November 29 …)`."""
    name, found, when = file.stem.partition("__")
    return f"{name.replace('_', ' ')} ({when.replace('_', ' ')})" if found else name.replace("_", " ")


def _row(one: Card | Path) -> str:
    if isinstance(one, Path):
        return f"{label(one)}  {one}"
    return f"{one.id}  {one.name[:80]}  {one.cwd}"


def searched(words: str, saved: Iterator[Saved]) -> Iterator[tuple[Saved, str]]:
    """The sessions that hold all of `words` in what was said, run or printed, each with a line around the first."""
    wanted = words.lower().split()
    for one in saved:
        texts = [str(part.get("content") or "") for part in one.messages if part.get("type") != "image"]
        whole = "\n".join([one.title, *texts])
        low = whole.lower()
        if wanted and all(word in low for word in wanted):
            at = low.index(wanted[0])
            line = " ".join(whole[max(0, at - 40) : at + 80].split())
            yield one, line
