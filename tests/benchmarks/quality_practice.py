"""The group of requests of `embedded_quality.py` that prompt, worked requests and repairs are tried out on: look at its
failures as often as you like, and measure on the others afterwards."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
import zipfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.quality_judges import Ran, Request, chat, commits, number, picture, rows, size, words, zipped

SPEECH = (
    "Friends, the winter is over.\nWe worked, we waited, we hoped.\nThe winter took a lot: forty trees, two boats.\n"
    "Write to anna@isle.net or to bo@isle.net.\n"
)
TEAMS = "team,captain\nlions,Rosa\nbears,Sam\nhawks,Tim\n"
SCORES = "team,points\nlions,12\nbears,7\nhawks,19\nlions,5\n"
APP = {"name": "demo", "debug": False, "window": {"width": 800, "height": 600}}
TASKS = [{"task": "paint", "done": True, "hours": 3}, {"task": "mow", "done": False, "hours": 1}]
FEED = "<feed><entry><title>Snow</title></entry><entry><title>Ice</title></entry></feed>"


def fill(folder: Path) -> None:
    """Write the files that the requests are about."""
    texts = {
        "speech.txt": SPEECH,
        "teams.csv": TEAMS,
        "scores.csv": SCORES,
        "semi.csv": "day;high\nmon;7\ntue;11\nwed;9\n",
        "app.json": json.dumps(APP),
        "flat.json": '{"z":1,"y":[1,2]}',
        "tasks.json": json.dumps(TASKS),
        "feed.xml": FEED,
        "colours.txt": "teal\nrust\nteal\nmint\n",
        "v1.txt": "alpha\nbeta\ngamma\n",
        "v2.txt": "alpha\ndelta\ngamma\n",
        "ini.cfg": "[main]\nspeed = 5\n",
        "hours.txt": "3\n8\n10\n",
        "Old File.txt": "old",
        "img_1.raw": "1",
        "img_2.raw": "2",
        "tabs.tsv": "k\tv\na\t1\nb\t2\n",
        "run_me.sh": "echo hi\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub" / "deep.txt").write_text("teal\n")
    (folder / "large.bin").write_bytes(b"x" * 50_000)
    with zipfile.ZipFile(folder / "pack.zip", "w") as archive:
        archive.writestr("in.txt", "gold\n")
        archive.writestr("more.txt", "silver\n")
    picture(folder / "flag.png", 300, 120)
    with sqlite3.connect(folder / "pets.db") as base:
        base.execute("create table pets (name text, kind text, age int)")
        base.executemany("insert into pets values (?, ?, ?)", [("Rex", "dog", 4), ("Tom", "cat", 9), ("Fin", "dog", 2)])
    base.close()
    commits(folder, ("Ann", "first draft"), ("Bert", "fix typo"))


def _json(ran: Ran, name: str) -> Any:
    try:
        return json.loads(ran.text(name))
    except ValueError:
        return None


def _said(*said: str) -> Any:
    return lambda ran: any(one.lower() in ran.told.lower() for one in said)


def _joined(ran: Ran) -> bool:
    found = [set(one) for one in rows(ran.text("both.csv"))]
    return len(found) == 5 and {"lions", "Rosa", "12"} in found and {"hawks", "Tim", "19"} in found


def _flat(ran: Ran) -> bool:
    text = ran.text("flat.json")
    return len(text.splitlines()) >= 5 and '  "z"' in text and _json(ran, "flat.json") == {"z": 1, "y": [1, 2]}


def _per_team(ran: Ran) -> bool:
    return words("lions", "17", "hawks", "19", "bears", "7")(ran)


REQUESTS = (
    Request(("how many months are between May 2021 and March 2024?",), number(34), "dates"),
    Request(("which weekday is Christmas Eve 2030?",), words("tuesday"), "dates"),
    Request(
        ("what date was it 3 weeks ago?",),
        _said(*((date.today() - timedelta(21)).strftime(one) for one in ("%Y-%m-%d", "%d %B", "%B %d", "%m/%d/%Y"))),
        "dates",
    ),
    Request(("convert the unix timestamp 86400 to a date",), _said("1970-01-02", "January 2", "2 January"), "dates"),
    Request(("how many pounds are 5 kilograms?",), number(11.02, 0.03), "units"),
    Request(("convert 37.5 degrees celsius to fahrenheit",), number(99.5), "units"),
    Request(("how many hours and minutes are 1000 minutes?",), words("16", "40"), "units"),
    Request(("merge teams.csv and scores.csv by team and write the result to both.csv",), _joined, "joining"),
    Request(("who is the captain of the team with the most points in a row of scores.csv?",), words("tim"), "joining"),
    Request(("sum the points per team in scores.csv",), _per_team, "csv"),
    Request(("what is the highest value in the column high of semi.csv?",), number(11), "csv"),
    Request(
        ("convert tabs.tsv to tabs.csv",), lambda ran: rows(ran.text("tabs.csv"))[1:] == [["a", "1"], ["b", "2"]], "csv"
    ),
    Request(
        ("replace the spaces in the file names with dashes",), lambda ran: ran.new() == {"Old-File.txt"}, "renaming"
    ),
    Request(
        ("add _2024 to the names of the .raw files, before the ending",),
        lambda ran: ran.new() == {"img_1_2024.raw", "img_2_2024.raw"} and len(ran.names()) == len(ran.before),
        "renaming",
    ),
    Request(("turn debug on in app.json",), lambda ran: _json(ran, "app.json") == {**APP, "debug": True}, "json"),
    Request(
        ("set the window width in app.json to 1024",),
        lambda ran: _json(ran, "app.json") == {**APP, "window": {"width": 1024, "height": 600}},
        "json",
    ),
    Request(("pretty-print flat.json",), _flat, "json"),
    Request(
        ("mark all tasks in tasks.json as done",),
        lambda ran: _json(ran, "tasks.json") == [{**one, "done": True} for one in TASKS],
        "json",
    ),
    Request(("how many hours do the tasks in tasks.json take together?",), number(4), "json"),
    Request(("what is the average length of the words in speech.txt?",), number(4.3, 0.8), "statistics"),
    Request(("count how often each letter occurs in colours.txt",), words("t", "4", "m"), "statistics"),
    Request(
        ("find the e-mail addresses in speech.txt",),
        words("anna@isle.net", "bo@isle.net", absent=("friends",)),
        "pattern",
    ),
    Request(("show the titles in feed.xml",), words("snow", "ice"), "xml"),
    Request(("what changed from v1.txt to v2.txt?",), words("beta", "delta"), "comparing"),
    Request(("what is the average of the numbers in hours.txt?",), number(7), "sums"),
    Request(
        ("remove the duplicate lines from colours.txt",),
        lambda ran: ran.text("colours.txt").split() == ["teal", "rust", "mint"] and ran.unchanged(),
        "duplicates",
    ),
    Request(("which lines are twice in colours.txt?",), words("teal", absent=("rust", "mint")), "duplicates"),
    Request(
        ("delete the second line of v1.txt",),
        lambda ran: ran.text("v1.txt").split() == ["alpha", "gamma"] and ran.unchanged(),
        "editing",
    ),
    Request(
        ("change the speed in ini.cfg to 9",),
        lambda ran: "".join(ran.text("ini.cfg").split()) == "[main]speed=9" and ran.unchanged(),
        "editing",
    ),
    Request(("what does the file in.txt in pack.zip say?",), words("gold", absent=("silver",)), "zip"),
    Request(
        ("pack the raw files into raw.zip",),
        lambda ran: zipped(ran.folder / "raw.zip") == {"img_1.raw", "img_2.raw"},
        "zip",
    ),
    Request(("show the git log",), words("first draft", "fix typo"), "git"),
    Request(("how many commits are there?",), number(2), "git"),
    Request(("how wide is flag.png?",), words("300"), "pictures"),
    Request(
        ("turn flag.png by 90 degrees and save it as turned.png",),
        lambda ran: size(ran.folder / "turned.png") == (120, 300),
        "pictures",
    ),
    Request(
        ("how big is the file large.bin?",),
        lambda ran: _said("50000", "50,000", "48.8", "49K", "50K", "50 K")(ran),
        "disk",
    ),
    Request(("what is the name of this computer?",), words(platform.node()), "environment"),
    Request(("what is the home directory?",), words(os.environ.get("HOME", "/")), "environment"),
    Request(
        ("what is the md5 checksum of v1.txt?",), words(hashlib.md5(b"alpha\nbeta\ngamma\n").hexdigest()), "checksum"
    ),
    Request(("how many dogs are in the table pets of pets.db?",), number(2), "database"),
    Request(
        ("make run_me.sh executable and run it",),
        lambda ran: bool((ran.folder / "run_me.sh").stat().st_mode & 0o100) and words("hi")(ran),
        "permissions",
    ),
    Request(
        ("find all files that contain teal, also in subfolders",),
        words("colours.txt", "deep.txt", absent=("rust",)),
        "files",
    ),
    Request(("write stressed backwards",), words("desserts"), "words"),
    Request(("welche Mannschaft hat in scores.csv die meisten Punkte in einer Zeile?",), words("hawks"), "german"),
    Request(("lösche alle raw-Dateien",), lambda ran: ran.before - ran.names() == {"img_1.raw", "img_2.raw"}, "german"),
    Request(("quel est le plus gros fichier ici ?",), words("large.bin"), "french"),
    Request(("cuenta las palabras de speech.txt",), number(27), "spanish"),
    Request(
        ("把 colours.txt 的内容全部变成大写",),
        lambda ran: ran.text("colours.txt").split() == ["TEAL", "RUST", "TEAL", "MINT"],
        "chinese",
    ),
    Request(("list the files in sub", "what is in it?"), words("teal"), "follow-up"),
    Request(("how many lines does v1.txt have?", "and v2.txt?"), number(3), "follow-up"),
    Request(("hi there",), chat, "chat"),
    Request(("what does csv mean?",), chat, "chat"),
    Request(("danke!",), chat, "chat"),
)
