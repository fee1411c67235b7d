"""Where what a person sees as one sign begins and ends: letters with marks, emoji in a row, flags.

A plain reading of Unicode's rules for grapheme clusters (UAX 29) that covers what people type; Hangul jamo, which
keyboards send composed, are left out.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"


def _joins(before: str, sign: str) -> bool:
    """True if `sign` belongs to the sign that ends with `before`."""
    return (
        sign == _JOINER
        or before == _JOINER
        or unicodedata.category(sign) in {"Mn", "Me", "Mc"}
        or "\U0001f3fb" <= sign <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= sign <= "\U000e007f"  # tags, in flags of regions
    )


def _is_flag_half(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def starts(line: str) -> list[int]:
    """The index at which each sign of a line begins."""
    found: list[int] = []
    open_flag = False
    for index, sign in enumerate(line):
        flag = _is_flag_half(sign)
        if not index or not (_joins(line[index - 1], sign) or (flag and open_flag)):
            found.append(index)
            open_flag = flag
        else:
            open_flag = False
    return found


def before(line: str, column: int) -> int:
    """Where the sign begins that ends at `column`; `column` itself at the beginning of the line."""
    return max((one for one in starts(line) if one < column), default=column)


def after(line: str, column: int) -> int:
    """Where the sign ends that `column` is in; the length of the line for the last one."""
    return min((one for one in starts(line) if one > column), default=len(line))
