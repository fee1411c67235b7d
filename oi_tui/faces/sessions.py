"""`oi sessions`: what was done before: listed, searched, given another title, written to a file, deleted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from oi_tui.faces.usage import UsageParser

_ACTIONS = ("list", "search", "rename", "export", "rm")
_USAGE = """oi sessions [list] [--all] [--limit N]
       oi sessions search WORDS [--all] [--limit N]
       oi sessions resume ID
       oi sessions rename ID TITLE
       oi sessions export ID FILE
       oi sessions rm ID..."""


def main(argv: Sequence[str]) -> int:
    """Exit code 0, also when there are none; 1 for what cannot be done, 2 for wrong usage."""
    parser = UsageParser(
        "oi sessions",
        usage=_USAGE,
        description="Earlier sessions, newest first: list, search, rename, export or delete them, go on with one.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "search", "rename", "export", "rm"),
        default="list",
        help="list if left out",
    )
    parser.add_argument("words", nargs="*", metavar="ID", help="an id, its beginning, or a title; then TITLE or FILE")
    parser.add_argument("--all", action="store_true", help="of every folder, not only this one")
    parser.add_argument("--limit", type=int, default=30, help="how many, 30 if left out")
    parsed = parser.parse_args(list(argv))
    match parsed.action, parsed.words:
        case "list", []:
            return _list(parsed.all, parsed.limit)
        case "search", [_, *_]:
            return _search(" ".join(parsed.words), parsed.all, parsed.limit)
        case "rm", [_, *_]:
            return max([_told(_remove, one) for one in parsed.words])
        case "rename", [reference, *title]:
            return _told(_rename, reference, " ".join(title))
        case "export", [reference, file]:
            return _told(_export, reference, file)
        case "list", _:
            parser.error("list takes no ID")
        case _:
            wanted = {"rename": "rename ID TITLE", "export": "export ID FILE", "search": "search WORDS"}.get(
                parsed.action, "rm ID"
            )
            parser.error(f"say which: oi sessions {wanted}")
    return 2


def _list(everywhere: bool, limit: int) -> int:
    from oi_tui.session.cards import cards

    shown = 0
    for one in cards("" if everywhere else str(Path.cwd())):
        if shown >= limit:
            break
        folder = f"  {one.cwd}" if everywhere else ""
        sys.stdout.write(f"{one.id}  {one.name[:80]}{folder}\n")
        shown += 1
    if not shown:
        sys.stderr.write("no sessions yet" + ("" if everywhere else " in this folder; --all lists every folder") + "\n")
    return 0


def _search(words: str, everywhere: bool, limit: int) -> int:
    """List those that hold all of the words, each with a line around the first."""
    from oi_tui.faces.conversations import searched
    from oi_tui.session import store

    shown = 0
    for saved, line in searched(words, store.listed("" if everywhere else str(Path.cwd()))):
        if shown >= limit:
            break
        sys.stdout.write(f"{saved.id}  {saved.preview or '(no message)'}\n    {line}\n")
        shown += 1
    if not shown:
        here = "" if everywhere else " in this folder; --all searches every folder"
        sys.stderr.write(f"no session holds {words}{here}\n")
    return 0


def _told(act: Callable[..., str], *words: str) -> int:
    """Do it, tell how it went; returns the exit code."""
    from oi_tui.export.files import ExportError
    from oi_tui.session import store

    try:
        done = act(*words)
    except store.SessionNotFound as error:
        sys.stderr.write(f"oi: {error}; see oi sessions --all\n")
        return 1
    except ExportError as error:
        hint = "" if error.hint.startswith("/") else error.hint  # those are commands of a session
        sys.stderr.write(f"oi: {error}" + (f"; {hint}" if hint else "") + "\n")
        return 1
    except (store.SessionInUse, OSError) as error:
        sys.stderr.write(f"oi: {error}\n")
        return 1
    sys.stdout.write(f"{done}\n")
    return 0


def _remove(reference: str) -> str:
    """Delete one session with its outputs."""
    from oi_tui.session import store

    saved = store.find(reference)
    store.remove(saved)
    return f"deleted {saved.id}  {saved.preview or '(no message)'}"


def _rename(reference: str, title: str) -> str:
    """Give a session another title, none for an empty one."""
    from oi_tui.session import cards, shelf, store

    one = cards.card(store.find(reference).path)
    if one is None:
        raise store.SessionNotFound(f"no saved session is called {reference}")
    shelf.rename(one, title)
    return f"{one.id} is called {title}" if title else f"{one.id} has no title any more"


def _export(reference: str, file: str) -> str:
    """Write a session to a file, in the format of its ending."""
    from oi_tui.export.files import export
    from oi_tui.session import store

    path = Path(file).expanduser()
    return f"wrote {path}, {export(store.find(reference).messages, path):,} bytes"
