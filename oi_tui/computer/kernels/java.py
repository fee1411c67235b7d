"""The Java kernel's side in this program: how it is started, see java_child.java for what it does.

The kernel is compiled once for each version of it, by java_start.java, into the program's cache. A Java that runs
cannot change its working directory: while nothing is kept in it another one is started in the new one, later the person
is told.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.computer import environment
from oi_tui.computer.kernels.framed import PlainKernel
from oi_tui.computer.languages.base import Setting
from oi_tui.computer.runner import Block
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

HERE = Path(__file__).parent
START = HERE / "java_start.java"
SOURCES = (HERE / "java_child.java", HERE / "java_statements.java")
OLDEST = 11
FLAGS = ("-XX:+UseSerialGC", "-Xshare:auto", "-Dfile.encoding=UTF-8")


class JavaKernel(PlainKernel):
    """Blocks in one Java process."""

    keeps = "variables and declarations"
    start_limit = 180.0  # seconds; the first start compiles, and a busy machine takes its time over that
    reads = r"\bSystem\s*\.\s*(?:in|console)\b"

    def __init__(self, setting: Setting, command: Callable[[], list[str]]) -> None:
        super().__init__(setting.name, setting.table, environment.utf8(setting.env), command)
        self._folder = ""  # that it runs in
        self._told = ""  # that the person was told of
        self._kept = False  # something has been declared

    def start(self, cwd: str) -> None:
        """Start it if there is none; see `Runner`."""
        if self._child is None:
            self._folder = self._told = cwd
            self._kept = False
        super().start(cwd)

    async def run(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Result:
        """Run one block; see `Executor`."""
        if self._child is not None and not self._kept and cwd != self._folder:
            await self._leave()
        result = await super().run(code, cwd, emit)
        self.cwd = cwd
        if not self._kept or cwd == self._told:
            return result
        self._told = cwd
        note = f"java stays in {self._folder} while it keeps declarations: give whole paths"
        return replace(result, note="; ".join(one for one in (result.note, note) if one))

    async def _leave(self) -> None:
        child = self._child
        assert child is not None
        self.farewell()
        if not await child.ended(1.0):
            self.kill()
            await child.ended(2.0)
        self._lost = ""  # there was nothing

    def submit(self, number: int, code: str, cwd: str) -> None:
        """Hand over one block, with the folder for a program of its own."""
        self.cwd = ""  # it is always told
        super().submit(number, code, cwd)

    def ask_to_stop(self, block: Block) -> None:
        """Java ends at a signal or does not hear it, so it is asked on its pipe."""
        self.tell("interrupt", str(block.number))

    def _done(self, message: dict[str, Any]) -> None:
        self._kept = bool(message.get("keeps"))
        super()._done(message)


def lacks(program: str, _env: Mapping[str, str]) -> str:
    """What this Java has not, by its release file; "" where it has all or does not say."""
    version, modules = _release(program)
    if version and version < OLDEST:
        return f"this Java is version {version}; install a JDK, {OLDEST} or newer"
    if modules and "jdk.jshell" not in modules:
        return f"{program} has no compiler; install a JDK (Debian: default-jdk-headless)"
    return ""


@functools.cache
def _release(program: str) -> tuple[int, frozenset[str]]:
    try:
        said = (Path(program).resolve().parent.parent / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0, frozenset()
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', said, re.M)
    modules = re.search(r'^MODULES="([^"]*)"', said, re.M)
    return int(version.group(1)) if version else 0, frozenset(modules.group(1).split() if modules else ())


def command(setting: Setting, scratch: str) -> list[str]:
    """The command line of the kernel: its classes, or what compiles them first."""
    made = hashlib.sha256(b"".join(one.read_bytes() for one in SOURCES)).hexdigest()[:16]
    folder = paths.cache() / f"java-{made}"
    given = f"-Doi.classes={setting.env.get('CLASSPATH', '')}"
    if (folder / "OiJava.class").is_file():
        return [setting.program, *FLAGS, given, "-cp", str(folder), "OiJava", scratch]
    sources = f"-Doi.sources={os.pathsep.join(map(str, SOURCES))}"
    return [setting.program, *FLAGS, given, sources, str(START), str(folder), scratch]


def make(setting: Setting) -> JavaKernel:
    """The kernel of this computer."""
    scratch = str(setting.table.scratch())
    return JavaKernel(setting, lambda: command(setting, scratch))
