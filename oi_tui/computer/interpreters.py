"""Which Python runs the person's code: theirs where there is one, else the one this program runs in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python to start.

    path: the executable. origin: why this one, for messages. own: it belongs to an environment of the person's, whose
    `bin` should come first in PATH. from_folder: it was found in the working directory and nobody activated it, so
    starting it runs code of that folder: it must not be started before a person agreed to run something.
    """

    path: str
    origin: str
    own: bool = True
    from_folder: bool = False

    @property
    def bin_folder(self) -> Path | None:
        return Path(self.path).parent if self.own else None


def choose(cwd: str, env: Mapping[str, str], explicit: str = "") -> Interpreter:
    """Pick: `explicit` (a path or a name in PATH), the active virtual environment, `.venv` in cwd, conda, our own.

    An environment that is not there any more is passed over. An explicit choice is taken as it is: starting it will
    say what is wrong.
    """
    if explicit:
        found = shutil.which(os.path.expanduser(explicit), path=env.get("PATH"))  # noqa: PTH111
        return Interpreter(found or explicit, "chosen with --python")
    candidates = (
        (env.get("VIRTUAL_ENV", ""), "the active virtual environment", False),
        (str(Path(cwd) / ".venv"), "the folder's .venv", True),
        (env.get("CONDA_PREFIX", ""), "the active conda environment", False),
    )
    for prefix, origin, from_folder in candidates:
        path = Path(prefix) / "bin" / "python"
        if prefix and path.is_file() and os.access(path, os.X_OK):
            return Interpreter(str(path), origin, from_folder=from_folder)
    return Interpreter(sys.executable, "this program's own", own=False)
