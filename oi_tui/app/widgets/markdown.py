"""Markdown that arrives in pieces, as styled lines.

The blocks of CommonMark are recognised line by line (containers first, then what stands in them: spec 0.31, appendix
"A parsing strategy"), so a finished line of source is looked at once. What is not finished, the last line of source
and the paragraph it belongs to, is made anew with every piece; all lines before it are final. Tables are those of
GitHub; HTML is shown as it is written, link definitions too.

Which lines come out depends on the source alone, never on where it was cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .highlight import find_lexer
from .inline import inline
from .leaves import Code, Heading, Leaf, Paragraph, Place, Rule, Table, delimiter_row, split_row
from .printable import printable
from .wrapping import Affix, Line

LONGEST = 4096
"""Characters of one source line, or one paragraph, that are made into one line; the rest goes into another."""

DEEPEST = 12
"""Quotes and lists within each other; what is deeper is text."""

_FENCE = re.compile(r"(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_SETEXT = re.compile(r"(=+|-+)[ \t]*$")
_MARKER = re.compile(r"([-*+]|\d{1,9}[.)])( +|$)")
_TASK = re.compile(r"\[([ xX])\] +")
_HALF_MARK = re.compile(r"(?:`{1,2}|~{1,2}|-{1,2}|=+|\*|\+|#{1,6}|\d{1,3}[.)]?|>)[ \t]*$")
_BULLETS = "•◦▪"


@dataclass(frozen=True, slots=True)
class Container:
    """A quote (`offset` 0) or a list item whose content begins `offset` columns in."""

    offset: int = 0
    shown: str = ""
    source: str = ""
    used: bool = False

    @property
    def quote(self) -> bool:
        """Is this a quote?"""
        return self.offset == 0


@dataclass(slots=True)
class _State:
    """Everything the next source line depends on."""

    containers: tuple[Container, ...] = ()
    leaf: Leaf | None = None
    blank: bool = False
    midline: bool = False


class MarkdownLines:
    """The lines of one Markdown text that grows.

    Attributes:
        lines: all lines so far; those before the index `append` returned have not changed.
        base: style of plain text.
    """

    def __init__(self, text: str = "", base: str = "text") -> None:
        self.lines: list[Line] = []
        self.base = base
        self._state = _State()
        self._solid = 0
        self._changed = 0
        self._tail = ""
        self._finished = False
        if text:
            self.append(text)

    def append(self, text: str) -> int:
        """Add text; returns the index of the first line that is new or another than before."""
        self._changed = self._solid
        self._drop_open()
        *whole, tail = (self._tail + text.replace("\r", "")).split("\n")
        for source in whole:
            self._source_line(source, ended=True)
        self._source_line(tail, ended=False)
        self._show_open()
        return self._changed

    def finish(self) -> int:
        """The text is whole; returns as `append`. More text may still follow, as after a newline."""
        self._changed = self._solid
        self._drop_open()
        if self._tail:
            self._take(self._tail)
            self._tail = ""
        self._close_containers(0)
        self._solid = len(self.lines)
        return self._changed

    # ---- source lines

    def _source_line(self, source: str, ended: bool) -> None:
        while len(source) > LONGEST:
            cut = source.rfind(" ", LONGEST // 2, LONGEST) + 1 or LONGEST
            self._take(source[:cut], joined=True)
            source = source[cut:]
        if ended:
            self._take(source)
            self._tail = ""
        else:
            self._tail = source
        self._solid = len(self.lines)

    def _drop_open(self) -> None:
        del self.lines[self._solid :]

    def _show_open(self) -> None:
        """Show the unfinished source line as if it ended here, and the open block, without believing it."""
        state = self._state
        if self._tail and not self._hidden(self._tail):
            leaf = state.leaf.clone() if state.leaf is not None else None
            self._state = replace(state, leaf=leaf)
            changed = self._changed
            self._take(self._tail, tentative=True)
            self._changed = min(changed, self._changed)
        if self._state.leaf is not None:
            self.lines.extend(self._state.leaf.open_lines(tentative=True))
        self._state = state

    def _hidden(self, tail: str) -> bool:
        """May this be the beginning of a mark, which would flash as text for a moment?"""
        if isinstance(self._state.leaf, Code):
            return len(tail.strip()) < 3 and self._state.leaf.may_close(tail)
        return _HALF_MARK.fullmatch(tail.lstrip(" ")) is not None

    def _take(self, source: str, tentative: bool = False, joined: bool = False) -> None:
        """One line of source: keep the containers it stays in, open new ones, give the rest to a leaf."""
        line = printable(source)
        state = self._state
        leaf = state.leaf
        matched, place = (len(state.containers), 0) if state.midline else _match(state.containers, line)
        rest = line[place:]
        inside = matched == len(state.containers)
        goes_on, state.midline = state.midline, joined
        if inside and isinstance(leaf, Code) and leaf.takes(rest):
            if leaf.closes(rest):
                self._close_leaf()
            else:
                self.lines.extend(leaf.feed(rest, joined))
                state.blank = False
        elif not rest.strip(" "):
            self._blank(matched)
        elif isinstance(leaf, Paragraph) and (goes_on or (not inside and not _begins_block(rest, beside=True))):
            self._paragraph(rest if goes_on else rest.strip(" "), tentative, joined)
        else:
            if not inside:
                self._close_containers(matched)
            self._open(rest, tentative, joined)

    def _open(self, rest: str, tentative: bool, joined: bool) -> None:
        rest = self._open_containers(rest)
        if rest.strip(" "):
            self._leaf(rest, tentative, joined)
        elif tentative:
            self.lines.append(Line("", lead=self._place().lead))

    def _blank(self, matched: int) -> None:
        leaf = self._state.leaf
        if isinstance(leaf, (Paragraph, Table)):
            self._close_leaf()
        elif isinstance(leaf, Code):
            leaf.hold()
        quotes = [n for n, each in enumerate(self._state.containers) if each.quote and n >= matched]
        if quotes:
            self._close_containers(quotes[0])
        self._state.blank = True

    # ---- containers

    def _open_containers(self, rest: str) -> str:
        """Open the quotes and items that `rest` begins with; returns what is left of it."""
        while True:
            text = rest.lstrip(" ")
            indent = len(rest) - len(text)
            paragraph = isinstance(self._state.leaf, Paragraph)
            deep = len(self._state.containers) >= DEEPEST
            if deep or (indent >= 4 and not self._state.containers and not paragraph):
                return rest
            if text.startswith(">") and indent < 4:
                self._begin_block(force=False)
                self._state.containers += (Container(),)
                rest = text[2:] if text[1:2] == " " else text[1:]
                continue
            mark = _MARKER.match(text)
            if mark is None or _RULE.match(text) or (paragraph and not _interrupts(mark, text)):
                return rest
            self._begin_block(force=False)
            rest = self._open_item(text, indent, mark)

    def _open_item(self, text: str, indent: int, mark: re.Match[str]) -> str:
        spaces = len(mark[2]) if 1 <= len(mark[2]) <= 4 else 1
        rest = text[len(mark[1]) + spaces :]
        depth = sum(not each.quote for each in self._state.containers)
        shown = mark[1] if mark[1][0].isdigit() else _BULLETS[min(depth, len(_BULLETS) - 1)]
        task = _TASK.match(rest)
        source = mark[1]
        if task is not None:
            shown = "☐" if task[1] == " " else "☑"
            source += f" [{task[1]}]"
            rest = rest[task.end() :]
        offset = indent + len(mark[1]) + spaces
        self._state.containers += (Container(offset, shown + " ", source + " "),)
        return rest

    def _close_containers(self, keep: int) -> None:
        """Close the leaf and all containers from index `keep` on."""
        self._close_leaf()
        state = self._state
        if any(not each.used and not each.quote for each in state.containers[keep:]):
            place = self._place()
            self.lines.append(Line("", lead=place.lead, mark=place.mark))
        state.containers = state.containers[:keep]

    def _place(self) -> Place:
        """Where a leaf stands: what is left of it. The marks of new items are used up by this."""
        lead: list[tuple[str, str]] = []
        hang: list[tuple[str, str]] = []
        mark = ""
        quoted = False
        for each in self._state.containers:
            if each.quote:
                quoted = True
                lead.append(("▎ ", "line"))
                hang.append(("▎ ", "line"))
                mark += "> "
                continue
            space = " " * len(each.shown)
            lead.append((space, "text") if each.used else (each.shown, "muted"))
            hang.append((space, "text"))
            mark += " " * len(each.source) if each.used else each.source
        self._state.containers = tuple(
            each if each.used or each.quote else replace(each, used=True) for each in self._state.containers
        )
        return Place(tuple(lead), tuple(hang), mark, "muted" if quoted else self.base)

    def _begin_block(self, force: bool) -> None:
        """Close the leaf; leave a row free if the source does, or if `force` and nothing contains the block."""
        self._close_leaf()
        state = self._state
        fresh = bool(state.containers) and not state.containers[-1].used and not state.containers[-1].quote
        wanted = (state.blank or (force and not state.containers)) and not fresh
        state.blank = False
        if wanted and self.lines and (self.lines[-1].text or not _is_gap(self.lines[-1])):
            bars: Affix = tuple(("▎ ", "line") for each in state.containers if each.quote)
            self.lines.append(Line("", lead=bars, hang=bars, mark="> " * len(bars)))

    # ---- leaves

    def _leaf(self, rest: str, tentative: bool, joined: bool) -> None:
        text = rest.lstrip(" ")
        indent = len(rest) - len(text)
        leaf = self._state.leaf
        if isinstance(leaf, Paragraph):
            if not tentative and (level := _SETEXT.match(text)) and indent < 4:
                self._state.leaf = Heading(leaf.place, leaf.source, 1 if level[1][0] == "=" else 2)
                self._close_leaf()
                return
            if (aligns := delimiter_row(text)) and not tentative and leaf.heads_table(len(aligns)):
                before, head = leaf.split_head()
                self.lines.extend(before)
                self._state.leaf = Table.begin(head, aligns, len(self.lines))
                return
        if isinstance(leaf, Table) and not _begins_block(rest):
            if leaf.add(split_row(text), tentative):
                self._changed = min(self._changed, leaf.first)
            self.lines.extend(leaf.take_rows())
            return
        if indent >= 4 and not isinstance(leaf, Paragraph):
            self._begin_block(force=True)
            self._state.leaf = code = Code(self._place(), "", "", 4)
            self.lines.extend(code.feed(rest, joined))
        elif (fence := _FENCE.match(text)) is not None:
            self._begin_block(force=True)
            self._state.leaf = code = Code(self._place(), fence[1], fence[2].strip(), indent)
            self.lines.append(code.label())
        elif (heading := _HEADING.match(text)) is not None:
            self._begin_block(force=True)
            self._state.leaf = Heading(self._place(), heading[2] or "", len(heading[1]))
            self._close_leaf()
        elif _RULE.match(text) is not None:
            self._begin_block(force=True)
            self.lines.append(Rule.line(self._place()))
        else:
            self._paragraph(text, tentative, joined)

    def _paragraph(self, text: str, tentative: bool, joined: bool) -> None:
        leaf = self._state.leaf
        if not isinstance(leaf, Paragraph):
            self._begin_block(force=False)
            leaf = Paragraph(self._place())
        leaf = leaf.plus(text, joined)
        self._state.leaf = leaf
        if not tentative and len(leaf.source) >= LONGEST // 2 and (joined or len(leaf.source) >= LONGEST):
            self.lines.extend(leaf.cut_lines())
            self._state.leaf = leaf.after_cut(joined)

    def _close_leaf(self) -> None:
        leaf = self._state.leaf
        if leaf is None:
            return
        self.lines.extend(leaf.open_lines(tentative=False))
        if isinstance(leaf, Code) and not self._state.containers:
            self._state.blank = True
        if isinstance(leaf, Table) and not leaf.tentative:
            leaf.layout.settled = True
            leaf.layout.tentative = []
            self._changed = min(self._changed, leaf.first)
        self._state.leaf = None


def warm() -> None:
    """Load what the first answer needs (the parser, the lexers of common languages), about 0.1 s; for a thread."""
    inline("*")
    for language in ("python", "bash"):
        find_lexer(language)


def _match(containers: tuple[Container, ...], line: str) -> tuple[int, int]:
    """How many containers `line` stays in, and where the text inside them begins."""
    place = 0
    for number, each in enumerate(containers):
        text = line[place:].lstrip(" ")
        indent = len(line) - place - len(text)
        if each.quote:
            if indent > 3 or not text.startswith(">"):
                return number, place
            place += indent + (2 if text[1:2] == " " else 1)
        elif text:
            # Models nest lists by two columns under `1. `, where the specification asks for three.
            if indent < each.offset and not (indent >= 2 and _MARKER.match(text)):
                return number, place
            place += min(indent, each.offset)
    return len(containers), place


def _begins_block(rest: str, beside: bool = False) -> bool:
    """Does `rest` begin a block? `beside`: outside of the item or quote that the open paragraph stands in, where any
    number begins an item."""
    text = rest.lstrip(" ")
    mark = _MARKER.match(text)
    return bool(
        text.startswith(">")
        or _FENCE.match(text)
        or _HEADING.match(text)
        or _RULE.match(text)
        or (mark is not None and (beside or _interrupts(mark, text)))
    )


def _interrupts(mark: re.Match[str], text: str) -> bool:
    """May this item end a paragraph? An empty one may not, nor a number other than 1 (CommonMark 0.31, 5.3)."""
    return mark.end() < len(text) and (not mark[1][0].isdigit() or mark[1][:-1] == "1")


def _is_gap(line: Line) -> bool:
    """Is this an empty row between blocks (and not an empty line of code, or an empty item)?"""
    return not line.text and not line.ground and not line.joined and line.mark.strip("> ") == ""
