"""The decoder of HTTP/1.1 responses, cut at every byte."""

import pytest

from oi_tui.models.wires.http1 import BadResponse, ResponseDecoder

_CHUNKED = (
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n6;name=value\r\n world\r\n0\r\nTrailer: x\r\n\r\n"
)
_SIZED = b"HTTP/1.1 404 Not Found\r\nContent-Length: 11\r\nConnection: close\r\n\r\nhello world"


def _decode(pieces: list[bytes], method: bytes = b"POST") -> tuple[ResponseDecoder, bytes]:
    decoder = ResponseDecoder(method)
    return decoder, b"".join(decoder.feed(piece) for piece in pieces)


@pytest.mark.parametrize(("data", "status", "reusable"), [(_CHUNKED, 200, True), (_SIZED, 404, False)])
def test_every_cut(data: bytes, status: int, reusable: bool) -> None:
    for pieces in [[bytes([one]) for one in data], *([data[:cut], data[cut:]] for cut in range(len(data) + 1))]:
        decoder, body = _decode(pieces)
        assert body == b"hello world"
        assert decoder.head is not None
        assert decoder.head[0] == status
        assert decoder.complete
        assert decoder.reusable is reusable


def test_incomplete_is_not_complete() -> None:
    for cut in range(len(_CHUNKED)):
        decoder, _ = _decode([_CHUNKED[:cut]])
        assert not decoder.complete
        assert not decoder.at_eof()


def test_body_until_the_connection_ends() -> None:
    decoder, body = _decode([b"HTTP/1.0 200 OK\r\n\r\nabc", b"def"])
    assert body == b"abcdef"
    assert not decoder.complete
    assert decoder.at_eof()
    assert not decoder.reusable


@pytest.mark.parametrize("head", [b"HTTP/1.1 204 No Content\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
def test_no_body(head: bytes) -> None:
    decoder, body = _decode([head])
    assert (body, decoder.complete, decoder.reusable) == (b"", True, True)


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000,
    ],
)
def test_what_is_no_response(data: bytes) -> None:
    with pytest.raises(BadResponse):
        _decode([data])


def test_more_than_the_length_says_is_not_reused() -> None:
    decoder, body = _decode([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc"])
    assert body == b"ab"
    assert decoder.complete
    assert not decoder.reusable
