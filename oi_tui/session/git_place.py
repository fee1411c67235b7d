"""Where a repository begins, found without starting git."""

from __future__ import annotations

import os
from pathlib import Path


def git_root(cwd: str) -> Path | None:
    """The folder above `cwd` that holds .git, found without starting git."""
    here = Path(cwd)
    # os.path, since pathlib raises where a folder may not be looked into.
    return next((one for one in (here, *here.parents) if os.path.exists(one / ".git")), None)  # noqa: PTH110
