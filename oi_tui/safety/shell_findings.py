"""What is found out about a script while it is read: files, machines, and what cannot be taken back."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from oi_tui.safety.effects import Effect, Part, Tree, stronger
from oi_tui.safety.shell_text import Word, matches

DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", "/dev/zero"})


@dataclass(slots=True)
class Fed:
    """What stands on the standard input of a program. text: all of it, where that is known. trees: the names that it
    holds are of files below these."""

    text: str | None = None
    trees: tuple[Tree, ...] = ()


@dataclass(slots=True)
class Sum:
    """Of a whole script; as in `effects.Understood`."""

    effect: Effect = "read"
    beyond: Effect = "read"
    why: str = ""
    parts: list[Part] = field(default_factory=lambda: list[Part]())
    reads: dict[str, None] = field(default_factory=lambda: dict[str, None]())
    writes: dict[str, None] = field(default_factory=lambda: dict[str, None]())
    trees: list[Tree] = field(default_factory=lambda: list[Tree]())
    hosts: dict[str, None] = field(default_factory=lambda: dict[str, None]())
    urls: dict[str, None] = field(default_factory=lambda: dict[str, None]())
    blind_reads: bool = False
    blind_writes: bool = False
    blind_hosts: bool = False
    keys: str = ""
    alters: bool = False
    harm: str = ""
    sends: str = ""


class Findings:
    """What programs of a script report. cwds: the folders that the next command may run in, None when that is not
    known. fed: what stands on its input; gives: what the command that was read last prints."""

    def __init__(self, cwd: str) -> None:
        self.root = os.path.realpath(cwd)
        self.cwds: tuple[str, ...] | None = (self.root,)
        self.sum = Sum()
        self.fed: Fed | None = None
        self.gives: Fed | None = None

    def effect(self, effect: Effect, why: str) -> None:
        """The script does this by itself, not through one of its programs."""
        self.sum.beyond = stronger(self.sum.beyond, effect)
        self.strengthen(effect, why)

    def strengthen(self, effect: Effect, why: str) -> None:
        """What it does as a whole is at least this."""
        if stronger(self.sum.effect, effect) != self.sum.effect:
            self.sum.effect, self.sum.why = effect, why

    def harm(self, why: str) -> None:
        self.sum.harm = self.sum.harm or why

    def keys(self, what: str) -> None:
        self.sum.keys = self.sum.keys or what

    def sends(self, what: str) -> None:
        """Data leave the machine by it."""
        self.sum.sends = self.sum.sends or what

    def paths(self, word: Word) -> list[str] | None:
        """Absolute paths that a word names in each folder it may be read in; None if that is not known."""
        if not word.known or (self.cwds is None and not word.text.startswith("/")):
            return None
        found: list[str] = []
        for folder in self.cwds or ("/",):
            names = matches(word.text, folder) if word.glob else [word.text]
            if names is None:
                return None
            found += [os.path.realpath(os.path.join(folder, one)) for one in names]  # noqa: PTH118
        return found

    def reads(self, word: Word) -> None:
        paths = self.paths(word)
        if paths is None:
            self.sum.blind_reads = True
        else:
            self.sum.reads.update(dict.fromkeys(one for one in paths if one not in DEVICES and "/fd/" not in one))

    def reads_tree(self, word: Word, only: tuple[str, ...] = (), hidden: bool = True) -> None:
        self.reads(word)
        for one in self.paths(word) or ():
            self.sum.trees.append(Tree(one, only, hidden))

    def writes(self, word: Word) -> bool:
        """A file or folder is changed. False when it is not known which."""
        paths = self.paths(word)
        if paths is None:
            self.sum.blind_writes = True
        else:
            self.sum.writes.update(dict.fromkeys(one for one in paths if one not in DEVICES))
        return paths is not None

    def reaches(self, word: Word | str) -> None:
        """Another machine is talked to; the word is a URL, or a host with user and path."""
        text = word if isinstance(word, str) else word.text
        known = isinstance(word, str) or word.known
        found = re.match(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?(?:[^/@\s?#]*@)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)", text)
        # A name that goes on in a variable is not known: https://good.org$x
        rest = text[found.end() :] if found else ""
        if found is None or (not known and not rest):
            self.sum.blind_hosts = True
        else:
            self.sum.hosts[found[1].strip("[]").lower().rstrip(".")] = None
        if "://" in text or not isinstance(word, str):
            self.sum.urls[text + ("" if known else "…")] = None
