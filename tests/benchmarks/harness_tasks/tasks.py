"""Twenty small tasks in a repository: its files, what is asked, the steps that do it, and whether it is done."""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.benchmarks.harness_tasks.steps import Cell, Find, Plan, Read, Replace, Run, Search, Step, Write

TESTS = "python3 -m unittest -q 2>&1"


@dataclass(frozen=True)
class Task:
    """asked: what the person says. files: what is there before. check: fails with AssertionError unless it is done."""

    name: str
    asked: str
    files: dict[str, str | bytes]
    steps: tuple[Step, ...]
    check: Callable[[Path], None]


def _python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def _passes(folder: Path) -> None:
    done = _python(folder, "-m", "unittest", "-q")
    assert done.returncode == 0, done.stderr
    assert "Ran 0" not in done.stderr


# ---- 1 to 5: code and its tests

_MEAN = (
    "def mean(numbers):\n    return sum(numbers) / (len(numbers) - 1)\n\n\n"
    "def largest(numbers):\n    return max(numbers)\n"
)
_MEAN_TEST = (
    "import unittest\n\nfrom stats import mean\n\n\nclass Mean(unittest.TestCase):\n"
    "    def test_mean(self):\n        self.assertEqual(mean([1, 2, 3]), 2)\n"
)


def _fixed(folder: Path) -> None:
    _passes(folder)
    assert (folder / "test_stats.py").read_text() == _MEAN_TEST
    assert "max(numbers)" in (folder / "stats.py").read_text()


FIX_BUG = Task(
    "fix a bug",
    "The test of mean fails. Find out why and mend it.",
    {"stats.py": _MEAN, "test_stats.py": _MEAN_TEST},
    (
        Run(TESTS, fails=True),
        Read("stats.py"),
        Replace("stats.py", "    return sum(numbers) / (len(numbers) - 1)", "    return sum(numbers) / len(numbers)"),
        Run(TESTS),
    ),
    _fixed,
)

_GREET = (
    'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("name")\n'
    'given = parser.parse_args()\nprint(f"hello {given.name}")\n'
)


def _flag(folder: Path) -> None:
    assert _python(folder, "greet.py", "ada").stdout == "hello ada\n"
    assert _python(folder, "greet.py", "--shout", "ada").stdout == "HELLO ADA\n"


ADD_FLAG = Task(
    "add a flag",
    "Give greet.py a flag --shout that prints everything in capitals.",
    {"greet.py": _GREET},
    (
        Read("greet.py"),
        Replace(
            "greet.py",
            'given = parser.parse_args()\nprint(f"hello {given.name}")',
            'parser.add_argument("--shout", action="store_true")\ngiven = parser.parse_args()\n'
            'text = f"hello {given.name}"\nprint(text.upper() if given.shout else text)',
        ),
        Run("python3 greet.py --shout ada"),
    ),
    _flag,
)


def _renamed(folder: Path) -> None:
    texts = [one.read_text() for one in folder.rglob("*.py")]
    assert not any("fetch_rows" in one for one in texts)
    assert sum(one.count("load_rows") for one in texts) == 6
    assert _python(folder, "main.py").stdout == "[1, 2] [1, 2]\n"


RENAME = Task(
    "rename across files",
    "Rename fetch_rows to load_rows everywhere.",
    {
        "db.py": "def fetch_rows():\n    return [1, 2]\n\n\ndef twice():\n    return fetch_rows()\n",
        "report.py": "from db import fetch_rows\n\n\ndef report():\n    return fetch_rows()\n",
        "main.py": "import report\nfrom db import fetch_rows\n\nprint(report.report(), fetch_rows())\n",
    },
    (
        Plan(("find the uses", "change them", "run it")),
        Search("fetch_rows"),
        Read("db.py"),
        Replace("db.py", "fetch_rows", "load_rows", everywhere=True),
        Read("report.py"),
        Replace("report.py", "fetch_rows", "load_rows", everywhere=True),
        Read("main.py"),
        Replace("main.py", "fetch_rows", "load_rows", everywhere=True),
        Run("python3 main.py"),
    ),
    _renamed,
)

_SLUG = 'def slug(text):\n    return "-".join(text.lower().split())\n'
_SLUG_TEST = (
    "import unittest\n\nfrom slug import slug\n\n\nclass Slug(unittest.TestCase):\n    def test_words(self):\n"
    '        self.assertEqual(slug("  Two  Words "), "two-words")\n\n    def test_nothing(self):\n'
    '        self.assertEqual(slug(""), "")\n'
)


def _tests_tell(folder: Path) -> None:
    _passes(folder)
    assert (folder / "slug.py").read_text() == _SLUG
    (folder / "slug.py").write_text(_SLUG.replace(".lower()", ""))
    assert _python(folder, "-m", "unittest", "-q").returncode == 1


