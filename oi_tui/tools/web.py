"""HTTP for `fetch` and `web_search`: bounded in size and time, redirects one by one, each place checked anew."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from oi_tui import __version__
from oi_tui.tools.addresses import Place, parsed, place
from oi_tui.tools.checked import BadArgument

MOST_BYTES = 10 * 1024 * 1024
_MOST_REDIRECTS = 8
_AGENT = f"oi-tui/{__version__}"


@dataclass(frozen=True, slots=True)
class Page:
    """url: after redirects. redirect: where the page is said to be, on another host; nothing was fetched from there.
    whole: False when it was longer than MOST_BYTES."""

    url: str
    status: int
    type: str
    charset: str
    body: bytes
    whole: bool = True
    redirect: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    json: object = None


async def get(url: str, timeout_s: float, *, private: bool = False, ask: Ask | None = None) -> Page:
    """Fetch a page. Redirects stay on the host (with or without `www.`). Raises BadArgument: refused, network,
    timeout."""
    import httpx

    ask = ask or Ask()
    try:
        async with asyncio.timeout(timeout_s):
            for _ in range(_MOST_REDIRECTS):
                proxied = _proxied(url)
                where = await place(url, private=private, proxied=proxied)
                async with httpx.AsyncClient(trust_env=proxied, verify=_tls(url), timeout=timeout_s) as client:
                    page = await _once(client, where, ask)
                if not page.redirect:
                    return page
                if not _same_host(url, page.redirect):
                    return page
                url = page.redirect
    except TimeoutError:
        raise BadArgument(f"{url} did not answer in {timeout_s:g} s", "timeout") from None
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
        raise BadArgument(f"{url} could not be fetched: {str(error) or type(error).__name__}", "network") from error
    raise BadArgument(f"{url} sends from one page to the next without end", "network")


async def _once(client: object, where: Place, ask: Ask) -> Page:
    import httpx

    assert isinstance(client, httpx.AsyncClient)
    parts = parsed(where.url)
    target = httpx.URL(where.url)
    host = target.netloc.decode("ascii")
    headers = {"User-Agent": _AGENT, "Accept": "text/html, text/*, application/json, */*;q=0.5", **ask.headers}
    extensions: dict[str, object] = {}
    if where.address:
        target = target.copy_with(host=where.address)
        headers["Host"] = host
        if parts.scheme == "https":
            extensions["sni_hostname"] = where.host
    request = client.build_request(ask.method, target, headers=headers, json=ask.json, extensions=extensions)
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        if response.has_redirect_location:
            return Page(where.url, response.status_code, "", "", b"", redirect=_next(where.url, response.headers))
        body, whole = await _body(response)
    finally:
        await response.aclose()
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Page(where.url, response.status_code, kind, response.charset_encoding or "", body, whole)


def _next(url: str, headers: object) -> str:
    location = str(headers["location"])  # type: ignore[index]
    return urljoin(url, location)


async def _body(response: object) -> tuple[bytes, bool]:
    import httpx

    assert isinstance(response, httpx.Response)
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            return b"".join(pieces)[:MOST_BYTES], False
    return b"".join(pieces), True


def _same_host(one: str, other: str) -> bool:
    names = [(urlsplit(url).hostname or "").removeprefix("www.") for url in (one, other)]
    return names[0] == names[1]


def _proxied(url: str) -> bool:
    parts = parsed(url)
    return parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")


def _tls(url: str) -> ssl.SSLContext | bool:
    """Trusts the authorities of the system and those of certifi; nothing where nothing is encrypted: they take long to
    load."""
    if urlsplit(url).scheme != "https":
        return False
    import certifi

    made = ssl.create_default_context()
    made.load_verify_locations(certifi.where())
    return made
