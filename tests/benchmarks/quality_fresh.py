"""The third group of requests of `embedded_quality.py`: written after the held-out half had been looked at, of other
kinds, and not run before prompt, worked requests and repairs were as they are."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.quality_judges import Ran, Request, chat, number, rows, turns, words

LETTER = "Dear Ann,\ncall me at 555-0142 or 555-0199.\nYours, Tom\n"
COUNTRIES = "country\tpeople\nNorway\t5.5\nChile\t19.6\nKenya\t55.1\n"
STOCK = "item,count\nnails,120\nscrews,75\nhooks,40\n"
COSTS = "item,price\nhooks,2.5\nnails,0.1\nscrews,0.2\n"
LIBRARY = "<library><book pages='120'>Tides</book><book pages='310'>Dunes</book><book pages='95'>Moss</book></library>"


def fill(folder: Path) -> None:
    """Write the files that the requests are about."""
    texts = {
        "letter.txt": LETTER,
        "before.txt": "red\ngreen\nblue\n",
        "after.txt": "red\nyellow\nblue\n",
        "countries.tsv": COUNTRIES,
        "stock.csv": STOCK,
        "costs.csv": COSTS,
        "library.xml": LIBRARY,
        "start.sh": "#!/bin/sh\necho started\n",
        "secret.txt": "aGVsbG8gbW9vbg==\n",
        "marks.txt": "12\n7\n31\n22\n",
        "gaps.txt": "one\n\n\ntwo\n\nthree\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "start.sh").chmod(0o644)
    with sqlite3.connect(folder / "shop.db") as base:
        base.execute("create table orders (customer text, amount real)")
        base.executemany("insert into orders values (?, ?)", [("Ann", 10), ("Bo", 20), ("Ann", 5)])
    base.close()


def _joined(ran: Ran) -> bool:
    found = [set(one) for one in rows(ran.text("merged.csv"))]
    return len(found) == 4 and all(one in found for one in ({"nails", "120", "0.1"}, {"hooks", "40", "2.5"}))


def _lines(name: str, *wanted: str) -> Callable[[Ran], bool]:
    return lambda ran: ran.text(name).splitlines() == list(wanted)


REQUESTS = (
    Request(
        ("find the phone numbers in letter.txt",), words("555-0142", "555-0199", absent=("dear", "yours")), "pattern"
    ),
    Request(("what is the difference between before.txt and after.txt?",), words("green", "yellow"), "comparing"),
    Request(
        ("convert countries.tsv to a comma separated file countries.csv",),
        lambda ran: (
            rows(ran.text("countries.csv"))
            == [["country", "people"], ["Norway", "5.5"], ["Chile", "19.6"], ["Kenya", "55.1"]]
        ),
        "tsv",
    ),
    Request(("join stock.csv and costs.csv on the item column and save it as merged.csv",), _joined, "joining"),
    Request(("list the titles of the books in library.xml",), words("tides", "dunes", "moss"), "xml"),
    Request(
        ("make start.sh executable",),
        lambda ran: bool((ran.folder / "start.sh").stat().st_mode & 0o100) and ran.unchanged(),
        "permissions",
    ),
    Request(("what is the sha256 of letter.txt?",), words(hashlib.sha256(LETTER.encode()).hexdigest()), "checksum"),
    Request(("decode the base64 text in secret.txt",), words("hello moon"), "encoding"),
    Request(("which tables are in the sqlite database shop.db?",), words("orders"), "database"),
    Request(("what is the sum of the numbers in marks.txt?",), number(72), "sums"),
    Request(
        ("remove the blank lines from gaps.txt",),
        lambda ran: _lines("gaps.txt", "one", "two", "three")(ran) and ran.unchanged(),
        "editing",
    ),
    Request(("how many hours and minutes are 500 minutes?",), words("8", "20"), "units"),
    Request(
        ("scatter plot of x = 0 to 20 and y = 20 - x, save as dots.png",),
        lambda ran: turns(ran.folder / "dots.png") == 0 and (ran.folder / "dots.png").is_file(),
        "scatter",
    ),
    Request(("write the word banana backwards",), words("ananab"), "words"),
    Request(("¿cuántas líneas tiene letter.txt?",), number(3), "spanish"),
    Request(("what is the difference between a list and a tuple?",), chat, "explaining"),
)