WRITE_TEST = Task(
    "write a test",
    "Write tests for slug.py.",
    {"slug.py": _SLUG},
    (Read("slug.py"), Write("test_slug.py", _SLUG_TEST), Run(TESTS)),
    _tests_tell,
)


def _dead(folder: Path) -> None:
    text = (folder / "shapes.py").read_text()
    assert "perimeter" not in text
    assert _python(folder, "main.py").stdout == "6 9\n"


DEAD_CODE = Task(
    "delete dead code",
    "Is there a function in shapes.py that nothing uses? Delete it.",
    {
        "shapes.py": "def area(a, b):\n    return a * b\n\n\ndef perimeter(a, b):\n    return 2 * (a + b)\n\n\n"
        "def square(a):\n    return area(a, a)\n",
        "main.py": "from shapes import area, square\n\nprint(area(2, 3), square(3))\n",
    },
    (
        Read("shapes.py"),
        Search("perimeter"),
        Search("square"),
        Replace("shapes.py", "def perimeter(a, b):\n    return 2 * (a + b)\n\n\ndef square", "def square"),
        Run("python3 main.py"),
    ),
    _dead,
)


# ---- 6 to 10: data

_SALES = "month,amount\nJan,10\nFeb,25\nMar,15\n"
_CHART = """import csv

bars = []
for number, row in enumerate(csv.DictReader(open("sales.csv"))):
    x, height = 40 * number, int(row["amount"])
    bars.append(f'<rect x="{x}" y="{100 - height}" width="30" height="{height}"/>')
    month = row["month"]
    bars.append(f'<text x="{x}" y="115">{month}</text>')
inside = "".join(bars)
svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="130" height="120">{inside}</svg>'
open("chart.svg", "w").write(svg)
"""


def _chart(folder: Path) -> None:
    root = ElementTree.fromstring((folder / "chart.svg").read_text())
    space = "{http://www.w3.org/2000/svg}"
    assert [one.get("height") for one in root.findall(f"{space}rect")] == ["10", "25", "15"]
    assert [one.text for one in root.findall(f"{space}text")] == ["Jan", "Feb", "Mar"]


CHART = Task(
    "CSV to chart",
    "Draw sales.csv as a bar chart, chart.svg.",
    {"sales.csv": _SALES},
    (Read("sales.csv"), Write("chart.py", _CHART), Run("python3 chart.py")),
    _chart,
)

_LOG = "".join(f"10.0.0.{n % 4} GET /{'ab'[n % 2]} {500 if n % 3 == 0 else 200}\n" for n in range(30))


def _log(folder: Path) -> None:
    assert json.loads((folder / "errors.json").read_text()) == {"/a": 5, "/b": 5}


PARSE_LOG = Task(
    "parse a log",
    "Count the answers with status 500 in access.log by path, into errors.json.",
    {"access.log": _LOG},
    (
        Run("head -3 access.log"),
        Run(
            "python3 -c \"import collections, json; rows = [line.split() for line in open('access.log')]; "
            "json.dump(collections.Counter(r[2] for r in rows if r[3] == '500'), open('errors.json', 'w'))\""
        ),
        Read("errors.json"),
    ),
    _log,
)


def _joined(folder: Path) -> None:
    with (folder / "joined.csv").open(newline="") as opened:
        assert [tuple(row.values()) for row in csv.DictReader(opened)] == [("1", "Ada", "3"), ("2", "Bo", "1")]


_JOIN = (
    "import csv\nfrom collections import Counter\n\nwith open('orders.csv') as opened:\n"
    "    counts = Counter(row['person'] for row in csv.DictReader(opened))\n"
    "with open('people.csv') as opened, open('joined.csv', 'w', newline='') as made:\n    out = csv.writer(made)\n"
    "    out.writerow(['id', 'name', 'orders'])\n    for row in csv.DictReader(opened):\n"
    "        out.writerow([row['id'], row['name'], counts[row['id']]])\n"
)
JOIN = Task(
    "join two tables",
    "Write joined.csv: id, name and number of orders of each person.",
    {"people.csv": "id,name\n1,Ada\n2,Bo\n", "orders.csv": "person,what\n1,a\n2,b\n1,c\n1,d\n"},
    (Find("*.csv"), Read("people.csv"), Read("orders.csv"), Write("join.py", _JOIN), Run("python3 join.py")),
    _joined,
)


def _sql(folder: Path) -> None:
    rows = sqlite3.connect(folder / "shop.db").execute("select name, price from item order by price").fetchall()
    assert rows == [("pen", 2), ("book", 12)]


