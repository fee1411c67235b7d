"""The fourth group of requests of `embedded_quality.py`: written before the last round of improvements and run only
after it. What was improved, was improved on `quality_practice.py`."""

from __future__ import annotations

import getpass
import json
import os
import zipfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.quality_judges import Ran, Request, chat, commits, number, picture, rows, size, words, zipped

ESSAY = (
    "Rain fell on the hill. The hill was green, and the rain was cold. Who lives on the hill? A goat lives there.\n"
    "The goat likes rain!\n"
)
CLIENTS = "id,name,city\n1,Lena,Graz\n2,Mona,Linz\n3,Nils,Graz\n4,Olaf,Wels\n"
PURCHASES = "client_id,product,quantity\n1,chair,2\n3,table,1\n1,lamp,4\n4,chair,3\n3,lamp,1\n"
SERVER = {"host": "localhost", "port": 8080, "tls": {"on": False}, "names": ["a", "b"]}
MEMBERS = [{"id": 1, "name": "Uma"}, {"id": 2, "name": "Vik"}, {"id": 3, "name": "Wim"}, {"id": 4, "name": "Xia"}]
GUESTS = "Tara\nBela\nTara\nChan\nBela\nDirk\n"


def fill(folder: Path) -> None:
    """Write the files that the requests are about."""
    texts = {
        "essay.txt": ESSAY,
        "clients.csv": CLIENTS,
        "purchases.csv": PURCHASES,
        "server.json": json.dumps(SERVER),
        "members.json": json.dumps(MEMBERS),
        "guests.txt": GUESTS,
        "memo.txt": "nothing new\n",
        "Plan.DOC": "plan",
        "Draft.DOC": "draft",
        "scan1.tif": "1",
        "scan2.tif": "2",
        "scan10.tif": "10",
        "x.dat": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    with zipfile.ZipFile(folder / "bundle.zip", "w") as archive:
        archive.writestr("short.md", "a\n")
        archive.writestr("long.md", "word " * 400)
        archive.writestr("middle.md", "word " * 20)
    picture(folder / "banner.png", 640, 200)
    commits(folder, ("Ann", "add the essay"), ("Bert", "tidy up"), ("Bert", "sort the guests"))


def _totals(ran: Ran) -> bool:
    found = {tuple(one[:2]) for one in rows(ran.text("totals.csv"))}
    return {("chair", "5"), ("table", "1"), ("lamp", "5")} <= found


def _server(ran: Ran) -> bool:
    return _json(ran, "server.json") == {**SERVER, "port": 9090}


def _members(ran: Ran) -> bool:
    return _json(ran, "members.json") == [one for one in MEMBERS if one["id"] != 3]


def _json(ran: Ran, name: str) -> Any:
    try:
        return json.loads(ran.text(name))
    except ValueError:
        return None


def _counted(ran: Ran) -> bool:
    lines = [line for line in ran.told.splitlines() if ".csv" in line] or [ran.told]
    return any("clients" in one and "4" in one for one in lines) and any(
        "purchases" in one and "5" in one for one in lines
    )


def _any(*said: str) -> Any:
    return lambda ran: any(one.lower() in ran.told.lower() for one in said)


REQUESTS = (
    Request(("how many weeks lie between 3 January 2022 and 19 September 2022?",), number(37), "dates"),
    Request(
        ("on which date is the second Monday of March 2027?",),
        _any("2027-03-08", "March 8", "8 March", "March 08", "08 March", "8.3.2027", "03/08/2027", "08/03/2027"),
        "dates",
    ),
    Request(
        ("what will be the date 45 days from today?",),
        lambda ran: _any(
            *((date.today() + timedelta(45)).strftime(form) for form in ("%Y-%m-%d", "%d %B", "%B %d", "%m/%d/%Y"))
        )(ran),
        "dates",
    ),
    Request(("convert 26.2 miles to kilometres",), number(42.165, 0.06), "units"),
    Request(("how many seconds are 3 days and 4 hours?",), number(273_600), "units"),
    Request(
        ("which client in clients.csv has no entry in purchases.csv?",),
        lambda ran: words("mona", absent=("lena", "nils", "olaf"))(ran) or ran.printed.strip() in {"2", "{2}", "['2']"},
        "joining",
    ),
    Request(("write the total quantity per product of purchases.csv to totals.csv",), _totals, "csv"),
    Request(
        ("rename the scan files so that their names begin with page instead of scan",),
        lambda ran: ran.new() == {"page1.tif", "page2.tif", "page10.tif"} and len(ran.names()) == len(ran.before),
        "renaming",
    ),
    Request(
        ("make the names of the .DOC files lower case",),
        lambda ran: ran.new() == {"plan.doc", "draft.doc"} and len(ran.names()) == len(ran.before),
        "renaming",
    ),
    Request(("change the port in server.json to 9090",), _server, "json"),
    Request(("remove the member with the id 3 from members.json",), _members, "json"),
    Request(("how many sentences are in essay.txt?",), number(5), "statistics"),
    Request(
        ("which three words are the most frequent in essay.txt?",),
        lambda ran: words("the", "hill", "rain")(ran) and not words("likes")(ran),
        "statistics",
    ),
    Request(("which is the largest file in bundle.zip?",), words("long.md", absent=("short.md",)), "zip"),
    Request(
        ("add memo.txt to bundle.zip",),
        lambda ran: zipped(ran.folder / "bundle.zip") == {"short.md", "long.md", "middle.md", "memo.txt"},
        "zip",
    ),
    Request(
        ("which names are more than once in guests.txt?",),
        words("tara", "bela", absent=("chan", "dirk")),
        "duplicates",
    ),
    Request(("who made the most commits in this git repository?",), words("bert"), "git"),
    Request(("what does the message of the last commit say?",), words("sort the guests"), "git"),
    Request(("what are the width and height of banner.png?",), words("640", "200"), "pictures"),
    Request(
        ("scale banner.png to half its size and save it as small.png",),
        lambda ran: size(ran.folder / "small.png") == (320, 100),
        "pictures",
    ),
    Request(
        ("how many bytes do the csv files take together?",),
        number(len(CLIENTS) + len(PURCHASES)),
        "disk",
    ),
    Request(("which user am I logged in as?",), lambda ran: words(getpass.getuser())(ran), "environment"),
    Request(
        ("what is in the environment variable PATH?",),
        lambda ran: os.environ["PATH"].split(os.pathsep)[-1] in ran.told and bool(ran.blocks),
        "environment",
    ),
    Request(("welche Namen stehen in members.json?",), words("uma", "vik", "wim", "xia"), "german"),
    Request(("combien de mots y a-t-il dans essay.txt ?",), number(27), "french"),
    Request(
        ("ordena las líneas de guests.txt y guárdalas en ordenado.txt",),
        lambda ran: ran.text("ordenado.txt").split() == sorted(GUESTS.split()),
        "spanish",
    ),
    Request(("clients.csv 里住在 Graz 的人叫什么名字?",), words("lena", "nils", absent=("mona", "olaf")), "chinese"),
    Request(("list the csv files", "how many rows does each of them have?"), _counted, "follow-up"),
    Request(("what is a regular expression?",), chat, "chat"),
    Request(("thank you, good night",), chat, "chat"),
)
