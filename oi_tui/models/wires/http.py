"""Where a client for a model server is made: directly, or through the proxy that the environment names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from oi_tui.models.wires.certificates import NotUsable, tls_context
from oi_tui.models.wires.light_httpx import httpx
from oi_tui.models.wires.network import DirectTransport


def open_transport(base_url: str, *, proxy: str = "", ca_bundle: str = "") -> httpx.AsyncBaseTransport:
    """The way to one server: direct, or through the proxy that is given or that the environment names.

    proxy: goes before the environment's; "none" for no proxy at all. ca_bundle: file or folder of further certificates.
    Raises NotUsable.
    """
    if proxy.lower() == "none":
        proxy = ""
    else:
        environ = {"all_proxy": proxy, "no_proxy": _either(os.environ, "no_proxy")} if proxy else os.environ
        proxy = find_proxy(base_url, environ)
    if proxy:
        return _through(proxy, ca_bundle)
    return DirectTransport(lambda: tls_context(ca_bundle))


def open_client(
    transport: httpx.AsyncBaseTransport, headers: Mapping[str, str], *, idle: float = 300.0, connect: float = 10.0
) -> httpx.AsyncClient:
    """A client that sends `headers` with every request.

    idle: seconds without a byte from the server before a request fails; connect: those that connecting may take.
    """
    timeout = httpx.Timeout(idle, connect=connect, write=60.0)
    return httpx.AsyncClient(headers=dict(headers), timeout=timeout, transport=transport, trust_env=False)


def _through(proxy: str, ca_bundle: str) -> httpx.AsyncBaseTransport:
    scheme = proxy.partition("://")[0].lower()
    hint = "correct llm.proxy, or unset HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, or add the server to NO_PROXY"
    try:
        urlsplit(proxy)  # stricter than httpx, which would look up a host named `[x`
        shown = httpx.URL(proxy).copy_with(username=None, password=None)
    except (httpx.InvalidURL, ValueError) as error:
        raise NotUsable(f"cannot use the proxy: {error}", hint) from None
    if scheme not in {"http", "https", "socks5", "socks5h"}:
        raise NotUsable(f"cannot use the proxy {shown}: its scheme {scheme!r} is not known", hint)
    try:
        return httpx.AsyncHTTPTransport(verify=tls_context(ca_bundle), proxy=httpx.Proxy(proxy), trust_env=False)
    except ImportError:
        raise NotUsable(
            f"cannot use the proxy {shown}: support for SOCKS is not installed", f"run: pip install socksio; or {hint}"
        ) from None


def find_proxy(url: str, environ: Mapping[str, str]) -> str:
    """The proxy that a request to `url` goes through, "" for none.

    HTTP_PROXY, HTTPS_PROXY and ALL_PROXY in either case; empty means none. NO_PROXY takes host names (with everything
    below them), host:port, addresses, networks, `*`. A server on this machine is never asked through a proxy.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    named = _either(environ, f"{parts.scheme}_proxy") or _either(environ, "all_proxy")
    if not named or _is_loopback(host) or _is_exempt(host, parts.port, _either(environ, "no_proxy")):
        return ""
    return named if "://" in named else f"http://{named}"


def _either(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_exempt(host: str, port: int | None, listed: str) -> bool:
    for entry in (one.strip().lower() for one in listed.split(",")):
        name, _, wanted = entry.partition(":") if entry.count(":") == 1 else (entry, "", "")
        if wanted and wanted != str(port):
            continue
        name = name.strip("[]").removeprefix("*.").lstrip(".")
        if entry == "*" or (name and (host == name or host.endswith("." + name))):
            return True
        if "/" in name:
            try:
                if ip_address(host) in ip_network(name, strict=False):
                    return True
            except ValueError:
                continue
    return False
