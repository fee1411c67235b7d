"""The receiving half of HTTP/1.1, as a pure decoder: bytes in, head and body out.

Source: RFC 9112. Written for streams of many tiny chunks: all chunks that one read brings come out as one piece of
bytes, which costs a tenth of handling each of them as an event.
"""

from __future__ import annotations

import re

_MOST_HEAD = 256 * 1024
_STATUS = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: ([^\r\n]*))?")

Headers = list[tuple[bytes, bytes]]


class BadResponse(Exception):
    """What came is not an HTTP response; str() says why."""


class ResponseDecoder:
    """Decodes one response. After `head` is set, `feed` gives body bytes; `complete` tells that all has come.

    head: (status, reason, headers) or None while it is incomplete. reusable: the connection may carry another request.
    """

    def __init__(self, method: bytes = b"POST") -> None:
        self.head: tuple[int, bytes, Headers] | None = None
        self.complete = False
        self.reusable = False
        self._method = method
        self._buffer = b""
        self._mode = ""  # length, chunked, close
        self._left = 0  # bytes that are left of the body or of the current chunk
        self._in_chunk = False
        self._in_trailers = False
        self._keep_alive = False

    def feed(self, data: bytes) -> bytes:
        """Body bytes that `data` brings. Raises BadResponse."""
        if self.head is None:
            self._buffer += data
            while self.head is None:
                if not self._read_head():
                    return b""
            data, self._buffer = self._buffer, b""
        if self.complete:
            return b""
        if self._mode == "chunked":
            return self._chunks(data)
        if self._mode == "close":
            return data
        body, self._left = data[: self._left], self._left - len(data)
        if self._left <= 0:
            self._end(clean=self._left == 0)
        return body

    def at_eof(self) -> bool:
        """Tell it that the connection ended; True if the response is whole."""
        if self.head is not None and self._mode == "close":
            self.complete = True
        return self.complete

    def _read_head(self) -> bool:
        text = self._buffer.lstrip(b"\r\n")
        end = text.find(b"\r\n\r\n")
        if end < 0:
            if len(text) > _MOST_HEAD:
                raise BadResponse("the headers of the response do not end")
            if len(text) >= 5 and not text.startswith(b"HTTP/"):
                raise BadResponse("the answer is not HTTP")
            return False
        self._buffer = text[end + 4 :]
        first, *lines = text[:end].split(b"\r\n")
        status = _STATUS.fullmatch(first)
        if status is None:
            raise BadResponse("the answer is not HTTP/1.1")
        code = int(status[2])
        if 100 <= code < 200:
            return True  # an interim response: the real one follows
        headers = [_header(line) for line in lines]
        self._frame(code, dict(headers), version_1_1=status[1] == b"1")
        self.head = (code, status[3] or b"", headers)
        return True

    def _frame(self, code: int, fields: dict[bytes, bytes], *, version_1_1: bool) -> None:
        connection = fields.get(b"connection", b"").lower()
        self._keep_alive = b"keep-alive" in connection if not version_1_1 else b"close" not in connection
        if self._method == b"HEAD" or code in {204, 304}:
            self._end(clean=True)
        elif b"transfer-encoding" in fields:
            self._mode = "chunked" if fields[b"transfer-encoding"].lower().endswith(b"chunked") else "close"
        elif b"content-length" in fields:
            length = fields[b"content-length"].split(b",")[0].strip()
            if not length.isdigit():
                raise BadResponse("the response has a Content-Length that is no number")
            self._mode, self._left = "length", int(length)
            if self._left == 0:
                self._end(clean=True)
        else:
            self._mode = "close"

    def _end(self, *, clean: bool) -> None:
        self.complete = True
        self.reusable = clean and self._keep_alive

    def _chunks(self, data: bytes) -> bytes:
        if self._buffer:
            data, self._buffer = self._buffer + data, b""
        pieces: list[bytes] = []
        at, size = 0, len(data)
        while at < size:
            if self._left:
                piece = data[at : at + self._left]
                pieces.append(piece)
                at += len(piece)
                self._left -= len(piece)
                continue
            end = data.find(b"\n", at)
            if end < 0:
                if size - at > _MOST_HEAD:
                    raise BadResponse("a chunk of the response has no end")
                self._buffer = data[at:]
                break
            line, at = data[at:end].rstrip(b"\r"), end + 1
            if self._line(line):
                self._end(clean=at == size)
                break
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _line(self, line: bytes) -> bool:
        """Take a line between chunks; True if it ends the body."""
        if self._in_chunk:  # the line end that closes a chunk
            if line:
                raise BadResponse("a chunk of the response is longer than it says")
            self._in_chunk = False
            return False
        if self._in_trailers:
            return not line
        try:
            self._left = int(line.partition(b";")[0], 16)
        except ValueError:
            raise BadResponse("a chunk of the response has no valid size") from None
        if self._left < 0:
            raise BadResponse("a chunk of the response has a negative size")
        self._in_chunk = self._left > 0
        self._in_trailers = self._left == 0
        return False


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or not name.strip():
        raise BadResponse("a header of the response cannot be read")
    return name.strip().lower(), value.strip()
