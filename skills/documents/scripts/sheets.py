"""Tables from one format into another: xlsx, csv, tsv, json."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

Rows = list[list[Any]]


def convert(old: Path, new: Path, sheet: str = "1") -> str:
    """Returns how it was done. sheet: of a workbook, by number from 1 or by name. Raises ImportError without openpyxl
    where it is needed, ValueError for what cannot be read."""
    rows, told = _read(old, sheet)
    ending = new.suffix.lower()
    if ending == ".json":
        head = [str(one) for one in rows[0]] if rows else []
        made = [dict(zip(head, row)) for row in rows[1:]]  # noqa: B905 - runs in old Pythons
        new.write_text(json.dumps(made, ensure_ascii=False, indent=1, default=str), encoding="utf-8")
    elif ending == ".xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        for row in rows:
            book.active.append([_value(one) for one in row])
        book.save(new)
    else:
        with new.open("w", newline="", encoding="utf-8") as opened:
            csv.writer(opened, delimiter="\t" if ending == ".tsv" else ",").writerows(rows)
    return f"Python: {max(0, len(rows) - 1)} rows, {len(rows[0]) if rows else 0} columns{told}"


def _read(old: Path, sheet: str) -> tuple[Rows, str]:
    ending = old.suffix.lower()
    if ending == ".xlsx":
        import openpyxl

        book = openpyxl.load_workbook(old, read_only=True, data_only=True)
        names = book.sheetnames
        if sheet not in names and not (sheet.isdigit() and 1 <= int(sheet) <= len(names)):
            raise ValueError(f"there is no sheet {sheet!r}; there are: {', '.join(names)}")
        name = sheet if sheet in names else names[int(sheet) - 1]
        told = f"; sheet {name} of {len(names)}" if len(names) > 1 else ""
        return [["" if one is None else one for one in row] for row in book[name].iter_rows(values_only=True)], told
    text = old.read_bytes().decode("utf-8-sig")
    if ending == ".json":
        found = json.loads(text)
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ValueError("it is no list of objects")
        head = list(dict.fromkeys(key for one in found for key in one))
        return [head, *([one.get(key, "") for key in head] for one in found)], ""
    mark = "\t" if ending == ".tsv" else max(",;\t|", key=text.split("\n", 1)[0].count)
    return list(csv.reader(text.splitlines(), delimiter=mark)), ""


def _value(text: Any) -> Any:
    """A number where a cell is surely one: no leading zeros, no sixteen digits, which are names."""
    if not isinstance(text, str) or len(text) > 15 or (text[:1] == "0" and text[1:2] not in {"", "."}):
        return text
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return text
