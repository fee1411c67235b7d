# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

import base64
import json
import os
import socket
import struct
import zlib
from pathlib import Path

import pytest

from oi_tui.tools import Context, get, read
from oi_tui.tools.pictures import kind_and_size


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + b"\0" * width for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


async def test_the_whole_of_a_short_file(ctx: Context, work: Path) -> None:
    (work / "a.txt").write_text("one\ntwo")
    result = await get("read").run(ctx, path="a.txt")
    assert (result.ok, result.text, result.note) == (True, "one\ntwo", None)
    assert result.meta == {
        "path": "a.txt", "first": 1, "lines": 2, "total": 2, "encoding": "utf-8", "more": False, "shortened": 0,
        "summary": "2 lines", "kind": "text", "bytes": 7,
    }  # fmt: skip
    status = (work / "a.txt").stat()
    assert ctx.memory["read"] == {str(work / "a.txt"): (status.st_mtime_ns, status.st_size)}


@pytest.mark.parametrize(
    ("offset", "limit", "text", "first", "more"),
    [
        (1, 2, "1\n2\n", 1, True),
        (4, 10, "4\n5\n", 4, False),
        (-2, 10, "4\n5\n", 4, False),
        (-9, 1, "1\n", 1, True),
        ("2", 1.0, "2\n", 2, True),
    ],
)
async def test_ranges(
    ctx: Context, work: Path, offset: int | str, limit: float, text: str, first: int, more: bool
) -> None:
    (work / "n").write_text("1\n2\n3\n4\n5\n")
    result = await get("read").run(ctx, path="n", offset=offset, limit=limit)
    assert (result.text, result.meta["first"], result.meta["more"]) == (text, first, more)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "read needs the argument 'path'"),
        ({"path": ""}, "path is empty"),
        ({"path": "a\0b"}, "NUL"),
        ({"path": 3}, "path must be text, not int"),
        ({"path": "n", "offset": 0}, "counts lines from 1"),
        ({"path": "n", "limit": 0}, "1 or more"),
        ({"path": "n", "offset": True}, "offset must be a whole number"),
        ({"path": "n", "lines": 3}, "no argument 'lines'; it takes path, offset, limit"),
        ({"path": "gone"}, "gone does not exist"),
        ({"path": "gone/deeper"}, "does not exist"),
        ({"path": "x" * 5000}, "name too long"),
        ({"path": "folder"}, "folder is a folder; list shows"),
        ({"path": "n", "offset": 9}, "n ends at line 1; line 9 is beyond its end"),
        ({"path": "n/below"}, "not exist|not a directory"),
    ],
)
async def test_what_cannot_be_read_is_a_sentence(
    ctx: Context, work: Path, arguments: dict[str, object], says: str
) -> None:
    (work / "n").write_text("1\n")
    (work / "folder").mkdir()
    result = await get("read").run(ctx, **arguments)
    assert not result.ok
    assert any(part in result.text for part in says.split("|")), result.text


async def test_pipes_sockets_and_devices_are_never_opened(ctx: Context, work: Path) -> None:
    os.mkfifo(work / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(work)  # socket names are short
        try:
            server.bind("sock")
        finally:
            os.chdir(here)
        for path, kind in (("pipe", "a named pipe"), ("sock", "a socket"), ("/dev/zero", "a character device")):
            assert get("read").preview(ctx, path=path).error == f"{path} is {kind}; it is not opened"
            result = await get("read").run(ctx, path=path)
            assert (result.ok, kind in result.text) == (False, True)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n\0\0", "a PDF that cannot be read"),
        (b"PK\x03\x04\0\0", "a ZIP archive"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"a\0b", "a binary file of 3 bytes"),
    ],
)
async def test_binary_is_refused_with_its_kind(ctx: Context, work: Path, data: bytes, kind: str) -> None:
    (work / "b").write_bytes(data)
    result = await get("read").run(ctx, path="b")
    assert not result.ok
    assert kind in result.text


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (b"caf\xe9", "café", "encoding latin-1"),
        ("é\r\nb".encode("utf-16"), "é\nb", "encoding utf-16-le with BOM"),
        (b"\xef\xbb\xbfa", "a", "encoding utf-8 with BOM"),
        (b"", "", "the file is empty"),
        (b"\xc3\xa9\xc3\xa9\xff", "éé\ufffd", "encoding utf-8, with stray bytes"),
    ],
)
async def test_encodings_are_read_and_said(ctx: Context, work: Path, data: bytes, text: str, note: str) -> None:
    (work / "t").write_bytes(data)
    result = await get("read").run(ctx, path="t")
    assert (result.ok, result.text, result.note) == (True, text, note)


async def test_long_lines_and_long_files_are_bounded(ctx: Context, work: Path) -> None:
    (work / "wide").write_text("x" * 5000 + "\nshort\n")
    result = await get("read").run(ctx, path="wide")
    assert result.text == "x" * 2000 + " […3,000 more characters]\nshort\n"
    assert result.meta["shortened"] == 1
    (work / "tall").write_text("y" * 999 + "\n")
    with (work / "tall").open("a") as file:
        file.writelines("y" * 999 + "\n" for _ in range(1999))
    result = await get("read").run(ctx, path="tall")
    assert len(result.text) <= read.MOST_CHARACTERS
    assert result.meta["more"]
    assert result.note == "lines 1-100 of 2000"


