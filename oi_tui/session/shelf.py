"""What is done with saved sessions besides going on with one: another title, deleting and bringing back, forking."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from oi_tui import paths
from oi_tui.session import store
from oi_tui.session.cards import Card, card

_GONE = ".deleted"  # what a deleted session's file ends with while it can be brought back
_KEPT_SECONDS = 24 * 3600  # how long it lies there if nobody came to clear it away


def rename(card: Card, title: str) -> None:
    """Give a session another title, "" for none. Raises store.SessionInUse while it is open, OSError."""
    held = store.Store(card.id, card.path)
    held.reopen()
    try:
        held.title(title)
        if held.broken:
            raise OSError(held.broken)
    finally:
        held.close()


def delete(card: Card) -> Path:
    """Take a session off the shelf; returns where it lies until `clear` or `bring_back`.

    Raises store.SessionInUse while it is open, OSError.
    """
    held = store.Store(card.id, card.path)
    held.reopen()
    try:
        return card.path.rename(card.path.with_name(card.path.name + _GONE))
    finally:
        held.close()


def bring_back(gone: Path) -> Path:
    """Put a deleted session back; returns its file. Raises OSError."""
    return gone.rename(gone.with_name(gone.name.removesuffix(_GONE)))


def clear(gone: Path) -> None:
    """Let a deleted session go for good, with what was kept for it. What cannot be removed stays."""
    made = card(gone)
    gone.unlink(missing_ok=True)
    if made is not None:
        store.remove_outputs(made.id)


def clear_old(now: Callable[[], float] = time.time) -> None:
    """Let those go that were deleted a day ago and that nobody cleared away."""
    for gone in paths.sessions().glob(f"*/*/*/*.jsonl{_GONE}"):
        try:
            if now() - gone.stat().st_ctime > _KEPT_SECONDS:
                clear(gone)
        except OSError:
            continue


def fork(source: str, saved: store.Saved, keep: int | None = None, title: str = "") -> store.Saved:
    """Write the first `keep` messages (None: all) of a session into one of its own, and return that.

    source: id of the session it is made from. Its changes of files can be taken back there as here. Raises OSError.
    """
    messages = saved.messages[:keep]
    compactions = [one for one in saved.compactions if one.fits(len(messages))]
    made = store.Store(store.new_id())
    made.begin(cwd=saved.cwd, model=saved.model, harness=saved.harness, forked_from=source)
    made.mode(saved.planning)
    try:
        for one in messages:
            made.message(one)
        for one in compactions:
            made.compaction(one)
        if saved.usage:
            made.usage({key: value for key, value in saved.usage.items() if key not in {"type", "time"}})
        if title:
            made.title(title)
        if made.broken:
            raise OSError(made.broken)
    finally:
        made.close()
    undo = paths.undo(source)
    if undo.is_dir():
        shutil.copytree(undo, paths.undo(made.id), dirs_exist_ok=True)
    return store.load(made.path)
