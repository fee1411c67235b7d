"""What a model does in a task, in no harness's words: `forms.py` puts each step into a harness's own calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """A command line for sh. fails: it is meant to end with an error (a test that shows the bug)."""

    command: str
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    path: str


@dataclass(frozen=True, slots=True)
class Search:
    """Lines that hold `text` (no expression) in the folder."""

    text: str


@dataclass(frozen=True, slots=True)
class Find:
    """Files whose name fits a glob."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Write:
    """A new file, or a whole one anew (it was read before)."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """`old` stands once in the file, or (everywhere) more often. The file was read before."""

    path: str
    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """The source of one cell of a notebook. The file was read before."""

    path: str
    cell: str
    source: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The list of what is to be done; harnesses without one leave it out."""

    items: tuple[str, ...]


Step = Run | Read | Search | Find | Write | Replace | Cell | Plan
