"""The Python that blocks run in, for a model: its version and what is installed, read from its folders.

Nothing is started for it: an interpreter needs tens of milliseconds to say what its folders say in one.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oi_tui.computer.interpreters import Interpreter

_BYTES = 150  # of the names of packages
# What a model would plan with, most telling first; the others follow in the order of the alphabet.
_TELLING = (
    "numpy", "pandas", "matplotlib", "scipy", "scikit-learn", "torch", "tensorflow", "polars", "requests", "httpx",
    "beautifulsoup4", "pillow", "openpyxl", "seaborn", "plotly", "duckdb", "sqlalchemy", "flask", "fastapi", "django",
    "pytest", "transformers", "opencv-python", "pypdf", "python-docx", "selenium", "playwright", "lxml",
)  # fmt: skip
_PACKAGE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._]*)-[^-/]+(?:-py[\d.]+)?\.(?:dist|egg)-info")


def described(interpreter: Interpreter) -> str:
    """`3.11.4 with numpy, pandas, … and 380 more packages`; what cannot be found out is left out."""
    version, folders = _version_and_folders(interpreter)
    names = sorted(_installed(folders), key=lambda name: (_rank(name), name))
    shown: list[str] = []
    left = _BYTES
    for name in names:
        left -= len(name) + 2
        if left < 0:
            break
        shown.append(name)
    more = f" and {len(names) - len(shown)} more packages" if len(names) > len(shown) else ""
    packages = f"with {', '.join(shown)}{more}" if shown else ""
    return " ".join(part for part in (version, packages) if part)


def _rank(name: str) -> int:
    return _TELLING.index(name) if name in _TELLING else len(_TELLING)


def _version_and_folders(interpreter: Interpreter) -> tuple[str, list[Path]]:
    if interpreter.path == sys.executable:
        here = [Path(one) for one in sys.path if one.endswith(("site-packages", "dist-packages"))]
        return ".".join(map(str, sys.version_info[:3])), here
    prefix = Path(interpreter.path).parent.parent
    libraries = sorted(prefix.glob("lib/python3.*"), key=lambda one: [int(n) for n in re.findall(r"\d+", one.name)])
    folders = [libraries[-1] / "site-packages", libraries[-1] / "dist-packages"] if libraries else []
    version = libraries[-1].name.removeprefix("python") if libraries else ""
    try:
        said = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)", (prefix / "pyvenv.cfg").read_text(), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        said = None
    return said[1] if said else version, folders


def _installed(folders: list[Path]) -> Iterator[str]:
    """Names of distributions, each once, in the spelling that pip shows."""
    seen: set[str] = set()
    for folder in folders:
        try:
            names = os.listdir(folder)  # noqa: PTH208 - names are all that is wanted
        except OSError:
            continue
        for name in names:
            found = _PACKAGE.fullmatch(name)
            if found is not None:
                seen.add(found[1].lower().replace("_", "-"))
    yield from seen