SQL = Task(
    "table into a database",
    "Put items.csv into the table item of a SQLite file shop.db.",
    {"items.csv": "name,price\nbook,12\npen,2\n"},
    (
        Read("items.csv"),
        Write(
            "load.py",
            "import csv\nimport sqlite3\n\ndb = sqlite3.connect('shop.db')\n"
            "db.execute('create table item (name text, price integer)')\n"
            "rows = [(one['name'], int(one['price'])) for one in csv.DictReader(open('items.csv'))]\n"
            "db.executemany('insert into item values (?, ?)', rows)\ndb.commit()\n",
        ),
        Run("python3 load.py"),
    ),
    _sql,
)


def _migrated(folder: Path) -> None:
    assert json.loads((folder / "users.json").read_text()) == [
        {"name": "Ada", "active": True},
        {"name": "Bo", "active": True},
    ]


MIGRATE = Task(
    "change a data file",
    "In users.json call fullName name, and add active: true to each.",
    {"users.json": '[{"fullName": "Ada"}, {"fullName": "Bo"}]\n'},
    (
        Read("users.json"),
        Write("users.json", '[\n {"name": "Ada", "active": true},\n {"name": "Bo", "active": true}\n]\n'),
        Run("python3 -m json.tool users.json"),
    ),
    _migrated,
)


# ---- 11 to 15: settings, notebooks, documents

_TOML = '# the service\n[server]\nport = 8080  # not 80\nhost = "0.0.0.0"\n'


def _config(folder: Path) -> None:
    text = (folder / "app.toml").read_text()
    assert tomllib.loads(text) == {"server": {"port": 9090, "host": "0.0.0.0"}, "log": {"level": "debug"}}
    assert text.startswith("# the service\n[server]\nport = 9090  # not 80\n")


CONFIG = Task(
    "change a setting",
    "Let the service listen on 9090, and set the level of its log to debug.",
    {"app.toml": _TOML},
    (
        Read("app.toml"),
        Replace("app.toml", "port = 8080", "port = 9090"),
        Replace("app.toml", 'host = "0.0.0.0"\n', 'host = "0.0.0.0"\n\n[log]\nlevel = "debug"\n'),
        Read("app.toml"),
    ),
    _config,
)

_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "head", "metadata": {}, "source": ["# Growth"]},
        {
            "cell_type": "code", "id": "calc", "metadata": {}, "source": ["rate = 0.5\n", "rate"],
            "execution_count": 3, "outputs": [],
        },
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


def _notebook(folder: Path) -> None:
    book = json.loads((folder / "growth.ipynb").read_text())
    assert [one["id"] for one in book["cells"]] == ["head", "calc"]
    assert "".join(book["cells"][1]["source"]) == "rate = 0.05\nrate"
    assert book["metadata"] == _NOTEBOOK["metadata"]


NOTEBOOK = Task(
    "edit a notebook",
    "The rate in growth.ipynb should be 0.05.",
    {"growth.ipynb": json.dumps(_NOTEBOOK, indent=1)},
    (Read("growth.ipynb"), Cell("growth.ipynb", "calc", "rate = 0.05\nrate")),
    _notebook,
)


def _bumped(folder: Path) -> None:
    assert tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"] == "1.3.0"
    assert (folder / "pkg/__init__.py").read_text() == '__version__ = "1.3.0"\n'
    assert (folder / "CHANGELOG.md").read_text().startswith("# Changelog\n\n## 1.3.0\n\n- Faster.\n\n## 1.2.0\n")


BUMP = Task(
    "raise the version",
    "Make this version 1.3.0, with a line `Faster.` in the changelog.",
    {
        "pyproject.toml": '[project]\nname = "pkg"\nversion = "1.2.0"\n',
        "pkg/__init__.py": '__version__ = "1.2.0"\n',
        "CHANGELOG.md": "# Changelog\n\n## 1.2.0\n\n- Smaller.\n",
    },
    (
        Search("1.2.0"),
        Read("pyproject.toml"),
        Replace("pyproject.toml", 'version = "1.2.0"', 'version = "1.3.0"'),
        Read("pkg/__init__.py"),
        Replace("pkg/__init__.py", '"1.2.0"', '"1.3.0"'),
        Read("CHANGELOG.md"),
        Replace("CHANGELOG.md", "## 1.2.0", "## 1.3.0\n\n- Faster.\n\n## 1.2.0"),
    ),
    _bumped,
)


def _documented(folder: Path) -> None:
    text = (folder / "README.md").read_text()
    assert text.startswith("# wc\n")
    assert "## Usage\n\n    python3 wc.py FILE\n" in text


DOCUMENT = Task(
    "document a program",
    "Add a section Usage to the README that says how wc.py is called.",
    {"README.md": "# wc\n\nCounts words.\n", "wc.py": "import sys\n\nprint(len(open(sys.argv[1]).read().split()))\n"},
    (
        Read("wc.py"),
        Read("README.md"),
        Replace("README.md", "Counts words.\n", "Counts words.\n\n## Usage\n\n    python3 wc.py FILE\n"),
        Run("python3 wc.py README.md"),
    ),
    _documented,
)

