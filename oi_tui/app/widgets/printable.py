"""Untrusted text made safe to paint: control characters become visible, invisible direction marks too.

Nothing a program prints or a model writes may move the cursor, ring, or change what order text is read in (the
"Trojan Source" problem, CVE-2021-42574), so every text passes here before it becomes a line.
"""

from __future__ import annotations

import re

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff")


def _visible(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if character in _INVISIBLE:
        return ""
    if 0x80 <= code <= 0x9F or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<u+{code:04x}>"


def printable(text: str, tab: int = 4) -> str:
    """`text` without anything a terminal would obey.

    Args:
        text: any string; newlines stay, tabs become spaces up to the next multiple of `tab` columns.
        tab: distance of tab stops, in columns.

    Returns:
        Text whose only control character is the newline. ESC shows as `␛`, lone surrogates as `�`, marks that turn
        the direction of text as `<u+202e>`; zero-width spaces and soft hyphens are gone.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\t" in text:
        text = text.expandtabs(tab)
    return _SUSPECT.sub(_visible, text)
