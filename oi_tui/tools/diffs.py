"""Unified diffs, exact to the last byte of text and quick on long files."""

from __future__ import annotations

from difflib import SequenceMatcher

from oi_tui.tools.text_files import printable

CONTEXT = 3
_MOST_COMPARED = 6_000  # changed lines beyond which the middle is shown as replaced: matching is quadratic at worst

_Opcode = tuple[str, int, int, int, int]
_NO_NEWLINE = "\\ No newline at end of file\n"


def unified(old: str | None, new: str | None, old_name: str, new_name: str) -> str:
    """The diff that turns `old` into `new`; None stands for "no file". "" when both are the same."""
    if old == new:
        return ""
    a, b = _lines(old or ""), _lines(new or "")
    head = [f"--- {'/dev/null' if old is None else 'a/' + old_name}\n"]
    head.append(f"+++ {'/dev/null' if new is None else 'b/' + new_name}\n")
    body: list[str] = []
    for group in _grouped(_opcodes(a, b)):
        body.append(f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@\n")
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                body.extend(" " + line for line in a[a1:a2])
                continue
            body.extend("-" + line for line in a[a1:a2])
            body.extend("+" + line for line in b[b1:b2])
    return printable("".join(head + [line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in body]))


def count(diff: str) -> tuple[int, int]:
    """Lines added and removed by the unified diff of one file."""
    added = removed = 0
    in_hunk = False
    for line in diff.split("\n"):
        if line.startswith("--- ") and not in_hunk:
            continue
        if line.startswith("@@ "):
            in_hunk = True
        elif in_hunk and line.startswith("+"):
            added += 1
        elif in_hunk and line.startswith("-"):
            removed += 1
    return added, removed


def _lines(text: str) -> list[str]:
    """Lines with their LF; only LF ends a line, so that form feeds and U+2028 stay inside theirs."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _opcodes(a: list[str], b: list[str]) -> list[_Opcode]:
    """Edit script of the whole from that of the part that differs."""
    start = 0
    shortest = min(len(a), len(b))
    while start < shortest and a[start] == b[start]:
        start += 1
    end = 0
    while end < shortest - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a_end, b_end = len(a) - end, len(b) - end
    middle: list[_Opcode]
    if a_end - start + b_end - start > _MOST_COMPARED:
        middle = [("replace", start, a_end, start, b_end)]
    else:
        matcher = SequenceMatcher(None, a[start:a_end], b[start:b_end])
        middle = [
            (tag, a1 + start, a2 + start, b1 + start, b2 + start) for tag, a1, a2, b1, b2 in matcher.get_opcodes()
        ]
    before: list[_Opcode] = [("equal", 0, start, 0, start)] if start else []
    after: list[_Opcode] = [("equal", a_end, len(a), b_end, len(b))] if end else []
    return before + middle + after


def _grouped(opcodes: list[_Opcode]) -> list[list[_Opcode]]:
    """Changes with up to CONTEXT equal lines around each; those closer than twice that share a hunk."""
    groups: list[list[_Opcode]] = []
    group: list[_Opcode] = []
    for position, (tag, a1, a2, b1, b2) in enumerate(opcodes):
        if tag != "equal":
            group.append((tag, a1, a2, b1, b2))
            continue
        length = a2 - a1
        first, last = position == 0, position == len(opcodes) - 1
        if not first and not last and length <= 2 * CONTEXT:
            group.append((tag, a1, a2, b1, b2))
            continue
        keep = min(length, CONTEXT)
        if not first:
            group.append((tag, a1, a1 + keep, b1, b1 + keep))
            groups.append(group)
        group = [] if last else [(tag, a2 - keep, a2, b2 - keep, b2)]
    if group:
        groups.append(group)
    return groups


def _range(start: int, stop: int) -> str:
    """Line numbers as GNU diff writes them: an empty range names the line before it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
