"""Files with instructions for models: the person's own, then a project's, from its root to the working directory."""

from __future__ import annotations

import os
from pathlib import Path

from harnesses.base import AGENTS_FILES, PROJECT_FILES
from oi_tui import paths
from oi_tui.session.git_place import git_root

_MOST = 32 * 1024  # bytes of all of them


def project_docs(cwd: str, names: tuple[tuple[str, ...], ...] = PROJECT_FILES) -> tuple[tuple[str, str], ...]:
    """(path, text) of each file, the farthest first, 32 KiB in all: those nearest to `cwd` count most, and the one in
    the program's own folder, which is for every project, least.

    names: groups of names relative to a folder; of each group the first that is there and not empty counts. A text that
    stands in two files of a folder (a link, say) counts once.
    """
    here = Path(cwd)
    root = git_root(cwd) or here
    folders = [one for one in (here, *here.parents) if one == root or root in one.parents]
    docs: list[tuple[str, str]] = []
    left = _MOST
    own = [] if paths.home() in folders else [(paths.home(), (AGENTS_FILES,))]
    for folder, groups in [*((one, names) for one in folders), *own]:
        known: set[str] = set()
        for group in reversed(groups):
            name, text = _first(folder, group, left)
            if text and text not in known:
                known.add(text)
                docs.append((str(folder / name), text))
                left -= len(text.encode())
    return tuple(reversed(docs))


def _first(folder: Path, names: tuple[str, ...], most: int) -> tuple[str, str]:
    """The first of these files that says something, and at most so many bytes of it; ("", "") where there is none."""
    for name in names:
        # os.path, since pathlib raises where a folder may not be looked into.
        if os.path.isfile(folder / name):  # noqa: PTH113
            try:
                with (folder / name).open("rb") as opened:
                    text = opened.read(most).decode("utf-8", "ignore").strip()
            except OSError:
                continue
            if text:
                return name, text
    return "", ""
