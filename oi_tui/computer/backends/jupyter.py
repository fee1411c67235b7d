"""The backend `jupyter`: Python in an ipykernel, every other installed kernel as a language, the rest as usual."""

from __future__ import annotations

from collections.abc import Mapping

from oi_tui.computer.languages import kernelspecs
from oi_tui.computer.languages.base import Executor, Language, Setting
from oi_tui.computer.languages.catalog import BUILT_IN, PYTHON
from oi_tui.computer.optional import need


def languages(env: Mapping[str, str]) -> list[Language]:
    """Python, the other kernels under their names and the languages they are for, then the built-in languages.

    ValueError when jupyter_client or ipykernel is not installed.
    """
    need("jupyter_client", "--backend jupyter")
    made = [Language("python", PYTHON, "py", _python)]
    made += kernelspecs.languages(env, instead=True)
    taken = {name for one in made for name in (one.name, *one.aliases)}
    return made + [one for one in BUILT_IN if one.name not in taken]


def _python(setting: Setting) -> Executor:
    """An ipykernel in the person's own interpreter where that has one, else in the one of this program."""
    from oi_tui.computer.kernels.jupyter import LocalKernel

    argv = [setting.interpreter().path, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return LocalKernel(setting.name, "python3", setting.table, setting.env, argv)