_LETTER = "Liebe Gäste,\r\nwir öffnen um 9 Uhr.\r\nBis bald\r\n".encode("latin-1")


def _letter(folder: Path) -> None:
    assert (folder / "brief.txt").read_bytes() == _LETTER.replace(b"um 9 Uhr", b"um 10 Uhr")


LETTER = Task(
    "edit an old text",
    "In brief.txt we open at 10, not at 9. Keep the file as it is otherwise.",
    {"brief.txt": _LETTER},
    (Read("brief.txt"), Replace("brief.txt", "um 9 Uhr.", "um 10 Uhr.")),
    _letter,
)


# ---- 16 to 20: files, scripts, structure


def _ignored(folder: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=folder, capture_output=True, text=True
    )
    assert sorted(listed.stdout.split()) == [".gitignore", "a.py"]


IGNORE = Task(
    "ignore what is made",
    "Git should not see logs and caches.",
    {"a.py": "x = 1\n", "run.log": "x\n", "__pycache__/a.pyc": "x"},
    (
        Run("git init -q . && git status --short"),
        Write(".gitignore", "*.log\n__pycache__/\n"),
        Run("git status --short"),
    ),
    _ignored,
)


def _files(folder: Path) -> None:
    assert sorted(one.name for one in folder.glob("*.txt")) == ["note-1.txt", "note-2.txt", "note-3.txt"]
    assert (folder / "note-2.txt").read_text() == "b"


FILES = Task(
    "rename files",
    "Call the files `IMG n.txt` note-n.txt.",
    {"IMG 1.txt": "a", "IMG 2.txt": "b", "IMG 3.txt": "c"},
    (Find("*.txt"), Run('for one in IMG*.txt; do mv "$one" "note-${one#IMG }"; done'), Find("note-*.txt")),
    _files,
)


def _script(folder: Path) -> None:
    (folder / "two words").mkdir()
    (folder / "two words/x").write_text("1")
    subprocess.run(["sh", "backup.sh", "two words"], cwd=folder, check=True, capture_output=True)
    assert (folder / "two words.bak/x").read_text() == "1"


SCRIPT = Task(
    "mend a script",
    "backup.sh fails for folders with a space in their name.",
    {"backup.sh": "#!/bin/sh\nset -e\ncp -r $1 $1.bak\n"},
    (Read("backup.sh"), Replace("backup.sh", "cp -r $1 $1.bak", 'cp -r "$1" "$1.bak"'), Run("sh -n backup.sh")),
    _script,
)


def _told(folder: Path) -> None:
    done = _python(folder, "show.py", "missing.txt")
    assert (done.returncode, done.stderr) == (2, "missing.txt: no such file\n")
    assert _python(folder, "show.py", "show.py").returncode == 0


ERROR = Task(
    "tell an error",
    "show.py should print `NAME: no such file` and exit with 2 when the file is missing.",
    {"show.py": "import sys\n\nprint(open(sys.argv[1]).read())\n"},
    (
        Read("show.py"),
        Run("python3 show.py missing.txt", fails=True),
        Replace(
            "show.py",
            "print(open(sys.argv[1]).read())",
            "try:\n    print(open(sys.argv[1]).read())\nexcept FileNotFoundError:\n"
            '    sys.exit(print(f"{sys.argv[1]}: no such file", file=sys.stderr) or 2)',
        ),
        Run("python3 show.py missing.txt; test $? = 2"),
    ),
    _told,
)


def _extracted(folder: Path) -> None:
    assert "def clean" in (folder / "text.py").read_text()
    assert "def clean" not in (folder / "app.py").read_text()
    assert _python(folder, "app.py").stdout == "a b\n"


EXTRACT = Task(
    "move a function",
    "Move clean out of app.py into a module text.py.",
    {"app.py": 'def clean(text):\n    return " ".join(text.split())\n\n\nprint(clean(" a  b "))\n'},
    (
        Read("app.py"),
        Write("text.py", 'def clean(text):\n    return " ".join(text.split())\n'),
        Replace(
            "app.py",
            'def clean(text):\n    return " ".join(text.split())\n\n\nprint',
            "from text import clean\n\nprint",
        ),
        Run("python3 app.py"),
    ),
    _extracted,
)


ALL = (
    FIX_BUG, ADD_FLAG, RENAME, WRITE_TEST, DEAD_CODE, CHART, PARSE_LOG, JOIN, SQL, MIGRATE,
    CONFIG, NOTEBOOK, BUMP, DOCUMENT, LETTER, IGNORE, FILES, SCRIPT, ERROR, EXTRACT,
)  # fmt: skip
FEW = (RENAME, CHART, LETTER)  # for the test-suite: edits everywhere, a new file, an encoding
