"""Whether a search through folders would come upon files with secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatch

from oi_tui.safety.effects import Tree
from oi_tui.safety.places import is_secret_name, is_secret_place
from oi_tui.safety.rules import short

MOST = 20_000  # entries that are looked at


def secret_below(trees: Iterable[Tree]) -> str:
    """Why reading all below these folders may show secrets; "" if it does not."""
    left = MOST
    for tree in trees:
        waiting = [tree.root]
        while waiting:
            folder = waiting.pop()
            if is_secret_place(folder):
                return f"{short(folder)} may hold secrets"
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        left -= 1
                        if left <= 0:
                            return (
                                f"{short(tree.root)} holds too many files to know whether there are secrets among them"
                            )
                        name = entry.name
                        if entry.is_dir(follow_symlinks=False):
                            # What git keeps there are no files of the person.
                            if (tree.hidden or not name.startswith(".")) and name != ".git":
                                waiting.append(entry.path)
                        elif (
                            is_secret_name(name)
                            and (tree.hidden or not name.startswith("."))
                            and _read(name, tree.only)
                        ):
                            return f"{short(entry.path)} is below and may hold secrets"
            except OSError:
                continue
    return ""


def _read(name: str, only: tuple[str, ...]) -> bool:
    return not only or any(fnmatch(name, one) for one in only)
