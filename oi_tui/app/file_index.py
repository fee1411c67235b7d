"""The files of the folder, for `@` in the message box: read once in a thread, searched at each key.

In a repository git says which files count; elsewhere all do but those of well-known heavy folders. A search of 100,000
paths takes a few milliseconds where the letters stand together, and about thirty where they are spread out.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice

from oi_tui.commands.suggest import Suggestion

MOST = 200_000  # paths that are kept
SHOWN = 20  # paths that a search gives
STALE = 20.0  # seconds after which the list is read again at the next `@`
_HITS = 3_000  # that are rated


class FileIndex:
    """Paths below `cwd`, relative to it, folders with a slash at their end."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._paths: list[str] = []
        self._starts: list[int] = []
        self._text = ""  # all paths in lower case, a line each
        self._read_at = float("-inf")

    @property
    def known(self) -> bool:
        """Was the folder read?"""
        return self._read_at > float("-inf")

    @property
    def stale(self) -> bool:
        """Is it worth reading the folder again?"""
        return time.monotonic() - self._read_at > STALE

    def read(self) -> None:
        """Read the folder. Takes as long as the disk takes: call it in a thread."""
        from oi_tui.tools.ignored import files, in_repository

        found = list(islice(files(self._cwd, in_repository(self._cwd)), MOST))
        # A name with a line break cannot be named in a message anyway.
        self.take([path for path in found if "\n" not in path and path.isprintable()])

    def take(self, paths: list[str]) -> None:
        """Search these paths from now on, and the folders they lie in."""
        folders = {path[: index + 1] for path in paths for index, sign in enumerate(path) if sign == "/"}
        every = sorted({*paths, *folders}, key=lambda path: (path.count("/"), path.casefold()))
        # Some letters become two in lower case; then a place in the text would not be one in the path.
        lower = [low if len(low := path.lower()) == len(path) else path for path in every]
        starts = list(accumulate((len(path) + 1 for path in lower), initial=0))
        self._paths, self._starts, self._text = every, starts, "\n".join(lower)
        self._read_at = time.monotonic()

    def search(self, query: str, count: int = SHOWN) -> list[tuple[str, bool]]:
        """The paths that fit best, as (path, whether the query stands in it in one piece); best first.

        For no query, what lies at the top of the folder.
        """
        if not self._paths:
            return []
        if not query:
            return [(path, True) for path in self._paths[:count]]
        wanted = query.lower()
        found = sorted(islice(self._whole(wanted), _HITS), key=lambda path: _rank(path, wanted))[:count]
        result = [(path, True) for path in dict.fromkeys(found)]
        if len(result) < count:
            have = {path for path, _ in result}
            spread = sorted(islice(self._spread(wanted), _HITS), key=len)
            result += [(path, False) for path in spread if path not in have][: count - len(result)]
        return result

    def _whole(self, wanted: str) -> Iterator[str]:
        """Paths with the query in one piece."""
        at = self._text.find(wanted)
        while at >= 0:
            line = bisect_right(self._starts, at) - 1
            yield self._paths[line]
            at = self._text.find(wanted, self._starts[line + 1])

    def _spread(self, wanted: str) -> Iterator[str]:
        """Paths with the letters of the query in order."""
        steps = "".join(f"[^{re.escape(sign)}\n]*+{re.escape(sign)}" for sign in wanted)
        for hit in re.finditer(f"^{steps}", self._text, re.MULTILINE):
            yield self._paths[bisect_right(self._starts, hit.start()) - 1]


def _rank(path: str, wanted: str) -> tuple[int, bool, int, int]:
    """Smaller is better: the name itself, its beginning, its inside, the folder; then files, shallow and short."""
    lower = path.lower().rstrip("/")
    name = lower.rpartition("/")[2]
    if wanted in {name, lower, path.lower()}:
        place = 0
    elif name.startswith(wanted) or lower.startswith(wanted):
        place = 1
    else:
        place = 2 if wanted in name else 3
    return place, path.endswith("/"), lower.count("/"), len(lower)


_MENTION = re.compile(r"(?:^|(?<=[\s(]))@(\"[^\"\n]*|[^\s\"]*)$")


def suggest_files(draft: str, index: FileIndex) -> list[Suggestion]:
    """The paths that the word may mean which a draft ends with, `@` and some letters of one.

    What is taken is the path alone, as a person would write it. Enter takes a path that has the letters in one piece;
    else, and for a lone sign, only one that the person has gone to.
    """
    found = _MENTION.search(draft)
    if found is None:
        return []
    query, before = found[1].removeprefix('"'), draft[: found.start()]
    rows: list[Suggestion] = []
    for path, whole in index.search(query):
        shown = f'"{path}"' if " " in path else path
        going_on = "" if path.endswith("/") else " "
        rows.append(Suggestion(before + shown + going_on, path, complete=False, by_tab=not query or not whole))
    return rows


def mentions(draft: str) -> bool:
    """Does a draft end with `@` and the beginning of a path?"""
    return _MENTION.search(draft) is not None
