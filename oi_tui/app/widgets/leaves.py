"""The blocks of Markdown that hold text: paragraphs, headings, code, tables, rules."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field, replace

from .highlight import Highlighter
from .inline import Styled, completed, inline, one_line
from .tables import TableLayout, TableLine, row_text
from .wrapping import Affix, Line, Piece, affix_width

_CELL = re.compile(r":?-+:?$")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Place:
    """What stands left of a block: on its first row, on the others, and as source; and its plain style."""

    lead: Affix
    hang: Affix
    mark: str
    base: str

    @property
    def below(self) -> Place:
        """The place of the lines after the first."""
        spaces = "".join(sign if sign == ">" else " " for sign in self.mark)
        return Place(self.hang, self.hang, spaces, self.base)


class Leaf:
    """A block that is open: more source may belong to it."""

    def clone(self) -> Leaf:
        """A copy that can be fed without changing this one."""
        return self

    def open_lines(self, tentative: bool) -> list[Line]:
        """The lines that are not final yet; `tentative`: the block is still being written."""
        return []


@dataclass(frozen=True, slots=True)
class Paragraph(Leaf):
    """Source lines that flow together. `cut`: its source line was too long and goes on."""

    place: Place
    source: str = ""
    rows: int = 0
    cut: bool = False

    def plus(self, text: str, joined: bool) -> Paragraph:
        """With one more source line; `joined`: the line goes on after it."""
        if self.rows and not self.cut:
            text = "\n" + text
        return replace(self, source=self.source + text, rows=self.rows + 1, cut=joined)

    def heads_table(self, columns: int) -> bool:
        """Can its last line be the head of a table with so many columns?"""
        last = self.source.rpartition("\n")[2]
        return "|" in last and len(split_row(last)) == columns

    def split_head(self) -> tuple[list[Line], Paragraph]:
        """The lines of the text before the head of a table, and the head."""
        before, _, head = self.source.rpartition("\n")
        lines = replace(self, source=before).open_lines(tentative=False)
        place = self.place.below if lines else self.place
        return ([*lines, Line("", lead=place.lead, mark=place.mark)] if lines else []), Paragraph(place, head, 1)

    def open_lines(self, tentative: bool) -> list[Line]:
        """The paragraph as it is now."""
        source = self.source.strip()
        if not source:
            return []
        return _flowed(inline(completed(source) if tentative else source, self.place.base), self.place)

    def cut_lines(self) -> list[Line]:
        """The final lines of a paragraph that has become too long for one; it goes on after them."""
        lines = _flowed(inline(self.source, self.place.base), self.place)
        last = lines[-1]
        last.joined = True
        if not self.cut and not last.text.endswith(" "):
            last.text += " "
        return lines

    def after_cut(self, joined: bool) -> Paragraph:
        """What goes on after `cut_lines`."""
        return Paragraph(self.place.below, "", 0, joined)


@dataclass(frozen=True, slots=True)
class Heading(Leaf):
    """A heading of level 1 to 6."""

    place: Place
    source: str
    level: int

    def open_lines(self, tentative: bool) -> list[Line]:
        """The heading; level 1 underlined, below 2 muted."""
        style = ("heading underline", "heading", "muted strong")[min(self.level, 3) - 1]
        return _flowed(inline(self.source.strip(), style), self.place)


def _flowed(parts: list[Styled], place: Place) -> list[Line]:
    lines: list[Line] = []
    for text, runs in parts:
        lines.append(Line(text, runs, place.lead, place.hang, mark=place.mark))
        place = place.below
    return lines


class Code(Leaf):
    """A fenced block, or an indented one (no fence): its lines are final as they come."""

    def __init__(self, place: Place, fence: str, info: str, indent: int) -> None:
        self._place = place
        self._fence = fence
        self._indent = indent
        self._held = 0
        self._language = info.split()[0].strip("{}.") if info else ""
        self._highlighter: Highlighter | None = None

    def clone(self) -> Code:
        """A copy whose highlighter moves on by itself."""
        other = copy.copy(self)
        other._highlighter = copy.copy(self._highlighter)
        return other

    def takes(self, text: str) -> bool:
        """Does a line belong to this block? All do until the fence closes; without a fence, those indented by four."""
        return bool(self._fence) or (text.startswith("    ") and bool(text.strip()))

    def hold(self) -> None:
        """An empty line that belongs to a block without a fence only if more code follows."""
        self._held += 1

    def closes(self, text: str) -> bool:
        """Is this line the closing fence?"""
        bare = text.strip(" ")
        mark = self._fence[:1]
        return bool(mark) and bare.startswith(self._fence) and not bare.strip(mark)

    def may_close(self, tail: str) -> bool:
        """Can an unfinished line still become the closing fence?"""
        bare = tail.strip(" >")
        return bool(bare) and bool(self._fence) and not bare.strip(self._fence[0])

    def label(self) -> Line:
        """The first row: the language."""
        lead = (*self._place.lead, (f" {self._language or 'text'} ", "muted"))
        self._place = self._place.below
        return Line("", lead=lead, hang=lead, ground="panel", joined=True)

    def feed(self, text: str, joined: bool) -> list[Line]:
        """One line of code, after the empty ones held back; a fence that is indented takes as much off its lines."""
        held = [self._line("", False) for _ in range(self._held)]
        self._held = 0
        text = text[min(self._indent, len(text) - len(text.lstrip(" "))) :]
        return [*held, self._line(text, joined)]

    def _line(self, text: str, joined: bool) -> Line:
        if self._highlighter is None:
            self._highlighter = Highlighter(self._language)
        lead = (*self._place.lead, (" ", "text"))
        hang = (*self._place.hang, (" ", "text"))
        self._place = self._place.below
        return Line(text, self._highlighter.feed(text), lead, hang, ground="panel", chars=True, joined=joined)


@dataclass(slots=True)
class Table(Leaf):
    """A table: its rows are final as they come, except for the widths they share.

    first: index of its head among the lines.
    """

    place: Place
    layout: TableLayout
    first: int
    tentative: bool = False
    _rows: list[Line] = field(default_factory=list)

    @classmethod
    def begin(cls, head: Paragraph, aligns: tuple[str, ...], first: int) -> Table:
        """A table from its first two source lines."""
        table = cls(head.place, TableLayout(aligns), first)
        table.add(split_row(head.source), False, "muted strong")
        marks = {"left": "---", "right": "---:", "center": ":---:"}
        rule = "| " + " | ".join(marks[align] for align in aligns) + " |"
        below = table.place
        table._rows.append(TableLine("", (), below.lead, below.hang, mark=below.mark + rule, layout=table.layout))
        return table

    def clone(self) -> Table:
        """A copy that may add a row for show."""
        return replace(self, tentative=True, _rows=[])

    def add(self, cells: list[str], tentative: bool, base: str = "") -> bool:
        """One more row; returns whether the columns moved."""
        count = len(self.layout.aligns)
        padded = [*cells[:count], *[""] * (count - len(cells))]
        styled = tuple(one_line(cell, base or self.place.base) for cell in padded)
        grew = self.layout.widen(styled, tentative)
        place = self.place
        self._rows.append(
            TableLine(row_text(styled), (), place.lead, place.hang, mark=place.mark, layout=self.layout, cells=styled)
        )
        self.place = place.below
        return grew

    def take_rows(self) -> list[Line]:
        """The rows added since the last time."""
        rows, self._rows = self._rows, []
        return rows

    def open_lines(self, tentative: bool) -> list[Line]:
        """Rows that were not taken yet."""
        return list(self._rows)


@dataclass(slots=True, eq=False)
class Rule(Line):
    """A thematic break, as wide as the text."""

    @classmethod
    def line(cls, place: Place) -> Rule:
        """The rule at a place."""
        return cls("", (), place.lead, place.hang, mark=place.mark + "---")

    def height(self, width: int) -> int:
        """One row."""
        return 1

    def rows(self, width: int) -> list[list[Piece]]:
        """The row."""
        lead = [Piece(text, style, -1) for text, style in self.lead]
        return [[*lead, Piece("─" * max(1, width - affix_width(self.lead)), "line", 0)]]


def split_row(source: str) -> list[str]:
    """The cells of a table row (GitHub Flavored Markdown, 4.10); an escaped bar is text."""
    text = source.strip()
    text = text.removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(text)]


def delimiter_row(source: str) -> tuple[str, ...]:
    """The alignments that a delimiter row asks for, empty when this is none."""
    if "-" not in source or not ("|" in source or ":" in source):
        return ()
    aligns: list[str] = []
    for cell in split_row(source):
        if _CELL.match(cell) is None:
            return ()
        left, right = cell.startswith(":"), cell.endswith(":")
        aligns.append("center" if left and right else "right" if right else "left")
    return tuple(aligns)
