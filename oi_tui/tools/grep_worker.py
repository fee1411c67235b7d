"""The Python search, in a process of its own: Python's regular expressions cannot be interrupted from inside.

Reads one JSON object from stdin (root, repository and the fields of `grep_engines.Job`) and prints one a row (the
fields of `grep_engines.Row`), or a single {"bad_pattern": why}.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oi_tui.tools.globs import compile_glob
from oi_tui.tools.ignored import files
from oi_tui.tools.text_files import NotText, decode

_MOST_BYTES = 64 * 1024 * 1024
_LONGEST = 10_000  # characters of a line sent on
_BEFORE = 1_000  # of them before the match


def main() -> None:
    """Serve one job."""
    job = json.loads(sys.stdin.buffer.read())
    flags = (re.IGNORECASE if job["ignore_case"] else 0) | re.MULTILINE | (re.DOTALL if job["multiline"] else 0)
    try:
        expression = re.compile(re.escape(job["pattern"]) if job["literal"] else job["pattern"], flags)
    except (re.error, OverflowError, RecursionError) as error:
        _send({"bad_pattern": str(error)})
        return
    root = job["root"]
    names = [compile_glob(one) for one in job["names"]]
    if Path(root).is_file():
        _search(root, "", expression, job)
        return
    for relative in _everything(root) if job["ignored"] else files(root, job["repository"]):
        if not names or any(one.fullmatch(relative) for one in names):
            _search(os.path.join(root, relative), relative, expression, job)  # noqa: PTH118


def _everything(root: str) -> Iterator[str]:
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(one for one in inner if one != ".git")
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118


def _lines(path: str) -> list[str]:
    """The lines of a text file, none for anything else."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return []
        text, _ = decode(Path(path).read_bytes())
    except (OSError, NotText):
        return []
    lines = [] if "\0" in text else text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def _search(path: str, relative: str, expression: re.Pattern[str], job: dict[str, Any]) -> None:
    lines = _lines(path)
    places = _in_text(lines, expression) if job["multiline"] else _in_lines(lines, expression)
    found: dict[int, int] = {}  # index of a line that matches -> column
    for first, last, column, text in places:
        if job["only_matching"]:
            _send({"path": relative, "line": first + 1, "text": text.replace("\n", "\\n")})
        for index in range(first, last + 1):
            found.setdefault(index, column if index == first else 0)
        if job["first_only"]:
            break
    if not job["only_matching"]:
        _tell(relative, lines, found, job["before"], job["after"])


def _tell(relative: str, lines: list[str], found: dict[int, int], before: int, after: int) -> None:
    wanted = {near for index in found for near in range(index - before, index + after + 1) if 0 <= near < len(lines)}
    for index in sorted(wanted):
        line, match, column = lines[index], index in found, found.get(index, 0)
        start = max(0, column - _BEFORE) if len(line) > _LONGEST else 0
        row = {"path": relative, "line": index + 1, "text": line[start : start + _LONGEST], "column": column - start}
        lead = not match and any(near in found for near in range(index + 1, index + before + 1))
        _send({**row, "match": match, "lead": lead})


def _in_lines(lines: list[str], expression: re.Pattern[str]) -> Iterator[tuple[int, int, int, str]]:
    for index, line in enumerate(lines):
        for one in expression.finditer(line):
            yield index, index, one.start(), one[0]


def _in_text(lines: list[str], expression: re.Pattern[str]) -> Iterator[tuple[int, int, int, str]]:
    text = "\n".join(lines)
    for one in expression.finditer(text):
        first = text.count("\n", 0, one.start())
        last = first + one[0].removesuffix("\n").count("\n")
        yield first, min(last, len(lines) - 1), one.start() - (text.rfind("\n", 0, one.start()) + 1), one[0]


def _send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
