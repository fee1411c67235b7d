"""`oi profiles`: the sets of settings that --profile takes; listed, shown, put back, copied from classic versions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from oi_tui import paths
from oi_tui.extensions import profiles
from oi_tui.faces.usage import UsageParser


def main(argv: Sequence[str]) -> int:
    """Exit code 0 done, 1 failed, 2 wrong usage."""
    parser = UsageParser(
        "oi profiles",
        usage="oi profiles list | show NAME | path | open | reset [NAME] | import",
        description="Sets of settings for --profile NAME: your own, and those that come with the program.",
        allow_abbrev=False,
    )
    actions = ("list", "show", "path", "open", "reset", "import")
    parser.add_argument("action", nargs="?", choices=actions, default="list", help="list if left out")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="a profile")
    parsed = parser.parse_args(list(argv))
    match parsed.action:
        case "list":
            return _list()
        case "show":
            if not parsed.name:
                parser.error("say which: oi profiles show NAME")
            return _show(parsed.name)
        case "path":
            sys.stdout.write(f"{profiles.folder()}\n")
            return 0
        case "open":
            return open_folder("profiles")
        case "reset":
            return reset(parsed.name or profiles.DEFAULT)
        case _:
            return _import()


def _list() -> int:
    found = profiles.listed()
    width = max(len(one.name) for one in found)
    for one in found:
        mine = "  (yours)" if one.own else ""
        sys.stdout.write(f"{one.name:<{width}}  {one.about}{mine}\n")
    return 0


def _show(name: str) -> int:
    """What a profile sets, with where each value stands; of a program, its text."""
    try:
        source = profiles.find(name)
    except profiles.ProfileError as error:
        return _complain(f"{error}; {error.hint}")
    sys.stderr.write(f"{source.place}\n")
    sys.stdout.write(source.text.rstrip("\n") + "\n")
    for problem in profiles.layer(source).problems if not source.python else ():
        sys.stderr.write(f"oi: {problem.text}" + (f" ({problem.hint})" if problem.hint else "") + "\n")
    return 0


def reset(name: str) -> int:
    """Put a built-in profile into the person's folder as it came; what lies there is kept beside it."""
    from oi_tui.extensions.profile_migration import backup_of

    stem = Path(name).stem if Path(name).suffix in profiles.ENDINGS else name
    shipped = [one for one in profiles.shipped() if one.stem == stem]
    if not shipped:
        names = ", ".join(one.stem for one in profiles.shipped())
        return _complain(f"no profile {name} comes with the program; there are {names}", 2)
    target = profiles.folder() / shipped[0].name
    told = ""
    try:
        paths.private_dir(profiles.folder())
        if target.exists() and target.read_bytes() != shipped[0].read_bytes():
            backup = backup_of(target)
            target.replace(backup)
            told = f"; yours is {backup.name} now"
        target.write_bytes(shipped[0].read_bytes())
    except OSError as error:
        return _complain(f"{target} cannot be written: {error.strerror or error}")
    sys.stdout.write(f"{target} is as it came{told}\n")
    return 0


def _import() -> int:
    from oi_tui.extensions import profile_migration as old

    try:
        made, kept = old.copy_classic()
    except OSError as error:
        return _complain(f"profiles cannot be copied: {error.strerror or error}")
    for one in made:
        sys.stdout.write(f"copied {one}\n")
    if kept:
        sys.stderr.write(f"left out, since you have them already: {', '.join(kept)}\n")
    if not made and not kept:
        places = ", ".join(map(str, old.classic_folders())) or "no folder of a classic version"
        sys.stderr.write(f"there are no profiles of classic versions ({places})\n")
    return 0


def open_folder(what: str) -> int:
    """Show the folder of `profiles` or `models` in the person's file browser; where there is none, its path."""
    folder = profiles.folder() if what == "profiles" else paths.models()
    try:
        paths.private_dir(folder)
    except OSError as error:
        return _complain(f"{folder} cannot be made: {error.strerror or error}")
    sys.stdout.write(f"{folder}\n")
    _browse(folder)
    return 0


def _browse(folder: Path) -> None:
    import os
    import shutil
    import subprocess

    browser = {"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open")
    seen = sys.platform in {"darwin", "win32"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    program = shutil.which(browser)
    if program and seen:
        quiet = subprocess.DEVNULL
        subprocess.Popen([program, str(folder)], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)


def _complain(text: str, code: int = 1) -> int:
    sys.stderr.write(f"oi: {text}\n")
    return code
