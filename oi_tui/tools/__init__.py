"""The executors that a model's calls end in, each once. Harness bindings name them and word them.

README.md beside this file is their contract: names, arguments, results, kinds of errors.
"""

from __future__ import annotations

from oi_tui.tools.base import NAMES, Computer, Context, Executor, Preview

__all__ = ["NAMES", "Computer", "Context", "Executor", "Preview", "get"]


def get(name: str) -> Executor:
    """The executor of that name, imported on first use.

    Its `preview` and `run` check the arguments first (names, types, NUL characters) and turn every error of the file
    system into a sentence for the model. Raises KeyError for a name that is not in `NAMES`.
    """
    from oi_tui.tools.checked import executor

    return executor(name)
