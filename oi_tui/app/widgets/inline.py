"""Emphasis, inline code and links inside one block of Markdown, to text with styles."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .wrapping import Run

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Styled = tuple[str, tuple[Run, ...]]
"""Text and its styles."""

_SPECIAL = re.compile(r"[*_`\[\]&\\~\n]|https?:")
_BREAK = re.compile(r" ?<br ?/?>\n?", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>\"'`|]*[^\s<>\"'`|.,;:!?)\]}*_]")
_OPENED = {"em_open": "em", "strong_open": "strong", "s_open": "strike"}
_CLOSED = {"em_close": "em", "strong_close": "strong", "s_close": "strike"}


@lru_cache(1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def inline(source: str, base: str = "text") -> list[Styled]:
    """Parse the inside of a paragraph, heading or cell.

    Args:
        source: Markdown without block marks; newlines are soft breaks.
        base: style of what has no style of its own.

    Returns:
        One (text, runs) for each line; there is more than one where the source has hard breaks, `<br>` among them.
    """
    if "<" in source:
        source = _BREAK.sub("  \n", source)
    if not _SPECIAL.search(source):
        return [(source, ((len(source), base),))]
    (token,) = _parser().parseInline(source)
    return _Collector(base).collect(token.children or [])


def one_line(source: str, base: str = "text") -> Styled:
    """As `inline`, for where there is room for one line only: a hard break is a space."""
    (text, runs), *more = inline(source, base)
    for next_text, next_runs in more:
        text, runs = f"{text} {next_text}", (*runs, (1, base), *next_runs)
    return text, runs


class _Collector:
    """Walks the inline tokens and gathers runs."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._active: list[str] = []
        self._target = ""
        self._texts: list[str] = []
        self._runs: list[Run] = []
        self._done: list[Styled] = []

    def collect(self, tokens: list[Token]) -> list[Styled]:
        for token in tokens:
            self._take(token)
        self._flush()
        return self._done

    def _take(self, token: Token) -> None:
        kind = token.type
        if kind in _OPENED:
            self._active.append(_OPENED[kind])
        elif kind in _CLOSED:
            if _CLOSED[kind] in self._active:
                self._active.remove(_CLOSED[kind])
        elif kind == "link_open":
            self._target = _target(str(token.attrs.get("href", "")))
        elif kind == "link_close":
            self._target = ""
        elif kind == "softbreak":
            self._add(" ", self._base)
        elif kind == "hardbreak":
            self._flush()
        elif kind == "code_inline":
            self._add(token.content, "inline")
        elif kind == "image":
            self._target = _target(str(token.attrs.get("src", "")))
            self._add(token.content or "image", self._base)
            self._target = ""
        else:
            self._text(token.content)

    def _text(self, text: str) -> None:
        if self._target or "http" not in text:
            self._add(text, self._base)
            return
        place = 0
        for found in _ADDRESS.finditer(text):
            self._add(text[place : found.start()], self._base)
            self._target = _target(found[0])
            self._add(found[0], self._base)
            self._target = ""
            place = found.end()
        self._add(text[place:], self._base)

    def _add(self, text: str, style: str) -> None:
        if not text:
            return
        if self._target:
            style = f"link {self._target}"
        if self._active:
            style = " ".join((style, *self._active))
        self._texts.append(text)
        if self._runs and self._runs[-1][1] == style:
            self._runs[-1] = (self._runs[-1][0] + len(text), style)
        else:
            self._runs.append((len(text), style))

    def _flush(self) -> None:
        self._done.append(("".join(self._texts), tuple(self._runs)))
        self._texts, self._runs = [], []


def _target(address: str) -> str:
    """An address as part of a style: `@` and no space in it."""
    return "@" + address.replace(" ", "%20")


def completed(source: str) -> str:
    """`source` with marks closed that are still open, so that a text in the making does not flicker."""
    if source.count("`") % 2:
        return source + "`"
    plain = re.sub(r"`[^`]*`", "", source)
    if plain.endswith(("*", "_")) and not plain.endswith("**"):
        source = source[:-1]
        plain = plain[:-1]
    closing = "**" if plain.count("**") % 2 else ""
    if closing and source.endswith("**"):
        return source[:-2]
    return source.rstrip(" ") + closing if closing else source
