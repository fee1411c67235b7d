"""What a search has found, as text and as data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from oi_tui.protocol.calls import Result
from oi_tui.tools.grep_engines import Row
from oi_tui.tools.text_files import printable

COLUMNS = 300  # characters of a line that are shown

_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def worded(
    mode: str,
    rows: Sequence[Row],
    counts: Mapping[str, int],
    names: Mapping[str, str],
    notes: list[str],
    *,
    more: bool,
    offset: int,
    columns: int = COLUMNS,
) -> Result:
    """The result of a search. counts: matches by path as the engine names it; names: those paths for people."""
    shown = [[names[row.path], row.line, line_of(row, columns), row.match] for row in rows]
    hits = sum(counts.values())
    files = {path: number for path, number in counts.items() if number}
    if mode == "lines":
        text = "\n".join(_lines(shown))
        summary = f"{hits:,}{'+' * more} {'match' if hits == 1 else 'matches'}"
    else:
        text = "\n".join(names[path] + (f":{number}" if mode == "counts" else "") for path, number in files.items())
        summary = f"{len(files):,}{'+' * more} file{'s' * (len(files) != 1)}"
    if not text and not notes:
        notes.append("no match")
    meta = {
        "mode": mode,
        "rows": shown,
        "paths": [names[path] for path in files],
        "counts": [[names[path], number] for path, number in files.items()] if mode == "counts" else [],
        "hits": hits,
        "files": len(files),
        "more": more,
        "offset": offset,
        "summary": summary,
    }
    return Result(ok=True, text=text, note="; ".join(notes) or None, meta=meta)


def _lines(rows: Sequence[Sequence[object]]) -> list[str]:
    """`path:line:text` of matches, `path-line-text` of context, `--` between places that do not touch."""
    context = any(not row[3] for row in rows)
    found: list[str] = []
    last: tuple[object, int] | None = None
    for path, line, text, match in rows:
        assert isinstance(line, int)
        if context and last is not None and (path != last[0] or line > last[1] + 1):
            found.append("--")
        sign = ":" if match else "-"
        found.append(f"{path}{sign}{line}{sign}{text}")
        last = (path, line)
    return found


def line_of(row: Row, columns: int = COLUMNS) -> str:
    """The line without its end, cut around the match if it is long, control characters made visible."""
    text = row.text.rstrip("\r\n")
    if len(text) > columns:
        start = max(0, min(row.column - columns // 4, len(text) - columns))
        end = start + columns
        text = f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", printable(text))
