"""What a small model is told of the files that a request names: it cannot look first and then decide.

Their form, never what is in them: a small model that is shown the content of a file answers out of it, or writes the
changed content as its answer, where a program was wanted. And only files that are named: a list of others leads it
astray. `the scans` names `scan1.tif` and `scan2.tif`: a small model would guess their ending.
"""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from pathlib import Path
from typing import cast

from harnesses.examples import own_words

_FILES = 3  # that are told of
_ENTRIES = 5000  # of a folder that are looked through
_NAMES = 12  # of columns, keys, tables, elements or members
_LARGEST = 1_000_000  # bytes of a JSON or XML file that is looked into
_QUOTED = re.compile(r"""(?<!\w)["'`“”„«»]([^"'`“”„«»\n]{1,200})["'`“”„«»](?!\w)""")
_NAME = re.compile(r"[^\s\"'`,;:()?!<>|*、,。:;?!「」《》]*\.[A-Za-z][A-Za-z0-9_]{0,9}")
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_UNTIDY = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def named_files(text: str, cwd: str) -> str:
    """A line on each file that `text` names, that is in `cwd` and that has a form to tell; "" when there is none."""
    told: list[str] = []
    for name, file in _files(text, Path(cwd)).items():
        if len(told) < _FILES and (one := _told(name, file)):
            told.append(one)
    meant = _meant(text, Path(cwd))
    return "\n".join([*told, *([f"Here are {_listed(meant)}"] if meant else [])])


def _meant(text: str, folder: Path) -> list[str]:
    """Names in `folder` that begin with a word of `text` which is a name of the person's own, and go on with no letter:
    `scan1.tif` for `the scans`. None for those that `text` has already."""
    words = tuple(own_words(text))
    found: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, _ENTRIES):
                name = entry.name.lower()
                begun = next((word for word in words if name.startswith(word)), "")
                if begun and not name[len(begun) :][:1].isalpha() and name not in text.lower():
                    found.append(entry.name)
    except OSError:
        return []
    return sorted(found)


def _files(text: str, folder: Path) -> dict[str, Path]:
    names: list[str] = _QUOTED.findall(text)
    for name in _NAME.findall(text):
        names.append(name)
        while _WITHOUT_SPACES.match(name):  # it may be glued to the words before it
            names.append(name := name[1:])
    found: dict[str, Path] = {}
    for name in names:
        try:
            file = folder / Path(name).expanduser()
            if file.is_file():
                found.setdefault(name, file)
        except (OSError, ValueError, RuntimeError):  # too long, with a NUL, a home that is not known
            continue
    return found


def _told(name: str, file: Path) -> str:
    kind = file.suffix.lower()
    try:
        with file.open("rb") as opened:
            head = opened.readline(4096)
        if head.startswith(b"SQLite format 3\x00"):
            return _database(name, file)
        if kind == ".zip":
            return _archive(name, file)
        if kind in {".csv", ".tsv"}:
            return _table(name, head.decode("utf-8-sig", "replace").strip())
        if kind in {".json", ".xml"} and file.stat().st_size <= _LARGEST:
            return _keys(name, file) if kind == ".json" else _elements(name, file)
    except OSError:
        pass
    return ""


def _table(name: str, head: str) -> str:
    separator = "\t" if "\t" in head else ";" if head.count(";") > head.count(",") else ","
    columns = [column.strip().strip('"') for column in head.split(separator)]
    unusual = "" if separator == "," else f", separated by {'tabs' if separator == chr(9) else separator}"
    return f"{name} has the columns {_listed(columns)}{unusual}" if head else ""


def _keys(name: str, file: Path) -> str:
    """The keys of a list of objects. Those of a single object are content: a small model that is told them changes
    them."""
    try:
        value: object = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return ""
    first = next(iter(cast("list[object]", value)), None) if isinstance(value, list) else None
    if not isinstance(first, dict):
        return ""
    keys = [str(key) for key in cast("dict[object, object]", first)]
    return f"{name} is a list of objects with the keys {_listed(keys)}"


def _elements(name: str, file: Path) -> str:
    import xml.etree.ElementTree as ElementTree

    shapes: dict[str, None] = {}
    try:
        for _, element in ElementTree.iterparse(file, ["start"]):
            attributes = f" ({', '.join(element.attrib)})" if element.attrib else ""
            shapes[f"{element.tag}{attributes}"] = None
    except (ElementTree.ParseError, ValueError, LookupError):
        return ""
    return f"{name} has the elements {_listed(list(shapes))}"


def _database(name: str, file: Path) -> str:
    import sqlite3
    from contextlib import closing

    tables: list[str] = []
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=0.2)) as base:
            found = base.execute("select name from sqlite_master where type in ('table', 'view')").fetchmany(_NAMES)
            for (table,) in found:
                columns = base.execute("select name from pragma_table_info(?)", (table,)).fetchmany(_NAMES)
                tables.append(f"{table} ({', '.join(column for (column,) in columns)})")
    except sqlite3.Error:
        return ""
    return f"{name} is an SQLite database with the tables {_listed(tables)}" if tables else ""


def _archive(name: str, file: Path) -> str:
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.namelist()
    except (OSError, zipfile.BadZipFile, NotImplementedError, UnicodeError):
        return ""
    return f"{name} contains {_listed(members)}" if members else ""


def _listed(names: list[str]) -> str:
    return ", ".join(_UNTIDY.sub(" ", one)[:60] for one in names[:_NAMES]) + (" ..." if len(names) > _NAMES else "")
