"""Rules of the house that no linter knows: no circles, not even lazy ones; small rooms, each with a docstring."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

from tests.conftest import ROOT

PACKAGES = ("oi_tui", "harnesses", "interpreter")
# One file by necessity: it is handed to the person's own interpreter, which has nothing else of ours.
# Each is one file that is sent to other Pythons.
LARGE = {"oi_tui.computer.kernels.python_child", "oi_tui.computer.kernels.computer_child"}
LONGEST = 400  # lines


def _modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Every module of ours that a module imports anywhere: at the top, in functions, for type checkers."""
    wanted: set[str] = set()
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wanted |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # A name of a package may be a module in it; only if it is none, the package itself is meant.
            wanted |= {inner if (inner := f"{base}.{alias.name}") in known else base for alias in node.names}
    return (wanted & known.keys()) - {name}


def test_there_are_no_circles() -> None:
    known = _modules()
    graph = {name: _imports(name, path, known) for name, path in known.items()}
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for other in sorted(graph[name]):
                visit(other, [*trail, name])
            done.add(name)

    for name in sorted(graph):
        visit(name, [])


def test_every_room_says_what_it_is_for() -> None:
    silent = [
        name for name, path in _modules().items() if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_rooms_are_small() -> None:
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in _modules().items()}
    assert {name: length for name, length in lengths.items() if length > LONGEST and name not in LARGE} == {}
    assert statistics.median(lengths.values()) <= 130
