"""Go through the pages of one server and name what is broken.

crawl.py URL [--wait SECONDS] [--most 200] [--slow 2.0] [--outside]

Only pages of the same host are read; --outside also asks whether links to other hosts work. Exit code 1 if anything is
broken. Reads pages without JavaScript: what a script builds is seen by look.py.
"""

from __future__ import annotations

import argparse
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

_LARGE = 2_000_000  # bytes
_INPUTS = {"text", "email", "password", "search", "tel", "url", "number", "date", "file", "checkbox", "radio", ""}


class Page(HTMLParser):
    """What of a page can be right or wrong."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.parts: list[str] = []  # pictures, scripts, styles
        self.faults: list[str] = []
        self.ids: Counter[str] = Counter()
        self._labelled: set[str] = set()
        self._fields: list[tuple[str, str]] = []  # id, how it is named in a report
        self._title = self._lang = self._viewport = self._in_label = False
        self._title_text = ""
        self._levels: list[int] = []
        self.feed(html)
        self.close()
        self._judge()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One opening tag."""
        given = {name: value or "" for name, value in attrs}
        if given.get("id"):
            self.ids[given["id"]] += 1
        if tag == "html":
            self._lang = bool(given.get("lang"))
        elif tag == "title":
            self._title = True
        elif tag == "meta" and given.get("name") == "viewport":
            self._viewport = True
        elif tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("href") and given.get("rel") in {"stylesheet", "icon"}:
            self.parts.append(given["href"])
        elif tag == "img":
            self.parts += filter(None, [given.get("src", "")])
            if "alt" not in given:
                self.faults.append(f"picture without description: {given.get('src', '')[:80]}")
        elif tag == "script" and given.get("src"):
            self.parts.append(given["src"])
        elif tag == "label":
            self._in_label = True
            self._labelled.add(given.get("for", ""))
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._levels.append(int(tag[1]))
        elif tag in {"input", "select", "textarea"}:
            self._field(tag, given)

    def _field(self, tag: str, given: dict[str, str]) -> None:
        named = given.get("aria-label") or given.get("aria-labelledby") or given.get("title")
        if not self._in_label and not named and (tag != "input" or given.get("type", "").lower() in _INPUTS):
            self._fields.append((given.get("id", ""), f"{tag} {given.get('name') or given.get('id') or ''}".strip()))

    def handle_endtag(self, tag: str) -> None:
        """One closing tag."""
        if tag == "title":
            self._title = False
        elif tag == "label":
            self._in_label = False

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self._title:
            self._title_text += data

    def _judge(self) -> None:
        self.faults += [
            f"field without label: {words}" for id, words in self._fields if id not in self._labelled or not id
        ]
        self.faults += [f"the id {id!r} is there {count} times" for id, count in self.ids.items() if count > 1]
        if not self._title_text.strip():
            self.faults.append("page without title")
        if not self._lang:
            self.faults.append("page without language (html lang)")
        if not self._viewport:
            self.faults.append("page without viewport: tiny on phones")
        if self._levels and 1 not in self._levels:
            self.faults.append("page without a heading h1")


class Answer:
    """What came for one address. status 0: nothing; error says why."""

    def __init__(self, url: str, head: bool = False) -> None:
        self.url, self.status, self.error, self.body, self.kind, self.to = url, 0, "", b"", "", url
        began = time.monotonic()
        asked = urllib.request.Request(url, headers={"User-Agent": "qa"}, method="HEAD" if head else "GET")
        try:
            with urllib.request.urlopen(asked, timeout=20) as answer:
                self.status, self.to = answer.status, answer.url
                self.kind = answer.headers.get_content_type()
                self.body = answer.read(10_000_000)
        except urllib.error.HTTPError as error:
            self.status, self.error = error.code, error.reason
        except (OSError, ValueError) as error:
            self.error = str(getattr(error, "reason", error))
        self.seconds = time.monotonic() - began

    @property
    def broken(self) -> bool:
        """Whether a person who follows this link gets an error."""
        return not 200 <= self.status < 400


def crawl(start: str, most: int, slow: float, outside: bool) -> Iterator[tuple[str, str]]:
    """(address, fault) of all pages; the last one is ("", what was read)."""
    host = urlsplit(start).netloc
    waiting, seen, pages = [(start, "")], {start}, 0
    while waiting and pages < most:
        url, found_on = waiting.pop(0)
        inside = urlsplit(url).netloc == host
        if not inside and not outside:
            continue
        answer = Answer(url, head=not inside)
        if answer.status == 405:
            answer = Answer(url)
        pages += 1
        if answer.broken:
            yield (
                url,
                f"{answer.status or 'no answer'} {answer.error} (linked on {found_on or 'nothing: it is the start'})",
            )
            continue
        if inside and answer.seconds > slow:
            yield url, f"slow: {answer.seconds:.1f} s"
        if len(answer.body) > _LARGE:
            yield url, f"large: {len(answer.body) / 1e6:.1f} MB"
        if not inside or answer.kind != "text/html" or urlsplit(answer.to).netloc != host:
            continue
        page = Page(answer.body.decode("utf-8", "replace"))
        for fault in page.faults:
            yield url, fault
        for link in (*page.links, *page.parts):
            to = urldefrag(urljoin(answer.to, link.strip()))
            if link.startswith("#") and to.fragment and to.fragment not in page.ids and to.fragment != "top":
                yield url, f"link to a place that is not on the page: #{to.fragment}"
            if urlsplit(to.url).scheme in {"http", "https"} and to.url not in seen:
                seen.add(to.url)
                waiting.append((to.url, url))
    left = f"; {len(waiting)} more were not read, --most {2 * most} goes on" if waiting else ""
    yield "", f"{pages} addresses read{left}"


def wait(url: str, seconds: float) -> None:
    """Until the server answers, whatever it says."""
    until = time.monotonic() + seconds
    while Answer(url).status == 0:
        if time.monotonic() > until:
            sys.exit(f"nothing answers at {url} after {seconds:g} s: has the server started, and on this port?")
        time.sleep(0.3)


def main() -> None:
    """Read the arguments, go through the pages, print the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--wait", type=float, default=0)
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--slow", type=float, default=2.0)
    parser.add_argument("--outside", action="store_true")
    args = parser.parse_args()
    if urlsplit(args.url).scheme not in {"http", "https"}:
        sys.exit(f"{args.url} is no address of a server: http://HOST:PORT")
    if args.wait:
        wait(args.url, args.wait)
    faults = 0
    for url, fault in crawl(args.url, args.most, args.slow, args.outside):
        faults += bool(url)
        print(f"{url}: {fault}" if url else f"{fault}; {faults} faults", flush=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
