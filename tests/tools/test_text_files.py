from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oi_tui.tools.text_files import CannotEncode, Form, NotText, decode, encode, printable


@pytest.mark.parametrize(
    ("data", "text", "name"),
    [
        (b"", "", "utf-8"),
        (b"plain\n", "plain\n", "utf-8"),
        ("naïve €\n".encode(), "naïve €\n", "utf-8"),
        (codecs.BOM_UTF8 + b"a\n", "a\n", "utf-8 with BOM"),
        ("a\nb\n".encode("utf-16"), "a\nb\n", "utf-16-le with BOM"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "é", "utf-16-be with BOM"),
        (codecs.BOM_UTF32_LE + "é".encode("utf-32-le"), "é", "utf-32-le with BOM"),
        (b"caf\xe9\n", "café\n", "latin-1"),
        ("ééé".encode() + b"\xff", "ééé\udcff", "utf-8, with stray bytes"),
    ],
)
def test_known_encodings_come_and_go(data: bytes, text: str, name: str) -> None:
    found, form = decode(data)
    assert (found, form.name) == (text, name)
    assert encode(found, form) == data


@settings(deadline=None)
@given(st.binary())
def test_what_is_text_comes_back_byte_for_byte(data: bytes) -> None:
    try:
        text, form = decode(data)
    except NotText:
        return
    assert encode(text, form) == data


@settings(deadline=None)
@given(st.text(), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"]), st.booleans())
def test_every_text_survives_every_unicode_encoding(text: str, encoding: str, crlf: bool) -> None:
    bom = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-32-le": codecs.BOM_UTF32_LE}
    body = text.replace("\r", "").replace("\0", "").removeprefix("\ufeff")
    raw = (body.replace("\n", "\r\n") if crlf else body).encode(encoding)
    data = bom.get(encoding, b"") + raw
    found, form = decode(data)
    assert found == body
    assert encode(found, form) == data


def test_crlf_is_kept_and_mixed_ends_stay_in_the_text() -> None:
    assert decode(b"a\r\nb\r\n") == ("a\nb\n", Form(crlf=True))
    assert decode(b"a\r\nb\n") == ("a\r\nb\n", Form())
    assert encode("a\r\nb\n", Form(crlf=True)) == b"a\r\nb\r\n"


def test_binary_and_unencodable_are_refused() -> None:
    with pytest.raises(NotText):
        decode(b"\x7fELF\0\0")
    with pytest.raises(CannotEncode, match="latin-1 has no '€'"):
        encode("5 €", Form("latin-1"))


def test_printable_replaces_only_surrogates() -> None:
    assert printable("ok é") == "ok é"
    assert printable("a\udcffb") == "a\ufffdb"
