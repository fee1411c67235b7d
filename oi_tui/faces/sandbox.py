"""`oi sandbox -- CMD`: runs a command in the sandbox that code of a session would get here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from oi_tui.computer import environment
from oi_tui.computer.cell import Cell
from oi_tui.computer.child import status_of
from oi_tui.session.sandboxing import Sandboxing
from oi_tui.settings import Loaded


def from_words(
    words: Sequence[str],
    parser_of: Callable[[str, str], ArgumentParser],
    load: Callable[[ArgumentParser, Namespace], Loaded],
) -> int:
    """The same from the words of a command line. parser_of: makes a parser that knows all settings, of a name and a
    description. load: reads the settings that they give."""
    at = words.index("--") if "--" in words else len(words)
    parser = parser_of("oi sandbox", "Runs a command in the sandbox that code gets in this folder.")
    parser.usage = "oi sandbox [settings] -- COMMAND ..."
    parser.add_argument("command", nargs="*", help="what to run; behind -- if it has flags of its own")
    parsed = parser.parse_args(list(words[:at]))
    return main(load(parser, parsed), [*parsed.command, *words[at + 1 :]])


def main(loaded: Loaded, command: Sequence[str]) -> int:
    """Run it; its exit code, 128 and the signal's number for one that a signal ended. 3 where no sandbox starts, 127
    for a program that is not there."""
    if "sandbox.mode" not in loaded.origins:  # who asks for it in so many words means it
        loaded.settings.sandbox.mode = "auto"
    box = Sandboxing(loaded.settings, str(Path.cwd()), _no_outputs, lambda: loaded.settings.approval)
    if not command:
        return _complain("say what to run: oi sandbox -- ls -l", 2)
    if not box.needed:
        why = "approval mode is full" if loaded.settings.approval == "full" else "the settings switch it off"
        return _complain(f"there is no sandbox, because {why}; run the command without oi", 3)
    cause = box.unheld()
    if cause:
        return _complain(f"no sandbox can start here, so nothing was run: {cause}", 3)
    return asyncio.run(_run(box, command))


def _no_outputs() -> Path:
    raise OSError("outside of a session there are no outputs")


async def _run(box: Sandboxing, command: Sequence[str]) -> int:
    held = box.confinement()
    assert held is not None
    ended = asyncio.Event()
    on_terminal = os.isatty(0)
    try:
        cell = Cell(held.enclosure(), {"PATH": os.environ.get("PATH", os.defpath)})
    except OSError as error:
        return _complain(str(error), 3)
    try:
        cell.env.update(held.started(cell))
        env = environment.for_code(os.environ, "oi-sandbox")
        process = cell.spawn(command, env=env, cwd=str(Path.cwd()), fds={0: 0, 1: 1, 2: 2}, foreground=on_terminal)
        process.on_end = ended.set
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, _pass_on, process.pid, number)
        if process.returncode is None:
            await ended.wait()
        return status_of(process.returncode or 0)
    except OSError as error:
        return _complain(f"{command[0]}: {error.strerror or error}", 127)
    finally:
        if on_terminal:
            with contextlib.suppress(OSError):
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.tcsetpgrp(0, os.getpgrp())
        held.ended(cell)
        cell.close()


def _pass_on(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, number)


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"oi: {text}\n")
    return code
