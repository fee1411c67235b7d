"""The languages that come with the program, most used first, and where each is made.

Making is lazy twice: the module of a language is imported when its first block is to run, so that a session in shell
and Python pays for nothing else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from oi_tui.computer.languages.base import Executor, Language, Setting

if TYPE_CHECKING:
    from typing import Any

_HERE = "oi_tui.computer.languages"
_KERNELS = "oi_tui.computer.kernels"


def _attribute(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _by(module: str, name: str) -> Callable[[Setting], Executor]:
    return lambda setting: _attribute(module, name)(setting)


def _asks(module: str, name: str) -> Callable[[str, Mapping[str, str]], str]:
    return lambda program, env: _attribute(module, name)(program, env)


PYTHON = ("py", "python3", "py3", "ipython", "ipython3", "pycon")

BUILT_IN: tuple[Language, ...] = (
    Language(
        "python", PYTHON, "py", _by(f"{_KERNELS}.python", "make"), (), "",
        "python has `computer.files` (read, write, list, search, edit, delete to the trash), `computer.output(id)`.",
    ),
    Language(
        "shell", ("bash", "sh", "console", "terminal", "shellscript", "shell-session", "posix"), "sh",
        _by("oi_tui.computer.terminal", "make"), ("bash", "sh"),
    ),
    Language("zsh", (), "zsh", _by("oi_tui.computer.terminal", "make"), ("zsh",), "install zsh"),
    Language(
        "javascript", ("js", "node", "nodejs", "node.js", "mjs", "cjs", "ecmascript"), "js",
        _by(f"{_KERNELS}.node", "make"), ("node",), "install Node.js 18 or newer",
    ),
    Language(
        "typescript", ("ts", "mts", "cts"), "ts", _by(f"{_KERNELS}.node", "make_typescript"), ("node",),
        "install Node.js 22.13 or newer", lacking=_asks(f"{_HERE}.typescript", "lacks"),
    ),
    Language(
        "html", ("htm",), "html", _by(f"{_HERE}.html", "make"),
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"),
        "install chromium",
        "html blocks are rendered in a browser: the person and you see a picture, and what the page's console says.",
    ),
    Language(
        "react", ("jsx", "tsx"), "jsx", _by(f"{_HERE}.react", "make"),
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"),
        "install chromium", "react blocks are one component in JSX, bundled and rendered like html.",
        lacking=_asks(f"{_HERE}.node_modules", "lacks"),
    ),
    Language("r", ("rscript", "rlang"), "r", _by(f"{_KERNELS}.r", "make"), ("Rscript",), "install r-base-core"),
    Language("ruby", ("rb", "irb"), "rb", _by(f"{_KERNELS}.ruby", "make"), ("ruby",), "install ruby"),
    Language(
        "java", ("jshell",), "java", _by(f"{_KERNELS}.java", "make"), ("java",), "install a JDK, 11 or newer",
        "java blocks are statements and declarations, which are kept, or whole programs with a class and main.",
        lacking=_asks(f"{_KERNELS}.java", "lacks"),
    ),
    Language(
        "sql", ("sqlite", "sqlite3", "duckdb"), "sql", _by(f"{_KERNELS}.sql", "make"), (), "",
        "sql blocks run in SQLite: the first line `-- file: PATH` opens a database file, else the only one in the "
        "folder is used, else one in memory; files of DuckDB open where its package is installed.",
    ),
    Language(
        "applescript", ("osascript",), "applescript", _by(f"{_HERE}.scripts", "applescript"), ("osascript",),
        "it comes with macOS",
    ),
    Language(
        "powershell", ("pwsh", "ps1", "ps", "posh"), "ps1", _by(f"{_HERE}.scripts", "powershell"),
        ("pwsh", "powershell.exe"), "install PowerShell 7",
        "powershell blocks are programs of their own: variables are not kept between them.",
    ),
    Language(
        "cmd", ("batch", "bat", "cmd.exe", "dos"), "bat", _by(f"{_HERE}.scripts", "cmd"), ("cmd.exe",),
        "it comes with Windows",
        "cmd blocks are programs of their own: variables are not kept between them.",
    ),
)  # fmt: skip
