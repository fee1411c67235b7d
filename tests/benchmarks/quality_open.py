"""The open half of the requests of `embedded_quality.py`: what prompt and repairs were improved on."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.benchmarks.quality_judges import (
    Ran,
    Request,
    chat,
    heights,
    number,
    numbers,
    rows,
    turns,
    words,
    zipped,
)

POEM = "The river is old,\nthe river is cold,\n\nand nobody told\nthe bridge.\n\nThe river ran on.\n"
PEOPLE = (
    "name,age,city\nAda,36,London\nBob,12,Paris\nCem,51,Izmir\nDora,17,Paris\nEve,29,Lyon\nFritz,64,Paris\n"
    "Gwen,8,London\n"
)
SALES = "day,region,revenue\n1,north,120\n1,south,300\n2,north,80\n2,east,150\n3,south,100\n3,east,50\n"
PRICES = {"tea": 3.5, "coffee": 4.25, "cake": 5.75, "bread": 2.8}


def fill(folder: Path) -> None:
    """Write the files that the requests are about."""
    texts = {
        "poem.txt": POEM,
        "people.csv": PEOPLE,
        "sales.csv": SALES,
        "todo.txt": "buy milk\ncall Ann\nfix the door\n",
        "notes.md": "The colour of the colour wheel.\nNo Colour here: colourful.\n",
        "users.json": json.dumps(
            [{"name": "kim", "active": True}, {"name": "lou", "active": False}, {"name": "mia", "active": True}]
        ),
        "data.json": json.dumps([{"id": 1, "fruit": "fig"}, {"id": 2, "fruit": "kiwi"}]),
        "run.log": "ok\nERROR disk full\nok\nERROR timeout\n",
        "old.log": "ok\n",
        "main.py": "import os\nprint(1)\n",
        "tool.py": "x = 1\n\nprint(x)\n",
        "über.txt": "Grüße aus Köln\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, size in {"one.pdf": 900, "two.pdf": 700, "cat.jpeg": 500, "dog.jpeg": 400, "big.bin": 90_000}.items():
        (folder / name).write_bytes(b"x" * size)


def _moved(ran: Ran) -> bool:
    inside = {one.name for one in (ran.folder / "reports").glob("*")}
    return inside == {"one.pdf", "two.pdf"} and not any(name.endswith(".pdf") for name in ran.names())


def _adults(ran: Ran) -> bool:
    found = rows(ran.text("adults.csv"))
    return found[:1] == [["name", "age", "city"]] and [one[0] for one in found[1:]] == ["Ada", "Cem", "Eve", "Fritz"]


def _revenue(ran: Ran) -> bool:
    bars = heights(ran.folder / "revenue.png")
    if len(bars) != 3:
        return False
    low, middle, high = sorted(bars)
    return abs(low / high - 0.5) < 0.06 and abs(middle / high - 0.5) < 0.06


def _memory(ran: Ran) -> bool:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return any(abs(one * unit / total - 1) < 0.06 for one in numbers(ran.told) for unit in (1, 1e3, 1e6, 1e9, 2**30))


def _fibonacci(ran: Ran) -> bool:
    return (
        ran.unchanged() is False and len(rows(ran.text("squares.csv"))) in {12, 13} and "144" in ran.text("squares.csv")
    )


def _emptied(ran: Ran) -> bool:
    return ran.before - ran.names() == {"run.log", "old.log"} and not ran.new()


REQUESTS = (
    Request(("how many lines of poem.txt are not empty?",), number(5), "text"),
    Request(("which file here is the biggest?",), words("big.bin", absent=("poem.txt",)), "files"),
    Request(("make a folder called reports and move all pdf files into it",), _moved, "files"),
    Request(("delete all .log files in this folder",), _emptied, "files"),
    Request(
        ("rename every .jpeg file so that it ends in .jpg",),
        lambda ran: {"cat.jpg", "dog.jpg"} == ran.new() and not (ran.folder / "cat.jpeg").exists(),
        "renaming",
    ),
    Request(("what is the average age in people.csv?",), number(31), "csv"),
    Request(("which city occurs most often in people.csv?",), words("paris", absent=("izmir",)), "csv"),
    Request(("write the people who are 18 or older from people.csv to adults.csv",), _adults, "csv"),
    Request(("what weekday was 20 July 1969?",), words("sunday"), "dates"),
    Request(("how many days are there between 2024-02-10 and 2024-05-01?",), number(81), "dates"),
    Request(("how often does the word river appear in poem.txt?",), number(3), "text"),
    Request(
        ("replace colour with color everywhere in notes.md",),
        lambda ran: ran.text("notes.md").startswith("The color of the color wheel.") and ran.unchanged(),
        "text",
    ),
    Request(
        ("convert data.json to data.csv",),
        lambda ran: rows(ran.text("data.csv")) == [["id", "fruit"], ["1", "fig"], ["2", "kiwi"]],
        "json",
    ),
    Request(("print the names of the active users in users.json",), words("kim", "mia", absent=("lou",)), "json"),
    Request(("what is 17 percent of 2340?",), number(397.8), "math"),
    Request(("what is the 30th prime number?",), number(113), "math"),
    Request(("how many miles per hour are 100 km/h?",), number(62.14, 0.2), "math"),
    Request(("write the numbers 1 to 12 and their squares to squares.csv",), _fibonacci, "csv"),
    Request(("plot a sine wave to sine.png",), lambda ran: turns(ran.folder / "sine.png") >= 2, "charts"),
    Request(("bar chart of the total revenue per region in sales.csv, saved as revenue.png",), _revenue, "charts"),
    Request(("how much memory does this computer have?",), _memory, "system"),
    Request(("how many cpu cores does this machine have?",), number(os.cpu_count() or 1), "system"),
    Request(
        ("zip all txt files into texts.zip",),
        lambda ran: zipped(ran.folder / "texts.zip") == {"poem.txt", "todo.txt", "über.txt"},
        "zip",
    ),
    Request(
        ("get http://127.0.0.1:{port}/prices.json and tell me the most expensive item",),
        words("cake", absent=("bread",)),
        "http",
    ),
    Request(
        ("show the lines of run.log that contain ERROR",), words("disk full", "timeout", absent=("ok\n",)), "shell"
    ),
    Request(("how many python files are here?", "and how many lines do they have together?"), number(5), "follow-up"),
    Request(("what is the oldest age in people.csv?", "who is that?"), words("fritz", absent=("gwen",)), "follow-up"),
    Request(("hello",), chat, "chat"),
    Request(("what can you do?",), chat, "chat"),
    Request(("wie viele Zeilen hat todo.txt?",), number(3), "german"),
    Request(("当前文件夹里有多少个 txt 文件?",), number(3), "chinese"),
    Request(
        ("create a file named grüße.txt that contains Schöne Grüße",),
        lambda ran: ran.text("grüße.txt").strip() == "Schöne Grüße",
        "unicode",
    ),
)
