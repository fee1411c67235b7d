"""Small models' slips in otherwise right code, mended before a person sees it: what is approved is what runs.

Only what cannot change the meaning of right code: common indentation, a well-known module that is used and was not
imported, a `git shortlog` that would wait for its input, a fence that says bash around Python or the other way round, a
result that is computed and never shown, a `main` that is never called, and a set that is read out in whatever order it
has: it is read in the order in which it was filled.
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap

# Name as it is used -> the import that brings it. None of these is likely to be a variable.
_MODULES = {
    "np": "import numpy as np", "pd": "import pandas as pd", "plt": "import matplotlib.pyplot as plt",
    **{one: f"import {one}" for one in (
        "os", "re", "math", "sys", "shutil", "subprocess", "hashlib", "zipfile", "tarfile", "itertools", "functools",
        "collections", "urllib", "tempfile", "pathlib", "numpy", "pandas", "requests", "socket", "sqlite3", "textwrap",
    )},
    "Path": "from pathlib import Path", "Counter": "from collections import Counter",
    "defaultdict": "from collections import defaultdict", "timedelta": "from datetime import timedelta",
    **{one: f"from itertools import {one}" for one in ("islice", "combinations", "permutations")},
    **{one: f"from collections import {one}" for one in ("deque", "OrderedDict", "namedtuple")},
    "ZipFile": "from zipfile import ZipFile", "urlopen": "from urllib.request import urlopen",
}  # fmt: skip

# Names that may well be variables of an earlier block: they are imported only if what is asked of them is the module's.
_BY_ATTRIBUTE = {
    "json": {"loads", "dumps", "load", "dump"},
    "csv": {"reader", "writer", "DictReader", "DictWriter"},
    "time": {"time", "sleep", "perf_counter", "localtime", "strftime"},
    "glob": {"glob", "iglob"},
    "random": {"random", "randint", "choice", "choices", "shuffle", "sample", "seed"},
    "string": {"ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "punctuation"},
    "platform": {"system", "release", "machine", "platform", "python_version", "node"},
    "statistics": {"mean", "median", "mode", "stdev", "pstdev"},
    "calendar": {"month", "isleap", "monthrange", "day_name", "month_name"},
}
_DATETIME = {"datetime": "import datetime", "date": "import datetime", "timedelta": "import datetime"}
_FROM_DATETIME = {"datetime": {"now", "strptime", "today", "fromtimestamp"}, "date": {"today", "fromisoformat"}}

_PYTHON_LINE = re.compile(r"^(?:import \w|from [\w.]+ import |print\(|def \w+\(|with open\()", re.MULTILINE)
_PRINT_IN_SHELL = re.compile(r"""^print\(("[^"`$\n]*"|'[^'\n]*')\)[ \t]*$""", re.MULTILINE)
# Without a revision it reads a log from its standard input, where there is none, and says nothing.
_SHORTLOG = re.compile(r"^[ \t]*git shortlog(?:[ \t]+-[\w=-]+)*(?=[ \t]*(?:[|;\n]|&&|$))", re.MULTILINE)
_COMMANDS = "ls|du|df|cat|mkdir|rm|mv|cp|grep|find|wc|head|tail|sort|zip|unzip|tar|curl|echo|ps"
_SHELL_LINE = re.compile(rf"(?:{_COMMANDS}) [^=(\n]*")
_WITH_OPTION = re.compile(rf"(?:{_COMMANDS}) +-[a-zA-Z]+")  # `ls -la` is a subtraction to Python


def repaired(language: str, code: str) -> tuple[str, str]:
    """(language, code) with the slips mended; the same where there are none or where it cannot be told."""
    code = textwrap.dedent(code)
    if language == "shell" and "<<" not in code and looks_like_python(code):
        language = "python"
    elif language == "python" and _is_shell(code):
        return "shell", code
    if language == "shell" and "<<" not in code and "python" not in code:
        code = _PRINT_IN_SHELL.sub(lambda found: f"echo {found[1]}", code)
    if language == "shell":
        code = _SHORTLOG.sub(r"\g<0> HEAD", code)
    if language != "python" or (tree := _parsed(code)) is None:
        return language, code
    code, shown = _in_order(code, tree), _shown(tree) or _uncalled(tree)
    imports = missing_imports(tree)
    return language, "\n".join([*imports, *([""] if imports else []), code]) + (f"\n{shown}" if shown else "")


def looks_like_python(code: str) -> bool:
    """True for text that is a Python program and has a line that hardly anything else has."""
    return _PYTHON_LINE.search(code) is not None and _parsed(code) is not None


def _is_shell(code: str) -> bool:
    first = code.strip().partition("\n")[0]
    if _parsed(code) is None:
        return _SHELL_LINE.fullmatch(first) is not None
    return first == code.strip() and _WITH_OPTION.fullmatch(first) is not None


_READ_OUT = {"list", "tuple", "enumerate", "join", "writelines"}  # what takes the members one after the other


def _in_order(code: str, tree: ast.Module) -> str:
    """`list(set(lines))` as `list(dict.fromkeys(lines))`, and so where a loop or a file takes the members: lines
    without their doubles are wanted as they stood, and a set gives them in any order."""
    if {"set", "dict", *_READ_OUT} & _stored(tree) or "\r" in code:
        return code
    taken: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            taken.append(node.iter)
        elif isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            taken += node.args[:1] if name in _READ_OUT else []
    lines = [line.encode() for line in code.split("\n")]  # columns of the tree are bytes
    found = {(one.lineno - 1, one.col_offset) for one in taken if _is_set(one)}
    for line, column in sorted(found, reverse=True):
        if lines[line][column : column + 4] == b"set(":
            lines[line] = lines[line][:column] + b"dict.fromkeys(" + lines[line][column + 4 :]
    return b"\n".join(lines).decode()


def _is_set(node: ast.expr) -> bool:
    """True for a call of `set` with one thing to make it from."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "set":
        return False
    return len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)


def missing_imports(tree: ast.Module) -> list[str]:
    """The import statements that the code lacks, in the order of use."""
    bound = _bound(tree)
    attributes: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            attributes.setdefault(node.id, set())
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.setdefault(node.value.id, set()).add(node.attr)
    found = (_import_of(name, used) for name, used in attributes.items() if name not in bound)
    return list(dict.fromkeys(one for one in found if one))


def _import_of(name: str, used: set[str]) -> str:
    if name in _FROM_DATETIME:
        if used & _FROM_DATETIME[name]:
            return f"from datetime import {name}"
        return _DATETIME[name] if name == "datetime" and used & set(_DATETIME) else ""
    if name in _BY_ATTRIBUTE:
        return f"import {name}" if used & _BY_ATTRIBUTE[name] else ""
    return _MODULES.get(name, "")


def _bound(tree: ast.Module) -> set[str]:
    """Every name that the code binds anywhere, and the built-in ones."""
    return _stored(tree) | set(dir(builtins))


def _stored(tree: ast.Module) -> set[str]:
    """Every name that the code binds anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((one.asname or one.name).partition(".")[0] for one in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _shown(tree: ast.Module) -> str:
    """What prints the last name: the code ends by computing it, and shows and writes nothing at all; else ""."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Assign) or not isinstance(last.targets[0], ast.Name) or len(last.targets) != 1:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return ""  # something was done for its effect
    return f"print({last.targets[0].id})"


def _uncalled(tree: ast.Module) -> str:
    """The call of `main`: it is what comes last, and nothing but definitions stands before it; else ""."""
    last = tree.body[-1] if tree.body else None
    definitions = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign
    if not isinstance(last, ast.FunctionDef) or not all(isinstance(one, definitions) for one in tree.body):
        return ""
    taken = last.args
    if (
        last.name != "main"
        or len(taken.posonlyargs) + len(taken.args) > len(taken.defaults)
        or None in taken.kw_defaults
    ):
        return ""
    gives = any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(last))
    return "\nprint(main())" if gives else "\nmain()"


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
