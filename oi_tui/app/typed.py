"""Text that a person typed or pasted, made fit to be sent and stored: valid Unicode, no controls."""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029")
# CSI and OSC sequences (ECMA-48 5.4, 8.3.89) as they come along when coloured terminal text is copied.
_SEQUENCES = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` with `\\n` line ends, terminal sequences taken out, other controls and lone surrogates as U+FFFD.

    Surrogates that form a pair become the character they stand for. Newlines and tabs stay; so do signs that change
    the direction of text, which may belong to the language that is written.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    text = _CONTROLS.sub("\ufffd", _SEQUENCES.sub("", text))
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
