"""What can be read off a page. Each function gets Playwright's page first, and runs in the browser's thread."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from oi_tui.computer.devices.base import DeviceError

_TRIES = 3
_QUIET = 2000  # milliseconds that scripts get to finish after the page is there
_TABLES = """() => [...document.querySelectorAll('table')].map(table => [...table.rows].map(
    row => [...row.cells].map(cell => cell.innerText.trim())))"""
_ELEMENTS = """() => [...document.querySelectorAll('a, button, input, select, textarea')].filter(
    one => one.checkVisibility ? one.checkVisibility() : true).slice(0, 300).map(one => {
        const copy = one.cloneNode(true);
        for (const inner of copy.querySelectorAll('svg, script, style')) inner.remove();
        return copy.outerHTML.replace(/\\s+/g, ' ').slice(0, 300);
    }).join('\\n')"""
_CLEAN = """(selector) => {
    const part = selector ? document.querySelector(selector) : document.body;
    if (!part) return null;
    const copy = part.cloneNode(true);
    for (const one of copy.querySelectorAll('script, style, noscript, template, svg, iframe')) one.remove();
    for (const one of copy.querySelectorAll('[href]')) one.setAttribute('href', new URL(one.getAttribute('href'),
        document.baseURI).href);
    return copy.outerHTML;
}"""


def address(url: str) -> str:
    """An address as a browser takes it. Raises ValueError for none at all."""
    text = str(url).strip()
    if not text:
        raise ValueError("give the address of a page")
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)", text):
        return text
    local = re.match(r"(localhost|127\.|\[::1\]|0\.0\.0\.0)", text)
    return f"{'http' if local else 'https'}://{text}"


def go(page: Any, url: str) -> str:
    """Open it. Raises DeviceError with the browser's reason where it cannot be opened."""
    try:
        response = _going(page, url)
    except Exception as error:
        said = str(error).partition("\n")[0]
        if "Download is starting" in said:
            return f"{url} is a download"
        if "net::" in said or "Timeout" in said:
            reason = re.search(r"net::(\S+)", said)
            raise DeviceError(f"{url} cannot be opened: {reason[1] if reason else 'it did not load in time'}") from None
        raise
    settle(page)
    status = f", status {response.status}" if response is not None and response.status >= 400 else ""
    return f"{where(page)}{status}"


def _going(page: Any, url: str) -> Any:
    """Go there; once more where the page of an earlier error comes in between."""
    for _ in range(_TRIES):
        try:
            return page.goto(url, wait_until="load")
        except Exception as error:
            if "interrupted by another navigation" not in str(error):
                raise
    return page.goto(url, wait_until="load")


def settle(page: Any) -> None:
    """Wait a little for a page that still loads things."""
    with suppress(Exception):
        page.wait_for_load_state("networkidle", timeout=_QUIET)


def where(page: Any) -> str:
    """Title and address of the page."""
    return f"{page.title() or 'a page without a title'} ({page.url})"


def back(page: Any) -> str:
    """Go back. Raises DeviceError where there is no page before."""
    if page.go_back() is None and page.url == "about:blank":
        raise DeviceError("there is no page before this one")
    return where(page)


def markdown(page: Any, selector: str) -> str:
    """The page, or a part of it, as Markdown with whole addresses."""
    from markdownify import markdownify

    html = page.evaluate(_CLEAN, selector)
    if html is None:
        raise ValueError(f"nothing on the page fits {selector}")
    text = markdownify(html, heading_style="ATX")
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()


def tables(page: Any) -> list[list[list[str]]]:
    """The tables, rows and cells as text."""
    return page.evaluate(_TABLES)


def gist(page: Any) -> tuple[str, str, str, str]:
    """Title, address, text as Markdown, and the elements that can be used, as HTML."""
    return page.title(), page.url, markdown(page, ""), page.evaluate(_ELEMENTS)
