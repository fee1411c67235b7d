"""The way out of a sandbox: a proxy that speaks HTTP and CONNECT (RFC 9110 §9.3.6) to the hosts that are allowed.

It runs in this program and listens in the network of the sandbox, where nothing else leads anywhere. What it refuses
it remembers, so that a person can be asked. A name that leads to an address of this machine or its own network is
refused unless that very name is allowed, or a public name could be pointed there.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_HEAD = 1 << 16  # bytes of a request's head
_PATIENCE = 30.0  # seconds until a host has to answer, and until a request has to be there
_MOST = 256  # connections at once
_HOP = frozenset({b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive"})
_KEPT = 64  # refusals that are remembered


@dataclass(frozen=True, slots=True)
class Refused:
    """A connection that was not allowed."""

    host: str
    port: int


def allows(pattern: str, host: str) -> bool:
    """Whether an entry of a list of hosts means this one: `a.com` itself, `*.a.com` what is below, `**.a.com` both,
    `*` every one."""
    pattern, host = pattern.strip().lower().rstrip("."), host.lower().rstrip(".")
    if pattern == "*":
        return True
    if pattern.startswith("**."):
        return host == pattern[3:] or host.endswith(pattern[2:])
    if pattern.startswith("*."):
        return host.endswith(pattern[1:])
    return bool(pattern) and host == pattern


class Proxy:
    """hosts: patterns that are allowed; may be changed at any time. environ: the person's, whose own proxy is used."""

    def __init__(self, hosts: Iterable[str], environ: Mapping[str, str]) -> None:
        self.hosts = list(hosts)
        self.refused: list[Refused] = []
        self._environ = environ
        self._server: asyncio.Server | None = None
        self._starting: asyncio.Task[None] | None = None
        self._open: set[asyncio.StreamWriter] = set()

    def serve(self, listening: socket.socket) -> None:
        """Answer what comes to this socket, which is closed in the end. Only in a running loop."""

        async def begin() -> None:
            self._server = await asyncio.start_server(self._answer, sock=listening, limit=_HEAD)

        self._starting = asyncio.ensure_future(begin())

    def close(self) -> None:
        """End all connections."""
        if self._starting is not None:
            self._starting.cancel()
        if self._server is not None:
            self._server.close()
        for one in list(self._open):
            one.close()

    def take_refused(self) -> list[Refused]:
        """What was refused since this was last asked."""
        taken, self.refused = self.refused, []
        return taken

    def allowed(self, host: str) -> bool:
        """Whether a host may be reached, by its name."""
        return any(allows(one, host) for one in self.hosts)

    def _named(self, host: str) -> bool:
        return any(one.strip().lower() == host.lower() for one in self.hosts)

    # ---- one connection

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            if len(self._open) > _MOST:
                await _say(writer, 503, "too many connections at once")
                return
            await self._request(reader, writer)
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            with contextlib.suppress(OSError):
                await _say(writer, 502, f"the host could not be reached: {error or type(error).__name__}")
        finally:
            self._open.discard(writer)
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_PATIENCE):
            head = await reader.readuntil(b"\r\n\r\n")
        first, _, rest = head.partition(b"\r\n")
        method, target, version = first.decode("latin-1").split(" ")
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        host, port = parts.hostname or "", parts.port or (443 if tunnel else 80)
        if not host or (not tunnel and parts.scheme != "http"):
            await _say(writer, 400, "this is a proxy: ask it for http://HOST/ or with CONNECT")
            return
        if not self.allowed(host):
            await self._refuse(writer, host, port)
            return
        own = self._upstream("https" if tunnel else "http", host)
        found = [own[:2]] if own else await _addresses(host, port)
        if not own and not self._named(host) and any(_is_private(one) for one, _ in found):
            await self._refuse(writer, host, port)
            return
        there, out = await _connected(found)
        self._open.add(out)
        try:
            if tunnel:
                if own:
                    out.write(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{own[2]}\r\n".encode())
                    async with asyncio.timeout(_PATIENCE):
                        said = await there.readuntil(b"\r\n\r\n")
                    if said.split(b" ")[1:2] != [b"200"]:
                        writer.write(said)
                        return
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                kept = [line for line in rest.split(b"\r\n") if line and not _of_hop(line)]
                begin = f"{method} {target if own else path} {version}\r\n{own[2] if own else ''}".encode("latin-1")
                out.write(begin + b"\r\n".join([*kept, b"Connection: close", b"", b""]))
            await _both_ways(reader, writer, there, out)
        finally:
            self._open.discard(out)
            out.close()

    async def _refuse(self, writer: asyncio.StreamWriter, host: str, port: int) -> None:
        if len(self.refused) < _KEPT and Refused(host, port) not in self.refused:
            self.refused.append(Refused(host, port))
        await _say(writer, 403, f"the sandbox does not allow connections to {host}")

    def _upstream(self, scheme: str, host: str) -> tuple[str, int, str] | None:
        """The person's own proxy for a host, None for none: host, port, a header with its password."""
        names = {name.lower(): value for name, value in self._environ.items()}
        address = names.get(f"{scheme}_proxy", "")
        if not address or _bypassed(host, names.get("no_proxy", "")):
            return None
        parts = urlsplit(address if "//" in address else f"http://{address}")
        if not parts.hostname or parts.scheme != "http":
            return None
        secret = ""
        if parts.username:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            secret = f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}\r\n"
        return parts.hostname, parts.port or 80, secret


def _of_hop(line: bytes) -> bool:
    """Whether a header is meant for the proxy alone (RFC 9110 §7.6.1)."""
    return line.partition(b":")[0].strip().lower() in _HOP


def _bypassed(host: str, listed: str) -> bool:
    """Whether NO_PROXY names a host, or a domain that it is in."""
    names = [one.strip().lower().lstrip(".") for one in listed.split(",") if one.strip()]
    return any(one == "*" or host.lower() == one or host.lower().endswith("." + one) for one in names)


async def _addresses(host: str, port: int) -> list[tuple[str, int]]:
    """What a name leads to. Looked up once: what was judged is what is connected to. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [(str(one[4][0]), port) for one in found]


def _is_private(address: str) -> bool:
    return not ipaddress.ip_address(address.partition("%")[0]).is_global


async def _connected(places: list[tuple[str, int]]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first of these that answers. Raises OSError."""
    failed: Exception = OSError("it has no address")
    for host, port in places:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await asyncio.open_connection(host, port, limit=_HEAD)
        except (OSError, TimeoutError) as error:
            failed = error
    raise failed


async def _say(writer: asyncio.StreamWriter, status: int, text: str) -> None:
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    )
    writer.write(head.encode() + b"X-Proxy-Error: blocked-by-sandbox\r\n\r\n" + body)
    await writer.drain()


async def _both_ways(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, there: asyncio.StreamReader, out: asyncio.StreamWriter
) -> None:
    async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while piece := await source.read(_HEAD):
                target.write(piece)
                await target.drain()
            if target.can_write_eof():
                target.write_eof()

    await asyncio.gather(pass_on(reader, out), pass_on(there, writer))
