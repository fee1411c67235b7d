"""What is wanted of a sandbox, and what a process has to be started through to be in it: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["bubblewrap", "landlock", "seatbelt"]
Network = Literal["off", "listed", "on"]


class Unusable(Exception):
    """No sandbox can start here, and why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """What code may do. Paths are absolute.

    workspace: the folder it works in. writes: it may change that. extra: other folders and files it may change.
    shown: files and folders of our own home that it may read; kept: folders of it for what only sandboxes use, which it
    may change. network: `listed` means through the proxy alone.
    """

    workspace: str
    writes: bool = True
    extra: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    network: Network = "off"


@dataclass(frozen=True, slots=True)
class Plan:
    """How to start a process in it.

    prefix: what its command line begins with; `{seccomp}` in it stands for a descriptor that `program` can be read
    from. program: the filter of system calls, for Landlock after its rules; b"" for none. env: variables that it gets;
    unset: that it does not get. own_pids: it has process numbers of its own, and all of it ends with its first process.
    as_first: what the command line takes besides where the program is to be that first process. writable: what it may
    change.
    """

    kind: Kind
    prefix: tuple[str, ...]
    program: bytes = b""
    env: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    unset: tuple[str, ...] = ()
    own_pids: bool = False
    as_first: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()

    def argv(self, seccomp: int, first: bool = False) -> list[str]:
        """The beginning of the command line. seccomp: the descriptor with `program`."""
        words = [one.replace("{seccomp}", str(seccomp)) for one in self.prefix]
        at = words.index("--") if first and "--" in words else len(words)
        return [*words[:at], *(self.as_first if first else ()), *words[at:]]
