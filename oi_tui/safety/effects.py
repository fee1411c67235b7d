"""What a shell command would do, as far as reading it can tell: the answer that the shell reader gives the policy."""

from __future__ import annotations

from typing import Literal

from oi_tui.protocol.dataclass import dataclass

Effect = Literal["read", "write", "network", "unknown"]
"""`read`: it changes nothing. `write`: it changes files or the system. `network`: it talks to other machines, and may
change files too. `unknown`: it runs code that was not read, or could not be understood."""

_ORDER: tuple[Effect, ...] = ("read", "write", "network", "unknown")


def stronger(one: Effect, other: Effect) -> Effect:
    """The one of which less is known to be harmless."""
    return one if _ORDER.index(one) >= _ORDER.index(other) else other


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder whose files are read with all below it. only: patterns of the names that are read, () for all. hidden:
    names that begin with a dot are read too."""

    root: str
    only: tuple[str, ...] = ()
    hidden: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """One program that a command would start.

    words: program and arguments as they will be, those that are not known left out from the first unknown one on.
    outer: the programs through which it is started, outermost first, such as `sudo` (each with its own words up to the
    inner program). whole: all words are known. effect: of this program alone.
    """

    words: tuple[str, ...]
    effect: Effect
    why: str = ""
    outer: tuple[tuple[str, ...], ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Understood:
    """A command, read. Paths are absolute with links resolved.

    effect: the strongest of its parts. why: for an effect that is not `read`, the part that makes it so, in words.
    reads, writes: files and folders that are named. trees: folders that are read with all below. blind_reads,
    blind_writes: there may be others that are not known. hosts: of other machines, as far as they are named; urls: as
    they are written. blind_hosts: others may be reached. keys: it would show variables or files that may hold keys.
    beyond: what it does by itself, not through its parts, such as redirections. alters: it may change what later
    commands in the same shell mean. harm: words on what cannot be taken back; sends: on data that leave the machine; ""
    for nothing known.
    """

    effect: Effect
    why: str = ""
    parts: tuple[Part, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    trees: tuple[Tree, ...] = ()
    hosts: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    blind_reads: bool = False
    blind_writes: bool = False
    blind_hosts: bool = False
    keys: str = ""
    alters: bool = False
    harm: str = ""
    sends: str = ""
    beyond: Effect = "read"


def not_understood(why: str, parts: tuple[Part, ...] = ()) -> Understood:
    """Nothing can be said of a command but that it is one."""
    return Understood(
        "unknown", why, parts, blind_reads=True, blind_writes=True, blind_hosts=True, alters=True, beyond="unknown"
    )
