"""Which machine an address leads to, and whether a page may be fetched from there.

A name is looked up once and the connection then goes to that very address, so that a name cannot mean the public
machine when it is checked and a private one when it is used.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from oi_tui.tools.checked import BadArgument

LONGEST = 8192  # characters of an URL


@dataclass(frozen=True, slots=True)
class Place:
    """url: as it is asked for. host: its name. address: to connect to, numeric; "" where a proxy looks it up."""

    url: str
    host: str
    address: str


def parsed(url: str) -> SplitResult:
    """An http or https URL in parts. Raises BadArgument."""
    if not url.strip() or len(url) > LONGEST or any(one.isspace() or not one.isprintable() for one in url.strip()):
        raise BadArgument("that is no URL: it is empty, too long or has spaces in it")
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise BadArgument(f"{url} is no URL: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise BadArgument(f"{url} is no web address: it must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise BadArgument("an URL with a name or password in it is not fetched", "refused")
    return parts


async def place(url: str, *, private: bool, proxied: bool) -> Place:
    """Where `url` leads. private: addresses of this machine and this network may be used. Raises BadArgument."""
    parts = parsed(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if _is_number(host):
        _check(host, host, private)
        return Place(url, host, "" if proxied else host)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        if proxied and not host.endswith((".local", ".internal", "localhost")):
            return Place(url, host, "")
        why = getattr(error, "strerror", None) or error
        raise BadArgument(f"there is no host {host}: {str(why).lower()}", "network") from error
    addresses = [str(one[4][0]) for one in found]
    for address in addresses:
        _check(host, address, private)
    return Place(url, host, "" if proxied else addresses[0])


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _check(host: str, address: str, private: bool) -> None:
    if not private and not is_public(address):
        where = "" if host == address else f" ({address})"
        raise BadArgument(
            f"{host} is a machine of this network{where}; such pages are not fetched unless the setting web.private "
            "allows it",
            "refused",
        )


def is_public(address: str) -> bool:
    """False for addresses of this machine, of private networks, of documentation and of nobody; also inside IPv6."""
    try:
        one = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(one, ipaddress.IPv6Address):
        inner = one.ipv4_mapped or one.sixtofour or (one.teredo[1] if one.teredo else None)
        if inner is None and one in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(one) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return one.is_global and not one.is_multicast
