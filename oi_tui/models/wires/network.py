"""An httpx transport over asyncio streams: the connection to a model server.

Why not httpx's own: that imports httpcore and anyio, which costs a third of the whole start-up, and hands out every
chunk singly. This one speaks HTTP/1.1 to one server directly, keeps connections for the next request, and drops the
socket at once when a response is closed before its end. Proxies are left to httpx's own transport, see `http.py`.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import ssl
from collections.abc import AsyncIterator
from typing import Any

from oi_tui.models.wires.http1 import BadResponse, ResponseDecoder
from oi_tui.models.wires.light_httpx import httpx

_READ_SIZE = 256 * 1024
_Origin = tuple[bytes, str, int]


class Connection:
    """One socket, used for one request after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.used = False

    def alive(self) -> bool:
        """False once the server has closed, or has sent what nobody asked for."""
        return not self._writer.transport.is_closing() and not self._reader.at_eof()

    async def send(self, request: httpx.Request, seconds: float | None) -> None:
        """Send a whole request. Raises httpx.WriteError or WriteTimeout."""
        try:
            async with asyncio.timeout(seconds):
                self._writer.write(_head(request))
                assert isinstance(request.stream, httpx.AsyncByteStream)
                async for piece in request.stream:
                    self._writer.write(piece)
                await self._writer.drain()
        except TimeoutError:
            raise httpx.WriteTimeout("the request could not be sent in time") from None
        except OSError as error:
            raise httpx.WriteError(str(error)) from error

    async def receive(self, seconds: float | None) -> bytes:
        """Some bytes, b"" at the end of the connection. Raises httpx.ReadError or ReadTimeout."""
        try:
            async with asyncio.timeout(seconds):
                return await self._reader.read(_READ_SIZE)
        except TimeoutError:
            raise httpx.ReadTimeout(f"nothing came for {seconds:g} s") from None
        except OSError as error:
            raise httpx.ReadError(str(error)) from error

    def abort(self) -> None:
        """Close the socket now, whatever is still to come."""
        self._writer.transport.abort()


class Body(httpx.AsyncByteStream):
    """The body of a response while it arrives; closing it gives the connection back, or drops it if there is more."""

    def __init__(
        self, pool: DirectTransport, origin: _Origin, connection: Connection, decoder: ResponseDecoder, first: bytes,
        timeout: float | None,
    ) -> None:  # fmt: skip
        self._pool, self._origin, self._connection, self._decoder = pool, origin, connection, decoder
        self._first, self._timeout, self._closed = first, timeout, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._first:
            first, self._first = self._first, b""
            yield first
        while not self._decoder.complete:
            data = await self._connection.receive(self._timeout)
            if not data:
                if self._decoder.at_eof():
                    return
                raise httpx.RemoteProtocolError("the server closed the connection before the end of the response")
            try:
                body = self._decoder.feed(data)
            except BadResponse as error:
                raise httpx.RemoteProtocolError(str(error)) from None
            if body:
                yield body

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._decoder.complete and self._decoder.reusable:
            self._pool.give_back(self._origin, self._connection)
        else:
            self._connection.abort()


class DirectTransport(httpx.AsyncBaseTransport):
    """Connections without a proxy. `tls` is made when the first https address is asked for."""

    def __init__(self, tls: Any) -> None:
        self._make_tls = tls
        self._tls: ssl.SSLContext | None = None
        self._idle: dict[_Origin, list[Connection]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`, return as soon as the head of the response is there."""
        origin = _origin(request.url)
        timeouts: dict[str, float | None] = request.extensions.get("timeout", {})
        while True:
            connection = self._take(origin) or await self._connect(origin, timeouts.get("connect"))
            again = connection.used
            try:
                return await self._exchange(origin, connection, request, timeouts)
            except (httpx.WriteError, httpx.ReadError, _NoAnswer):
                connection.abort()
                if not again:  # a kept connection may have been closed by the server meanwhile: then take a new one
                    raise
            except BaseException:
                connection.abort()
                raise

    async def _exchange(
        self, origin: _Origin, connection: Connection, request: httpx.Request, timeouts: dict[str, float | None]
    ) -> httpx.Response:
        connection.used = True
        await connection.send(request, timeouts.get("write"))
        decoder = ResponseDecoder(request.method.encode())
        first, begun = b"", False
        while decoder.head is None:
            data = await connection.receive(timeouts.get("read"))
            if not data:
                problem = "the server closed the connection without an answer"
                raise httpx.RemoteProtocolError(problem) if begun else _NoAnswer(problem)
            begun = True
            try:
                first = decoder.feed(data)
            except BadResponse as error:
                raise httpx.RemoteProtocolError(str(error)) from None
        status, reason, headers = decoder.head
        body = Body(self, origin, connection, decoder, first, timeouts.get("read"))
        return httpx.Response(status, headers=headers, stream=body, extensions={"reason_phrase": reason})

    async def open(self, url: httpx.URL, seconds: float | None) -> None:
        """Connect ahead of the first request, so that it need not wait for it."""
        origin = _origin(url)
        if not any(one.alive() for one in self._idle.get(origin, ())):
            self.give_back(origin, await self._connect(origin, seconds))

    def give_back(self, origin: _Origin, connection: Connection) -> None:
        """Keep a connection for the next request to the same server."""
        self._idle.setdefault(origin, []).append(connection)

    def _take(self, origin: _Origin) -> Connection | None:
        waiting = self._idle.get(origin, [])
        while waiting:
            connection = waiting.pop()
            if connection.alive():
                return connection
            connection.abort()
        return None

    async def _connect(self, origin: _Origin, seconds: float | None) -> Connection:
        scheme, host, port = origin
        options: dict[str, Any] = {}
        if scheme == b"https":
            self._tls = self._tls or await asyncio.to_thread(self._make_tls)
            options = {"ssl": self._tls, "server_hostname": host}
        try:
            async with asyncio.timeout(seconds):
                opened = await asyncio.open_connection(
                    host, port, happy_eyeballs_delay=0.25, limit=_READ_SIZE, **options
                )
        except TimeoutError:
            raise httpx.ConnectTimeout(f"no connection within {seconds:g} s") from None
        except (OSError, UnicodeError) as error:  # ssl.SSLError is an OSError; a host name may be no valid IDNA
            raise httpx.ConnectError(_reason(error)) from error
        return Connection(*opened)

    async def aclose(self) -> None:
        """Drop the connections that are kept."""
        for waiting in self._idle.values():
            for connection in waiting:
                connection.abort()
        self._idle.clear()


class _NoAnswer(httpx.RemoteProtocolError):
    """The connection ended before the first byte of the response."""


def _reason(error: Exception) -> str:
    """Why no connection was made, in the system's words; asyncio's own name the address and the number instead."""
    number = getattr(error, "errno", None)
    if number is None:
        found = re.search(r"\[Errno (\d+)\]", str(error))  # several addresses were tried: the first tells enough
        number = int(found[1]) if found else None
    return (
        str(error) if number is None or number not in errno.errorcode or _is_tls(error) else os.strerror(number).lower()
    )


def _is_tls(error: Exception) -> bool:
    return isinstance(error, ssl.SSLError)


def _origin(url: httpx.URL) -> _Origin:
    return url.raw_scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _head(request: httpx.Request) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    for name, value in request.headers.raw:
        if b"\r" in value or b"\n" in value:
            raise httpx.LocalProtocolError(f"the header {name.decode()} has a line break in its value")
        lines.append(name + b": " + value)
    return b"\r\n".join(lines) + b"\r\n\r\n"
