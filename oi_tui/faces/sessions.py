"""`oi sessions`: what was done before, listed or deleted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from oi_tui.faces.usage import UsageParser


def main(argv: Sequence[str]) -> int:
    """List saved sessions, newest first, or delete some. Exit code 0, also when there are none; 1 for one that cannot
    be deleted, 2 for wrong usage."""
    parser = UsageParser(
        "oi sessions", description="List earlier sessions, newest first, or delete them.", allow_abbrev=False
    )
    parser.add_argument("action", nargs="?", choices=("list", "rm"), default="list", help="list, or rm to delete")
    parser.add_argument("ids", nargs="*", metavar="ID", help="which to delete: an id, its beginning, or a title")
    parser.add_argument("--all", action="store_true", help="of every folder, not only this one")
    parser.add_argument("--limit", type=int, default=30, help="how many, 30 if left out")
    parsed = parser.parse_args(list(argv))
    from oi_tui.session import store

    if parsed.action == "rm":
        if not parsed.ids:
            parser.error("say which to delete: oi sessions rm ID")
        return max([_remove(one) for one in parsed.ids])
    if parsed.ids:
        parser.error("list takes no ID")
    shown = 0
    for saved in store.listed("" if parsed.all else str(Path.cwd())):
        if shown >= parsed.limit:
            break
        folder = f"  {saved.cwd}" if parsed.all else ""
        sys.stdout.write(f"{saved.id}  {saved.preview or '(no message)'}{folder}\n")
        shown += 1
    if not shown:
        sys.stderr.write("no sessions yet" + ("" if parsed.all else " in this folder; --all lists every folder") + "\n")
    return 0


def _remove(reference: str) -> int:
    """Delete one session with its outputs. Returns the exit code."""
    from oi_tui.session import store

    try:
        saved = store.find(reference)
        store.remove(saved)
    except store.SessionNotFound as error:
        sys.stderr.write(f"oi: {error}; see oi sessions --all\n")
        return 1
    except (store.SessionInUse, OSError) as error:
        sys.stderr.write(f"oi: {error}\n")
        return 1
    sys.stdout.write(f"deleted {saved.id}  {saved.preview or '(no message)'}\n")
    return 0