async def test_a_file_beyond_all_bounds_is_for_code(ctx: Context, work: Path) -> None:
    with (work / "huge").open("wb") as file:
        file.truncate(read.MOST_BYTES + 5)
    result = await get("read").run(ctx, path="huge")
    assert not result.ok
    assert f"{read.MOST_BYTES + 5:,} bytes" in result.text


async def test_pictures_come_as_pictures(ctx: Context, work: Path) -> None:
    (work / "p.dat").write_bytes(png(7, 5))
    result = await get("read").run(ctx, path="p.dat")
    (image,) = result.images
    assert base64.b64decode(image.data) == png(7, 5)
    assert (image.format, image.width, image.height) == ("png", 7, 5)
    assert "7 x 5 pixels" in result.text
    assert result.meta["summary"] == "png 7 x 5 pixels"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"GIF89a\x03\x00\x04\x00", ("gif", (3, 4))),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08\x00\x09\x00\x08\x01", ("jpeg", (8, 9))),
        (b"\xff\xd8\xff\xe0\x00", ("jpeg", None)),
        (b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + b"\x01\0\0\x02\0\0", ("webp", (2, 3))),
        (b"RIFF\0\0\0\0WEBPVP8L" + b"\0" * 5 + struct.pack("<I", 1 | 2 << 14), ("webp", (2, 3))),
        (b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 10 + struct.pack("<HH", 6, 7), ("webp", (6, 7))),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"", None),
    ],
)
def test_sizes_of_pictures(data: bytes, expected: object) -> None:
    assert kind_and_size(data) == expected


async def test_links_are_followed_and_told(ctx: Context, work: Path, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("out")
    (work / "link").symlink_to(tmp_path / "out.txt")
    preview = get("read").preview(ctx, path="link")
    assert preview.reads == (str(tmp_path / "out.txt"),)
    (work / "circle").symlink_to("circle")
    assert "circle of symbolic links" in get("read").preview(ctx, path="circle").error


async def test_files_that_have_no_size_are_read(ctx: Context) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc here")
    result = await get("read").run(ctx, path="/proc/self/status")
    assert "Pid:" in result.text


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page (ISO 32000-1, 7.5)."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * one} 0 R" for one in range(count))
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>"
        )
        stream = f"BT /F 12 Tf 20 200 Td ({text}) Tj ET"
        bodies.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    made, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R >>"
    return made + f"{end}\nstartxref\n{len(made)}\n%%EOF\n".encode()


async def test_a_pdf(ctx: Context, work: Path) -> None:
    (work / "a.pdf").write_bytes(pdf("first", "second", "third"))
    whole = await get("read").run(ctx, path="a.pdf")
    assert whole.text == "--- page 1 ---\nfirst\n--- page 2 ---\nsecond\n--- page 3 ---\nthird"
    assert (whole.meta["kind"], whole.meta["pages"], whole.meta["more"]) == ("pdf", 3, False)
    some = await get("read").run(ctx, path="a.pdf", pages="3-,1")
    assert (some.meta["shown"], some.text.count("page")) == ([3, 1], 2)
    for pages, says in (("0", "from 1"), ("x", "1-5,8"), ("4", "has 3 pages")):
        assert says in (await get("read").run(ctx, path="a.pdf", pages=pages)).text
    (work / "many.pdf").write_bytes(pdf(*(f"text {one}" for one in range(30))))
    many = await get("read").run(ctx, path="many.pdf")
    assert (len(many.meta["shown"]), many.note) == (20, "pages 1-20 of 30; name others with pages")


async def test_a_notebook_and_a_folder(ctx: Context, work: Path) -> None:
    book = {
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# T\n", "x"]},
            {"cell_type": "code", "id": "c", "metadata": {}, "source": "1/0", "execution_count": 1, "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["hi\n"]},
                {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "no", "traceback": []},
                {"output_type": "display_data", "data": {"image/png": "AA=="}, "metadata": {}},
            ]},
        ],
    }  # fmt: skip
    (work / "n.ipynb").write_text(json.dumps(book))
    result = await get("read").run(ctx, path="n.ipynb")
    assert result.meta["cells"] == 2
    assert '<cell id="m" type="markdown">\n# T\nx\n</cell>' in result.text
    assert "hi\n" in result.text
    assert "ZeroDivisionError: no" in result.text
    assert "[image/png]" in result.text
    (work / "broken.ipynb").write_text("{")
    assert (await get("read").run(ctx, path="broken.ipynb")).text == "{"
    (work / ".hidden").write_text("")
    assert (await get("read").run(ctx, path=".")).meta["error"] == "kind"
    assert (await get("read").run(ctx, path=".", folders=True)).text == "broken.ipynb\nn.ipynb"
