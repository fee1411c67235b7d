"""What a small model is told of the files that a request names."""

from __future__ import annotations

import os
import sqlite3
import zipfile
from pathlib import Path

import pytest

from oi_tui.session.named_files import named_files


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "x;y\n1;2\n", "a.csv has the columns x, y, separated by ;"),
        ("a.csv", '\ufeff"x",y\n1,2', "a.csv has the columns x, y"),
        ("a.tsv", "x\ty\n", "a.tsv has the columns x, y, separated by tabs"),
        ("a.csv", "", ""),
        (
            "a.csv",
            ",".join(f"c{n}" for n in range(20)),
            f"a.csv has the columns {', '.join(f'c{n}' for n in range(12))} ...",
        ),
        ("a.json", '[{"x": 1, "y": 2}]', "a.json is a list of objects with the keys x, y"),
        ("a.json", '{"x": 1, "y": 2}', ""),  # its keys are content, not columns
        ("a.json", "[1, 2]", ""),
        ("a.json", "{", ""),
        ("a.xml", "<a><b c='1'>x</b><b c='2'/><d/></a>", "a.xml has the elements a, b (c), d"),
        ("a.xml", "<a><b></a>", ""),
        ("a.txt", "x,y", ""),
    ],
)
def test_the_form_of_a_file_is_told_and_not_its_content(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert named_files(f"what is in {name}?", str(tmp_path)) == told


@pytest.mark.parametrize(
    "request_",
    [
        "count `my data.csv`",
        "was steht in „my data.csv“?",
        "what's in 'my data.csv', please",
        "count ./über.csv",
        "把über.csv翻译成英语",
        "compare a.csv and a.csv",
        "a.csv里有几行",
        "is a.csv.",
    ],
)
def test_names_are_found_as_people_write_them(tmp_path: Path, request_: str) -> None:
    for name in ("my data.csv", "über.csv", "a.csv"):
        (tmp_path / name).write_text("one\n", encoding="utf-8")
    assert named_files(request_, str(tmp_path)).count("columns") == 1


def test_no_more_than_three_and_none_that_are_not_there(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.csv").write_text("one\n")
    assert named_files("0.csv 1.csv 2.csv 3.csv no.csv", str(tmp_path)).count("columns") == 3
    (tmp_path / "folder.d").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")  # opening it would wait for ever
    assert named_files(f"folder.d pipe.csv {'x' * 5000}.csv ~nobody/a.csv nul\x00.csv", str(tmp_path)) == ""


def test_tables_and_archives(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as base:
        base.execute("create table t (x int, y text)")
    base.close()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for number in range(14):
            archive.writestr(f"{number}.txt", "")
    (tmp_path / "bad.db").write_bytes(b"SQLite format 3\x00" + b"\x01" * 200)
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 no archive")
    told = named_files("look into a.db and a.zip", str(tmp_path))
    assert "the tables t (x, y)" in told and "contains 0.txt, 1.txt" in told and told.endswith("11.txt ...")
    assert named_files("look into bad.db and bad.zip", str(tmp_path)) == ""


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("rename the scans", "Here are Scan_1.tif, scan2.tif"),
        ("rename the scan files to page", "Here are Scan_1.tif, scan2.tif"),
        ("what is in scan2.tif and the other scan?", "Here are Scan_1.tif"),
        ("how many scans of scandals?", "Here are Scan_1.tif, scan2.tif"),
        ("list the files and the words", ""),  # words of asking, though list.txt is there
        ("", ""),
    ],
)
def test_names_that_begin_with_a_word_of_the_persons_own(tmp_path: Path, request_: str, told: str) -> None:
    for name in ("Scan_1.tif", "scan2.tif", "scanner.txt", "list.txt", "file.txt", "word.md"):
        (tmp_path / name).touch()
    assert named_files(request_, str(tmp_path)) == told


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    assert named_files("rename the scans", str(tmp_path / "gone")) == ""
