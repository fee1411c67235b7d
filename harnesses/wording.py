"""Pieces of text that several harnesses word results with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from oi_tui.protocol.calls import Result

MARGIN = 800  # characters


def error_kind(result: Result) -> str:
    """Why an executor did not do it (see oi_tui/tools/README.md), "" where it did, or where a program failed."""
    return str(result.meta.get("error", ""))


def with_note(result: Result, text: str) -> str:
    """`text` below what the result's own text cannot show: a kernel that died, a person who interrupted."""
    return f"{result.note}\n{text}" if result.note else text


def numbered(result: Result, form: Callable[[int, str], str]) -> str:
    """The lines of a file that was read, each as `form(number, line)`."""
    lines = result.text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return "\n".join(form(number, line) for number, line in enumerate(lines, int(result.meta.get("first", 1))))


def middle_out(text: str, limit: int, mark: Callable[[int], str], head: float = 0.5) -> str:
    """`text` within `limit` characters and a mark: its beginning (`head` of them) and its end.

    mark: told how many characters are left out, gives the text between."""
    if len(text) <= limit:
        return text
    first = int(limit * head)
    last = limit - first
    return f"{text[:first]}{mark(len(text) - limit)}{text[len(text) - last :] if last else ''}"


def ends(result: Result, head: int, tail: int) -> tuple[str, str, int] | None:
    """Beginning and end of an output of more than `head + tail` characters, and how many lie between; None for one that
    is whole. Ask the executor for somewhat more (`MARGIN`): it cuts at ends of lines, with a mark of its own."""
    first, last, total = result.text, result.text, len(result.text)
    if result.cut:
        found = re.search(rf"\n?\[\.\.\. {result.cut} characters left out[^\n]*\.\.\.\]\n", result.text)
        if found is None:
            return None
        first, last = result.text[: found.start()], result.text[found.end() :]
        total = len(first) + len(last) + result.cut
    elif total <= head + tail:
        return None
    first, last = first[:head], last[-tail:] if tail else ""
    return first, last, total - len(first) - len(last)


def rows(result: Result) -> list[tuple[str, int, str, bool]]:
    """What `grep` found: path, line number, text, whether it is a match or lies around one."""
    found = cast("list[Sequence[Any]]", result.meta.get("rows", []))
    return [(str(path), int(line), str(text), bool(match)) for path, line, text, match in found]


def grep_lines(result: Result, numbers: bool) -> str:
    """The lines that `grep` found, `path:line:text`, those around them `path-line-text`, `--` between places."""
    made: list[str] = []
    last: tuple[str, int] | None = None
    context = any(not match for *_, match in rows(result))
    for path, line, text, match in rows(result):
        if context and last is not None and (path != last[0] or line > last[1] + 1):
            made.append("--")
        last = (path, line)
        mark = ":" if match else "-"
        made.append(f"{path}{mark}{line}{mark}{text}" if numbers else f"{path}{mark}{text}")
    return "\n".join(made)


def plural(count: int, word: str, many: str = "") -> str:
    """`1 file`, `3 files`."""
    return f"{count} {word if count == 1 else many or word + 's'}"


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
