"""Kernels that are installed for Jupyter on this machine, each a language.

Only their files are looked at, so that nothing of Jupyter is loaded before one of them is used. Where they lie:
"Jupyter's common directories and file locations", docs.jupyter.org; what a file says: jupyter-client's page on kernels.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from oi_tui.computer.languages.base import Executor, Language, Setting
from oi_tui.computer.languages.catalog import BUILT_IN
from oi_tui.computer.optional import wanting


def places(env: Mapping[str, str]) -> list[str]:
    """The folders that may hold kernelspecs, the first that has one of a name counts."""
    home = Path(env.get("HOME") or Path.home())
    mac = sys.platform == "darwin"
    data = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "jupyter"
    own = env.get("JUPYTER_DATA_DIR") or str(home / "Library" / "Jupyter" if mac else data)
    prefixes = [env.get("VIRTUAL_ENV", ""), env.get("CONDA_PREFIX", ""), sys.prefix, "/usr/local", "/usr"]
    bases = [*env.get("JUPYTER_PATH", "").split(os.pathsep), own]
    bases += [str(Path(prefix) / "share" / "jupyter") for prefix in prefixes if prefix]
    return [str(Path(base) / "kernels") for base in dict.fromkeys(bases) if base]


def found(env: Mapping[str, str]) -> dict[str, str]:
    """The name of each kernelspec, lower case, and the language it is for."""
    specs: dict[str, str] = {}
    for place in places(env):
        try:
            names = sorted(os.listdir(place))  # noqa: PTH208 - hardly any of these folders is there
        except OSError:
            continue
        for name in names:
            try:
                told = json.loads((Path(place) / name / "kernel.json").read_text(encoding="utf-8"))
                language = str(told["language"]).strip().lower()
            except (OSError, ValueError, KeyError, TypeError):
                continue
            specs.setdefault(name.lower(), language)
    return specs


def languages(env: Mapping[str, str], *, instead: bool = False) -> list[Language]:
    """One language for each kernelspec: under its language's name, under its own name where that is taken, or with
    `-kernel` after that (`bash-kernel`).

    instead: kernels take the names of languages that this program runs by itself, but for Python.
    """
    made: list[Language] = []
    taken = {"python"} if instead else {name for one in BUILT_IN for name in (one.name, *one.aliases)}
    for spec, language in sorted(found(env).items()):
        if spec == "python3":
            continue
        known = next((one for one in BUILT_IN if one.called(language)), None)
        name = known.name if known is not None else language
        free = (one for one in (name, spec, f"{spec}-kernel") if one and one not in taken)
        name = next((one for one in free if instead or not any(other.called(one) for other in BUILT_IN)), "")
        if not name:
            continue
        taken.add(name)
        same = known if known is not None and known.name == name else None
        aliases = (*(same.aliases if same is not None else ()), *([spec] if spec not in (name, *taken) else []))
        made.append(Language(name, aliases, same.file_extension if same else "", _maker(spec), lacking=_lacking))
    return made


def _maker(spec: str) -> Callable[[Setting], Executor]:
    def make(setting: Setting) -> Executor:
        from oi_tui.computer.kernels.jupyter import LocalKernel

        return LocalKernel(setting.name, spec, setting.table, setting.env, [], places(setting.env))

    return make


def _lacking(_program: str, _env: Mapping[str, str]) -> str:
    """What is missing to talk to a kernel; only looked for, since loading it takes a while."""
    return "" if find_spec("jupyter_client") is not None else wanting("jupyter_client", "a Jupyter kernel")
