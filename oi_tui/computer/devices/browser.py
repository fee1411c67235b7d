"""`computer.browser`: a browser of the Chromium family, driven by Playwright, to open, read, click and fill pages.

Playwright wants one thread for itself, so there is one, and everything is done in it: calls may come from any thread
and from a notebook's running event loop.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from oi_tui.computer.devices import browser_elements as elements
from oi_tui.computer.devices import browser_page as pages
from oi_tui.computer.devices.base import Device, DeviceError, Question
from oi_tui.computer.devices.browser_thread import BrowserThread, Proxy

_SEARCH = "https://html.duckduckgo.com/html/?q={query}"
_GOOGLE = "https://www.google.com/search?q={query}"
_ANALYZE = """Intent: {intent}

Say what of this page matters for that intent, and which elements to use next, with their selectors.

# {title} ({url})

{text}

# Elements

{elements}"""
_MOST = 40_000  # characters of a page for the model


class Browser(Device):
    """A browser window, or one without a window where there is no screen. It starts with the first call."""

    def __init__(self, computer: Any) -> None:
        super().__init__(computer)
        self.search_url = _SEARCH  # of a search engine's page, with {query} in it
        self._thread: BrowserThread | None = None
        self._headless: bool | None = None
        self._downloads = ""

    @property
    def driver(self) -> Any:
        """Playwright's page, for what there is no method for."""
        return Proxy(self._started(), self._started().page)

    @driver.setter
    def driver(self, page: Any) -> None:
        self._started().use(page)

    def setup(self, headless: bool | None = None, downloads: str = "") -> None:
        """Start the browser anew. headless: without a window (as it does by itself where there is no screen).
        downloads: the folder for them, the working directory if none is given."""
        self.quit()
        self._headless, self._downloads = headless, downloads
        self._started()

    def go_to_url(self, url: str) -> str:
        """Open a page, and say its title, address and status."""
        return self._do(pages.go, pages.address(url))

    def open(self, url: str) -> str:
        """The same as go_to_url."""
        return self.go_to_url(url)

    def read(self, selector: str = "") -> str:
        """The page as Markdown, or the part of it that a CSS selector names."""
        return self._do(pages.markdown, selector)

    def click(self, target: str) -> str:
        """Click what has this text or label, or what a CSS selector names. Says which page is open then."""
        self._do(elements.click, target)
        return self._do(pages.where)  # which may be another page by now

    def type(self, target: str, text: str, submit: bool = False) -> str:
        """Fill a field that has this label, placeholder or name, or that a CSS selector names; in a list, choose.
        submit: press enter in it."""
        self._do(elements.fill, target, text, submit)
        return self._do(pages.where)

    def tables(self) -> list[list[list[str]]]:
        """The tables of the page, each a list of rows, each a list of the texts in its cells."""
        return self._do(pages.tables)

    def screenshot(self, full_page: bool = False, show: bool = True) -> Any:
        """A picture of the page: of what fits the window, or of all of it. show: show it as well."""
        from PIL import Image

        data = self._do(lambda page: page.screenshot(full_page=full_page))
        with Image.open(io.BytesIO(data)) as opened:
            made = opened.convert("RGB")
        if show:
            self.computer.show(made)
        return made

    def download(self, target: str) -> str:
        """Click something that downloads a file, and wait for that. Gives the path of the file."""
        return self._do(self._started().download, lambda page: elements.click(page, target))

    def downloads(self) -> list[str]:
        """The paths of all files that were downloaded."""
        return list(self._started().saved)

    def back(self) -> str:
        """Go back one page."""
        return self._do(pages.back)

    def run_script(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        return self._do(lambda page: page.evaluate(script))

    @property
    def url(self) -> str:
        """The address of the page that is open."""
        return self._do(lambda page: page.url)

    @property
    def title(self) -> str:
        """The title of the page that is open."""
        return self._do(lambda page: page.title())

    def search(self, query: str) -> str:
        """Search the web, and give the page of results as Markdown."""
        self.go_to_url(self.search_url.format(query=quote_plus(query)))
        return self.read()

    def fast_search(self, query: str) -> str:
        """The same as search."""
        return self.search(query)

    def search_google(self, query: str, delays: bool = True) -> str:
        """Open Google's page of results. delays: wait until the page is quiet."""
        said = self.go_to_url(_GOOGLE.format(query=quote_plus(query)))
        if delays:
            self._do(pages.settle)
        return said

    def analyze_page(self, intent: str) -> str:
        """Ask the model what of the open page matters for an intent, and what to click for it."""
        title, url, text, found = self._do(pages.gist)
        prompt = _ANALYZE.format(intent=intent, title=title, url=url, text=text[:_MOST], elements=found[:_MOST])
        answer = self.computer.ask([Question(prompt)])[0]
        self.computer.tell(answer)
        return answer

    def quit(self) -> None:
        """Close the browser."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()

    def _started(self) -> BrowserThread:
        if self._thread is None or not self._thread.alive():
            if self._thread is not None:
                self._thread.close()
            self._thread = BrowserThread(self._headless, Path(self._downloads or ".").expanduser().resolve())
        return self._thread

    def _do(self, work: Any, *args: Any) -> Any:
        try:
            return self._started().do(work, *args)
        except Exception as error:
            if type(error).__module__.startswith("playwright"):
                raise DeviceError(_plain(error)) from None
            raise


def _plain(error: Exception) -> str:
    """What Playwright says, without its call log and escape sequences."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).partition("\nCall log")[0]
    text = re.sub(r"^(Page|Locator|Browser|BrowserContext)\.\w+: ", "", " ".join(text.split()))
    return text or type(error).__name__
