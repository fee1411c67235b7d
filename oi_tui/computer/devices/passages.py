"""Passages of files that answer to some words, best first: what `files.search` and `docs.search` give without the
library for searching by meaning."""

from __future__ import annotations

import ast
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

_LINES = 20  # of a passage
_LARGEST = 2_000_000  # bytes of a file that is read
_MOST_FILES = 5000
_SKIPPED = {"__pycache__", "node_modules", "venv", "site-packages", ".git"}


def search(query: str, passages: Iterable[tuple[str, str]], most: int = 5) -> list[str]:
    """The passages, given as (place, text), that have the words of the query, each with its place above it.

    Rare words count more, the same word again counts less (BM25 with k1 = 1.5 and b = 0.75).
    """
    wanted = set(_words(query))
    told = list(passages)
    counted = [Counter(_words(text)) for _, text in told]
    lengths = [sum(one.values()) for one in counted]
    average = sum(lengths) / max(1, len(lengths)) or 1
    known = {one: sum(one in words for words in counted) for one in wanted}
    scores: list[tuple[float, int]] = []
    for at, words in enumerate(counted):
        score = 0.0
        for one in wanted & words.keys():
            weight = math.log(1 + (len(told) - known[one] + 0.5) / (known[one] + 0.5))
            score += weight * words[one] * 2.5 / (words[one] + 1.5 * (0.25 + 0.75 * lengths[at] / average))
        if score:
            scores.append((-score, at))
    return [f"{told[at][0]}\n{told[at][1]}" for _, at in sorted(scores)[: max(1, most)]]


def of_files(path: str) -> Iterator[tuple[str, str]]:
    """Passages of the text files at or below a path."""
    for file in _files(Path(path).expanduser()):
        lines = _text(file).splitlines()
        for at in range(0, len(lines), _LINES):
            yield f"{file}:{at + 1}", "\n".join(lines[at : at + _LINES])


def of_docstrings(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The docstrings of Python files, each with the name of what it describes."""
    for path in paths:
        for file in _files(Path(path).expanduser()):
            if file.suffix == ".py":
                yield from _docstrings(file)


def _docstrings(file: Path) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(_text(file))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node)
            if doc:
                name = file.stem if isinstance(node, ast.Module) else node.name
                if name.startswith("_"):
                    continue
                yield f"{file}:{getattr(node, 'lineno', 1)} {name}", doc


def _files(root: Path) -> Iterator[Path]:
    if not root.exists():
        raise FileNotFoundError(f"there is no {root} to search in")
    if root.is_file():
        yield root
        return
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if one not in _SKIPPED and not one.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if not name.startswith(".") and file.is_file() and file.stat().st_size <= _LARGEST:
                count += 1
                if count > _MOST_FILES:
                    return
                yield file


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
        return "" if b"\0" in data[:8192] else data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _words(text: str) -> list[str]:
    found = re.findall(r"[^\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower())
    return [one[:-1] if len(one) > 3 and one.endswith("s") else one for one in found]
