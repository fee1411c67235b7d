"""What kind of picture some bytes are, and its size in pixels, from its first bytes alone.

Sources: PNG (W3C), section 11.2.1; GIF89a, section 18; JPEG (ITU T.81), table B.1; WebP container (RFC 9649).
"""

from __future__ import annotations

import struct

Size = tuple[int, int]


def kind_and_size(data: bytes) -> tuple[str, Size | None] | None:
    """(`png`, `jpeg`, `gif` or `webp`; (width, height) or None where it cannot be told), None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png", _unpacked(">II", data, 16)
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return "gif", _unpacked("<HH", data, 6)
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg", _jpeg_size(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp", _webp_size(data)
    return None


def _unpacked(layout: str, data: bytes, offset: int) -> Size | None:
    if len(data) < offset + struct.calcsize(layout):
        return None
    width, height = struct.unpack_from(layout, data, offset)
    return width, height


def _jpeg_size(data: bytes) -> Size | None:
    """Walks the segments to the frame header (SOF0 to SOF15 without DHT, JPG and DAC)."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _webp_size(data: bytes) -> Size | None:
    chunk = data[12:16]
    if chunk == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if chunk == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8 " and len(data) >= 30:
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
