"""Messages between the app and a process that a model lives in: four bytes of length, big-endian, then JSON."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any, BinaryIO

Frame = dict[str, Any]

LARGEST = 64 << 20  # bytes; more than that is no frame of ours but a stream out of step


class BadFrame(ValueError):
    """The bytes are no frame: the other side is not what it should be."""


def pack(frame: Frame) -> bytes:
    """The bytes of one frame."""
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return struct.pack(">I", len(body)) + body


def read(source: BinaryIO) -> Frame | None:
    """The next frame of a blocking stream, None at its end, torn or not. Raises BadFrame."""
    head = source.read(4)
    if len(head) < 4:
        return None
    body = source.read(_length(head))
    return _unpack(body) if len(body) == _length(head) else None


async def receive(source: asyncio.StreamReader) -> Frame | None:
    """The next frame of an asyncio stream, None at its end, torn or not. Raises BadFrame."""
    try:
        head = await source.readexactly(4)
        return _unpack(await source.readexactly(_length(head)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _length(head: bytes) -> int:
    (length,) = struct.unpack(">I", head)
    if length > LARGEST:
        raise BadFrame(f"a frame of {length} bytes")
    return int(length)


def _unpack(body: bytes) -> Frame:
    try:
        frame = json.loads(body.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise BadFrame(str(error)) from error
    if not isinstance(frame, dict):
        raise BadFrame("not an object")
    return frame
