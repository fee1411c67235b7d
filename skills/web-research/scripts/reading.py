"""HTML as Markdown, with its links and tables: what a reader needs, without scripts, menus of the browser or styles."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SKIPPED = {"script", "style", "noscript", "template", "svg", "iframe", "object", "select"}
_BLOCKS = {
    "p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol", "dl", "dt", "dd",
    "figure", "figcaption", "form", "fieldset", "details", "summary", "address", "hgroup",
}  # fmt: skip
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}


class Reader(HTMLParser):
    """Reads a whole page at once. markdown, title, links (words, address) and tables (rows of cells) are the result."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.links: list[tuple[str, str]] = []
        self.tables: list[list[list[str]]] = []
        self._parts: list[str] = []
        self._skip = 0
        self._in_title = self._pre = False
        self._link: list[tuple[str, int]] = []  # address, where its words begin
        self._lists: list[int] = []  # 0 for bullets, else the next number
        self._cells: list[tuple[list[list[str]], int]] = []  # open tables: rows, where the cell begins
        self.feed(html)
        self.close()
        text = re.sub(r"[ \t]+\n", "\n", "".join(self._parts))
        self.markdown = re.sub(r"\n{3,}", "\n\n", text).strip()
        self.tables = [rows for rows in self.tables if len(rows) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One opening tag."""
        given = {name: value or "" for name, value in attrs}
        if tag in _SKIPPED:
            self._skip += 1
        elif self._skip:
            return
        elif tag == "title":
            self._in_title = True
        elif re.fullmatch("h[1-6]", tag):
            self._parts.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag == "li":
            self._item()
        elif tag in {"ul", "ol"}:
            self._lists.append(int(tag == "ol"))
            self._parts.append("\n")
        elif tag == "pre":
            self._pre = True
            self._parts.append("\n\n```\n")
        elif tag in _MARKS and not self._pre:
            self._parts.append(_MARKS[tag])
        elif tag == "a" and given.get("href"):
            self._link.append((given["href"], len(self._parts)))
        elif tag == "img" and given.get("alt"):
            self._parts.append(f"![{given['alt']}]")
        elif tag in {"table", "tr", "td", "th"}:
            self._table(tag)
        elif tag in {"br", "hr"}:
            self._parts.append("\n" if tag == "br" else "\n\n---\n\n")
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        """One closing tag."""
        if tag == "title":
            self._in_title = False
        if tag in _SKIPPED:
            self._skip = max(0, self._skip - 1)
        elif self._skip:
            return
        elif tag == "pre":
            self._pre = False
            self._parts.append("\n```\n\n")
        elif tag in _MARKS and not self._pre:
            self._parts.append(_MARKS[tag])
        elif tag == "a" and self._link:
            self._end_link()
        elif tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
            self._parts.append("\n")
        elif tag in {"td", "th"} and self._cells:
            self._end_cell()
        elif tag == "table" and self._cells:
            self._end_table()
        elif tag in _BLOCKS or re.fullmatch("h[1-6]", tag):
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self._in_title:
            self.title += " ".join(data.split())
        elif not self._skip:
            self._parts.append(data if self._pre else re.sub(r"\s+", " ", data))

    def _item(self) -> None:
        deep = "  " * max(0, len(self._lists) - 1)
        number = self._lists[-1] if self._lists else 0
        self._parts.append(f"\n{deep}{f'{number}.' if number else '-'} ")
        if number:
            self._lists[-1] += 1

    def _end_link(self) -> None:
        to, begin = self._link.pop()
        words = " ".join("".join(self._parts[begin:]).split())
        if not to.startswith(("javascript:", "#")) and words:
            self.links.append((words, to))
            self._parts[begin:] = [f"[{words}]({to})"]

    def _table(self, tag: str) -> None:
        if tag == "table":
            self._cells.append(([], 0))
            self._parts.append("\n\n")
        elif self._cells:
            rows, _ = self._cells[-1]
            if tag == "tr" or not rows:
                rows.append([])
            self._cells[-1] = (rows, len(self._parts))

    def _end_cell(self) -> None:
        rows, begin = self._cells[-1]
        words = " ".join("".join(self._parts[begin:]).split())
        del self._parts[begin:]
        rows[-1].append(words)

    def _end_table(self) -> None:
        rows = [row for row in self._cells.pop()[0] if any(row)]
        if not rows:
            return
        self.tables.append(rows)
        while self._parts and not self._parts[-1].strip():  # what stood between the cells
            self._parts.pop()
        wide = max(map(len, rows))
        lines = ["| " + " | ".join([*row, *[""] * (wide - len(row))]).replace("\n", " ") + " |" for row in rows]
        lines.insert(1, "|" + " --- |" * wide)
        self._parts.append("\n\n" + "\n".join(lines) + "\n\n")
