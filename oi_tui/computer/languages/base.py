"""What a language is to the computer, and what it takes to add one.

**A language of one's own** is a class of a few lines, given to the computer with `computer.languages = [Mine]` or
`computer.languages.append(Mine)`:

    class Shout:
        name = "Shout"                      # how models and people call it; upper and lower case are the same
        aliases = ["loud"]                  # other spellings, may be left out
        file_extension = "txt"              # may be left out
        system_message = "Shout repeats."   # what the model is told about it, may be left out

        def run(self, code):                # a generator of LMC chunks, with or without role
            yield {"type": "console", "format": "output", "content": code.upper()}

        def stop(self):                     # halt what runs, keep the state
            ...

        def terminate(self):                # drop the state
            ...

Only `name` and `run` are needed. The constructor takes nothing, or the computer. `run` is called in a thread of its
own, one block at a time, so it may block; `stop` and `terminate` are called while it runs. A chunk of type `console`
with format `active_line` and a number says which line runs. What `run` raises is the result of the block.

The languages that come with the program are described by `Language` and made by their `make` when first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

if TYPE_CHECKING:
    from oi_tui.computer.interpreters import Interpreter
    from oi_tui.computer.processes import ProcessTable


class Executor(Protocol):
    """What runs the blocks of one language and keeps its state: a kernel, a shell, a plug-in, a remote kernel.

    All methods are called on the loop's thread. cwd: the working directory as last known, "" where there is none.
    """

    @property
    def cwd(self) -> str: ...

    def start(self, cwd: str) -> None:
        """Begin to get ready, without waiting. Raises OSError."""
        ...

    async def run(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Result:
        """Run one block to its end. Never raises for what the code does; a cancelled task stops the block."""
        ...

    def interrupt(self) -> None:
        """Stop the running block; asked again, end it with all that it started."""
        ...

    def kill(self) -> None:
        """End the block at once, whatever is lost."""
        ...

    async def close(self) -> None:
        """End everything and give back what was taken."""
        ...


@dataclass(frozen=True, slots=True)
class Setting:
    """What an executor is made from.

    env: what the code will find. program: the path of what runs the language. interpreter: asked only where Python is
    needed. computer: for plug-ins whose constructor wants it.
    """

    name: str
    table: ProcessTable
    env: Mapping[str, str]
    program: str
    interpreter: Callable[[], Interpreter]
    computer: Any = None


@dataclass(frozen=True)
class Language:
    """One language. programs: what it needs, the first found in PATH is used; install: how to get one of them.

    lacking: asks for what a name in PATH does not tell; it gets the program and the environment and answers "" or what
    is missing. system_message: what a model is told when this language can be used.
    """

    name: str
    aliases: tuple[str, ...]
    file_extension: str
    make: Callable[[Setting], Executor]
    programs: tuple[str, ...] = ()
    install: str = ""
    system_message: str = ""
    lacking: Callable[[str, Mapping[str, str]], str] | None = None

    def called(self, spelled: str) -> bool:
        """Whether this spelling, lower case and without spaces around it, means this language."""
        return spelled == self.name or spelled in self.aliases


class PlugIn(Protocol):
    """The least that a class of the person's own has; `stop`, `terminate`, `aliases`, … are used where they are."""

    name: str

    def run(self, code: str) -> Iterator[dict[str, Any]]:
        """Chunks of one block."""
        ...
