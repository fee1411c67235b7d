"""Bytes of a file as text and back, so that a change leaves everything else of the file as it was.

Encoding, byte order mark and line ends are kept in a `Form`; `decode` and `encode` are exact inverses for every file
that is text.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

SNIFF = 8192  # bytes looked at to tell binary from text

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_STRAY = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Form:
    """How a text lies on disk. `errors` is `surrogateescape` for UTF-8 with a few stray bytes. crlf: every line of it
    ends with CR LF (the text is then handled with LF alone); files with mixed ends keep their CRs in the text."""

    encoding: str = "utf-8"
    bom: bytes = b""
    errors: str = "strict"
    crlf: bool = False

    @property
    def name(self) -> str:
        """For people: `utf-16-le with BOM`."""
        stray = ", with stray bytes" if self.errors != "strict" else ""
        return f"{self.encoding}{' with BOM' if self.bom else ''}{stray}"


class NotText(ValueError):
    """The bytes are not text in any encoding that is recognised."""


class CannotEncode(ValueError):
    """The text has a character that the file's encoding lacks; the message names both."""


def decode(data: bytes) -> tuple[str, Form]:
    """Text of a whole file and the form that gives the same bytes back. Raises NotText for binary data."""
    form = detect(data)
    try:
        text = data[len(form.bom) :].decode(form.encoding, form.errors)
    except UnicodeDecodeError as error:
        raise NotText(f"not valid {form.encoding}") from error
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        form = Form(form.encoding, form.bom, form.errors, crlf=True)
        text = text.replace("\r\n", "\n")
    return text, form


def detect(data: bytes) -> Form:
    """Encoding of `data` (line ends are not looked at). Raises NotText for what looks binary."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return Form(encoding, bom)
    if b"\0" in data[:SNIFF]:
        raise NotText("binary")
    try:
        data.decode("utf-8")
        return Form()
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "surrogateescape")
    if len(_BEYOND_ASCII.findall(text)) > len(_STRAY.findall(text)):
        return Form("utf-8", errors="surrogateescape")
    return Form("latin-1")


def encode(text: str, form: Form) -> bytes:
    """Bytes of `text` in that form. Text that brings CR LF itself is not given a second CR. Raises CannotEncode."""
    if form.crlf:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        return form.bom + text.encode(form.encoding, form.errors)
    except UnicodeEncodeError as error:
        raise CannotEncode(f"{form.encoding} has no {text[error.start]!r}") from error


def printable(text: str) -> str:
    """`text` for a screen or a model: what is no valid Unicode becomes U+FFFD."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text)
