"""File patterns as people write them for git and editors: `*.py`, `src/**/*.ts`, `*.{js,ts}`, `!` is not special.

A pattern without a slash is compared with the name alone, one with a slash with the whole relative path. Standard
library only: the search worker reads this file too.
"""

from __future__ import annotations

import re


class BadGlob(ValueError):
    """The pattern cannot be read; the text says why."""


def compile_glob(pattern: str) -> re.Pattern[str]:
    """A compiled expression that fully matches the relative paths (with `/`) that `pattern` means. Raises BadGlob."""
    body = pattern.removeprefix("./").removeprefix("/")
    anchored = "/" in pattern.removeprefix("./").rstrip("/")
    if body.endswith("/"):
        body += "**"
    try:
        return re.compile(("" if anchored else "(?:.*/)?") + _expression(body), re.DOTALL)
    except re.error as error:
        raise BadGlob(f"the glob {pattern!r} cannot be read: {error}") from error


def _expression(glob: str) -> str:
    found: list[str] = []
    at = depth = 0
    while at < len(glob):
        one = glob[at]
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            found.append("(?:.*/)?")
            at += 3
            continue
        if one == "[":
            piece, at = _character_class(glob, at)
            found.append(piece)
            continue
        if one == "*":
            stars = len(glob[at:]) - len(glob[at:].lstrip("*"))
            found.append(".*" if stars > 1 else "[^/]*")
            at += stars
            continue
        if one == "\\" and at + 1 < len(glob):
            at += 1
            found.append(re.escape(glob[at]))
        elif one == "?":
            found.append("[^/]")
        elif one == "{" and "}" in glob[at:]:
            depth += 1
            found.append("(?:")
        elif one == "}" and depth:
            depth -= 1
            found.append(")")
        elif one == "," and depth:
            found.append("|")
        else:
            found.append(re.escape(one))
        at += 1
    return "".join(found)


def _character_class(glob: str, at: int) -> tuple[str, int]:
    """The class that begins at `at` as an expression, and where it ends; a lone `[` stands for itself."""
    end = glob.find("]", at + 2 if glob[at + 1 : at + 2] not in ("!", "^") else at + 3)
    if end < 0:
        return re.escape("["), at + 1
    body = glob[at + 1 : end]
    negated = body[0] in "!^"
    inner = (body[1:] if negated else body).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    inner = inner.replace("&&", "&\\&").replace("||", "|\\|").replace("~~", "~\\~").replace("^", "\\^")
    return f"(?!/)[{'^' if negated else ''}{inner}]", end + 1
