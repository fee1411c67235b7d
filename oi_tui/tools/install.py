"""Executor `install`: brings a package into the environment that Python blocks run in, to where another language looks
for its packages, or into the system.

The installer's own words are published as output of the call; the model is told in the note what came of it. Which
package brings a module, and whether it may be installed, is for the session to say.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace

from oi_tui.computer import environment, install
from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import ConsoleOutput
from oi_tui.protocol.lmc import Chunk
from oi_tui.tools.base import Context, Preview

# Language -> (language of the line, the line) that installs one of its packages, as a person would type it.
_LINES = {
    "javascript": ("shell", "npm install --no-fund --no-audit -- {}"),
    "typescript": ("shell", "npm install --no-fund --no-audit -- {}"),
    "ruby": ("shell", "gem install --no-document {}"),
    "r": ("r", 'install.packages("{}")'),
}
_NAME = re.compile(r"(?:@[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*")


def preview(ctx: Context, package: str, module: str = "", language: str = "python", line: str = "") -> Preview:
    """package: a name as the language's index knows it, for Python with extras or a version at most. module: what it is
    wanted for. line: for a package of the system, the shell line that installs it (see system_packages.py).

    text of the preview is the command line that would run, in the language that `language` of it says.
    """
    wanted = f" for {module}" if module and module != package else ""
    if line or language in _LINES:
        form, shown = ("shell", line) if line else (_LINES[language][0], _LINES[language][1].format(package))
        error = "" if line or _NAME.fullmatch(package) else f"{package!r} is not the name of a package"
        what = f"install the {'system ' if line else ''}package {package}{wanted}"
        return Preview("tool", form, shown, what, error=error)
    interpreter = ctx.computer.interpreter()
    env = environment.for_code(os.environ, "", interpreter.bin_folder)
    what = f"install the package {package}{wanted}"
    try:
        text = shlex.join(install.command(interpreter, package, env))
    except ValueError as error:
        return Preview("tool", "", "", what, error=f"{error}; give the name that PyPI knows it by")
    return Preview("tool", "", text, what)


async def run(ctx: Context, package: str, module: str = "", language: str = "python", line: str = "") -> Result:
    """Install it. note: where it went, or why it could not be installed and what to do. Cancelling ends it."""
    foreseen = preview(ctx, package, module, language, line)
    if foreseen.error:
        return Result(ok=False, note=foreseen.error)

    def show(chunk: Chunk) -> None:
        if chunk["type"] == "console" and chunk.get("format") == "output":
            ctx.publish(ConsoleOutput(ctx.call_id, str(chunk["content"])))

    ctx.publish(ConsoleOutput(ctx.call_id, f"$ {foreseen.text}\n"))
    if not foreseen.language:
        return await ctx.computer.install(package, show)
    # A line of the session's own shell, so that a program that asks for a password can be answered as in any block.
    done = await ctx.computer.run(foreseen.language, foreseen.text, show, timeout_s=ctx.timeout_s)
    note = f"installed {package}" if done.ok else f"{package} could not be installed; the output says why"
    return replace(done, note="; ".join(filter(None, (note, done.note))))
