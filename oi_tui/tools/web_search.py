"""Executor `web_search`: asks the search engine that the person has set up; there is none otherwise.

Engines: Brave Search and Tavily with a key, and any SearXNG server with its address (its JSON format switched on).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlsplit

from oi_tui.protocol.calls import Result
from oi_tui.settings import WebSettings
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.text_files import printable

if TYPE_CHECKING:
    from oi_tui.tools import web

MOST = 20
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Engine:
    """url: where it is asked. key: name of the variable with its key. found: where the results lie in its answer."""

    url: str
    key: str
    found: tuple[str, ...]
    text: str


ENGINES = {
    "brave": Engine(
        "https://api.search.brave.com/res/v1/web/search", "BRAVE_API_KEY", ("web", "results"), "description"
    ),
    "tavily": Engine("https://api.tavily.com/search", "TAVILY_API_KEY", ("results",), "content"),
    "searxng": Engine("", "", ("results",), "content"),
}


def engine_of(settings: WebSettings) -> str:
    """The name of the engine that can be asked, "" if there is none."""
    if settings.search:
        one = ENGINES.get(settings.search)
        ready = one is not None and (bool(settings.search_url) if not one.key else bool(os.environ.get(one.key)))
        return settings.search if ready else ""
    if settings.search_url:
        return "searxng"
    return next((name for name, one in ENGINES.items() if one.key and os.environ.get(one.key)), "")


def preview(
    ctx: Context,
    query: str,
    limit: int = 5,
    allowed: list[str] = [],  # noqa: B006 - read only
    blocked: list[str] = [],  # noqa: B006 - read only
) -> Preview:
    """query: words. limit: most results. allowed, blocked: domains. See README.md."""
    name, url = _check(ctx, query, limit)
    host = urlsplit(url).hostname or ""
    return Preview("tool", "", query, f"search the web with {name}", host=host)


async def run(
    ctx: Context,
    query: str,
    limit: int = 5,
    allowed: list[str] = [],  # noqa: B006 - read only
    blocked: list[str] = [],  # noqa: B006 - read only
) -> Result:
    """Search. text: title, address and some words of each; meta["results"]: the same as objects."""
    from oi_tui.tools import web

    name, url = _check(ctx, query, limit)
    engine = ENGINES[name]
    sites = f" ({' OR '.join(f'site:{one}' for one in allowed)})" if allowed else ""
    words = query + sites + "".join(f" -site:{one}" for one in blocked)
    key = os.environ.get(engine.key, "") if engine.key else ""
    more = min(MOST, limit * 2) if allowed or blocked else limit
    if name == "brave":
        headers = {"X-Subscription-Token": key, "Accept": "application/json"}
        page = await _ask(f"{url}?q={quote_plus(words)}&count={more}", web.Ask(headers=headers), ctx)
    elif name == "tavily":
        body = {"query": query, "max_results": more, "include_domains": allowed, "exclude_domains": blocked}
        page = await _ask(url, web.Ask("POST", {"Authorization": f"Bearer {key}"}, body), ctx)
    else:
        page = await _ask(f"{url.rstrip('/')}/search?q={quote_plus(words)}&format=json", web.Ask(), ctx)
    results = [one for one in _results(page, engine, name) if _wanted(one["url"], allowed, blocked)][:limit]
    rows = [f"{number}. {one['title']}\n   {one['url']}\n   {one['text']}" for number, one in enumerate(results, 1)]
    summary = f"{len(results)} result{'s' * (len(results) != 1)}"
    return Result(ok=True, text="\n".join(rows) or "nothing was found", meta={"results": results, "summary": summary})


def _check(ctx: Context, query: str, limit: int) -> tuple[str, str]:
    """Name and address of the engine."""
    if len(query.strip()) < 2:
        raise BadArgument("the query is too short")
    if not 1 <= limit <= MOST:
        raise BadArgument(f"limit must be between 1 and {MOST}, not {limit}")
    name = engine_of(ctx.web)
    if not name:
        raise BadArgument(
            "no search engine is set up: the person can set BRAVE_API_KEY or TAVILY_API_KEY, or web.search_url to the "
            "address of a SearXNG server",
            "unavailable",
        )
    return name, ctx.web.search_url or ENGINES[name].url


async def _ask(url: str, ask: web.Ask, ctx: Context) -> web.Page:
    # The person named this server: it may be one of their own network.
    from oi_tui.tools import web

    return await web.get(url, _SECONDS, private=bool(ctx.web.search_url), ask=ask)


def _results(page: web.Page, engine: Engine, name: str) -> list[dict[str, str]]:
    if page.redirect:
        raise BadArgument(f"{name} sends to {page.redirect}; check web.search_url", "network")
    if page.status >= 400:
        why = (
            "; check its key"
            if page.status in {401, 403}
            else "; its JSON format may be switched off" * (not engine.key)
        )
        raise BadArgument(f"{name} answered {page.status}{why}", "network", status=page.status)
    try:
        found: Any = json.loads(page.body)
        for part in engine.found:
            found = found.get(part) or {}
        return [
            {
                "title": _line(one.get("title")),
                "url": str(one.get("url") or ""),
                "text": _line(one.get(engine.text)),
            }
            for one in found or ()
        ]
    except (ValueError, AttributeError, TypeError) as error:
        raise BadArgument(f"{name} gave an answer that cannot be read", "network") from error


def _line(text: object) -> str:
    return printable(" ".join(str(text or "").split()))[:1000]


def _wanted(url: str, allowed: list[str], blocked: list[str]) -> bool:
    host = urlsplit(url).hostname or ""

    def among(domains: list[str]) -> bool:
        return any(host == one or host.endswith("." + one) for one in domains)

    return (not allowed or among(allowed)) and not among(blocked)
