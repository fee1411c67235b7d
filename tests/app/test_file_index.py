"""`@` in the message box: which files are offered, and what is put into the message."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from oi_tui.app.file_index import FileIndex, suggest_files
from tests.app.running import running

PATHS = ["README.md", "src/app.py", "src/apple/pie.txt", "docs/my app notes.md", "tests/test_app.py", "İ/ı.txt"]


def index_of(*paths: str) -> FileIndex:
    index = FileIndex(".")
    index.take(list(paths))
    return index


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("app", "src/app.py"),
        ("READ", "README.md"),
        ("src/", "src/"),
        ("pie", "src/apple/pie.txt"),
        ("tstapp", "tests/test_app.py"),
        ("ı", "İ/ı.txt"),
    ],
)
def test_the_best_path_is_first(query: str, first: str) -> None:
    assert index_of(*PATHS).search(query)[0][0] == first


def test_each_path_is_offered_once_and_nothing_for_what_is_nowhere() -> None:
    index = index_of(*PATHS, "app/app/app.py")
    found = [path for path, _ in index.search("app")]
    assert len(found) == len(set(found))
    assert index.search("qqq") == []
    assert FileIndex(".").search("app") == []


def test_a_path_stands_in_the_message_as_a_person_would_write_it() -> None:
    index = index_of(*PATHS)
    assert suggest_files("look at @app.py", index)[0].text == "look at src/app.py "
    assert suggest_files("look at @notes", index)[0].text == 'look at "docs/my app notes.md" '
    assert suggest_files('look at @"my app', index)[0].text == 'look at "docs/my app notes.md" '
    assert suggest_files("@src", index)[0].text == "src/"
    assert suggest_files("me@app.py", index) == []


def test_enter_takes_only_what_was_meant() -> None:
    index = index_of(*PATHS)
    assert all(one.by_tab for one in suggest_files("@", index))
    assert not suggest_files("@app", index)[0].by_tab
    assert suggest_files("@tstapp", index)[0].by_tab


def test_what_git_ignores_is_not_offered(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name in (".gitignore", "kept.py", "left.log", "odd\nname.py"):
        (tmp_path / name).write_text("*.log\n")
    index = FileIndex(str(tmp_path))
    assert index.stale
    index.read()
    assert [path for path, _ in index.search("")] == [".gitignore", "kept.py"]
    assert index.known and not index.stale


def test_a_hundred_thousand_paths_are_searched_whole() -> None:
    many = [f"folder{number % 300}/module_{number}.py" for number in range(100_000)]
    index = index_of(*many, "the/needle.txt")
    assert index.search("needle")[0] == ("the/needle.txt", True)
    assert index.search("thndl")[0] == ("the/needle.txt", False)
    assert index.search("zzzz") == []


async def test_the_popup_fills_once_the_folder_is_read_and_keeps_what_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sales.csv").write_text("a\n")
    monkeypatch.chdir(tmp_path)
    async with running() as app:
        composer = app.main.composer
        composer.load("plot  please")
        composer.area.move_cursor((0, 5))
        await app.pilot.press(*"@sal")
        await app.until(lambda: "sales.csv" in app.screen_text())
        await app.pilot.press("tab")
        await app.until(lambda: composer.draft == "plot sales.csv  please")
        assert composer.area.cursor_location == (0, len("plot sales.csv "))
        assert not composer.completer.is_open
