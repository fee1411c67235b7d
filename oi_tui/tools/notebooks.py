"""Jupyter notebooks as cells, and back without touching anything else of the file (nbformat 4, JSON schema)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_LONGEST_OUTPUT = 4000  # characters of a cell's output that are shown


@dataclass(frozen=True, slots=True)
class Cell:
    """id: as in the file, or its number from 0 where the file has none."""

    id: str
    kind: str
    source: str
    outputs: tuple[str, ...] = ()


def load(text: str) -> dict[str, Any] | None:
    """The notebook as JSON; None for what is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    cells = value.get("cells") if isinstance(value, dict) else None
    return value if isinstance(cells, list) and all(isinstance(one, dict) for one in cells) else None


def parse(text: str) -> list[Cell] | None:
    """The cells of a notebook; None for what is none."""
    book = load(text)
    if book is None:
        return None
    return [
        Cell(str(one.get("id", number)), str(one.get("cell_type", "")), _joined(one.get("source")), _outputs(one))
        for number, one in enumerate(book["cells"])
    ]


def as_text(cell: Cell) -> str:
    """A cell for a model."""
    lines = [f'<cell id="{cell.id}" type="{cell.kind}">', cell.source, "</cell>"]
    for output in cell.outputs:
        lines += ["<output>", output, "</output>"]
    return "\n".join(lines)


def dump(book: dict[str, Any], like: str) -> str:
    """The notebook as text, indented and ended as `like` is."""
    indent: int | str | None = None
    second = like.partition("\n")[2]
    if second:
        lead = second[: len(second) - len(second.lstrip(" \t"))]
        indent = "\t" if lead.startswith("\t") else len(lead)
    ascii_only = like.isascii() and "\\u" in like
    return json.dumps(book, indent=indent, ensure_ascii=ascii_only) + ("\n" if like.endswith("\n") else "")


def lines_of(source: str) -> list[str]:
    """A source as notebooks keep it: lines with their LF."""
    return source.splitlines(keepends=True)


def _joined(source: object) -> str:
    if isinstance(source, str):
        return source
    return "".join(map(str, source)) if isinstance(source, Sequence) else ""


def _outputs(cell: dict[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    for one in cell.get("outputs") or ():
        if not isinstance(one, dict):
            continue
        data = one.get("data")
        data = data if isinstance(data, dict) else {}
        text = _joined(one.get("text")) or _joined(data.get("text/plain"))
        if one.get("output_type") == "error":
            text = f"{one.get('ename')}: {one.get('evalue')}"
        text += "".join(f"[{kind}]" for kind in data if kind.startswith("image/"))
        if text.strip():
            found.append(text if len(text) <= _LONGEST_OUTPUT else text[:_LONGEST_OUTPUT] + " […]")
    return tuple(found)
